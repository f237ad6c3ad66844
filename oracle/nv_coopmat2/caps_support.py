"""The matrix types and products that a device's caps support."""

from __future__ import annotations

from collections.abc import Iterator
from typing import get_args

from msgspec.structs import replace

from mmaspec.programs.nv_coopmat2.caps import CoopMatCaps, FixedSize, FlexibleSize, Property
from mmaspec.programs.nv_coopmat2.program import USE_A, USE_ACCUMULATOR, USE_B, Component, Matrix

COMPONENTS: tuple[Component, ...] = get_args(Component)


def is_power_of_two(*sizes: int) -> bool:
    """Whether each of the numbers is a power of two, 1 among them."""
    return all(size > 0 and size & (size - 1) == 0 for size in sizes)


def components(entry: Property, use: int) -> tuple[str, ...]:
    """Component types that a property lists for a use."""
    return {USE_A: (entry.a,), USE_B: (entry.b,), USE_ACCUMULATOR: (entry.c, entry.result)}.get(use, ())


def sizes(entry: Property, use: int) -> tuple[int, int]:
    """Rows and columns of a use: A is M x K, B is K x N, accumulators are M x N."""
    return {USE_A: (entry.m, entry.k), USE_B: (entry.k, entry.n)}.get(use, (entry.m, entry.n))


def same_kind(entry: Property, matrix: Matrix) -> bool:
    """Whether a property lists the scope and, for the use, the component type of a matrix."""
    return entry.scope == matrix.scope and matrix.component in components(entry, matrix.use)


def fits(entry: Property, maximum: int, rows: int, cols: int, use: int) -> bool:
    """Whether a size is that of a fixed property, or multiples of a flexible one's granularities up to the maximum."""
    unit_rows, unit_cols = sizes(entry, use)
    if isinstance(entry, FixedSize):
        return (rows, cols) == (unit_rows, unit_cols)
    return all(size % unit == 0 and size <= maximum for size, unit in ((rows, unit_rows), (cols, unit_cols)))


def listed(caps: CoopMatCaps, matrix: Matrix) -> bool:
    """Whether some property supports the type of a matrix."""
    return any(
        same_kind(entry, matrix) and fits(entry, caps.maximum, matrix.rows, matrix.cols, matrix.use)
        for entry in caps.properties
    )


def other_kinds(caps: CoopMatCaps, matrix: Matrix) -> list[Component]:
    """The other component types that the device has for the use, rows and columns of a matrix."""
    others = (replace(matrix, component=kind) for kind in COMPONENTS if kind != matrix.component)
    return [other.component for other in others if listed(caps, other)]


def flexible_kind(caps: CoopMatCaps, matrix: Matrix) -> bool:
    """Whether some flexible property lists the component type, use and scope of a matrix, whatever its size."""
    return any(isinstance(entry, FlexibleSize) and same_kind(entry, matrix) for entry in caps.properties)


def products(caps: CoopMatCaps, a: Matrix, b: Matrix, c: Matrix) -> Iterator[Property]:
    """The properties that support A x B + C, saturating or not: uses, component types, one scope, one M, N and K."""
    if (a.use, b.use, c.use) != (USE_A, USE_B, USE_ACCUMULATOR) or not a.scope == b.scope == c.scope:
        return
    if (a.rows, b.cols) != (c.rows, c.cols) or a.cols != b.rows:
        return
    for entry in caps.properties:
        kinds = (a.component, b.component, c.component) == (entry.a, entry.b, entry.c) and entry.c == entry.result
        if (
            kinds
            and entry.scope == a.scope
            and all(fits(entry, caps.maximum, matrix.rows, matrix.cols, matrix.use) for matrix in (a, b, c))
        ):
            yield entry
