"""The matrix product of numpy: float32 BLAS, in the order in which the installed library adds."""

from __future__ import annotations

import numpy as np

from mmaspec.backends.numpy.units.sequential import Floats, SequentialUnit, Terms


class BlasUnit(SequentialUnit):
    """One float32 product (float64 for f64), then C; a narrower accumulator is rounded to once, at the end.

    By far the fastest unit. What it answers may differ between machines, within what is legal.
    """

    name = "blas"

    def accumulate(self, terms: Terms) -> Floats:
        """The library's product, and C."""
        a, b, c = terms.a, terms.b, terms.c
        total: Floats = np.matmul(a, b)
        total += c
        return total
