"""What answers of a device mean for a program: which of them a product stands under, and what it was written for."""

from __future__ import annotations

from collections.abc import Iterator

from mmaspec.programs.errors import BadInput
from mmaspec.programs.hlsl_linalg.caps import (
    AtomicSum,
    Construction,
    LinalgCaps,
    MatrixProduct,
    OuterProductSupport,
    VectorProduct,
)
from mmaspec.programs.hlsl_linalg.components import ComponentType
from mmaspec.programs.hlsl_linalg.program import (
    LINEAR,
    ConvertLayout,
    Layout,
    LinalgProgram,
    Matrix,
    Use,
    simple_instructions,
)

TRANSPOSED: dict[Layout, Layout] = {
    "MulOptimalTranspose": "MulOptimal",
    "OuterProductOptimalTranspose": "OuterProductOptimal",
}
"""Layout through which a load transposes -> that of the matrix in memory (LINALG-AMB-33)."""


def construction(caps: LinalgCaps, component: ComponentType) -> Construction | None:
    """The answer about matrices of a component type; None where they cannot be made."""
    return next((one for one in caps.construction if one.component == component and one.min_m), None)


def least(answer: Construction, use: Use) -> tuple[int, int]:
    """The rows and columns of which a matrix of a use has multiples."""
    return {
        "A": (answer.min_m, answer.min_k),
        "B": (answer.min_k, answer.min_n),
        "Accumulator": (answer.min_m, answer.min_n),
    }[use]


def matrix_products(
    caps: LinalgCaps, a: ComponentType, b: ComponentType, accumulator: ComponentType
) -> Iterator[MatrixProduct]:
    """The answers about products of these types."""
    return (one for one in caps.products if (one.a, one.b, one.accumulator) == (a, b, accumulator))


def fits(product: MatrixProduct, m: int, k: int, n: int) -> bool:
    """Whether M, K and N are multiples of those of one shape."""
    return any(m % shape[0] == k % shape[1] == n % shape[2] == 0 for shape in product.shapes)


def group_multiplies(product: MatrixProduct, threads: int) -> bool:
    """Whether a group of so many threads can multiply matrices of ThreadGroup scope."""
    low, high = product.group_threads
    return low > 0 and threads % low == 0 and low <= threads <= high


def vector_products(
    caps: LinalgCaps, vector: ComponentType, matrix: ComponentType, result: ComponentType
) -> Iterator[VectorProduct]:
    """The answers about products of a matrix and a vector of these types."""
    return (one for one in caps.vector_products if (one.vector, one.matrix, one.result) == (vector, matrix, result))


def outer_product(caps: LinalgCaps, vector: ComponentType, matrix: ComponentType) -> OuterProductSupport | None:
    """The answer about outer products of these types; None where there are none."""
    return next((one for one in caps.outer_products if (one.vector, one.matrix) == (vector, matrix)), None)


def atomic_sum(caps: LinalgCaps, component: ComponentType) -> AtomicSum | None:
    """The answer about atomic sums of a type; None where there are none."""
    return next((one for one in caps.atomics if one.component == component), None)


def optimal_bytes(caps: LinalgCaps, component: ComponentType, m: int, n: int, layout: Layout) -> int | None:
    """The bytes of a matrix in an optimal layout, those of a transposed one as it lies in memory; None if unknown."""
    found = (one for one in caps.optimal if (one.component, one.m, one.n, one.layout) == (component, m, n, layout))
    return next((one.nbytes for one in found), None)


def in_memory(matrix: Matrix, layout: Layout) -> tuple[int, int, Layout]:
    """Rows, columns and layout of the matrix in memory that a load from an optimal layout finds (LINALG-AMB-33)."""
    if layout in TRANSPOSED:
        return matrix.n, matrix.m, TRANSPOSED[layout]
    return matrix.m, matrix.n, layout


def multiplied(caps: LinalgCaps) -> frozenset[ComponentType]:
    """The component types of matrices that some product has."""
    return frozenset(
        {
            *(component for one in caps.products for component in (one.a, one.b, one.accumulator)),
            *(one.matrix for one in caps.vector_products),
        }
    )


def check_written_for(program: LinalgProgram, caps: LinalgCaps) -> None:
    """Raise ``BadInput`` for a program that was written for a device with other waves or larger groups."""
    if program.wave_size not in caps.wave_sizes:
        known = " or ".join(map(str, caps.wave_sizes)) or "none"
        raise BadInput(f"program: written for waves of {program.wave_size}; the caps have {known}")
    if program.group > caps.largest_group:
        raise BadInput(f"program: {program.group} threads; the caps have groups of {caps.largest_group}")


def check_sizes_reported(program: LinalgProgram, caps: LinalgCaps) -> None:
    """Raise ``BadInput`` for a valid program with a matrix in an optimal layout whose size the caps do not have."""
    for one, _ in simple_instructions(program):
        if not isinstance(one, ConvertLayout):
            continue
        for layout in (one.source_layout, one.target_layout):
            if layout not in LINEAR and optimal_bytes(caps, one.component, one.m, one.n, layout) is None:
                raise BadInput(f"program: the caps have no size of {one.m} x {one.n} {one.component} in {layout}")
