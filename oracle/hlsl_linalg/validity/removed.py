"""Validity of the operations that later texts removed: one small function for each clause."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType

from mmaspec.oracle.hlsl_linalg.rule_context import Context
from mmaspec.oracle.hlsl_linalg.validity.types import Rule
from mmaspec.programs.hlsl_linalg.program import Matrix, Vector
from mmaspec.programs.hlsl_linalg.removed import FromThreadVectors, GetThreadVector, SumAccumulate, Unary


def sums(context: Context) -> Iterator[tuple[Matrix, Matrix, Matrix]]:
    """Accumulator and both operands of every SumAccumulate."""
    program = context.program
    for one, _ in context.each(SumAccumulate):
        yield program.matrix(one.matrix), program.matrix(one.a), program.matrix(one.b)


def unary_shape(context: Context) -> bool:
    """LINALG-UNARY-SHAPE: result and source have one type."""
    pairs = ((context.program.matrix(one.matrix), context.program.matrix(one.source)) for one, _ in context.each(Unary))
    return any(_type(matrix) != _type(source) for matrix, source in pairs)


def _type(matrix: Matrix) -> tuple[object, ...]:
    return matrix.component, matrix.m, matrix.n, matrix.use, matrix.scope


def sumacc_uses(context: Context) -> bool:
    """LINALG-SUMACC-USES: an A and a B are added to an accumulator, all of one scope."""
    return any(
        (matrix.use, a.use, b.use) != ("Accumulator", "A", "B") or len({matrix.scope, a.scope, b.scope}) > 1
        for matrix, a, b in sums(context)
    )


def sumacc_shape(context: Context) -> bool:
    """LINALG-SUMACC-SHAPE: M x K, K x N and M x N."""
    return any((matrix.m, matrix.n, a.n) != (a.m, b.n, b.m) for matrix, a, b in sums(context))


def moves(context: Context) -> Iterator[tuple[Matrix, Vector]]:
    """Matrix and vector of everything that moves threads' vectors."""
    program = context.program
    for one, _ in context.each(FromThreadVectors, GetThreadVector):
        name = one.source if isinstance(one, FromThreadVectors) else one.vector
        yield program.matrix(one.matrix), program.vector(name)


def threadvec_use(context: Context) -> bool:
    """LINALG-THREADVEC-USE: the matrix is an A or a B."""
    return any(matrix.use == "Accumulator" for matrix, _ in moves(context))


def threadvec_len(context: Context) -> bool:
    """LINALG-THREADVEC-LEN: a vector has the rows of an A, the columns of a B."""
    return any(
        matrix.use != "Accumulator" and vector.length != (matrix.m if matrix.use == "A" else matrix.n)
        for matrix, vector in moves(context)
    )


def threadvec_type(context: Context) -> bool:
    """LINALG-THREADVEC-TYPE: a vector has the matrix's component type."""
    return any(matrix.component != vector.component for matrix, vector in moves(context))


def fromvec_dim(context: Context) -> bool:
    """LINALG-FROMVEC-DIM: no more columns of an A, or rows of a B, than the wave has lanes or the group threads."""
    program = context.program
    most = {"Wave": program.wave_size, "ThreadGroup": program.group}
    matrices = (program.matrix(one.matrix) for one, _ in context.each(FromThreadVectors))
    return any(
        matrix.use != "Accumulator"
        and matrix.scope in most
        and (matrix.n if matrix.use == "A" else matrix.m) > most[matrix.scope]
        for matrix in matrices
    )


REMOVED_RULES: Mapping[str, Rule] = MappingProxyType(
    {
        "LINALG-UNARY-SHAPE": unary_shape,
        "LINALG-SUMACC-USES": sumacc_uses,
        "LINALG-SUMACC-SHAPE": sumacc_shape,
        "LINALG-THREADVEC-USE": threadvec_use,
        "LINALG-THREADVEC-LEN": threadvec_len,
        "LINALG-THREADVEC-TYPE": threadvec_type,
        "LINALG-FROMVEC-DIM": fromvec_dim,
    }
)
"""Clause -> whether a program breaks it."""
