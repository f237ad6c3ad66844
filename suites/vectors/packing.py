"""The ``.bin`` file of a case: its arrays one after the other, equal arrays once."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal, cast

import numpy as np
from numpy.typing import NDArray

from mmaspec.oracle.numerics.legal import Legal
from mmaspec.oracle.numerics.ordinals import from_ordinal
from mmaspec.suites.vectors.layout import Array

ALIGNMENT = 8
"""Every array starts at a multiple of so many bytes."""

NUMBER, NAN, EXACT_BITS, NOT_JUDGED, REASON = 1, 2, 4, 8, 4
"""Flags of an element, and by how many bits its reason is shifted."""

_TYPES = {"u1": "u8", "u2": "u16", "u4": "u32", "u8": "u64", "i8": "i64"}


@dataclass(slots=True)
class Packing:
    """Collects the arrays of one case."""

    data: bytearray = field(default_factory=bytearray)
    _places: dict[bytes, int] = field(default_factory=dict)

    def add(self, array: NDArray[Any]) -> Array:
        """Append an array of unsigned or 64-bit signed integers; returns its place."""
        raw = array.astype(array.dtype.newbyteorder("<")).tobytes()
        kind = cast(Literal["u8", "u16", "u32", "u64", "i64"], _TYPES[array.dtype.str[1:]])
        if raw not in self._places:
            self.data += bytes(-len(self.data) % ALIGNMENT)
            self._places[raw] = len(self.data)
            self.data += raw
        return Array(self._places[raw], kind, tuple(array.shape))

    def legal(self, legal: Legal) -> tuple[Array, Array, Array]:
        """The ends and flags of a legal set."""
        low, high, flags = ends(legal)
        return self.add(low), self.add(high), self.add(flags)


def ends(legal: Legal) -> tuple[NDArray[Any], NDArray[Any], NDArray[np.uint8]]:
    """Bits of the smallest and largest legal numbers, in the format's own width, and flags; zeros where unused.

    The format has no word for two contents with none between, such as a moved subnormal that may be flushed: it gets
    all numbers from one to the other.
    """
    judged = legal.why == 0
    number = judged & (legal.lo <= legal.hi)
    exact = number & legal.moved & ~legal.flushable
    flags = number * NUMBER + (judged & legal.nan) * NAN + exact * EXACT_BITS
    flags = flags + ~judged * NOT_JUDGED + (legal.why.astype(np.int64) << REASON)
    bounds = []
    for ordinals in (legal.lo, legal.hi):
        bits = np.where(exact, legal.bits, from_ordinal(legal.fmt, np.where(number, ordinals, 0)))
        bounds.append(np.where(number, bits, np.uint64(0)).astype(f"<u{legal.fmt.nbytes}"))
    return bounds[0], bounds[1], flags.astype(np.uint8)
