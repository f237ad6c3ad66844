"""Chains of single steps, each rounded once in one direction: fused or not."""

from __future__ import annotations

import numpy as np

from mmaspec.backends.numpy.units.encoding import Doubles
from mmaspec.backends.numpy.units.expansion import to_odd, two_sum
from mmaspec.backends.numpy.units.grid import Direction, exact_in_f32, to_format
from mmaspec.backends.numpy.units.sequential import Floats, SequentialUnit, Terms
from mmaspec.programs.formats import FORMATS


class ChainUnit(SequentialUnit):
    """C first, then one product after the other, every step rounded to float32 in ``direction``.

    ``fused``: the product enters its sum exactly, as in fma; otherwise it is rounded first. f64, and
    operands that make no difference between the two, are added as ``SequentialUnit`` does.
    """

    name = "chain"

    def __init__(self, direction: Direction = "nearest", *, fused: bool = True) -> None:
        self.direction = direction
        self.fused = fused

    def accumulate(self, terms: Terms) -> Floats:
        """K steps; sums of doubles are exact to the last bit before they are rounded."""
        a, b, c, formats = terms.a, terms.b, terms.c, terms.formats
        if a.dtype == np.float64 or (self.direction == "nearest" and exact_in_f32(formats[0], formats[1])):
            return super().accumulate(terms)
        rounds_products = not self.fused and not exact_in_f32(formats[0], formats[1])
        left, right, total = (x.astype(np.float64) for x in (a, b, c))
        for k in range(a.shape[-1]):
            product = left[:, :, k, np.newaxis] * right[:, np.newaxis, k, :]
            if rounds_products:
                product = to_format(product, FORMATS["f32"], self.direction)
            total = to_format(_sum_to_odd(total, product), FORMATS["f32"], self.direction)
        return total


def _sum_to_odd(x: Doubles, y: Doubles) -> Doubles:
    """``x + y`` such that one more rounding, to at most 51 bits, is the only one."""
    nearest, missed = two_sum(x, y)
    known = np.isfinite(missed)
    # Where an operand is infinite or no number, nothing was missed.
    return to_odd(nearest, missed if known.all() else np.where(known, missed, 0.0))
