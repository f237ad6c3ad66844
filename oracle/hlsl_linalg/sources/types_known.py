"""Whether all that an instruction moves has a type with elements: of others nothing is known, and rules refuse them."""

from __future__ import annotations

from collections.abc import Iterator

from mmaspec.programs.hlsl_linalg.components import COMPONENTS
from mmaspec.programs.hlsl_linalg.operands import reads, writes
from mmaspec.programs.hlsl_linalg.program import (
    ConvertLayout,
    InterlockedAccumulate,
    LinalgProgram,
    MemoryBias,
    MultiplyVector,
    Simple,
)


def types_known(program: LinalgProgram, instruction: Simple) -> bool:
    """Whether the components of its matrices, vectors and arguments all have a format (LINALG-COMP-ENUM)."""
    return all(COMPONENTS[component].fmt for component in _components(program, instruction))


def _components(program: LinalgProgram, instruction: Simple) -> Iterator[str]:
    used = {*reads(instruction), writes(instruction)}
    yield from (matrix.component for matrix in program.matrices if matrix.name in used)
    yield from (vector.component for vector in program.vectors if vector.name in used)
    match instruction:
        case InterlockedAccumulate() if instruction.target is not None:
            yield instruction.target
        case MultiplyVector(bias=MemoryBias() as bias):
            yield bias.component
        case ConvertLayout():
            yield instruction.component
        case _:
            pass
