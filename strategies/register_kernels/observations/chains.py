"""Chains: products that add up in one accumulator, and the sequences of products tied by what they share."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from mmaspec.strategies.axes.observation import Subject
from mmaspec.strategies.register_kernels.observations.flow import Event, flow_of
from mmaspec.strategies.register_kernels.observations.product import by_memory


@dataclass(eq=False, slots=True)
class Chain:
    """Products of which each has the result before it as its C."""

    products: list[Event]

    @property
    def span(self) -> tuple[int, int]:
        """First and last turn."""
        return self.products[0].turn, self.products[-1].turn

    def before(self, event: Event) -> list[Event]:
        """Its products up to one, that one included."""
        return self.products[: self.products.index(event) + 1]


@dataclass(eq=False, slots=True)
class Sequence:
    """A chain, with all products tied to it or to one another by what they read."""

    chain: Chain
    products: list[Event]
    loads: list[Event]
    """The loads that brought what they read."""


def previous(subject: Subject, event: Event) -> Event | None:
    """The product whose result is the C of another, in registers or by memory."""
    held = event.reads.get("c")
    if held is None:
        return None
    return held.product or by_memory(subject, held)


@lru_cache(maxsize=4)
def chains_of(subject: Subject) -> tuple[Chain, ...]:
    """Every chain; a result that is the C of two products goes on with the first of them."""
    ends: dict[int, Chain] = {}
    found: list[Chain] = []
    for event in flow_of(subject).products:
        before = previous(subject, event)
        chain = None if before is None else ends.pop(before.turn, None)
        if chain is None:
            chain = Chain([])
            found.append(chain)
        chain.products.append(event)
        ends[event.turn] = chain
    return tuple(found)


@lru_cache(maxsize=4)
def chain_at(subject: Subject) -> dict[int, Chain]:
    """Turn of a product -> its chain."""
    return {event.turn: chain for chain in chains_of(subject) for event in chain.products}


def side_by_side(subject: Subject, chain: Chain) -> int:
    """Chains that are begun and not finished, at the fullest point of one; it counts itself."""
    spans = [other.span for other in chains_of(subject) if len(other.products) > 1 or other is chain]
    return max(sum(first <= event.turn <= last for first, last in spans) for event in chain.products)


def _ties(subject: Subject, event: Event) -> list[object]:
    """What two products that are tied have in common: something read, or a result that the other reads."""
    read = [held for held in event.reads.values() if held is not None]
    return [*read, event.leaves, previous(subject, event), event]


@lru_cache(maxsize=4)
def sequences_of(subject: Subject) -> tuple[Sequence, ...]:
    """Each chain of two or more products; each lot of tied products without such a chain, by its first one."""
    lots: list[tuple[set[int], list[Event]]] = []
    for event in flow_of(subject).products:
        keys = {id(one) for one in _ties(subject, event) if one is not None}
        joined = [lot for lot in lots if lot[0] & keys]
        lots = [lot for lot in lots if not lot[0] & keys]
        products = sorted([one for _, some in joined for one in some] + [event], key=lambda one: one.turn)
        lots.append((keys.union(*(lot[0] for lot in joined)), products))
    found = []
    for _, products in lots:
        if len(products) < 2:
            continue
        brought = [held.load for one in products for held in one.reads.values() if held is not None and held.load]
        loads = list(dict.fromkeys(brought))
        mine = list(dict.fromkeys(chain_at(subject)[one.turn] for one in products))
        long = [chain for chain in mine if len(chain.products) > 1] or mine[:1]
        found += [Sequence(chain, products, loads) for chain in long]
    return tuple(found)
