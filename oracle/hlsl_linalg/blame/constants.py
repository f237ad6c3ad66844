"""Constants that stand for whatever a matrix held."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from mmaspec.oracle.hlsl_linalg.addresses import format_of
from mmaspec.programs.base import Literal
from mmaspec.programs.hlsl_linalg.components import COMPONENTS, ScalarType
from mmaspec.programs.hlsl_linalg.program import Matrix, Splat

BELOW_ZERO = 0xBC3CBC3C
"""Bits of a constant whose sign shows: of floats a small number below zero, of unsigned integers a large one."""
_WORD = 32
_ONE, _MINUS_ONE = 0x3F800000, 0xBF800000
_BYTE = 8


def constant(matrix: Matrix, bits: int) -> Splat:
    """A Splat of bits, repeated or cut to the width of an element; the value is of the component's own scalar.

    A packed component has none: bytes are given as integers, which have the same value; small floats are one, or minus
    one where the highest of the bits is set.
    """
    row, fmt = COMPONENTS[matrix.component], format_of(matrix.component)
    wide = (bits << _WORD | bits) & fmt.mask
    if row.native:
        scalar: ScalarType = row.scalar  # type: ignore[assignment]
        return Splat(matrix.name, scalar, Literal(wide))
    if fmt.is_float:
        return Splat(matrix.name, "float", Literal(_MINUS_ONE if bits >> (_WORD - 1) else _ONE))
    if fmt.signed and wide >> (_BYTE - 1):
        return Splat(matrix.name, "int", Literal(wide | 0xFFFFFF00))
    return Splat(matrix.name, "int", Literal(wide))


_THREE: Mapping[str, int] = MappingProxyType({"half": 0x4200, "float": 0x40400000, "double": 0x4008 << 48})


def three(scalar: ScalarType) -> Literal:
    """A number that every type has."""
    return Literal(_THREE.get(scalar, 3))
