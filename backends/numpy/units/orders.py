"""Units that add in another order, or round more often; all are legal where a specification states no order."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from mmaspec.backends.numpy.units.grid import to_format
from mmaspec.backends.numpy.units.sequential import Floats, SequentialUnit, Terms
from mmaspec.programs.formats import FORMATS


class ReversedUnit(SequentialUnit):
    """The last k first, and C at the very end."""

    name = "reversed"

    def accumulate(self, terms: Terms) -> Floats:
        """The running sum, backwards."""
        a, b, c, formats = terms.a, terms.b, terms.c, terms.formats
        without = super().accumulate(Terms(a[..., ::-1], b[..., ::-1, :], np.zeros_like(c), formats))
        return without + c


class PairwiseUnit(SequentialUnit):
    """Neighbouring products are added first, then neighbouring sums; C at the very end."""

    name = "pairwise"

    def accumulate(self, terms: Terms) -> Floats:
        """The sum over a balanced tree."""
        a, b, c = terms.a, terms.b, terms.c
        return tree(products(a, b, range(a.shape[-1]))) + c


class BlockedUnit(SequentialUnit):
    """The products of ``block`` consecutive k in a sum of their own, one after the other; C and these sums last."""

    name = "blocked"

    def __init__(self, block: int = 4) -> None:
        self.block = block

    def accumulate(self, terms: Terms) -> Floats:
        """Sums of blocks, added to C in order."""
        a, b, c, formats = terms.a, terms.b, terms.c, terms.formats
        total = c
        for first in range(0, a.shape[-1], self.block):
            part = slice(first, first + self.block)
            total = total + super().accumulate(Terms(a[..., part], b[..., part, :], np.zeros_like(c), formats))
        return total


class InterleavedUnit(SequentialUnit):
    """``lanes`` running sums side by side, k modulo their number; joined at the end by a tree, C last."""

    name = "interleaved"

    def __init__(self, lanes: int = 4) -> None:
        self.lanes = lanes

    def accumulate(self, terms: Terms) -> Floats:
        """One sum for each residue."""
        a, b, c, formats = terms.a, terms.b, terms.c, terms.formats
        sums = [
            super(InterleavedUnit, self).accumulate(
                Terms(a[..., lane :: self.lanes], b[..., lane :: self.lanes, :], np.zeros_like(c), formats)
            )
            for lane in range(min(self.lanes, a.shape[-1]))
        ]
        return tree(sums) + c


class NarrowSumUnit(SequentialUnit):
    """The running sum is kept in the accumulator's format: an f16 accumulator rounds after every product."""

    name = "narrow-sum"

    def accumulate(self, terms: Terms) -> Floats:
        """One product at a time, each sum rounded to the accumulator's format."""
        a, b, c, formats = terms.a, terms.b, terms.c, terms.formats
        if formats[2].precision >= FORMATS["f32"].precision:
            return super().accumulate(terms)
        left, right, total = (x.astype(np.float64) for x in (a, b, c))
        for k in range(a.shape[-1]):
            total = total + left[:, :, k, np.newaxis] * right[:, np.newaxis, k, :]
            total = to_format(total, formats[2], "nearest")
        return total


def products(a: Floats, b: Floats, part: range) -> list[Floats]:
    """The products of each k in ``part``, (T, M, N)."""
    return [a[:, :, k, np.newaxis] * b[:, np.newaxis, k, :] for k in part]


def tree(terms: Sequence[Floats]) -> Floats:
    """Neighbours added until one sum is left; an odd one out waits."""
    while len(terms) > 1:
        odd = [*terms[-1:]] if len(terms) % 2 else []
        terms = [left + right for left, right in zip(terms[::2], terms[1::2], strict=False)] + odd
    return terms[0]
