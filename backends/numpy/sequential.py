"""The plain unit: float32 sums, one product after the other."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from mmaspec.backends.numpy.encoding import bits_of_doubles, doubles_of
from mmaspec.backends.numpy.integers import multiply_add_integers
from mmaspec.backends.numpy.unit import Bits, Overflow
from mmaspec.oracle.numerics.formats import Format, format_named
from mmaspec.oracle.profile import PRACTICE

Floats = NDArray[np.floating[Any]]


class SequentialUnit:
    """Products and sums in float32 (float64 if a format is f64), C first, then k = 0, 1, ...

    A narrower accumulator gets the running sum rounded to it once, at the end. Integers are exact.
    """

    name = "sequential"
    profile = PRACTICE

    def multiply_add(
        self,
        a_fmt: str,
        a: Bits,
        b_fmt: str,
        b: Bits,
        c_fmt: str,
        c: Bits,
        overflow: Overflow = "wrap",
    ) -> Bits:
        """See ``ArithmeticUnit.multiply_add``."""
        formats = [format_named(name) for name in (a_fmt, b_fmt, c_fmt)]
        left, right, accumulator = formats
        if not accumulator.is_float:
            return multiply_add_integers(left, a, right, b, accumulator, c, overflow)
        working: type[np.floating[Any]] = np.float64 if "f64" in (a_fmt, b_fmt, c_fmt) else np.float32
        # Finite float formats other than f64 are exact in float32; NaN and overflow are results, not errors.
        with np.errstate(all="ignore"):
            values: list[Floats] = [
                doubles_of(fmt, bits).astype(working) for fmt, bits in zip(formats, (a, b, c), strict=True)
            ]
            return self.stored(accumulator, self.accumulate(values[0], values[1], values[2]))

    def accumulate(self, a: Floats, b: Floats, c: Floats) -> Floats:
        """The running sum over k; ``a`` (..., M, K), ``b`` (..., K, N), ``c`` (..., M, N), all of one dtype."""
        shape = (*np.broadcast_shapes(a.shape[:-2], b.shape[:-2], c.shape[:-2]), a.shape[-2], b.shape[-1])
        total = np.broadcast_to(c, shape).copy()
        product = np.empty_like(total)
        for k in range(a.shape[-1]):
            np.multiply(a[..., :, k, np.newaxis], b[..., np.newaxis, k, :], out=product)
            total += product
        return total

    def stored(self, accumulator: Format, total: Floats) -> Bits:
        """The sum in the accumulator's format."""
        return bits_of_doubles(accumulator, total.astype(np.float64))
