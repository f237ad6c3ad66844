"""Builtins with 16-bit C and D: OPSEL, and what stands in the halves of registers that it does not name."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

import numpy as np

from mmaspec.oracle.numerics.ordinals import is_inf, is_nan, magnitudes
from mmaspec.programs.register_kernels import Fill, Load
from mmaspec.strategies.axes.observation import Answer, Look, Subject, Thing
from mmaspec.strategies.register_kernels.observations.chains import chain_at
from mmaspec.strategies.register_kernels.observations.contents import Contents, contents_of
from mmaspec.strategies.register_kernels.observations.flow import Event, Held, flow_of

_COLUMNS = {False: slice(0, 16), True: slice(16, 32)}
"""OPSEL -> the columns of what a fragment holds in those halves."""


def narrow(event: Event) -> bool:
    """Whether a product is of a form with 16-bit C and D."""
    return event.call.opsel is not None


def other_half(subject: Subject, event: Event) -> Contents | None:
    """What C holds in the other half; None where C is a literal."""
    held = event.reads.get("c")
    return None if held is None else contents_of(subject, held).columns(_COLUMNS[not event.call.opsel])


def _c_other(subject: Subject, thing: Thing) -> Answer:
    event: Event = thing.of
    held, other = event.reads.get("c"), other_half(subject, event)
    if held is None or other is None:
        return "zeros"
    found = set()
    if held.product is not None and held.product.call.opsel is not event.call.opsel:
        found.add("earlier-result")
    if not other.known.all():
        return found or "uninitialised"
    named = contents_of(subject, held).columns(_COLUMNS[bool(event.call.opsel)])
    return found | _contents(other, named)


def _contents(other: Contents, named: Contents) -> set[str]:
    """Classes of a half that is known, in some item and wave."""
    fmt, bits = other.fmt, other.bits
    found = set()
    each = (-2, -1)
    if (bits == 0).all(axis=each).any():
        found.add("zeros")
    if (bits == np.uint64(fmt.mask)).all(axis=each).any():
        found.add("ones")
    if is_nan(fmt, bits).any():
        found.add("nan")
    if is_inf(fmt, bits).any():
        found.add("infinity")
    if not named.known.all():
        return found or {"other-matrix"}
    if (bits == named.bits).all(axis=each).any():
        found.add("same")
    if ((bits != named.bits).any(axis=each) & (bits != 0).any(axis=each)).any():
        found.add("other-matrix")
    finite = ~is_nan(fmt, bits) & ~is_inf(fmt, bits)
    if (finite & (magnitudes(fmt, bits) > magnitudes(fmt, named.bits) + (4 << fmt.fraction_bits))).any():
        found.add("large")
    return found


def _d_other(_: Subject, thing: Thing) -> Answer:
    event: Event = thing.of
    kept = "kept" if event.form.name.endswith("tied") else "free"
    found = {f"{kept}-{'in-place' if event.call.c == event.call.d else 'apart'}"}
    if kept == "kept" and event.leaves is not None:
        readers = event.leaves.read_as("c")
        if any(narrow(one) and one.call.opsel is not event.call.opsel for one in readers):
            found.add("used-next")
    return found


def _sequence(subject: Subject, thing: Thing) -> Answer:
    """Of the chain of a product, or of a sequence; of a single product its own OPSEL."""
    chain = thing.of.chain if thing.group == "sequence" else chain_at(subject)[thing.of.turn]
    if not all(map(narrow, chain.products)):
        return None
    flags = [bool(event.call.opsel) for event in chain.products]
    changes = sum(one is not other for one, other in pairwise(flags))
    found = set()
    if changes == 0:
        found.add("all-high" if flags[0] else "all-low")
    elif changes == 1:
        found.add("high-then-low" if flags[0] else "low-then-high")
    else:
        found.add("alternating")
    if any(_reads_other(event) for event in chain.products):
        found.add("written-then-read-other")
    return found


def _before(subject: Subject, thing: Thing) -> Answer:
    """Of the call directly before, with nothing between; in a loop that of the pass before as well."""
    event: Event = thing.of
    before = next((one for one in flow_of(subject).products if one.turn == event.turn - 1), None)
    if before is None or not narrow(before):
        return "none"
    held = event.reads.get("c")
    fed = held is not None and held.product is before
    return f"{'like' if before.call.opsel is event.call.opsel else 'other'}-{'fed' if fed else 'apart'}"


def _reads_other(event: Event) -> bool:
    """Whether C is the half beside a tied result, which a load or a fill defined before."""
    held = event.reads.get("c")
    while held is not None and held.product is not None:
        before = held.product
        if before.call.opsel is event.call.opsel or not before.form.name.endswith("tied"):
            return False
        held = before.reads.get("c")
        if _defined(held):
            return True
    return False


def _defined(held: Held | None) -> bool:
    return held is not None and (held.by is None or isinstance(held.by.step, (Load, Fill)))


def _splat(subject: Subject, thing: Thing) -> Answer:
    held = thing.of.reads.get("c")
    if held is None:
        return "zero-literal"
    if held.fill is not None:
        return "equal-halves"
    whole = contents_of(subject, held)
    low, high = (whole.columns(_COLUMNS[opsel]) for opsel in (False, True))
    if not (low.known.all() and high.known.all()):
        return None
    return "equal-halves" if np.array_equal(low.bits, high.bits) else "different-halves"


def things(subject: Subject) -> Iterator[Thing]:
    """Every call of such a form; one in a loop in the passes that differ."""
    flow = flow_of(subject)
    for event in flow.told_apart(flow.products):
        if narrow(event):
            yield Thing("half-product", event, event.place)


LOOKS: dict[str, Look] = {
    "half-format": lambda _, thing: thing.of.form.name,
    "opsel": lambda _, thing: "high" if thing.of.call.opsel else "low",
    "c-other-half": _c_other,
    "d-other-half": _d_other,
    "opsel-sequence": _sequence,
    "opsel-before": _before,
    "c-splat-pairs": _splat,
}
