"""Instructions that the text of 2025-09-19 has and later ones removed, as HLSL."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

from mmaspec.oracle.hlsl_linalg.text.words import identifier, scalar, type_of
from mmaspec.programs.hlsl_linalg.program import LinalgProgram
from mmaspec.programs.hlsl_linalg.removed import (
    FromThreadVectors,
    GetThreadVector,
    Operate,
    Operator,
    SumAccumulate,
    Unary,
    UnaryOperation,
)

OPERATORS: Mapping[Operator, str] = MappingProxyType({"add": "+=", "sub": "-=", "mul": "*=", "div": "/="})
"""Operator -> how it is written."""
FUNCTIONS: Mapping[UnaryOperation, str] = MappingProxyType(
    {"nop": "NOp", "negate": "Negate", "abs": "Abs", "sin": "Sin", "cos": "Cos", "tan": "Tan"}
)
"""Function -> its name in the enumeration."""


def _operate(_: LinalgProgram, one: Operate, __: str) -> list[str]:
    value = scalar(one.value, one.scalar, one.lane, one.wave)
    return [f"{identifier(one.matrix)} {OPERATORS[one.op]} ({type_of(one.scalar)})({value});"]


def _unary(_: LinalgProgram, one: Unary, __: str) -> list[str]:
    call = f"ApplyUnaryOperation<UnaryOperation::{FUNCTIONS[one.op]}>()"
    return [f"{identifier(one.matrix)} = {identifier(one.source)}.{call};"]


def _sum(_: LinalgProgram, one: SumAccumulate, __: str) -> list[str]:
    return [f"{identifier(one.matrix)}.SumAccumulate({identifier(one.a)}, {identifier(one.b)});"]


def _from_vectors(_: LinalgProgram, one: FromThreadVectors, __: str) -> list[str]:
    """Of an object: the declaration is not static, other than those of Splat and Load."""
    name = identifier(one.matrix)
    return [f"{name} = {name}.FromThreadVectors({identifier(one.source)});"]


def _get_vector(_: LinalgProgram, one: GetThreadVector, __: str) -> list[str]:
    index = str(one.index) if one.index else ""
    return [f"{identifier(one.vector)} = {identifier(one.matrix)}.GetThreadVector({index});"]


REMOVED_LINES: Mapping[type, Callable[[LinalgProgram, Any, str], list[str]]] = MappingProxyType(
    {
        FromThreadVectors: _from_vectors,
        GetThreadVector: _get_vector,
        Operate: _operate,
        SumAccumulate: _sum,
        Unary: _unary,
    }
)
"""Instruction -> its lines."""
