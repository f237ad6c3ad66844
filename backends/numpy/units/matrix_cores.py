"""The units of CDNA1 and CDNA2: short blocks, added pairwise or exactly, subnormals kept or flushed."""

from __future__ import annotations

import numpy as np

from mmaspec.backends.numpy.units.encoding import Doubles, doubles_of
from mmaspec.backends.numpy.units.expansion import sum_to_odd
from mmaspec.backends.numpy.units.fused import FusedBlockUnit
from mmaspec.backends.numpy.units.grid import extent, last_place, to_format
from mmaspec.backends.numpy.units.orders import products, tree
from mmaspec.backends.numpy.units.sequential import Floats, Formats, SequentialUnit, Terms
from mmaspec.backends.numpy.units.unit import Bits, Overflow
from mmaspec.programs.formats import FORMATS, Format, format_named

_SMALLEST = np.float32(2.0 ** FORMATS["f32"].emin)


def block_of(fmt: Format) -> int:
    """Products in a block: four of f16, two of bf16 and wider."""
    return 4 if fmt.name == "f16" else 2


class PairwiseBlockUnit(SequentialUnit):
    """Blocks of products added as a tree in float32, each tree added to the running sum.

    ``flush``: subnormal operands and sums are zeros of their sign.
    """

    name = "pairwise-block"

    def __init__(self, *, flush: bool = False) -> None:
        self.flush = flush

    def multiply_add(
        self, a_fmt: str, a: Bits, b_fmt: str, b: Bits, c_fmt: str, c: Bits, overflow: Overflow = "wrap"
    ) -> Bits:
        """Flush subnormals, multiply and add."""
        if not self.flush:
            return super().multiply_add(a_fmt, a, b_fmt, b, c_fmt, c, overflow)
        left, right, accumulator = format_named(a_fmt), format_named(b_fmt), format_named(c_fmt)
        total = super().multiply_add(
            a_fmt, flushed(left, a), b_fmt, flushed(right, b), c_fmt, flushed(accumulator, c), overflow
        )
        return flushed(accumulator, total)

    def accumulate(self, terms: Terms) -> Floats:
        """Tree after tree; f64 as a plain loop."""
        a, b, c, formats = terms.a, terms.b, terms.c, terms.formats
        if a.dtype == np.float64:
            return super().accumulate(terms)
        total, block = c, block_of(formats[0])
        for first in range(0, a.shape[-1], block):
            sums = products(a, b, range(first, min(first + block, a.shape[-1])))
            while len(sums) > 1:
                sums = [self._kept(tree(sums[at : at + 2])) for at in range(0, len(sums), 2)]
            total = self._kept(total + sums[0])
        return total

    def _kept(self, sums: Floats) -> Floats:
        return np.where(np.abs(sums) < _SMALLEST, np.copysign(0, sums), sums) if self.flush else sums


class ExactBlockUnit(FusedBlockUnit):
    """Blocks of products and the running sum added exactly, rounded to nearest even once a block."""

    name = "exact-block"

    def blocks(self, a: Doubles, b: Doubles, total: Doubles, formats: Formats) -> Doubles:
        """One exact sum a block; its terms are exact in float64."""
        block = block_of(formats[0])
        # Every product is a multiple of `finest` and at most `largest` in size.
        of_a, of_b = extent(formats[0], a), extent(formats[1], b)
        finest, largest = of_a.lowest * of_b.lowest, of_a.largest * of_b.largest
        for first in range(0, a.shape[-1], block):
            part = range(first, min(first + block, a.shape[-1]))
            terms: list[Doubles] = [a[:, :, k, np.newaxis] * b[:, np.newaxis, k, :] for k in part]
            sums = extent(formats[2], total)
            most = sums.largest + block * largest
            if most < min(2.0**52 * min(finest, sums.lowest), 2.0 ** formats[2].emax):
                for term in terms:  # float64 adds them without any error, and nothing leaves the range
                    total = total + term
                unit = last_place(total, formats[2])
                total /= unit
                np.rint(total, out=total)
                total *= unit
            else:
                total = _rounded_sum([total, *terms], formats[2])
        return total


def _rounded_sum(terms: list[Doubles], fmt: Format) -> Doubles:
    """The exact sums of the terms, rounded once to nearest even; where they are infinite, so is the first."""
    total, size = terms[0] + terms[1], np.abs(terms[0])
    for term in terms[2:]:
        total += term
    for term in terms[1:]:
        size += np.abs(term)
    # To the nearest as `to_format` does, in units of the last place.
    unit = last_place(total, fmt)
    total /= unit
    found: Doubles = np.rint(total)
    # Any order of n additions misses less than n units of 2^-52 of the magnitudes: only sums so near the middle
    # between two numbers of the format, or so small beside their terms, are open.
    missed = size / unit
    missed *= len(terms) * 2.0**-52
    with np.errstate(invalid="ignore"):  # where the sum is infinite
        total -= found
    np.abs(total, out=total)
    total -= 0.5
    open_ended = (np.abs(total, out=total) <= missed) | (missed >= 0.125)
    found *= unit
    if size.max(initial=0.0) >= 2.0**fmt.emax:
        found = to_format(found, fmt, "nearest")
        open_ended &= np.isfinite(found)
    if open_ended.any():
        found[open_ended] = to_format(sum_to_odd([term[open_ended] for term in terms]), fmt, "nearest")
    return found


class FlushingUnit(PairwiseBlockUnit):
    """The plain loop with subnormal operands read as zero, and subnormal results made zero; signs stay."""

    name = "flushing"

    def __init__(self) -> None:
        super().__init__(flush=True)

    def accumulate(self, terms: Terms) -> Floats:
        """The running sum; subnormal intermediate sums are kept."""
        return SequentialUnit.accumulate(self, terms)


def flushed(fmt: Format, bits: Bits) -> Bits:
    """Floats with every subnormal made a zero of its sign; integers as they are."""
    if not fmt.is_float:
        return bits
    tiny = np.abs(doubles_of(fmt, bits)) < 2.0**fmt.emin
    return np.where(tiny, bits & np.uint64(fmt.sign_bit), bits)
