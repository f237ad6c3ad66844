"""Declarations that an ablation adds to a program, under names that it does not have."""

from __future__ import annotations

from msgspec.structs import replace

from mmaspec.programs.hlsl_linalg.program import LinalgProgram, Matrix, Vector
from mmaspec.programs.unused import unused


def with_matrix(program: LinalgProgram, matrix: Matrix) -> LinalgProgram:
    """The program with one matrix more, or another one in place of the one of that name."""
    if all(one.name != matrix.name for one in program.matrices):
        return replace(program, matrices=(*program.matrices, matrix))
    return replace(program, matrices=tuple(matrix if one.name == matrix.name else one for one in program.matrices))


def with_vector(program: LinalgProgram, vector: Vector) -> LinalgProgram:
    """The program with one vector more."""
    return replace(program, vectors=(*program.vectors, vector))


def fresh_matrix(program: LinalgProgram, like: Matrix, name: str) -> Matrix:
    """A matrix like another one, with a name of its own."""
    taken = [*(one.name for one in program.matrices), *(one.name for one in program.vectors)]
    return replace(like, name=unused(f"{name}-{len(program.matrices)}", taken))


def fresh_vector(program: LinalgProgram, like: Vector, name: str) -> Vector:
    """A vector like another one, with a name of its own."""
    taken = [*(one.name for one in program.matrices), *(one.name for one in program.vectors)]
    return replace(like, name=unused(f"{name}-{len(program.vectors)}", taken))


def moved_name(program: LinalgProgram) -> str:
    """A name for a buffer that an ablation adds."""
    taken = [*(one.name for one in program.buffers), *(one.name for one in program.arrays)]
    return unused(f"moved-{len(program.buffers)}", taken)
