"""On which elements of its operands each element depends that an instruction leaves."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from mmaspec.programs.hlsl_wave_matrix.operands import reads, writes
from mmaspec.programs.hlsl_wave_matrix.program import (
    Fill,
    Load,
    Multiply,
    MultiplyAccumulate,
    Store,
    SumAccumulate,
    WaveMatrixProgram,
)
from mmaspec.strategies.axes.narrowing import roles
from mmaspec.strategies.axes.observation import COLUMN, ELEMENT, ROW, WHOLE, Dependence, Dims, Thing


def dependence(program: WaveMatrixProgram, instruction: Any) -> Dependence:
    """Of an instruction that is executed. What only moves bytes, such as a depth or a copy, has no matrix."""
    if isinstance(instruction, Store):
        return Dependence(instruction.matrix, {instruction.matrix: ELEMENT}, stored=True, moved=True)
    result = writes(instruction)
    if result is None:
        return Dependence("", moved=True)
    moved = isinstance(instruction, Load)
    return Dependence(result, roles(_operands(program, instruction, result)), moved=moved)


def _operands(program: WaveMatrixProgram, instruction: Any, result: str) -> Iterable[tuple[str, Dims]]:
    match instruction:
        case Multiply() | MultiplyAccumulate():
            yield from ((instruction.left, ROW), (instruction.right, COLUMN), (result, ELEMENT))
        case SumAccumulate():
            yield instruction.operand, ROW if program.matrix(result).kind == "left-col-acc" else COLUMN
            yield result, ELEMENT
        case Fill():
            yield result, WHOLE
        case _:  # of an addend that is one line, every element of the other side is the same
            yield from ((name, ELEMENT) for name in (*reads(instruction), result))


def part(thing: Thing) -> tuple[int | None, ...]:
    """An access is one of one wave."""
    wave: int | None = getattr(thing.of, "wave", None)
    return None, wave
