"""Small constants in the bits of a format."""

from __future__ import annotations

from mmaspec.programs.formats import FORMATS, Format
from mmaspec.programs.hlsl_wave_matrix.program import Matrix
from mmaspec.programs.hlsl_wave_matrix.well_formed import is_packed
from mmaspec.strategies.choices import Choices


def constant(draw: Choices, matrix: Matrix) -> int:
    """A value in the bits of the format: small, both signs; four equal bytes for a packed matrix (WM-AMB-10)."""
    value = draw.one_of((1, 2, 3, 4, -1, -2, -3))
    fmt = FORMATS[matrix.element]
    if is_packed(matrix):
        return (value & 0xFF if fmt.signed else abs(value)) * 0x01010101
    return encoded(fmt, value)


def encoded(fmt: Format, value: int) -> int:
    """The bits of a whole number that the format holds exactly."""
    if not fmt.is_float:
        return value & fmt.mask
    if value == 0:
        return 0
    size = abs(value)
    exponent = size.bit_length() - 1
    fraction = (size << fmt.fraction_bits >> exponent) - (1 << fmt.fraction_bits)
    return (fmt.sign_bit if value < 0 else 0) | (fmt.bias + exponent) << fmt.fraction_bits | fraction
