"""The matrices that an instruction reads, and the one that it writes."""

from __future__ import annotations

from mmaspec.programs.hlsl_wave_matrix.program import (
    Add,
    Barrier,
    Copy,
    Fill,
    Load,
    MatrixDepth,
    Multiply,
    MultiplyAccumulate,
    Simple,
    Store,
    SumAccumulate,
)


def writes(instruction: Simple) -> str | None:
    """The matrix that an instruction changes; None for one that only reads matrices, or moves other data."""
    return None if isinstance(instruction, Store | MatrixDepth | Copy | Barrier) else instruction.matrix


def reads(instruction: Simple) -> tuple[str, ...]:
    """The matrices whose elements an instruction uses. A depth is none, and a Multiply forgets its accumulator."""
    match instruction:
        case Load() | Fill() | MatrixDepth() | Copy() | Barrier():
            return ()
        case Multiply():
            return instruction.left, instruction.right
        case MultiplyAccumulate():
            return instruction.left, instruction.right, instruction.matrix
        case SumAccumulate() | Add():
            return instruction.matrix, instruction.operand
        case _:
            return (instruction.matrix,)
