"""WaveMatrix devices that lose NaN: a result that should be one is zero."""

from __future__ import annotations

import numpy as np

from mmaspec.backends.numpy.hlsl_wave_matrix.device import WaveMatrixDevice
from mmaspec.backends.numpy.hlsl_wave_matrix.execution import Addition
from mmaspec.backends.numpy.units.unit import Bits
from mmaspec.programs.formats import FORMATS
from mmaspec.programs.hlsl_wave_matrix.program import Matrix


def _without_nan(element: str, bits: Bits) -> Bits:
    """Zero for NaN; integers as they are."""
    fmt = FORMATS[element]
    if not fmt.is_float:
        return bits
    magnitude = bits & np.uint64(fmt.mask & ~fmt.sign_bit)
    return np.where(magnitude > np.uint64(fmt.infinity_magnitude), np.uint64(0), bits)


class NaNLostInProducts(WaveMatrixDevice):
    """Products are never NaN."""

    def product_of(self, elements: tuple[str, str, str], a: Bits, b: Bits, c: Bits) -> Bits:
        """Zero for NaN."""
        return _without_nan(elements[2], super().product_of(elements, a, b, c))


class NaNLostInSums(WaveMatrixDevice):
    """What SumAccumulate leaves is never NaN."""

    def sums(self, element: str, matrix: Matrix, operand: Bits, addend: Bits) -> Bits:
        """Zero for NaN."""
        return _without_nan(matrix.element, super().sums(element, matrix, operand, addend))


class NaNLostInAdd(WaveMatrixDevice):
    """What Add leaves is never NaN."""

    def total(self, addition: Addition, x: Bits, y: Bits) -> Bits:
        """Zero for NaN."""
        return _without_nan(addition.element, super().total(addition, x, y))


class NaNLostInScalars(WaveMatrixDevice):
    """What operations with a scalar leave is never NaN."""

    def operate(self, operation: str, matrix: Matrix, elements: Bits, value: Bits) -> Bits:
        """Zero for NaN."""
        return _without_nan(matrix.element, super().operate(operation, matrix, elements, value))
