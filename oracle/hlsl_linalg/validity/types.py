"""Validity of declarations, and of which operations a matrix has: one small function for each clause."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType

from mmaspec.oracle.hlsl_linalg.rule_context import Context
from mmaspec.oracle.hlsl_linalg.scopes import SCOPES, of_later_text, operations
from mmaspec.programs.hlsl_linalg.components import COMPONENTS
from mmaspec.programs.hlsl_linalg.program import (
    Beyond,
    ConvertLayout,
    CountElements,
    InterlockedAccumulate,
    Matrix,
    MemoryBias,
    MultiplyVector,
    OuterProduct,
    ReadElements,
    Scope,
    VectorAccumulate,
    WriteElements,
)

Rule = Callable[[Context], bool]

DIMENSIONS: Mapping[Scope, tuple[int, int]] = MappingProxyType(
    {"Thread": (4, 128), "Wave": (4, 128), "ThreadGroup": (1, 1024)}
)
"""The least and the greatest K by scope."""
WORD_COMPONENTS = 4
"""The packed components of a word, and by how much their sizes are larger in the text of 2025-09-19."""


def comp_enum(context: Context) -> bool:
    """LINALG-COMP-ENUM: the component types of matrices, and of what lies in memory as one, are those listed."""
    named = [matrix.component for matrix in context.program.matrices]
    named += [one.target for one, _ in context.each(InterlockedAccumulate) if one.target is not None]
    named += [one.component for one, _ in context.each(ConvertLayout)]
    return not context.known(*named)


def vec_interp(context: Context) -> bool:
    """LINALG-VEC-INTERP: a vector, in memory too, is interpreted as one of the component types of matrices."""
    named = [vector.component for vector in context.program.vectors]
    named += [one.bias.component for one, _ in context.each(MultiplyVector) if isinstance(one.bias, MemoryBias)]
    return not context.known(*named)


def scope_table(context: Context) -> bool:
    """LINALG-SCOPE-TABLE: a matrix has the operations of its scope (reading of LINALG-AMB-07: the table).

    What a text does not have at all is in no scope.
    """
    table = SCOPES[context.caps.revision]
    if context.source and any(of_later_text(instruction) for instruction, _ in context.instructions):
        return True
    return any(
        matrix.scope not in table.get(operation, ())
        for instruction, _ in context.instructions
        for operation, matrix in operations(context.program, instruction)
    )


def depths(context: Context) -> Iterator[tuple[Matrix, int]]:
    """Every A and B matrix with its K: the columns of an A, the rows of a B (LINALG-AMB-03, LINALG-AMB-04)."""
    for matrix in context.program.matrices:
        if matrix.use != "Accumulator":
            yield matrix, matrix.n if matrix.use == "A" else matrix.m


def _outside(matrix: Matrix, k: int) -> bool:
    low, high = DIMENSIONS[matrix.scope]
    return not low <= k <= high


def _is_power(k: int) -> bool:
    return k > 0 and not k & (k - 1)


def _fourfold(context: Context, matrix: Matrix) -> bool:
    """Whether sizes are four times those of scalars: packed types of the text of 2025-09-19."""
    return context.source and not COMPONENTS[matrix.component].native


def _plain_depths(context: Context) -> Iterator[tuple[Matrix, int]]:
    return ((matrix, k) for matrix, k in depths(context) if not _fourfold(context, matrix))


def dim_thread_wave(context: Context) -> bool:
    """LINALG-DIM-THREAD-WAVE: K is 4 to 128 at Thread and Wave scope."""
    return any(matrix.scope != "ThreadGroup" and _outside(matrix, k) for matrix, k in _plain_depths(context))


def dim_group(context: Context) -> bool:
    """LINALG-DIM-GROUP: K is 1 to 1024 at ThreadGroup scope."""
    return any(matrix.scope == "ThreadGroup" and _outside(matrix, k) for matrix, k in _plain_depths(context))


def dim_power(context: Context) -> bool:
    """LINALG-DIM-POWER: K at Thread and Wave scope is a power of two; of one out of range another clause speaks."""
    return any(
        matrix.scope != "ThreadGroup" and not _outside(matrix, k) and not _is_power(k)
        for matrix, k in _plain_depths(context)
    )


def dim_packed(context: Context) -> bool:
    """LINALG-DIM-PACKED: K of a packed type is four times a size that its scope allows."""
    for matrix, k in depths(context):
        if _fourfold(context, matrix) and context.known(matrix.component):
            power = matrix.scope == "ThreadGroup" or _is_power(k // WORD_COMPONENTS)
            if k % WORD_COMPONENTS or _outside(matrix, k // WORD_COMPONENTS) or not power:
                return True
    return False


def native(context: Context) -> bool:
    """LINALG-ELEM-NATIVE: what looks at single elements has a matrix whose component type is a scalar of HLSL."""
    return any(
        not COMPONENTS[context.program.matrix(one.matrix).component].native
        for one, _ in context.each(ReadElements, WriteElements, Beyond, CountElements)
    )


def vec_native(context: Context) -> bool:
    """LINALG-VEC-NATIVE: results, biases in vectors, factors of outer products and addends are no packed vectors.

    Nor are vectors that are multiplied in the text of 2025-09-19, where a vector is as long as the matrix.
    """
    names: list[str] = []
    for one, _ in context.each(MultiplyVector, OuterProduct, VectorAccumulate):
        match one:
            case MultiplyVector():
                names += [one.vector, *([one.bias] if isinstance(one.bias, str) else [])]
                names += [one.source] if context.source else []
            case OuterProduct():
                names += [one.column, one.row]
            case VectorAccumulate():
                names.append(one.vector)
    return any(not COMPONENTS[context.program.vector(name).component].native for name in names)


TYPE_RULES: Mapping[str, Rule] = MappingProxyType(
    {
        "LINALG-COMP-ENUM": comp_enum,
        "LINALG-VEC-INTERP": vec_interp,
        "LINALG-SCOPE-TABLE": scope_table,
        "LINALG-DIM-THREAD-WAVE": dim_thread_wave,
        "LINALG-DIM-GROUP": dim_group,
        "LINALG-DIM-POWER": dim_power,
        "LINALG-DIM-PACKED": dim_packed,
        "LINALG-ELEM-NATIVE": native,
        "LINALG-VEC-NATIVE": vec_native,
    }
)
"""Clause -> whether a program breaks it."""
