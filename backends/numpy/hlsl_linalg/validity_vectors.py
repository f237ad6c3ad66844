"""Checks of vectors: how they are understood, how long they are, and the products that take them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType

from mmaspec.backends.numpy.hlsl_linalg.facts import Checks
from mmaspec.programs.hlsl_linalg.components import COMPONENTS, scalars
from mmaspec.programs.hlsl_linalg.program import (
    Convert,
    Matrix,
    MemoryBias,
    MultiplyVector,
    OuterProduct,
    Vector,
    VectorAccumulate,
)


def vector_products(checks: Checks) -> Iterator[tuple[MultiplyVector, Matrix]]:
    """Every product with a vector, and its matrix."""
    for found in checks.instructions():
        if isinstance(found, MultiplyVector):
            yield found, checks.program.matrix(found.matrix)


def outer_products(checks: Checks) -> Iterator[tuple[Matrix, Vector, Vector]]:
    """Every outer product: its matrix, its column and its row."""
    for found in checks.instructions():
        if isinstance(found, OuterProduct):
            column, row = (checks.program.vector(name) for name in (found.column, found.row))
            yield checks.program.matrix(found.matrix), column, row


def lengths(checks: Checks) -> bool:
    """Whether vector, bias and result of a product do not have the columns and rows of its matrix.

    A packed vector has whole words.
    """
    vector = checks.program.vector
    for found, matrix in vector_products(checks):
        source = vector(found.source)
        packed = COMPONENTS[source.component]
        results = [found.vector, *([found.bias] if isinstance(found.bias, str) else [])]
        whole = source.length == scalars(packed, matrix.n) * packed.packed
        if not whole or any(vector(name).length != matrix.m for name in results):
            return True
    return False


def not_native(checks: Checks) -> bool:
    """Whether a result, a bias that is a vector, a factor of an outer product or an addend to memory is packed."""
    names: list[str] = []
    for found in checks.instructions():
        match found:
            case MultiplyVector():
                names += [found.vector, *([found.bias] if isinstance(found.bias, str) else [])]
            case OuterProduct():
                names += [found.column, found.row]
            case VectorAccumulate():
                names.append(found.vector)
            case _:
                pass
    return any(not COMPONENTS[checks.program.vector(name).component].native for name in names)


def writable_bias(checks: Checks) -> bool:
    """Whether a bias lies in a buffer that is not bound as read-only."""
    biases = [found.bias for found, _ in vector_products(checks)]
    return any(isinstance(bias, MemoryBias) and bias.buffer not in checks.program.read_only for bias in biases)


def converted_length(checks: Checks) -> bool:
    """Whether a converted vector does not have the scalars that hold all components of its source's scalars."""
    for found in checks.instructions():
        if isinstance(found, Convert):
            to, source = checks.program.vector(found.vector), checks.program.vector(found.source)
            own, given = COMPONENTS[to.component], COMPONENTS[source.component]
            components = scalars(given, source.length) * given.packed
            if scalars(own, to.length) != scalars(own, components):
                return True
    return False


VECTOR_CHECKS: Mapping[str, Callable[[Checks], bool]] = MappingProxyType(
    {
        "LINALG-VEC-INTERP": lambda c: not all(map(c.known, c.vector_components())),
        "LINALG-VEC-LEN": lengths,
        "LINALG-VEC-USE": lambda c: any(matrix.use != "A" for _, matrix in vector_products(c)),
        "LINALG-VEC-NATIVE": not_native,
        "LINALG-BIAS-SOURCE": writable_bias,
        "LINALG-CONVERT-LEN": converted_length,
        "LINALG-OUTER-USE": lambda c: any(matrix.use != "Accumulator" for matrix, _, _ in outer_products(c)),
        "LINALG-OUTER-LEN": lambda c: any(
            (column.length, row.length) != (matrix.m, matrix.n) for matrix, column, row in outer_products(c)
        ),
        "LINALG-OUTER-TYPES": lambda c: any(column.component != row.component for _, column, row in outer_products(c)),
    }
)
"""Clause -> whether a program breaks it."""
