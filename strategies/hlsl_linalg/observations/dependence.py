"""On which elements of its operands each element depends that an instruction leaves."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from mmaspec.programs.hlsl_linalg.operands import reads, writes
from mmaspec.programs.hlsl_linalg.program import (
    Accumulate,
    Cast,
    InterlockedAccumulate,
    LinalgProgram,
    Load,
    Multiply,
    MultiplyAccumulate,
    MultiplyVector,
    OuterProduct,
    ReadElements,
    Splat,
    Store,
    VectorAccumulate,
    VectorLoad,
    VectorStore,
    WriteElements,
)
from mmaspec.programs.hlsl_linalg.removed import Operate, SumAccumulate, Unary
from mmaspec.strategies.axes.narrowing import roles
from mmaspec.strategies.axes.observation import COLUMN, ELEMENT, ROW, TURNED, WHOLE, Dependence, Dims


def dependence(_program: LinalgProgram, instruction: Any) -> Dependence:
    """Of an instruction that is executed. What only moves bytes, such as a copy, has no matrix."""
    if isinstance(instruction, Store | ReadElements):
        return Dependence(instruction.matrix, {instruction.matrix: ELEMENT}, stored=True, moved=True)
    if isinstance(instruction, VectorStore):
        return Dependence(instruction.vector, {instruction.vector: ELEMENT}, stored=True, moved=True)
    if isinstance(instruction, InterlockedAccumulate):
        return Dependence(instruction.matrix, {instruction.matrix: ELEMENT}, stored=True)
    if isinstance(instruction, VectorAccumulate):
        return Dependence(instruction.vector, {instruction.vector: ELEMENT}, stored=True)
    result = writes(instruction)
    if result is None:
        return Dependence("", moved=True)
    moved = isinstance(instruction, Load | VectorLoad | WriteElements)
    return Dependence(result, roles(_operands(instruction, result)), moved=moved)


def _operands(instruction: Any, result: str) -> Iterable[tuple[str, Dims]]:
    match instruction:
        case Operate() | Unary() | SumAccumulate():
            yield from ((name, ELEMENT) for name in (*reads(instruction), result))
        case Multiply(a=a, b=b):
            yield from ((a, ROW), (b, COLUMN))
        case MultiplyAccumulate(a=a, b=b):
            yield from ((a, ROW), (b, COLUMN), (result, ELEMENT))
        case Accumulate(operand=operand):
            yield from ((operand, ELEMENT), (result, ELEMENT))
        case Cast(source=source, transpose=transpose):
            yield from ((source, TURNED if transpose else ELEMENT), (result, ELEMENT))
        case Splat():
            yield result, WHOLE
        case MultiplyVector(matrix=matrix, source=source, bias=bias):
            yield from ((matrix, ROW), (source, WHOLE))
            if isinstance(bias, str):
                yield bias, ELEMENT
        case OuterProduct(column=column, row=row):
            yield from ((column, ROW), (row, WHOLE))
        case Load() | VectorLoad() | WriteElements():
            yield result, ELEMENT
        case _:  # packed words change their number in a conversion: which component depends on which is not told
            yield from ((name, WHOLE) for name in (*reads(instruction), result))
