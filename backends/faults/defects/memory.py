"""Defects of memory: elements exchanged, lost or not written, and bytes beside them overwritten."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from mmaspec.backends.faults.defects.defect import Trait
from mmaspec.backends.numpy.units.unit import Bits

LineChange = Callable[[Bits], Bits]
"""Elements ``(batch, waves, lines, places)`` as they should be, to those that arrive."""


@dataclass(frozen=True, slots=True)
class MemoryDefect:
    """A defect in moving elements between memory and matrices.

    ``verb``: what a ``load`` finds or a ``store`` writes is changed; ``skip``: a store leaves its last line out;
    ``spill``: a store overwrites ``reach`` bytes from the byte after its last one on (before its first one: below 0).
    ``way``: row-major or column-major accesses only, or any.
    """

    name: str
    behaves_as_if: str
    imitates: str
    verb: Literal["load", "store", "skip", "spill"]
    way: Literal["row", "column", "any"] = "any"
    change: LineChange = np.copy
    reach: int = 0
    where: Trait | None = None


def neighbours_exchanged(bits: Bits) -> Bits:
    """Places exchanged in pairs, an odd one out left alone."""
    even = bits.shape[-1] // 2 * 2
    order = np.arange(bits.shape[-1])
    order[:even] ^= 1
    return bits[..., order]


def ends_exchanged(bits: Bits) -> Bits:
    """The first and the last place of every line exchanged."""
    order = np.arange(bits.shape[-1])
    order[[0, -1]] = order[[-1, 0]]
    return bits[..., order]


def lines_exchanged(bits: Bits) -> Bits:
    """Lines exchanged in pairs, an odd one out left alone."""
    return np.swapaxes(neighbours_exchanged(np.swapaxes(bits, -1, -2)), -1, -2)


def last_line_lost(bits: Bits) -> Bits:
    """Zeros in the last line."""
    found = bits.copy()
    found[..., -1, :] = 0
    return found


def one_lane_of_neighbour(bits: Bits) -> Bits:
    """Line 5 holds what line 4 should."""
    found = bits.copy()
    found[..., min(5, bits.shape[-2] - 1), :] = bits[..., min(4, bits.shape[-2] - 2), :]
    return found


def first_place_everywhere(bits: Bits) -> Bits:
    """The first place of a line in all of it."""
    return np.broadcast_to(bits[..., :1], bits.shape).copy()


def last_bit_lost(bits: Bits) -> Bits:
    """Elements without their last bit."""
    return bits & ~bits.dtype.type(1)


def beside(image: NDArray[np.uint8], first: int, last: int, reach: int) -> None:
    """Overwrite ``reach`` bytes beside those from ``first`` to ``last`` of every image, as far as there are any."""
    start, stop = (first + reach, first) if reach < 0 else (last + 1, last + 1 + reach)
    image[:, max(start, 0) : max(stop, 0)] = 0xEE


# What all stores do to all data cannot be told from what all loads do, as every state is looked at through stores:
# stores have defects in one orientation. RDNA3 has one clause for both.
MEMORY: tuple[MemoryDefect, ...] = (
    MemoryDefect("rows-load-neighbours", "row-major loads exchanged neighbouring elements", "swizzled shared memory",
                 "load", "row", neighbours_exchanged, where="lines"),
    MemoryDefect("columns-load-neighbours", "column-major loads exchanged neighbouring columns",
                 "swizzled shared memory", "load", "column", neighbours_exchanged, where="lines"),
    MemoryDefect("rows-load-short", "row-major loads missed the last row", "a mask one row short", "load", "row",
                 last_line_lost, where="lines"),
    MemoryDefect("columns-load-lines", "column-major loads exchanged neighbouring rows", "packed halves",
                 "load", "column", lines_exchanged, where="lines"),
    MemoryDefect("rows-load-ends", "row-major loads exchanged the ends of a row", "a rotated permutation",
                 "load", "row", ends_exchanged, where="lines"),
    MemoryDefect("rows-load-lane-of-neighbour", "one row of row-major loads were its neighbour's",
                 "a broken lane permutation", "load", "row", one_lane_of_neighbour, where="lines"),
    MemoryDefect("columns-load-first-place", "column-major loads found the first column everywhere",
                 "a stuck address", "load", "column", first_place_everywhere, where="lines"),
    MemoryDefect("columns-load-last-bit-lost", "column-major loads lost the last bit of elements",
                 "conversions on the way", "load", "column", last_bit_lost, where="lines"),
    MemoryDefect("loads-lane-of-neighbour", "one lane of every load were its neighbour's", "a broken lane permutation",
                 "load", change=one_lane_of_neighbour, where="registers"),
    MemoryDefect("loads-last-lane-lost", "loads missed the last lane", "a mask one lane short", "load",
                 change=last_line_lost, where="registers"),
    MemoryDefect("loads-last-bit-lost", "loads lost the last bit of every VGPR", "conversions on the way", "load",
                 change=last_bit_lost, where="registers"),
    MemoryDefect("loads-first-register", "loads put the first VGPR into all of them", "a stuck address", "load",
                 change=first_place_everywhere, where="registers"),
    MemoryDefect("stores-neighbours", "stores exchanged neighbouring elements", "packed halves in the other order",
                 "store", change=neighbours_exchanged, where="registers"),
    MemoryDefect("stores-lane-of-neighbour", "one lane of every store were its neighbour's",
                 "a broken lane permutation", "store", change=one_lane_of_neighbour, where="registers"),
    MemoryDefect("stores-last-lane-unwritten", "stores left out the last lane", "a mask one lane short", "skip",
                 where="registers"),
    MemoryDefect("columns-store-neighbours", "column-major stores exchanged neighbouring columns",
                 "swizzled shared memory", "store", "column", neighbours_exchanged, where="lines"),
    MemoryDefect("columns-store-lines", "column-major stores exchanged neighbouring rows", "packed halves",
                 "store", "column", lines_exchanged, where="lines"),
    MemoryDefect("columns-store-lane-of-neighbour", "one row of column-major stores were its neighbour's",
                 "a broken lane permutation", "store", "column", one_lane_of_neighbour, where="lines"),
    MemoryDefect("columns-store-last-bit-lost", "column-major stores lost the last bit of elements",
                 "conversions on the way", "store", "column", last_bit_lost, where="lines"),
    MemoryDefect("columns-store-short", "column-major stores left out the last row", "a mask one row short", "skip",
                 "column", where="lines"),
    MemoryDefect("stores-overwrite-next-byte", "stores wrote the byte after their last one", "stores of whole words",
                 "spill", reach=1),
    MemoryDefect("stores-overwrite-next-words", "stores wrote eight bytes after their last one",
                 "stores of whole vectors", "spill", reach=8),
    MemoryDefect("stores-overwrite-byte-before", "stores wrote the byte before their first one",
                 "stores aligned downward", "spill", reach=-1),
)  # fmt: skip
"""Every defect of this kind."""
