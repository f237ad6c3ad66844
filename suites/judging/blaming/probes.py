"""Data for blame: small whole numbers of which every sum is exact whatever the precision, and edits of such data.

A failure that stays with them is no matter of precision or range. Sums of non-negative whole numbers below
`LARGEST` fit the significand of an accumulator of eight bits, so that rule X demands them to the bit from every adder.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from mmaspec.oracle.case import Bits
from mmaspec.oracle.source import Source
from mmaspec.oracle.spec import DataEdit
from mmaspec.programs.formats import Format
from mmaspec.strategies.regimes.encoding import scaled, two_complement
from mmaspec.strategies.regimes.stream import Ints, Stream

LARGEST = 1 << 8
"""Sums stay below it."""
ADDEND = 16
"""Addends are below it."""
LONE = 15
"""The largest factor of a product that is alone in its sum."""
DENSEST = 60
"""Percent of factors that are not zero, at most."""


def tame(sources: Sequence[Source], batch: int, key: str, *, signed: bool = False) -> dict[str, Bits]:
    """The bits of every source, shape ``(batch, *source.shape)``: a pure function of the arguments.

    ``signed``: with signs where the format has them. Scalars are left to the caller.
    """
    factors = [source for source in sources if source.role in ("a", "b")]
    terms = max([_depth(source) * source.shape[1] for source in factors], default=1)
    largest = 3 if terms <= 64 else 1
    # The expected sum of magnitudes takes half the room.
    share = max(2, min(DENSEST, 100 * LARGEST // (2 * terms * largest * largest)))
    drawn: dict[str, Bits] = {}
    for source in sources:
        stream, shape = Stream("tame", key, source.name, signed), (batch, *source.shape)
        if source.role == "c":
            values = stream.between(1, ADDEND - 1, shape)
        elif source.role == "a":
            values = stream.between(1, largest, shape) * stream.percent(share, shape)
        else:
            values = stream.between(0, largest, shape)
        if signed:
            values = values * stream.sign(shape)
        drawn[source.name] = encoded(source.fmt, values)
    return drawn


def sketched(sources: Sequence[Source], values: Mapping[str, Bits], batch: int, key: str) -> dict[str, Bits] | None:
    """Probes with zeros where the first of some values has them, and ones elsewhere: a row of zeros is one then too.

    None where so many ones may be more than a sum of eight bits. Addends are those of ``tame``.
    """
    terms = [_depth(source) * source.shape[1] for source in sources if source.role in ("a", "b")]
    if max(terms, default=0) > LARGEST - ADDEND:
        return None
    drawn = tame(sources, batch, f"sketch {key}")
    for source in sources:
        if source.role in ("a", "b"):
            magnitudes = values[source.name][:1] & np.uint64(source.fmt.mask >> source.fmt.is_float)
            ones = encoded(source.fmt, (magnitudes != 0).astype(np.int64))
            drawn[source.name] = np.repeat(ones, batch, axis=0)
    return drawn


def lone(sources: Sequence[Source], batch: int, key: str) -> dict[str, Bits]:
    """The same with one product in each sum: it stands out from constants of a program that make sums inexact."""
    drawn = tame(sources, batch, f"lone {key}")
    for source in sources:
        if source.role not in ("a", "b"):
            continue
        stream, shape = Stream("lone", key, source.name), (batch, *source.shape)
        drawn[source.name] = encoded(source.fmt, stream.between(0, LONE, shape))
        if source.role == "a":
            places = stream.between(0, source.shape[3] - 1, shape[:-1])
            only = np.arange(source.shape[3]) == places[..., np.newaxis]
            drawn[source.name] = np.where(only, drawn[source.name], np.uint64(0))
    return drawn


def _depth(source: Source) -> int:
    """How many elements of a factor meet in one sum."""
    return source.shape[3] if source.role == "a" else source.shape[2]


def encoded(fmt: Format, values: Ints) -> Bits:
    """Whole numbers in a format, the highest bits of those that have too many; magnitudes where it has no signs."""
    if fmt.is_float:
        excess = np.maximum(np.frexp(np.abs(values).astype(np.float64))[1] - fmt.precision, 0)
        return scaled(fmt, np.sign(values) * (np.abs(values) >> excess << excess), 0)
    return two_complement(fmt, values if fmt.signed else np.abs(values))


def edited(
    edit: DataEdit, values: Mapping[str, Bits], sources: Sequence[Source], *, last: bool = False
) -> dict[str, Bits]:
    """Values with a circumstance of the data removed; those of other roles stay as they are.

    Factors have the shape ``(batch, waves, passes, rows, cols)``: k runs over the columns of A and the rows of B. Of
    more k than rows or columns a unit matrix takes the first, or the ``last``.
    """
    found = dict(values)
    for source in sources:
        if source.name not in found or source.role == "scalar":
            continue
        bits = found[source.name]
        if source.role == "c":
            found[source.name] = np.zeros_like(bits) if edit in _WITHOUT_ADDEND else bits
            continue
        k_axis = 4 if source.role == "a" else 3
        if edit == "no product":
            found[source.name] = np.zeros_like(bits) if source.role == "a" else bits
        elif (edit, source.role) in (("A alone", "b"), ("B alone", "a")):
            rows, cols = bits.shape[3:]
            beyond = (cols - rows if source.role == "a" else rows - cols) if last else 0
            start = max(beyond, 0) if source.role == "a" else -max(beyond, 0)
            unit = encoded(source.fmt, np.eye(rows, cols, start, dtype=np.int64))
            found[source.name] = np.broadcast_to(unit, bits.shape)
        elif edit == "first quarter of k":
            found[source.name] = np.where(_along(bits, k_axis) < bits.shape[k_axis] // 4, bits, np.uint64(0))
        elif edit in _TAKEN:
            found[source.name] = np.take(bits, _TAKEN[edit](bits.shape[k_axis]), axis=k_axis)
    return found


def rows_alike(values: Mapping[str, Bits], sources: Sequence[Source], rows: Sequence[int]) -> dict[str, Bits] | None:
    """Values with one row of each item in place of all rows of A and of the addend; None where it has no such row."""
    found = dict(values)
    for source in sources:
        if source.role not in ("a", "c") or source.name not in found:
            continue
        bits = found[source.name]
        if max(rows) >= bits.shape[3]:
            return None
        chosen = np.stack([bits[item, :, :, row] for item, row in enumerate(rows)])[:, :, :, np.newaxis]
        found[source.name] = np.broadcast_to(chosen, bits.shape)
    return found


_WITHOUT_ADDEND: tuple[DataEdit, ...] = ("no addend", "A alone", "B alone")
_TAKEN: Mapping[DataEdit, Callable[[int], Ints]] = {
    "k alike in twos": lambda k: np.arange(k) // 2 * 2,
    "k alike in fours": lambda k: np.arange(k) // 4 * 4,
    "k alike in eights": lambda k: np.arange(k) // 8 * 8,
    "halves of k alike": lambda k: np.arange(k) % max(k // 2, 1),
    "quarters of k alike": lambda k: np.arange(k) % max(k // 4, 1),
}
"""Which k stands where."""


def _along(bits: Bits, axis: int) -> Ints:
    """The place of every element on an axis."""
    return np.arange(bits.shape[axis]).reshape([-1 if each == axis else 1 for each in range(bits.ndim)])
