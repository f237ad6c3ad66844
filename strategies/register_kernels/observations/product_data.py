"""What of a product shows in its data only: an old D, an addend of zeros."""

from __future__ import annotations

import numpy as np

from mmaspec.oracle.numerics.ordinals import is_nan, to_ordinal
from mmaspec.programs.register_kernels import Fill
from mmaspec.strategies.axes.observation import Answer, Look, Subject, Thing
from mmaspec.strategies.register_kernels.observations.contents import contents_of, operand_of
from mmaspec.strategies.register_kernels.observations.flow import Event, Held
from mmaspec.strategies.register_kernels.observations.product import by_memory


def _old_d(subject: Subject, thing: Thing) -> Answer:
    event: Event = thing.of
    if event.before is None or event.call.c == event.call.d:
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
    "c-source": _c_source,
}
