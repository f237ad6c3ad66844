"""On which elements of its operands each element depends that an instruction leaves."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from mmaspec.programs.nv_coopmat2.operands import reads, writes
from mmaspec.programs.nv_coopmat2.program import (
    REDUCE_COLUMN,
    REDUCE_ROW,
    Load,
    LoadTensor,
    MulAdd,
    Reduce,
    Splat,
    Store,
    StoreTensor,
    Transpose,
)
from mmaspec.strategies.axes.narrowing import roles
from mmaspec.strategies.axes.observation import COLUMN, ELEMENT, ROW, TURNED, WHOLE, Dependence, Dims

_REDUCED: dict[int, Dims] = {REDUCE_ROW: ROW, REDUCE_COLUMN: COLUMN}
"""Mask of a reduction -> what it needs; those of whole matrices and of two by two need more than a line."""


def dependence(_: Any, instruction: Any) -> Dependence:
    """Of an instruction that is executed."""
    if isinstance(instruction, Store | StoreTensor):
        return Dependence(instruction.matrix, {instruction.matrix: ELEMENT}, stored=True, moved=True)
    result = writes(instruction)
    if result is None:  # a barrier
        return Dependence("")
    return Dependence(result, roles(_operands(instruction, result)), moved=isinstance(instruction, Load | LoadTensor))


def _operands(instruction: Any, result: str) -> Iterable[tuple[str, Dims]]:
    match instruction:
        case MulAdd():
            yield from ((instruction.a, ROW), (instruction.b, COLUMN), (result, ELEMENT))
            if instruction.c is not None:
                yield instruction.c, ELEMENT
        case Reduce():
            yield instruction.matrix, _REDUCED.get(instruction.mask, WHOLE)
        case Transpose():
            yield instruction.matrix, TURNED
        case Splat() | LoadTensor():  # what looks see of a tensor lies in memory, not in rows and columns
            yield result, WHOLE
        case Load():
            yield result, ELEMENT
        case _:
            yield from ((name, ELEMENT) for name in (*reads(instruction), result))
