"""Validity of declarations, and of which operations a matrix has: one small function for each clause."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType

from mmaspec.oracle.hlsl_linalg.rule_context import Context
from mmaspec.oracle.hlsl_linalg.scopes import SCOPES, operations
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
    """LINALG-SCOPE-TABLE: a matrix has the operations of its scope (reading of LINALG-AMB-07: the table)."""
    table = SCOPES[context.caps.revision]
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


def dim_thread_wave(context: Context) -> bool:
    """LINALG-DIM-THREAD-WAVE: K is 4 to 128 at Thread and Wave scope."""
    return any(matrix.scope != "ThreadGroup" and _outside(matrix, k) for matrix, k in depths(context))


def dim_group(context: Context) -> bool:
    """LINALG-DIM-GROUP: K is 1 to 1024 at ThreadGroup scope."""
    return any(matrix.scope == "ThreadGroup" and _outside(matrix, k) for matrix, k in depths(context))


def native(context: Context) -> bool:
    """LINALG-ELEM-NATIVE: what looks at single elements has a matrix whose component type is a scalar of HLSL."""
    return any(
        not COMPONENTS[context.program.matrix(one.matrix).component].native
        for one, _ in context.each(ReadElements, WriteElements, Beyond, CountElements)
    )


def vec_native(context: Context) -> bool:
    """LINALG-VEC-NATIVE: results, biases in vectors, factors of outer products and addends are no packed vectors."""
    names: list[str] = []
    for one, _ in context.each(MultiplyVector, OuterProduct, VectorAccumulate):
        match one:
            case MultiplyVector():
                names += [one.vector, *([one.bias] if isinstance(one.bias, str) else [])]
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
        "LINALG-ELEM-NATIVE": native,
        "LINALG-VEC-NATIVE": vec_native,
    }
)
"""Clause -> whether a program breaks it."""
