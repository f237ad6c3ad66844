"""Validity of operations between matrices and between vectors: one small function for each clause."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType

from mmaspec.oracle.hlsl_linalg.rule_context import Context
from mmaspec.oracle.hlsl_linalg.validity.types import Rule
from mmaspec.programs.hlsl_linalg.components import COMPONENTS, scalars
from mmaspec.programs.hlsl_linalg.program import (
    Accumulate,
    Cast,
    Convert,
    Matrix,
    MemoryBias,
    Multiply,
    MultiplyAccumulate,
    MultiplyVector,
    OuterProduct,
)

Product = Multiply | MultiplyAccumulate


def products(context: Context) -> Iterator[tuple[Product, Matrix, Matrix, Matrix]]:
    """Every product of matrices with its accumulator and both operands."""
    program = context.program
    for one, _ in context.each(Multiply, MultiplyAccumulate):
        yield one, program.matrix(one.matrix), program.matrix(one.a), program.matrix(one.b)


def casts(context: Context) -> Iterator[tuple[Matrix, Matrix, bool]]:
    """Result and source of every Cast, and whether it transposes."""
    for one, _ in context.each(Cast):
        yield context.program.matrix(one.matrix), context.program.matrix(one.source), one.transpose


def sums(context: Context) -> Iterator[tuple[Matrix, Matrix]]:
    """Accumulator and operand of every Accumulate."""
    for one, _ in context.each(Accumulate):
        yield context.program.matrix(one.matrix), context.program.matrix(one.operand)


def cast_scope(context: Context) -> bool:
    """LINALG-CAST-SCOPE: both matrices of a Cast have one scope."""
    return any(matrix.scope != source.scope for matrix, source, _ in casts(context))


def cast_shape(context: Context) -> bool:
    """LINALG-CAST-SHAPE: the result has the source's rows and columns, exchanged where the Cast transposes."""
    return any(
        (matrix.m, matrix.n) != ((source.n, source.m) if transpose else (source.m, source.n))
        for matrix, source, transpose in casts(context)
    )


def accumulate_uses(context: Context) -> bool:
    """LINALG-ACCUMULATE-USES: an A or a B is added to an accumulator."""
    return any(matrix.use != "Accumulator" or operand.use == "Accumulator" for matrix, operand in sums(context))


def accumulate_shape(context: Context) -> bool:
    """LINALG-ACCUMULATE-SHAPE: both have the same rows, columns and scope."""
    return any(
        (matrix.m, matrix.n, matrix.scope) != (operand.m, operand.n, operand.scope) for matrix, operand in sums(context)
    )


def mul_uses(context: Context) -> bool:
    """LINALG-MUL-USES: A, B and an accumulator, in these places."""
    return any(not in_place(matrix, a, b) for _, matrix, a, b in products(context))


def in_place(matrix: Matrix, a: Matrix, b: Matrix) -> bool:
    """Whether the matrices of a product have the uses of their places."""
    return (matrix.use, a.use, b.use) == ("Accumulator", "A", "B")


def mul_shape(context: Context) -> bool:
    """LINALG-MUL-SHAPE: M x K times K x N is M x N."""
    return any((matrix.m, matrix.n, a.n) != (a.m, b.n, b.m) for _, matrix, a, b in products(context))


def mul_scope(context: Context) -> bool:
    """LINALG-MUL-SCOPE: the matrices of a product have one scope."""
    return any(len({matrix.scope, a.scope, b.scope}) > 1 for _, matrix, a, b in products(context))


def mul_infer(context: Context) -> bool:
    """LINALG-MUL-INFER: a Multiply without a component type has one for A, B and result."""
    return any(
        isinstance(one, Multiply) and not one.typed and len({matrix.component, a.component, b.component}) > 1
        for one, matrix, a, b in products(context)
    )


def vec_use(context: Context) -> bool:
    """LINALG-VEC-USE: the matrix that a vector is multiplied by is an A, in the text of 2025-09-19 a B."""
    use = "B" if context.source else "A"
    return any(context.program.matrix(one.matrix).use != use for one, _ in context.each(MultiplyVector))


def vec_len(context: Context) -> bool:
    """LINALG-VEC-LEN: the vector has K components, result and bias M, beside a B matrix its columns.

    A packed vector has whole words, except beside a bias that is a vector, whose declaration counts words.
    """
    program = context.program
    for one, _ in context.each(MultiplyVector):
        matrix, source = program.matrix(one.matrix), program.vector(one.source)
        summed, left = (matrix.m, matrix.n) if context.source else (matrix.n, matrix.m)
        if source.length != summed or program.vector(one.vector).length != left:
            return True
        if isinstance(one.bias, str):
            if program.vector(one.bias).length != left:
                return True
        elif source.length % COMPONENTS[source.component].packed:
            return True
    return False


def bias_source(context: Context) -> bool:
    """LINALG-BIAS-SOURCE: a bias in memory lies in a read-only buffer."""
    biases = (one.bias for one, _ in context.each(MultiplyVector))
    return any(isinstance(bias, MemoryBias) and bias.buffer not in context.program.read_only for bias in biases)


def convert_len(context: Context) -> bool:
    """LINALG-CONVERT-LEN: the words or scalars of the result hold all components of those of the source."""
    program = context.program
    for one, _ in context.each(Convert):
        vector, source = program.vector(one.vector), program.vector(one.source)
        into, out_of = COMPONENTS[vector.component], COMPONENTS[source.component]
        held = scalars(out_of, source.length) * out_of.packed
        if scalars(into, vector.length) != scalars(into, held):
            return True
    return False


def outer_use(context: Context) -> bool:
    """LINALG-OUTER-USE: the result of an OuterProduct is an accumulator."""
    return any(context.program.matrix(one.matrix).use != "Accumulator" for one, _ in context.each(OuterProduct))


def outer_len(context: Context) -> bool:
    """LINALG-OUTER-LEN: the first vector has M components, the second N."""
    program = context.program
    return any(
        (program.vector(one.column).length, program.vector(one.row).length)
        != (program.matrix(one.matrix).m, program.matrix(one.matrix).n)
        for one, _ in context.each(OuterProduct)
    )


def outer_types(context: Context) -> bool:
    """LINALG-OUTER-TYPES: both vectors have one type."""
    program = context.program
    return any(
        program.vector(one.column).component != program.vector(one.row).component
        for one, _ in context.each(OuterProduct)
    )


OPERATION_RULES: Mapping[str, Rule] = MappingProxyType(
    {
        "LINALG-CAST-SCOPE": cast_scope,
        "LINALG-CAST-SHAPE": cast_shape,
        "LINALG-ACCUMULATE-USES": accumulate_uses,
        "LINALG-ACCUMULATE-SHAPE": accumulate_shape,
        "LINALG-MUL-USES": mul_uses,
        "LINALG-MUL-SHAPE": mul_shape,
        "LINALG-MUL-SCOPE": mul_scope,
        "LINALG-MUL-INFER": mul_infer,
        "LINALG-VEC-USE": vec_use,
        "LINALG-VEC-LEN": vec_len,
        "LINALG-BIAS-SOURCE": bias_source,
        "LINALG-CONVERT-LEN": convert_len,
        "LINALG-OUTER-USE": outer_use,
        "LINALG-OUTER-LEN": outer_len,
        "LINALG-OUTER-TYPES": outer_types,
    }
)
"""Clause -> whether a program breaks it."""
