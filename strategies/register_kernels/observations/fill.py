"""Fills: where their bits come from, where they stand, and what the bits are."""

from __future__ import annotations

from collections.abc import Iterator

from mmaspec.programs.formats import Format
from mmaspec.programs.register_kernels import Fill
from mmaspec.strategies.axes.observation import Answer, Look, Subject, Thing
from mmaspec.strategies.register_kernels.observations.dialect import dialect_of
from mmaspec.strategies.register_kernels.observations.flow import Event, Flow, Held, flow_of, is_product


def _source(subject: Subject, thing: Thing) -> Answer:
    """Of a fragment by its declaration and all statements that fill it."""
    if thing.group == "fill":
        return "declaration" if thing.of.by is None else "literal"
    steps = [event.step for event in flow_of(subject).events]
    found = {"literal" for step in steps if isinstance(step, Fill) and step.into == thing.of.name}
    return found if thing.of.fill is None else {*found, "declaration"}


def _into(subject: Subject, thing: Thing) -> Answer:
    held: Held = thing.of
    use = subject.program.fragment(held.fragment).use
    if use == "cd":
        before = None if held.by is None else held.by.before
        return "result" if before is not None and before.product is not None else "c"
    others = [event.reads["b" if use == "a" else "a"] for event in held.read_as(use)]
    both = any(other is not None and other.fill is not None for other in others)
    return [use, "a-and-b"] if both else use


def _when(subject: Subject, thing: Thing) -> Answer:
    flow, event = flow_of(subject), thing.of.by
    if event is None:
        return "before-products"
    found = set()
    before, after = neighbour(flow, event, -1), neighbour(flow, event, 1)
    if after is not None and thing.of in after.reads.values() and is_product(after.step):
        found.add("directly-before")
    old = event.before
    if before is not None and old is not None and is_product(before.step) and old in before.reads.values():
        found.add("directly-after-read")
    if event.loop is not None:
        found.add("in-loop")
    elif old is not None and any(user.loop is not None for user, _ in old.readers):
        found.add("after-loop")
    earlier = any(product.turn < event.turn for product in flow.products)
    if not earlier:
        found.add("before-products")
    elif any(product.turn > event.turn for product in flow.products):
        found.add("between")
    return found


def neighbour(flow: Flow, event: Event, step: int) -> Event | None:
    """The event directly before or after one."""
    turn = event.turn + step
    return flow.events[turn] if 0 <= turn < len(flow.events) else None


def _bits(subject: Subject, thing: Thing) -> Answer:
    return set(
        bit_classes(dialect_of(subject).element_format(subject.program.fragment(thing.of.fragment)), thing.of.fill)
    )


def bit_classes(fmt: Format, bits: int) -> Iterator[str]:
    """The classes of one element's bits."""
    sign, half = 1 << (fmt.bits - 1), fmt.bits // 2
    parts = [bits >> n & 0xFF for n in range(0, fmt.bits, 8)] if fmt.bits > 8 else [bits & 0xF, bits >> 4]
    low = bits & (1 << half) - 1
    one = fmt.bias << fmt.fraction_bits if fmt.is_float else 1
    yield from (
        name
        for name, here in {
            "zero": bits == 0,
            "all-ones": bits == fmt.mask,
            "sign-only": bits == sign,
            "largest": bits == sign - 1,
            "one": bits == one,
            "unequal-bytes": len(set(parts)) == len(parts),
            "low-half-zero": bits != 0 and low == 0,
            "high-half-zero": bits != 0 and bits == low,
        }.items()
        if here
    )
    if fmt.is_float:
        magnitude = bits & (sign - 1)
        if magnitude == fmt.infinity_magnitude:
            yield "infinity"
        elif magnitude > fmt.infinity_magnitude:
            yield "quiet-nan" if magnitude & 1 << (fmt.fraction_bits - 1) else "signalling-nan"
        elif 0 < magnitude < 1 << fmt.fraction_bits:
            yield "subnormal"


def things(subject: Subject) -> Iterator[Thing]:
    """Every declared fill, and every statement that fills."""
    flow = flow_of(subject)
    for held in flow.declared.values():
        yield Thing("fill", held)
    for event in flow.told_apart([event for event in flow.events if isinstance(event.step, Fill)]):
        yield Thing("fill", event.leaves, event.place)


LOOKS: dict[str, Look] = {
    "fill-source": _source,
    "fill-into": _into,
    "fill-when": _when,
    "fill-bits": _bits,
}
