"""Units that add in another order, or round more often: a specification that is silent allows them all."""

from __future__ import annotations

import numpy as np

from mmaspec.backends.numpy.encoding import bits_of_doubles, doubles_of
from mmaspec.backends.numpy.sequential import Floats, SequentialUnit
from mmaspec.backends.numpy.unit import Bits, Overflow
from mmaspec.oracle.numerics.formats import Format, format_named


class ReversedUnit(SequentialUnit):
    """The last k first, and C at the very end."""

    name = "reversed"

    def accumulate(self, a: Floats, b: Floats, c: Floats) -> Floats:
        """The running sum, backwards."""
        without = super().accumulate(a[..., ::-1], b[..., ::-1, :], np.zeros_like(c))
        return without + c


class PairwiseUnit(SequentialUnit):
    """Neighbouring products are added first, then neighbouring sums; C at the very end."""

    name = "pairwise"

    def accumulate(self, a: Floats, b: Floats, c: Floats) -> Floats:
        """The sum over a balanced tree."""
        terms = [a[..., :, k, np.newaxis] * b[..., np.newaxis, k, :] for k in range(a.shape[-1])]
        while len(terms) > 1:
            odd = terms[-1:] if len(terms) % 2 else []
            terms = [left + right for left, right in zip(terms[::2], terms[1::2], strict=False)] + odd
        return sum(terms, start=np.zeros_like(c)) + c


class NarrowSumUnit(SequentialUnit):
    """The running sum is kept in the accumulator's format: an f16 accumulator rounds after every product."""

    name = "narrow-sum"

    def multiply_add(
        self, a_fmt: str, a: Bits, b_fmt: str, b: Bits, c_fmt: str, c: Bits, overflow: Overflow = "wrap"
    ) -> Bits:
        """One product at a time, each sum stored and read back."""
        if not format_named(c_fmt).is_float:
            return super().multiply_add(a_fmt, a, b_fmt, b, c_fmt, c, overflow)
        for k in range(a.shape[-1]):
            c = super().multiply_add(a_fmt, a[..., k : k + 1], b_fmt, b[..., k : k + 1, :], c_fmt, c)
        return c


class FlushingUnit(SequentialUnit):
    """Subnormal operands are read as zero, and subnormal results become zero; signs stay."""

    name = "flushing"

    def multiply_add(
        self, a_fmt: str, a: Bits, b_fmt: str, b: Bits, c_fmt: str, c: Bits, overflow: Overflow = "wrap"
    ) -> Bits:
        """Flush, multiply and add, flush."""
        left, right, accumulator = format_named(a_fmt), format_named(b_fmt), format_named(c_fmt)
        total = super().multiply_add(
            a_fmt, flushed(left, a), b_fmt, flushed(right, b), c_fmt, flushed(accumulator, c), overflow
        )
        return flushed(accumulator, total)


def flushed(fmt: Format, bits: Bits) -> Bits:
    """Floats with every subnormal made a zero of its sign; integers as they are."""
    if not fmt.is_float:
        return bits
    tiny = np.abs(doubles_of(fmt, bits)) < 2.0**fmt.emin
    return np.where(tiny, bits & np.uint64(fmt.sign_bit), bits)


class NoNanUnit(SequentialUnit):
    """What would be NaN is zero: for languages in which NaN need not be produced."""

    name = "no-nan"

    def stored(self, accumulator: Format, total: Floats) -> Bits:
        """The sum, without its NaNs."""
        return bits_of_doubles(
            accumulator, np.nan_to_num(total.astype(np.float64), nan=0.0, posinf=np.inf, neginf=-np.inf)
        )


class SaturatingUnit(SequentialUnit):
    """Integer sums saturate even where nobody asked for it."""

    name = "saturating"

    def multiply_add(
        self, a_fmt: str, a: Bits, b_fmt: str, b: Bits, c_fmt: str, c: Bits, overflow: Overflow = "wrap"
    ) -> Bits:
        """As ever, but saturating."""
        del overflow
        return super().multiply_add(a_fmt, a, b_fmt, b, c_fmt, c, "saturate")
