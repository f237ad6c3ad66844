"""Fills: where their bits come from, where they stand, and what the bits are."""

from __future__ import annotations

from collections.abc import Iterator

from mmaspec.oracle.amd_rdna3_wmma.addresses import element_format
from mmaspec.programs.amd_rdna3_wmma.program import Fill, Wmma
from mmaspec.programs.formats import Format
from mmaspec.strategies.amd_rdna3_wmma.observations.flow import Event, Flow, Held, flow_of
from mmaspec.strategies.axes.observation import Answer, Look, Subject, Thing

_INLINE = {
    "f32": (0x3F000000, 0x3F800000, 0x40000000, 0x40800000),
    "f16": (0x3800, 0x3C00, 0x4000, 0x4400),
}
"""0.5, 1, 2 and 4."""
_SIZES = ("half", "one", "two", "four")
_INVERSE_2PI = {"f32": 0x3E22F983, "f16": 0x3118}


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
    if after is not None and thing.of in after.reads.values() and isinstance(after.step, Wmma):
        found.add("directly-before")
    old = event.before
    if before is not None and old is not None and isinstance(before.step, Wmma) and old in before.reads.values():
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


def _constant(subject: Subject, thing: Thing) -> Answer:
    """Of fills of C, and of products whose C is one value."""
    if thing.group == "product":
        step = thing.of.step
        held = thing.of.reads.get("c")
        bits = 0 if step.c is None else None if held is None else held.fill
        name = step.d if step.c is None else step.c
    else:
        name, bits = thing.of.fragment, thing.of.fill
    fragment = subject.program.fragment(name)
    return None if fragment.use != "cd" or bits is None else constant(element_format(fragment), bits)


def constant(fmt: Format, bits: int) -> str:
    """What 32 bits are to an instruction that can hold some constants inline."""
    number = bits - (1 << 32) if bits >> 31 else bits
    exact = {0: "zero", 64: "inline-64", 65: "sixty-five", -16: "inline-minus-16", -17: "minus-seventeen"}
    if number in exact:
        return exact[number]
    if bits == 1 << 31:
        return "negative-zero"
    if -16 < number < 64:
        return "inline-positive" if number > 0 else "inline-negative"
    for name, floats in _INLINE.items():
        sign = 0x80000000 if name == "f32" else 0x8000
        if bits & ~sign in floats:
            if fmt.name != name:
                return "other-format-inline"
            size = _SIZES[floats.index(bits & ~sign)]
            return f"inline-minus-{size}" if bits & sign else f"inline-{size}"
        if bits == _INVERSE_2PI[name]:
            return "inline-inverse-2pi" if fmt.name == name else "other-format-inline"
    return "literal"


def _bits(subject: Subject, thing: Thing) -> Answer:
    return set(bit_classes(element_format(subject.program.fragment(thing.of.fragment)), thing.of.fill))


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
    "fill-constant": _constant,
    "fill-bits": _bits,
}
