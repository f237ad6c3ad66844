"""Checks of what is declared, and of which matrices and vectors an instruction takes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

from mmaspec.backends.numpy.hlsl_linalg.facts import Checks, depth
from mmaspec.programs.hlsl_linalg.components import COMPONENTS
from mmaspec.programs.hlsl_linalg.program import (
    Accumulate,
    Beyond,
    Cast,
    CountElements,
    InterlockedAccumulate,
    Load,
    Matrix,
    Multiply,
    MultiplyAccumulate,
    MultiplyVector,
    OuterProduct,
    ReadElements,
    Simple,
    Splat,
    Store,
    WriteElements,
)
from mmaspec.programs.hlsl_linalg.removed import (
    FromThreadVectors,
    GetThreadVector,
    Operate,
    SumAccumulate,
    Unary,
)

Product = Multiply | MultiplyAccumulate
UNIFORM = (
    Cast,
    CountElements,
    ReadElements,
    WriteElements,
    Beyond,
    Splat,
    Store,
    Accumulate,
    Multiply,
    MultiplyAccumulate,
)
"""Instructions on matrices of Wave and ThreadGroup scope alone."""
BY_ELEMENT = (CountElements, ReadElements, WriteElements, Beyond)


def beyond_depth(checks: Checks, scopes: tuple[str, ...], least: int, most: int) -> bool:
    """Whether K of a factor of some scope lies outside what validation lets pass."""
    found = [depth(matrix) for matrix in checks.program.matrices if matrix.scope in scopes]
    return any(k is not None and not least <= k <= most for k in found)


def named_matrices(checks: Checks, found: Simple) -> list[Matrix]:
    """The matrices that an instruction names, operands included."""
    by_name = {matrix.name: matrix for matrix in checks.program.matrices}
    fields = [getattr(found, name) for name in ("matrix", "source", "operand", "a", "b") if hasattr(found, name)]
    return [by_name[name] for name in fields if name in by_name]


def wrong_scope(checks: Checks) -> bool:
    """Whether an operation does not exist, or not for the scope of its matrix."""
    for found in checks.instructions():
        scopes = {matrix.scope for matrix in named_matrices(checks, found)}
        match found:
            case MultiplyVector() | OuterProduct():
                bad = scopes != {"Thread"}
            case Load():
                bad = scopes == {"Thread"} and found.memory not in checks.program.read_only
            case InterlockedAccumulate():
                bad = scopes == {"Thread"} and checks.is_array(found.memory)
            case Operate() | Unary() | SumAccumulate() | FromThreadVectors() | GetThreadVector():
                bad = True
            case _:
                bad = isinstance(found, UNIFORM) and "Thread" in scopes
        if bad:
            return True
    return False


def packed_elements(checks: Checks) -> bool:
    """Whether single elements are asked of a matrix whose elements HLSL has no type for."""
    return any(
        isinstance(found, BY_ELEMENT) and not COMPONENTS[checks.program.matrix(found.matrix).component].native
        for found in checks.instructions()
    )


def casts(checks: Checks) -> list[tuple[Cast, Matrix, Matrix]]:
    """Every cast with its target and source."""
    matrix = checks.program.matrix
    return [(c, matrix(c.matrix), matrix(c.source)) for c in checks.instructions() if isinstance(c, Cast)]


def cast_shape(checks: Checks) -> bool:
    """Whether a cast has other rows and columns than its source, exchanged where it transposes."""
    return any(
        (to.m, to.n) != (s.n, s.m) if cast.transpose else (to.m, to.n) != (s.m, s.n) for cast, to, s in casts(checks)
    )


def products(checks: Checks) -> list[tuple[Product, Matrix, Matrix, Matrix]]:
    """Every product of matrices with its result, A and B."""
    matrix = checks.program.matrix
    found = [found for found in checks.instructions() if isinstance(found, Product)]
    return [(p, matrix(p.matrix), matrix(p.a), matrix(p.b)) for p in found]


def uninferred(checks: Checks) -> bool:
    """Whether the overload that infers its result has component types that differ."""
    return any(
        isinstance(product, Multiply) and not product.typed and len({a.component, b.component, c.component}) > 1
        for product, c, a, b in products(checks)
    )


def accumulations(checks: Checks) -> list[tuple[Matrix, Matrix]]:
    """Every Accumulate, as its accumulator and what is added."""
    matrix = checks.program.matrix
    found = [found for found in checks.instructions() if isinstance(found, Accumulate)]
    return [(matrix(one.matrix), matrix(one.operand)) for one in found]


TYPE_CHECKS: Mapping[str, Callable[[Checks], bool]] = MappingProxyType(
    {
        "LINALG-COMP-ENUM": lambda c: not all(map(c.known, c.matrix_components())),
        "LINALG-DIM-THREAD-WAVE": lambda c: beyond_depth(c, ("Thread", "Wave"), 4, 128),
        "LINALG-DIM-GROUP": lambda c: beyond_depth(c, ("ThreadGroup",), 1, 1024),
        "LINALG-SCOPE-TABLE": wrong_scope,
        "LINALG-ELEM-NATIVE": packed_elements,
        "LINALG-CAST-SCOPE": lambda c: any(to.scope != source.scope for _, to, source in casts(c)),
        "LINALG-CAST-SHAPE": cast_shape,
        "LINALG-MUL-USES": lambda c: any(
            (a.use, b.use, total.use) != ("A", "B", "Accumulator") for _, total, a, b in products(c)
        ),
        "LINALG-MUL-SHAPE": lambda c: any((a.m, a.n, b.n) != (total.m, b.m, total.n) for _, total, a, b in products(c)),
        "LINALG-MUL-SCOPE": lambda c: any(not a.scope == b.scope == total.scope for _, total, a, b in products(c)),
        "LINALG-MUL-INFER": uninferred,
        "LINALG-ACCUMULATE-USES": lambda c: any(
            total.use != "Accumulator" or operand.use == "Accumulator" for total, operand in accumulations(c)
        ),
        "LINALG-ACCUMULATE-SHAPE": lambda c: any(
            (total.m, total.n, total.scope) != (operand.m, operand.n, operand.scope)
            for total, operand in accumulations(c)
        ),
    }
)
"""Clause -> whether a program breaks it."""
