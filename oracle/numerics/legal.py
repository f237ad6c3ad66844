"""The set of legal contents of an array, and judging what a device wrote against it.

Every element holds an inclusive interval of ordinals, whether NaN is legal as well, and a reason where nothing is
judged. A value that was only moved (Load, Fill) keeps its bits and is judged by them, -0 included. Where a move may
flush subnormals, the interval of a moved one reaches from it to 0: its bits or a zero are legal, nothing between. A
value that is one of two, such as a sum with an addend that was rounded on the way, may have only the two ends.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from mmaspec.oracle.numerics.ordinals import Bits, Doubles, Flags, Ordinals, from_ordinal, is_nan, to_ordinal
from mmaspec.programs.formats import Format

Reasons: TypeAlias = NDArray[np.uint8]
_INT64_MAX = np.uint64((1 << 63) - 1)


class Reason(IntEnum):
    """Why an element is not judged; 0 where it is."""

    JUDGED = 0
    SPEC_SILENT = 1
    OVERFLOW_HAZARD = 2
    INEXACT_RELOAD = 3
    NAN_NOT_REQUIRED = 4
    INEXACT_OPERAND = 5
    OUTSIDE_PROMISE = 6
    UNINITIALISED = 7

    @property
    def text(self) -> str:
        """One line for a report."""
        return _TEXTS[self]


_TEXTS = {
    Reason.JUDGED: "judged",
    Reason.SPEC_SILENT: "the specification leaves the result undefined",
    Reason.OVERFLOW_HAZARD: "a partial sum may overflow in some order, so Inf, NaN and the exact value are all legal",
    Reason.INEXACT_RELOAD: "reads back a value that the specification does not fix to the bit",
    Reason.NAN_NOT_REQUIRED: "a NaN would arise, which this profile does not require to be produced",
    Reason.INEXACT_OPERAND: "an operand that has to be exact is known only as a set of values",
    Reason.OUTSIDE_PROMISE: "the argument lies outside the range for which an accuracy is promised",
    Reason.UNINITIALISED: "reads contents that nothing has written",
}


@dataclass(frozen=True, slots=True, eq=False)
class Legal:
    """Legal contents of an array of elements; all fields have the array's shape.

    lo, hi   inclusive interval of ordinals; empty where lo > hi
    nan      NaN is legal; with an empty interval it is required
    why      a `Reason`; where not 0 nothing is judged, and lo, hi, nan have no meaning
    moved    the value was only moved: bit equality is demanded, -0 included (a NaN: any NaN; where lo < hi: or a zero)
    bits     the bits where moved, else 0
    ends     of the interval only the two ends are legal, nothing between
    """

    fmt: Format
    lo: Ordinals
    hi: Ordinals
    nan: Flags
    why: Reasons
    moved: Flags
    bits: Bits
    ends: Flags

    @classmethod
    def from_bits(cls, fmt: Format, bits: Bits) -> Legal:
        """Moved values: exactly these bits. A NaN gives the empty interval with NaN required."""
        bits = np.asarray(bits, np.uint64)
        nan = is_nan(fmt, bits)
        lo = to_ordinal(fmt, bits)
        hi = lo
        if nan.any():
            lo, hi = np.where(nan, np.int64(1), lo), np.where(nan, np.int64(0), lo)
        return cls(
            fmt,
            lo,
            hi,
            nan,
            np.zeros(bits.shape, np.uint8),
            np.ones(bits.shape, np.bool_),
            bits,
            np.zeros(bits.shape, np.bool_),
        )

    @classmethod
    def interval(
        cls, fmt: Format, lo: Ordinals, hi: Ordinals, nan: Flags | None = None, why: Reasons | None = None
    ) -> Legal:
        """Computed values: ordinals lo to hi, NaN where `nan`, not judged where `why`.

        Raises ValueError where lo > hi without NaN: no device could answer.
        """
        lo, hi = np.asarray(lo, np.int64), np.asarray(hi, np.int64)
        shape = lo.shape
        nan = np.zeros(shape, np.bool_) if nan is None else np.asarray(nan, np.bool_)
        why = np.zeros(shape, np.uint8) if why is None else np.asarray(why, np.uint8)
        if ((lo > hi) & ~nan & (why == 0)).any():
            raise ValueError("an element without any legal content")
        return cls(
            fmt, lo, hi, nan, why, np.zeros(shape, np.bool_), np.zeros(shape, np.uint64), np.zeros(shape, np.bool_)
        )

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape of the array."""
        return self.lo.shape

    @property
    def exact(self) -> Flags:
        """Where one number is the only legal content (one zero, of either sign, unless moved)."""
        found: Flags = (self.lo == self.hi) & ~self.nan & (self.why == 0)
        return found

    @property
    def flushable(self) -> Flags:
        """Where a moved subnormal may have become a zero: its bits and both zeros are legal."""
        found: Flags = self.moved & (self.lo < self.hi)
        return found

    def may_flush(self) -> Legal:
        """The same, but every moved subnormal may have become a zero of either sign."""
        magnitude = np.abs(self.lo)
        tiny = self.moved & (self.lo == self.hi) & (magnitude > 0) & (magnitude < 1 << self.fmt.fraction_bits)
        lo, hi = np.where(tiny, np.minimum(self.lo, 0), self.lo), np.where(tiny, np.maximum(self.hi, 0), self.hi)
        return Legal(self.fmt, lo, hi, self.nan, self.why, self.moved, self.bits, self.ends)

    def kept(self) -> Legal:
        """The same, but what may have been flushed has its own bits again: `may_flush` undone."""
        own = to_ordinal(self.fmt, self.bits)
        lo, hi = np.where(self.flushable, own, self.lo), np.where(self.flushable, own, self.hi)
        return Legal(self.fmt, lo, hi, self.nan, self.why, self.moved, self.bits, self.ends)

    def only_ends(self, mask: Flags) -> Legal:
        """The same, but of these elements nothing between the two ends is legal."""
        ends = self.ends | mask & (self.lo < self.hi) & (self.why == 0)
        return Legal(self.fmt, self.lo, self.hi, self.nan, self.why, self.moved, self.bits, ends)

    def reshape(self, *shape: int) -> Legal:
        """The same elements in another shape."""
        if shape == self.shape:
            return self
        return self._each([field.reshape(shape) for field in self._fields()])

    def transpose(self, *axes: int) -> Legal:
        """The axes permuted; with no argument, the last two swapped."""
        if not axes:
            return self._each([np.swapaxes(field, -1, -2) for field in self._fields()])
        return self._each([field.transpose(axes) for field in self._fields()])

    def index(self, key: Any) -> Legal:
        """The part that numpy indexing with `key` selects."""
        if all_of(key, self.shape):
            return self
        return self._each([np.asarray(field[key]) for field in self._fields()])

    def broadcast_to(self, shape: tuple[int, ...]) -> Legal:
        """The elements repeated to `shape` (read-only views)."""
        if shape == self.shape:
            return self
        return self._each([np.broadcast_to(field, shape) for field in self._fields()])

    def not_judged(self, mask: Flags, reason: Reason) -> Legal:
        """The same, with `reason` where `mask` and no earlier reason stands: reasons are sticky."""
        why = np.where(mask & (self.why == 0), np.uint8(reason), self.why)
        return Legal(self.fmt, self.lo, self.hi, self.nan, why, self.moved, self.bits, self.ends)

    def certain_bits(self) -> tuple[Bits, Flags]:
        """Bits of each element and where they are certain; see the function of that name."""
        mask = (self.why == 0) & ((self.moved & ~self.flushable) | ((self.lo == self.hi) & ~self.nan))
        bits = np.where(self.moved, self.bits, from_ordinal(self.fmt, np.where(mask, self.lo, 0)))
        return np.where(mask, bits, np.uint64(0)), mask

    def illegal(self, got: Bits) -> Flags:
        """Where `got` is not a legal content; see the function of that name."""
        ordinals = to_ordinal(self.fmt, got)
        got_nan = is_nan(self.fmt, got)
        wrong = (ordinals < self.lo) | (ordinals > self.hi)
        wrong |= self.ends & (ordinals != self.lo) & (ordinals != self.hi)
        wrong |= self.moved & (got != self.bits) & ~(self.flushable & (ordinals == 0))
        if got_nan.any() or self.nan.any():
            wrong = np.where(got_nan, ~self.nan, wrong)
        judged_wrong: Flags = wrong & (self.why == 0)
        return judged_wrong

    def some_nan(self) -> bool:
        """Whether NaN is legal in some element."""
        return bool(self.nan.any())

    def _fields(self) -> tuple[NDArray[Any], ...]:
        return self.lo, self.hi, self.nan, self.why, self.moved, self.bits, self.ends

    def _each(self, fields: Sequence[NDArray[Any]]) -> Legal:
        return Legal(self.fmt, *fields)


def all_of(key: Any, shape: tuple[int, ...]) -> bool:
    """Whether a key is a slice that selects every element, in order."""
    return isinstance(key, slice) and key.indices(shape[0]) == (0, shape[0], 1)


def full(fmt: Format, shape: tuple[int, ...], bits: int) -> Legal:
    """An array of one moved value, as Fill makes it."""
    return Legal.from_bits(fmt, np.full(shape, bits, np.uint64))


def unjudged(fmt: Format, shape: tuple[int, ...], reason: Reason) -> Legal:
    """An array of which nothing is judged."""
    lo, hi = np.full(shape, fmt.min_ordinal, np.int64), np.full(shape, fmt.max_ordinal, np.int64)
    nan = np.full(shape, fmt.nans != "none", np.bool_)
    return Legal.interval(fmt, lo, hi, nan, np.full(shape, reason, np.uint8))


def where(mask: Flags, a: Legal, b: Legal) -> Legal:
    """Elements of `a` where `mask`, else of `b`. Raises ValueError if the formats differ."""
    _one_format([a, b])
    return Legal(a.fmt, *(np.where(mask, x, y) for x, y in zip(a._fields(), b._fields(), strict=True)))


def concatenate(parts: Sequence[Legal], axis: int = 0) -> Legal:
    """Join arrays along an axis. Raises ValueError if the formats differ."""
    _one_format(parts)
    return Legal(parts[0].fmt, *(np.concatenate(f, axis) for f in zip(*(p._fields() for p in parts), strict=True)))


def stack(parts: Sequence[Legal], axis: int = 0) -> Legal:
    """Join arrays along a new axis. Raises ValueError if the formats differ."""
    _one_format(parts)
    return Legal(parts[0].fmt, *(np.stack(f, axis) for f in zip(*(p._fields() for p in parts), strict=True)))


def _one_format(parts: Sequence[Legal]) -> None:
    names = {part.fmt.name for part in parts}
    if len(names) != 1:
        raise ValueError(f"one format needed, not {sorted(names)}")


def certain_bits(legal: Legal) -> tuple[Bits, Flags]:
    """Bits of each element and where they are certain: moved values, and computed ones with one legal number.

    Certain as a value: the sign of a computed zero is free (+0 is given), so is the payload of a moved NaN.
    """
    return legal.certain_bits()


def illegal(legal: Legal, got: Bits) -> Flags:
    """Where `got` (uint64 bits, same shape) is not a legal content.

    A NaN where none is legal is illegal, and so is a number where NaN is required. Nothing is illegal where
    `why` says that nothing is judged.
    """
    return legal.illegal(got)


def width(legal: Legal) -> Ordinals:
    """Number of accepted ordinals, NaN not counted, at most 2^63 - 1; the whole format where nothing is judged."""
    free = legal.why != 0
    lo = np.where(free, np.int64(legal.fmt.min_ordinal), legal.lo)
    hi = np.where(free, np.int64(legal.fmt.max_ordinal), legal.hi)
    # Differences of int64 need 64 unsigned bits; the count saturates instead of wrapping.
    span = np.minimum(hi.astype(np.uint64) - lo.astype(np.uint64), _INT64_MAX - np.uint64(1))
    span = np.where((legal.flushable | legal.ends) & ~free, np.uint64(1), span)
    return np.where(lo > hi, np.int64(0), span.astype(np.int64) + 1)


def share(legal: Legal) -> Doubles:
    """Share of the format's representable results that is accepted, 0 to 1; NaN counts as one result."""
    has_nan = legal.fmt.nans != "none"
    total = legal.fmt.max_ordinal - legal.fmt.min_ordinal + 1 + has_nan
    nan = legal.nan & has_nan
    part = (width(legal).astype(np.float64) + nan) / float(total)
    return np.where(legal.why != 0, 1.0, np.minimum(part, 1.0))


def distance(legal: Legal, got: Bits) -> Ordinals:
    """The distance of `got` from the legal set, in ordinals; 0 where legal.

    2^63 - 1 where NaN and number are mixed up; 1 where a moved zero has the wrong sign.
    """
    ordinals = to_ordinal(legal.fmt, got)
    unsigned = ordinals.astype(np.uint64)
    above = np.where(ordinals > legal.hi, unsigned - legal.hi.astype(np.uint64), np.uint64(0))
    below = np.where(ordinals < legal.lo, legal.lo.astype(np.uint64) - unsigned, np.uint64(0))
    between = np.minimum(unsigned - legal.lo.astype(np.uint64), legal.hi.astype(np.uint64) - unsigned)
    off = np.where(legal.ends & (above == 0) & (below == 0), between, np.maximum(above, below))
    outside = np.minimum(np.maximum(off, np.uint64(1)), _INT64_MAX).astype(np.int64)
    mixed = is_nan(legal.fmt, got) | (legal.lo > legal.hi)
    return np.where(illegal(legal, got), np.where(mixed, np.int64(_INT64_MAX), outside), np.int64(0))
