"""Checks of a program against what the device reports that it supports."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType

from mmaspec.backends.numpy.hlsl_linalg.facts import Checks
from mmaspec.backends.numpy.hlsl_linalg.optimal import TRANSPOSED
from mmaspec.backends.numpy.hlsl_linalg.validity_memory import loads, sums
from mmaspec.backends.numpy.hlsl_linalg.validity_types import products
from mmaspec.backends.numpy.hlsl_linalg.validity_vectors import outer_products, vector_products
from mmaspec.programs.hlsl_linalg.caps import LinalgCaps, MatrixProduct, VectorProduct
from mmaspec.programs.hlsl_linalg.components import ComponentType
from mmaspec.programs.hlsl_linalg.program import (
    LinalgProgram,
    Load,
    Matrix,
    MemoryBias,
    MultiplyVector,
    VectorAccumulate,
)


def constructible(caps: LinalgCaps, matrix: Matrix) -> bool:
    """Whether a matrix of Wave or ThreadGroup scope can be made."""
    for row in caps.construction:
        if row.component == matrix.component:
            m, n = {"A": (row.min_m, row.min_k), "B": (row.min_k, row.min_n)}.get(matrix.use, (row.min_m, row.min_n))
            return matrix.m % m == 0 and matrix.n % n == 0
    return False


def unmade(checks: Checks) -> bool:
    """Whether some matrix of Wave or ThreadGroup scope cannot be made."""
    return any(
        checks.known(matrix.component) and matrix.scope != "Thread" and not constructible(checks.caps, matrix)
        for matrix in checks.program.matrices
    )


def offering(checks: Checks, a: Matrix, b: Matrix, c: Matrix) -> list[MatrixProduct]:
    """The rows of the caps that have a product: its types, and multiples of one of their shapes."""
    types = (a.component, b.component, c.component)
    return [
        row
        for row in checks.caps.products
        if (row.a, row.b, row.accumulator) == types
        and any(c.m % m == 0 and a.n % k == 0 and c.n % n == 0 for m, k, n in row.shapes)
    ]


def unmultiplied(checks: Checks) -> bool:
    """Whether some product of an A and a B is supported by no row; of other matrices nothing is asked."""
    return any(
        all(checks.known(matrix.component) for matrix in (a, b, c))
        and (a.use, b.use, c.use) == ("A", "B", "Accumulator")
        and not offering(checks, a, b, c)
        for _, c, a, b in products(checks)
    )


def unfit_group(checks: Checks) -> bool:
    """Whether a group multiplies whose threads no row has that offers the product otherwise."""

    def fits(row: MatrixProduct) -> bool:
        least, most = row.group_threads
        return least > 0 and least <= checks.program.group <= most and checks.program.group % least == 0

    together = ((a, b, c) for _, c, a, b in products(checks) if {a.scope, b.scope, c.scope} == {"ThreadGroup"})
    rows = [offering(checks, *matrices) for matrices in together]
    return any(found and not any(map(fits, found)) for found in rows)


def vector_row(checks: Checks, found: MultiplyVector) -> VectorProduct | None:
    """The row of the caps that has a product with a vector."""
    program = checks.program
    wanted = (
        program.vector(found.source).component,
        program.matrix(found.matrix).component,
        program.vector(found.vector).component,
    )
    return next((row for row in checks.caps.vector_products if (row.vector, row.matrix, row.result) == wanted), None)


def bias_component(program: LinalgProgram, found: MultiplyVector) -> ComponentType | None:
    """The component type of a bias, None where there is none."""
    if isinstance(found.bias, MemoryBias):
        return found.bias.component
    return None if found.bias is None else program.vector(found.bias).component


def unmultiplied_vector(checks: Checks) -> bool:
    """Whether some product with a vector, or its bias, is supported by no row."""
    for found, matrix in vector_products(checks):
        row, bias = vector_row(checks, found), bias_component(checks.program, found)
        given = checks.program.vector(found.source).component
        result = checks.program.vector(found.vector).component
        taken = checks.plain(given) if checks.by_source else checks.known(given)
        asked = checks.known(matrix.component) and taken and checks.plain(result)
        biased = bias is None or (checks.known if isinstance(found.bias, MemoryBias) else checks.plain)(bias)
        known = asked and biased
        if known and (row is None or (bias is not None and bias not in row.biases)):
            return True
    return False


def thread_loads(checks: Checks) -> Iterator[tuple[Load, Matrix, list[VectorProduct]]]:
    """Every Load of a Thread matrix, with the rows of the products that use it, or of any that could."""
    used: dict[str, list[VectorProduct]] = {}
    for found, matrix in vector_products(checks):
        row = vector_row(checks, found)
        used.setdefault(matrix.name, []).extend([] if row is None else [row])
    for access, matrix in loads(checks):
        if matrix.scope == "Thread":
            yield access, matrix, used.get(matrix.name, [])


def transposed(checks: Checks) -> bool:
    """Whether a matrix is loaded through a transposed layout where the device does not have that."""
    for access, matrix, used in thread_loads(checks):
        possible = [row for row in checks.caps.vector_products if row.matrix == matrix.component]
        able = all(row.transpose for row in used) if used else any(row.transpose for row in possible)
        if access.layout in TRANSPOSED and not able:
            return True
    return False


def plainly_emulated(checks: Checks) -> bool:
    """Whether a matrix whose products are emulated does not come from a layout for products."""
    return any(
        access.layout not in ("MulOptimal", "MulOptimalTranspose") and any(row.emulated_inputs for row in used)
        for access, _, used in thread_loads(checks)
    )


def unmade_outer(checks: Checks) -> bool:
    """Whether some outer product is not supported."""
    offered = {(row.vector, row.matrix) for row in checks.caps.outer_products}
    return any(
        checks.plain(column.component)
        and column.component == row.component
        and checks.known(matrix.component)
        and (column.component, matrix.component) not in offered
        for matrix, column, row in outer_products(checks)
    )


def unsummed(checks: Checks) -> bool:
    """Whether something is added to memory in a type that the device cannot add there."""
    buffers = {row.component for row in checks.caps.atomics if row.buffers}
    arrays = {row.component for row in checks.caps.atomics if row.arrays}
    for access, matrix in sums(checks):
        offered = arrays if checks.is_array(access.memory) else buffers
        if checks.known(matrix.component) and matrix.component not in offered:
            return True
    for found in checks.instructions():
        if isinstance(found, VectorAccumulate):
            component = checks.program.vector(found.vector).component
            if checks.plain(component) and checks.known(component) and component not in buffers:
                return True
    return False


CAPS_CHECKS: Mapping[str, Callable[[Checks], bool]] = MappingProxyType(
    {
        "LINALG-CONSTRUCT": unmade,
        "LINALG-MUL-CAPS": unmultiplied,
        "LINALG-GROUP-CAPS": unfit_group,
        "LINALG-VEC-CAPS": unmultiplied_vector,
        "LINALG-FP8-OPTIMAL": plainly_emulated,
        "LINALG-TRANSPOSE-CAPS": transposed,
        "LINALG-OUTER-CAPS": unmade_outer,
        "LINALG-ATOMIC-CAPS": unsummed,
    }
)
"""Clause -> whether a program breaks it."""
