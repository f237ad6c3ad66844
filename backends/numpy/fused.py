"""A unit that adds whole blocks of products at once, as tensor cores do."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from mmaspec.backends.numpy.encoding import Doubles
from mmaspec.backends.numpy.sequential import Floats, SequentialUnit
from mmaspec.backends.numpy.specials import specials
from mmaspec.oracle.numerics.formats import FORMATS

_NONE = -4000
"""Exponent of a term that is zero: it takes no part in the alignment."""


class FusedBlockUnit(SequentialUnit):
    """Blocks of products and the running sum, aligned on the largest term, cut off, added, cut to float32.

    Each term keeps ``kept`` fraction bits below the exponent of the largest (that of a product being the
    sum of its operands' exponents, unnormalised). Within a block no sum is rounded. The running sum is
    cut toward zero to float32; a narrower accumulator gets it rounded to nearest even at the end.
    """

    name = "fused-block"

    def __init__(self, block: int = 16, kept: int = 25) -> None:
        self.block = block
        self.kept = kept

    def accumulate(self, a: Floats, b: Floats, c: Floats) -> Floats:
        """Block after block."""
        shape = (*np.broadcast_shapes(a.shape[:-2], b.shape[:-2], c.shape[:-2]), a.shape[-2], b.shape[-1])
        left, right, start = (np.where(np.isfinite(x), x, 0).astype(np.float64) for x in (a, b, c))
        total = np.broadcast_to(start, shape)
        for first in range(0, a.shape[-1], self.block):
            chosen = slice(first, first + self.block)
            terms, exponents = _products(left[..., chosen], right[..., chosen, :])
            terms.append(total)
            exponents.append(_exponent(total))
            grid = np.maximum.reduce(np.broadcast_arrays(*exponents)) - self.kept
            whole = [np.trunc(np.ldexp(term, -grid)) for term in np.broadcast_arrays(*terms)]
            total = _cut(np.ldexp(self.added(whole), grid))
        # What an operand makes NaN or Inf; a sum that left the range of float32 is infinite already.
        special = specials(*(x.astype(np.float64) for x in (a, b, np.broadcast_to(c, total.shape))))
        result: Doubles = np.where(np.isfinite(special), total, special)
        return result

    def added(self, whole: list[Doubles]) -> Doubles:
        """The sum of the aligned terms, integers of at most ``kept + 2`` bits."""
        total: Doubles = np.add.reduce(whole)
        return total


class OnesComplementUnit(FusedBlockUnit):
    """The same, but a term against the largest one is negated by flipping its bits: one too little."""

    name = "ones-complement"

    def added(self, whole: list[Doubles]) -> Doubles:
        """The sum, each opposing term one unit further out."""
        stack = np.stack(whole)
        largest = np.take_along_axis(stack, np.abs(stack).argmax(axis=0)[np.newaxis], axis=0)
        opposing = np.sign(stack) * np.sign(largest) < 0
        total: Doubles = (stack - np.where(opposing, np.sign(largest), 0.0)).sum(axis=0)
        return total


def _products(a: Doubles, b: Doubles) -> tuple[list[Doubles], list[NDArray[np.intc]]]:
    terms, exponents = [], []
    for k in range(a.shape[-1]):
        left, right = a[..., :, k, np.newaxis], b[..., np.newaxis, k, :]
        terms.append(left * right)
        exponents.append(_exponent(left) + _exponent(right))
    return terms, exponents


def _exponent(values: Doubles) -> NDArray[np.intc]:
    """E with 2^e <= |value| < 2^(e+1); far below every other one for zero."""
    found: NDArray[np.intc] = np.where(values == 0, _NONE, np.frexp(values)[1] - 1)
    return found


def _cut(values: Doubles) -> Doubles:
    """Toward zero to float32, infinite beyond its range."""
    f32 = FORMATS["f32"]
    quantum = np.maximum(_exponent(values), f32.emin) - f32.fraction_bits
    cut = np.ldexp(np.trunc(np.ldexp(values, -quantum)), quantum)
    found: Doubles = np.where(np.abs(cut) >= 2.0 ** (f32.emax + 1), np.copysign(np.inf, cut), cut)
    return found
