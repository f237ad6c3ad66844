"""What of a product shows in its data only: an old D, equal factors, an addend of zeros."""

from __future__ import annotations

import numpy as np

from mmaspec.oracle.numerics.ordinals import is_nan, to_ordinal
from mmaspec.programs.amd_rdna3_wmma.program import Fill
from mmaspec.strategies.amd_rdna3_wmma.observations.contents import contents_of, operand_of
from mmaspec.strategies.amd_rdna3_wmma.observations.flow import Event, Held
from mmaspec.strategies.amd_rdna3_wmma.observations.matrices import every, some
from mmaspec.strategies.amd_rdna3_wmma.observations.product import by_memory
from mmaspec.strategies.axes.observation import Answer, Look, Subject, Thing


def _old_d(subject: Subject, thing: Thing) -> Answer:
    event: Event = thing.of
    if event.before is None or event.wmma.c == event.wmma.d:
        return "none"
    old = contents_of(subject, event.before)
    found = {"other-result"} if event.before.product is not None else set()
    if not old.known.all():
        return found
    if not old.bits.any():
        found.add("zeros")
    if (old.bits == np.uint64(old.fmt.mask)).all():
        found.add("ones")
    if is_nan(old.fmt, old.bits).any():
        found.add("nan")
    addend = operand_of(subject, event, "c")
    if addend.known.all() and np.array_equal(addend.bits, old.bits):
        found.add("c")
    if _shows(subject, event, old.bits):
        found.add("large")
    return found


def _shows(subject: Subject, event: Event, old: np.ndarray[tuple[int, ...], np.dtype[np.uint64]]) -> bool:
    """Whether the old value is at least as large as the result in some element, so that no rounding hides it."""
    step = subject.left_by(event.place)
    assert step is not None
    assert step.legal is not None
    legal = step.legal
    number = ~is_nan(legal.fmt, old) & (legal.why == 0) & ~legal.nan
    sizes = np.abs(to_ordinal(legal.fmt, old))
    largest = np.maximum(np.abs(legal.lo), np.abs(legal.hi))
    return bool((number & (sizes > 0) & (sizes >= largest)).any())


def _equal_contents(subject: Subject, thing: Thing) -> Answer:
    """Of one fragment as both there is nothing to compare but itself; else in some item and wave."""
    event: Event = thing.of
    a, b = operand_of(subject, event, "a"), operand_of(subject, event, "b")
    if event.wmma.a == event.wmma.b:
        return "same-data"
    if not (a.known.all() and b.known.all()):
        return None
    lines = np.swapaxes(b.bits, -1, -2)
    if a.fmt.is_float:
        negative = lines ^ np.uint64(a.fmt.sign_bit)
        opposite = every(a.bits == negative)
    else:
        opposite = every(a.values == -np.swapaxes(b.values, -1, -2)) & some(a.bits != 0)
    same = every(a.bits == lines)
    transposed = every(a.bits == b.bits)
    found = {
        name
        for name, here in {"same-data": same, "transposed": transposed & ~same, "negated": opposite & ~same}.items()
        if here.any()
    }
    return found if (same | transposed | opposite).all() else {*found, "different"}


def _c_source(subject: Subject, thing: Thing) -> Answer:
    event: Event = thing.of
    held = event.reads.get("c")
    if held is None:
        return "literal"
    if held.fill is not None:
        zero = "zero-filled" if held.by is not None and isinstance(held.by.step, Fill) else "zero-declared"
        return "filled" if held.fill else zero
    bits = operand_of(subject, event, "c")
    zero_everywhere = bool(bits.known.all()) and not bits.bits.any()
    if held.product is not None:
        found = ["zero-computed"] if zero_everywhere else []
        outside = held.product.loop is not None and held.product.loop != event.loop
        return [*found, "result-of-loop" if outside else "result"]
    if by_memory(subject, held):
        return "reloaded-result"
    return "zero-loaded" if zero_everywhere else "loaded"


def starts_with(subject: Subject, held: Held | None) -> str:
    """What the first C of a chain is."""
    if held is None:
        return "literal"
    if held.fill is not None:
        return "filled" if held.fill else "zero-fragment"
    if held.product is not None or by_memory(subject, held) is not None:
        return "result"
    return "loaded"


LOOKS: dict[str, Look] = {
    "old-d": _old_d,
    "equal-contents": _equal_contents,
    "c-source": _c_source,
}
