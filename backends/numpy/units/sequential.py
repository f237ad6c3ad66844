"""The plain unit: float32 sums, one product after the other; and the base of similar units."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mmaspec.backends.numpy.units.encoding import bits_of_doubles, doubles_of
from mmaspec.backends.numpy.units.integers import multiply_add_integers
from mmaspec.backends.numpy.units.unit import Bits, Overflow
from mmaspec.programs.formats import Format, format_named
from mmaspec.programs.profile import PRACTICE

Floats = NDArray[np.floating[Any]]
Formats = tuple[Format, Format, Format]
"""Of A, B and the accumulator."""


@dataclass(frozen=True, slots=True)
class Terms:
    """The terms of sums: ``a`` (T, M, K), ``b`` (T, K, N) and ``c`` (T, M, N), all of one dtype; and their formats."""

    a: Floats
    b: Floats
    c: Floats
    formats: Formats


_CHUNK = 1 << 14
"""Sums computed at a time: their temporaries, 128 KiB each, stay in cache whatever the batch."""


class SequentialUnit:
    """Products and sums in float32 (float64 if a format is f64), C first, then k = 0, 1, ...

    A narrower accumulator gets the running sum rounded to it once, at the end. Integers are exact.
    Units that add in another way override ``accumulate``.
    """

    name = "sequential"
    profile = PRACTICE
    settled: Overflow | None = None
    """What becomes of integer sums beyond the range, whatever is asked; None: what is asked."""

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
        left, right, accumulator = formats = (format_named(a_fmt), format_named(b_fmt), format_named(c_fmt))
        if not accumulator.is_float:
            return multiply_add_integers(left, a, right, b, accumulator, c, self.settled or overflow)
        lead = np.broadcast_shapes(a.shape[:-2], b.shape[:-2], c.shape[:-2])
        (rows, depth), cols = a.shape[-2:], b.shape[-1]
        a = np.broadcast_to(a, (*lead, rows, depth)).reshape(-1, rows, depth)
        b = np.broadcast_to(b, (*lead, depth, cols)).reshape(-1, depth, cols)
        c = np.broadcast_to(c, (*lead, rows, cols)).reshape(-1, rows, cols)
        found = np.empty(c.shape, np.uint64)
        step = max(1, _CHUNK // max(rows * cols, 1))
        for start in range(0, len(c), step):
            part = slice(start, start + step)
            found[part] = self._chunk(formats, a[part], b[part], c[part])
        return found.reshape(*lead, rows, cols)

    def _chunk(self, formats: Formats, a: Bits, b: Bits, c: Bits) -> Bits:
        working: type[np.floating[Any]] = np.float64 if "f64" in [fmt.name for fmt in formats] else np.float32
        # Finite float formats other than f64 are exact in float32; NaN and overflow are results, not errors.
        with np.errstate(all="ignore"):
            left, right, addend = (
                doubles_of(fmt, bits).astype(working) for fmt, bits in zip(formats, (a, b, c), strict=True)
            )
            return self.stored(formats[2], self.accumulate(Terms(left, right, addend, formats)))

    def accumulate(self, terms: Terms) -> Floats:
        """The running sum over k."""
        a, b, c = terms.a, terms.b, terms.c
        total = c.copy()
        product = np.empty_like(total)
        for k in range(a.shape[-1]):
            np.multiply(a[:, :, k, np.newaxis], b[:, np.newaxis, k, :], out=product)
            total += product
        return total

    def stored(self, accumulator: Format, total: Floats) -> Bits:
        """The sum in the accumulator's format; a float32 as it is, every NaN as the quiet one."""
        if accumulator.name == "f32" and total.dtype == np.float32:
            codes = np.ascontiguousarray(total).view(np.uint32)
            missing = np.isnan(total)
            if missing.any():
                codes = np.where(missing, np.uint32(accumulator.nan_bits), codes)
            return codes.astype(np.uint64)
        return bits_of_doubles(accumulator, total.astype(np.float64))
