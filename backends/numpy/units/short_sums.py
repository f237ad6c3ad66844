"""A unit whose running sum keeps fewer significant bits than the accumulator's format has."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from mmaspec.backends.numpy.units.sequential import Floats, SequentialUnit, Terms


class ShortSumUnit(SequentialUnit):
    """C first, then k = 0, 1, ...; every sum is rounded to so many significant bits, in the exponents of f32.

    No document says how precise a running sum is: with 8 bits it is one of bfloat16, with 11 one of f16's precision.
    """

    def __init__(self, bits: int) -> None:
        if not 2 <= bits <= 24:
            raise ValueError(f"a sum of f32 keeps 2 to 24 significant bits, not {bits}")
        self.bits = bits
        self.name = f"sums-of-{bits}-bits"

    def accumulate(self, terms: Terms) -> Floats:
        """Every partial sum shortened; those of f64 are as they are."""
        if terms.c.dtype == np.float64:
            return super().accumulate(terms)
        total = self.shortened(terms.c.astype(np.float32))
        for k in range(terms.a.shape[-1]):
            total = self.shortened(total + (terms.a[..., :, k, None] * terms.b[..., None, k, :]).astype(np.float32))
        return total.astype(terms.c.dtype)

    def shortened(self, values: NDArray[np.float32]) -> NDArray[np.float32]:
        """Numbers of f32 rounded to nearest, ties to even; NaN and infinities as they are."""
        drop = 24 - self.bits
        if not drop:
            return values
        codes = values.view(np.uint32)
        odd = codes >> np.uint32(drop) & np.uint32(1)
        up = codes + (np.uint32((1 << drop - 1) - 1) + odd)
        rounded = (up & np.uint32(~((1 << drop) - 1) & 0xFFFFFFFF)).view(np.float32)
        return np.where(np.isfinite(values), rounded, values)
