"""Instructions that the text of 2025-09-19 has and later ones removed; ``program`` lists them among all others."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

from mmaspec.programs.base import Scalar
from mmaspec.programs.hlsl_linalg.components import ScalarType

Operator = Literal["add", "sub", "mul", "div"]
"""``operator+=``, ``-=``, ``*=`` and ``/=``; DXIL 1 to 4."""

UnaryOperation = Literal["nop", "negate", "abs", "sin", "cos", "tan"]
"""``UnaryOperation``: 0 to 5, in the API as in DXIL."""


class Operate(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True, tag="operate"):
    """``matrix op= (scalar)value``; the bits of the value are of the HLSL type ``scalar``.

    ``lane`` is what each further lane of a wave adds to the bits of the value (0: all lanes agree), ``wave`` what each
    further wave of the group adds.
    """

    matrix: str
    op: Operator
    scalar: ScalarType
    value: Scalar
    lane: int = 0
    wave: int = 0


class Unary(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True, tag="unary"):
    """``matrix = source.ApplyUnaryOperation<op>()``."""

    matrix: str
    op: UnaryOperation
    source: str


class SumAccumulate(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True, tag="sum-accumulate"):
    """``matrix.SumAccumulate(a, b)``: the accumulator plus an A and a B matrix."""

    matrix: str
    a: str
    b: str


class FromThreadVectors(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True, tag="from-thread-vectors"):
    """``matrix = FromThreadVectors(source)``: ``source`` names a vector, of which every thread has its own."""

    matrix: str
    source: str


class GetThreadVector(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True, tag="get-thread-vector"):
    """``vector = matrix.GetThreadVector(index)``: column or row index * (lanes of a wave) + thread."""

    vector: str
    matrix: str
    index: int = 0


Removed = Operate | Unary | SumAccumulate | FromThreadVectors | GetThreadVector
"""An instruction that the later text has no more."""
