"""Products that are tied: how results are handed over, and what consecutive ones share."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from mmaspec.programs.register_kernels import Load
from mmaspec.strategies.axes.observation import Answer, Look, Subject, Thing
from mmaspec.strategies.register_kernels.observations.chains import (
    chain_at,
    chains_of,
    sequences_of,
    side_by_side,
)
from mmaspec.strategies.register_kernels.observations.flow import Event, flow_of
from mmaspec.strategies.register_kernels.observations.product import call_of
from mmaspec.strategies.register_kernels.observations.product_data import starts_with


def _length(subject: Subject, thing: Thing) -> Answer:
    """Of a sum the products up to its own."""
    if thing.group == "sequence":
        return len(thing.of.chain.products)
    event = call_of(thing)
    return len(chain_at(subject)[event.turn].before(event))


def _link(_: Subject, thing: Thing) -> Answer:
    chain: list[Event] = thing.of.chain.products
    if len(chain) < 2:
        return "none"
    found: set[str] = set()
    for before, then in pairwise(chain):
        held = then.reads["c"]
        assert held is not None
        if held.product is None:
            load = held.load
            assert load is not None
            found.add(_by_memory(before, load))
        else:
            found.add("in-place" if then.call.d == before.call.d else "apart")
    if found == {"apart"}:
        names = [event.call.d for event in chain]
        by_turns = len(names) > 2 and all(name == before for name, before in zip(names[2:], names, strict=False))
        return "alternating" if by_turns else "apart"
    return "mixed" if found >= {"in-place", "apart"} else found


def _by_memory(before: Event, load: Event) -> str:
    other = before.loop is not None and load.loop == before.loop and load.place.loop != before.place.loop
    return "by-memory-other-wave-block" if other else "by-memory"


def _start(subject: Subject, thing: Thing) -> Answer:
    """Of a loop those of the chains with products in it."""
    if thing.group == "sequence":
        return starts_with(subject, thing.of.chain.products[0].reads.get("c"))
    chains = [chain for chain in chains_of(subject) if any(event.loop == thing.of for event in chain.products)]
    return {starts_with(subject, chain.products[0].reads.get("c")) for chain in chains}


def _accumulators(subject: Subject, thing: Thing) -> Answer:
    if thing.group == "sequence":
        return side_by_side(subject, thing.of.chain)
    chains = [chain for chain in chains_of(subject) if sum(event.loop == thing.of for event in chain.products) > 1]
    return max((side_by_side(subject, chain) for chain in chains), default=None)


def _distance(subject: Subject, thing: Thing) -> Answer:
    """Between each result and its first reader."""
    found = set()
    turns = {event.turn: number for number, event in enumerate(flow_of(subject).products)}
    for event in thing.of.products:
        assert event.leaves is not None
        readers = event.leaves.read_as("a", "b", "c")
        if readers:
            found.add(min(turns[readers[0].turn] - turns[event.turn] - 1, 64))
    return found


def _used_as(_: Subject, thing: Thing) -> Answer:
    found = set()
    for event in thing.of.products:
        assert event.leaves is not None
        roles = [role for _, role in event.leaves.readers]
        if not roles:
            continue
        if roles.count("c") > 1:
            found.add("c-of-two")
        if roles[0] == "store":
            found.add("stored-and-c" if "c" in roles else "stored-only")
        else:
            found.add(roles[0])
    return found


def shared(events: list[Event]) -> set[str]:
    """What consecutive products share."""
    found = set()
    for first, then in pairwise(events):
        same = {role for role in "abc" if first.reads.get(role) is then.reads.get(role)}
        a, b = first.reads["a"], first.reads["b"]
        if a is then.reads["b"] and b is then.reads["a"] and a is not b:
            found.add("crossed")
        elif {"a", "b"} <= same:
            found.add("all" if "c" in same else "a-and-b")
        elif "c" in same and first.reads.get("c") is not None and not same & {"a", "b"}:
            found.add("c")
        else:
            found |= same & {"a", "b"} or {"none"}
    return found


def _shared(_: Subject, thing: Thing) -> Answer:
    """Two products that have no C at all share none."""
    return shared(thing.of.products)


def _formats(_: Subject, thing: Thing) -> Answer:
    forms = {event.form for event in thing.of.chain.products}
    return "one" if len(forms) == 1 else "inputs-change"


def _dead(subject: Subject, thing: Thing) -> Answer:
    flow = flow_of(subject)
    products = flow.products if thing.group == "program" else thing.of.products
    loads = flow.loads if thing.group == "program" else thing.of.loads
    found = set()
    for event in [*products, *loads]:
        held = event.leaves
        assert held is not None
        if not held.readers:
            result = "overwritten-result" if held.replaced else "dead-product"
            found.add("dead-load" if isinstance(event.step, Load) else result)
    if products and (last := products[-1]).leaves is not None and not last.leaves.readers:
        c = last.reads.get("c")
        if c is not None and any(event.turn > last.turn for event in c.read_as("store")):
            found.add("dead-last")
    return found or "none"


def _repeated(subject: Subject, thing: Thing) -> Answer:
    """By the calls as they are written."""
    calls = [e for e in flow_of(subject).calls if thing.group == "program" or e in thing.of.products]
    found: set[str] = set()
    for number, first in enumerate(calls):
        for then in calls[number + 1 :]:
            found |= set(_again(first, then))
    return found or "none"


def _again(first: Event, then: Event) -> Iterator[str]:
    one, other, dialect = first.call, then.call, first.flow.dialect
    if dialect.function(one) != dialect.function(other):
        return
    flags = dialect.immediates(one) == dialect.immediates(other)
    same = {role for role in "abc" if first.reads.get(role) is then.reads.get(role)}
    if same == set("abc"):
        yield "identical" if flags else "only-immediate-differs"
    elif flags and (one.a, one.b, one.c) == (other.a, other.b, other.c):
        yield from ("operand-changed-between",) if "a" not in same else ()
        yield from ("b-changed-between",) if "b" not in same else ()
        yield from ("c-changed-between",) if "c" not in same and one.c == one.d else ()
    elif flags and first.reads["a"] is then.reads["b"] and first.reads["b"] is then.reads["a"]:
        yield "swapped"


def things(subject: Subject) -> Iterator[Thing]:
    """Every chain of two or more products, and every lot of tied products without one."""
    for sequence in sequences_of(subject):
        yield Thing("sequence", sequence)


LOOKS: dict[str, Look] = {
    "chain-length": _length,
    "chain-link": _link,
    "chain-start": _start,
    "accumulators": _accumulators,
    "dependence-distance": _distance,
    "result-used-as": _used_as,
    "chain-formats": _formats,
    "dead-results": _dead,
    "repeated-products": _repeated,
    "shared-operands": _shared,
}
