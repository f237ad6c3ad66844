"""RDNA3 devices that add up something else."""

from __future__ import annotations

import numpy as np
from msgspec.structs import replace
from numpy.typing import NDArray

from mmaspec.backends.faults import register_kernels
from mmaspec.backends.numpy.amd_rdna3_wmma.device import WmmaDevice
from mmaspec.backends.numpy.units.unit import ArithmeticUnit, Bits
from mmaspec.programs.amd_rdna3_wmma.program import Wmma
from mmaspec.programs.formats import Format

WORD = np.uint64(0xFFFFFFFF)


def signed(bits: Bits) -> NDArray[np.int64]:
    """32-bit integers of their codes."""
    return (bits.astype(np.int64) ^ 0x80000000) - 0x80000000


def infinity_is_nan(fmt: Format, bits: Bits) -> Bits:
    """Infinite results are NaN."""
    infinite = bits & np.uint64(fmt.mask & ~fmt.sign_bit) == np.uint64(fmt.infinity_magnitude)
    return np.where(infinite, np.uint64(fmt.nan_bits), bits)


class CDropped(register_kernels.CDropped, WmmaDevice):
    """C is zero."""


class KMissing(WmmaDevice):
    """Products from one k on are left out."""

    def __init__(self, unit: ArithmeticUnit, *, first: int) -> None:
        super().__init__(unit)
        self._first = first

    def product(self, step: Wmma, a: Bits, b: Bits, c: Bits) -> Bits:
        """Of the others only."""
        return super().product(step, a[..., : self._first], b[..., : self._first, :], c)


class IntegerSums(WmmaDevice):
    """Deviates in integer sums, which a subclass has."""

    def product(self, step: Wmma, a: Bits, b: Bits, c: Bits) -> Bits:
        """Those of floats as they are."""
        if self.results_in(step) != "i32":
            return super().product(step, a, b, c)
        return self.integers(step, a, b, c).astype(np.uint64) & WORD

    def integers(self, step: Wmma, a: Bits, b: Bits, c: Bits) -> NDArray[np.int64]:
        """Sums, which keep 32 bits."""
        return signed(super().product(step, a, b, c))

    def dots(self, step: Wmma, a: Bits, b: Bits, c: Bits) -> NDArray[np.int64]:
        """Sums of products alone."""
        return signed(super().product(step, a, b, np.zeros_like(c)))


class DotOfBits(IntegerSums):
    """The sum of the sixteen products is clamped to some bits, or loses its lowest ones, before C is added."""

    def __init__(self, unit: ArithmeticUnit, *, bits: int, lost: int = 0) -> None:
        super().__init__(unit)
        self._half, self._lost = 1 << (bits - 1), lost

    def integers(self, step: Wmma, a: Bits, b: Bits, c: Bits) -> NDArray[np.int64]:
        """Clamped again at the end, if clamp is set."""
        dots = np.clip(self.dots(step, a, b, c), -self._half, self._half - 1) >> self._lost << self._lost
        total = dots + signed(c)
        return np.clip(total, -(1 << 31), (1 << 31) - 1) if step.clamp else total


class ResultsOfBits(IntegerSums):
    """Results keep their low bits, extended by sign."""

    def __init__(self, unit: ArithmeticUnit, *, bits: int) -> None:
        super().__init__(unit)
        self._half = 1 << (bits - 1)

    def integers(self, step: Wmma, a: Bits, b: Bits, c: Bits) -> NDArray[np.int64]:
        """Those bits."""
        total = super().integers(step, a, b, c)
        return ((total + self._half) & (2 * self._half - 1)) - self._half


class ClampsLowerEndOnly(IntegerSums):
    """Sums below the range are clamped, those above it wrap."""

    def integers(self, step: Wmma, a: Bits, b: Bits, c: Bits) -> NDArray[np.int64]:
        """Wrapped where the upper end was passed."""
        clamped, wrapped = super().integers(step, a, b, c), super().integers(replace(step, clamp=False), a, b, c)
        return np.where(clamped == (1 << 31) - 1, wrapped, clamped)


class ClampsTo(IntegerSums):
    """Clamp means a smaller range."""

    def __init__(self, unit: ArithmeticUnit, *, bits: int) -> None:
        super().__init__(unit)
        self._half = 1 << (bits - 1)

    def integers(self, step: Wmma, a: Bits, b: Bits, c: Bits) -> NDArray[np.int64]:
        """That of so many bits."""
        total = super().integers(step, a, b, c)
        return np.clip(total, -self._half, self._half - 1) if step.clamp else total
