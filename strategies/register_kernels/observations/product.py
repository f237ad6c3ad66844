"""Products: where operands come from, where the result goes, and what stands around."""

from __future__ import annotations

from collections.abc import Iterator

from mmaspec.programs.register_kernels import Fill, Load, Repeat, Store
from mmaspec.strategies.axes.observation import Answer, Look, Subject, Thing
from mmaspec.strategies.register_kernels.observations.fill import neighbour
from mmaspec.strategies.register_kernels.observations.flow import Event, Held, flow_of, is_product
from mmaspec.strategies.register_kernels.observations.touched import touched_of


def _destination(_: Subject, thing: Thing) -> Answer:
    event: Event = thing.of
    if event.call.c == event.call.d:
        return "in-place"
    found = ["apart-fresh" if event.before is None else "apart-old"]
    return [*found, "apart-c-live"] if lives(event, "c") else found


def call_of(thing: Thing) -> Event:
    """The call that a thing is, or that it is a part of: an element of its D, one of its operands."""
    found: Event = thing.of if isinstance(thing.of, Event) else thing.of.event
    return found


def lives(event: Event, role: str) -> bool:
    """Whether what an event reads is read later again."""
    held = event.reads.get(role)
    return held is not None and any(other.turn > event.turn for other, _ in held.readers)


def by_memory(subject: Subject, held: Held | None) -> Event | None:
    """The product whose result a load brought back."""
    if held is None or held.load is None:
        return None
    store = touched_of(subject).source(held.load)
    stored = None if store is None else store.reads["store"]
    return None if stored is None else stored.product


def _operand_source(role: str) -> Look:
    other = {"a": "b", "b": "a"}[role]

    def look(subject: Subject, thing: Thing) -> Answer:
        event: Event = thing.of
        held = event.reads[role]
        if held is None:
            return None
        found = set()
        if held.fill is not None:
            found.add("filled")
        if held.product is not None:
            found.add("result")
        if by_memory(subject, held):
            found.add("result-by-memory")
        if event.loop is not None and held.by is not None:
            if held.by.loop != event.loop:
                found.add("before-loop")
            elif held.by.place.loop != event.place.loop:
                found.add("earlier-pass")
        earlier = {r for e, r in held.readers if e.turn < event.turn}
        found |= {"reused"} if role in earlier else set()
        found |= {f"was-{other}"} if other in earlier else set()
        return found or "loaded"

    return look


def _live_after(_: Subject, thing: Thing) -> Answer:
    a, b, c = (lives(thing.of, role) for role in "abc")
    if c:
        return "all" if a and b else "c"
    if a and b:
        return "a-and-b"
    return "a" if a else "b" if b else "none"


def _before(subject: Subject, thing: Thing) -> Answer:
    event: Event = thing.of
    before = neighbour(flow_of(subject), event, -1)
    if before is None:
        return "none"
    if isinstance(before.step, Store):
        return "store"
    roles = [role for role, held in event.reads.items() if held is not None and held is before.leaves]
    if isinstance(before.step, Load):
        return [f"load-{role}" for role in roles]
    if isinstance(before.step, Fill):
        return ["fill-c" if role == "c" else "fill-operand" for role in roles]
    return ["product-giving-c" if role == "c" else "product-giving-a-or-b" for role in roles] or "product-apart"


def _after(subject: Subject, thing: Thing) -> Answer:
    event: Event = thing.of
    body = subject.program.body
    inside = body[event.path[0]].body if event.loop is not None else body
    after = neighbour(flow_of(subject), event, 1)
    if event.path[-1] == len(inside) - 1 or after is None:
        return "none"
    step, own = after.step, event.call
    if isinstance(step, Store):
        if step.fragment == own.d:
            return "store-result"
        return "store-operand" if step.fragment in (own.a, own.b, own.c) else None
    if isinstance(step, (Load, Fill)):
        kind = "load" if isinstance(step, Load) else "fill"
        if step.into == own.d:
            return f"{kind}-over-result"
        return f"{kind}-over-operand" if step.into in (own.a, own.b) else None
    if event.leaves in after.reads.values():
        return "product-reading-d"
    return "product-same-d" if step.d == own.d else "product-apart"


def _in_loop(subject: Subject, thing: Thing) -> Answer:
    event: Event = thing.of
    loops = [number for number, _ in flow_of(subject).loops]
    if event.loop is None:
        return "after-loop" if any(number < event.path[0] for number in loops) else "no"
    loop = subject.program.body[event.loop]
    assert isinstance(loop, Repeat)
    calls = [number for number, step in enumerate(loop.body) if is_product(step)]
    if len(calls) == 1:
        return "only-in-loop"
    return "first-in-loop" if calls[0] == event.path[1] else "later-in-loop"


def things(subject: Subject) -> Iterator[Thing]:
    """Every call, as any product and as one of its kind; one in a loop in the passes that differ."""
    flow = flow_of(subject)
    for event in flow.told_apart(flow.products):
        yield Thing("product", event, event.place)
        yield Thing("integer-product" if event.form.integer else "float-product", event, event.place)


LOOKS: dict[str, Look] = {
    "destination": _destination,
    "a-source": _operand_source("a"),
    "b-source": _operand_source("b"),
    "live-after": _live_after,
    "statement-before": _before,
    "statement-after": _after,
    "in-loop": _in_loop,
}
