"""Checks of a program against what the device reports that it supports."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

from mmaspec.backends.numpy.hlsl_linalg.facts import Checks
from mmaspec.backends.numpy.hlsl_linalg.optimal import TRANSPOSED
from mmaspec.backends.numpy.hlsl_linalg.validity_types import products
from mmaspec.programs.hlsl_linalg.caps import LinalgCaps, MatrixProduct, VectorProduct
from mmaspec.programs.hlsl_linalg.program import (
    InterlockedAccumulate,
    LinalgProgram,
    Load,
    Matrix,
    MemoryBias,
    MultiplyVector,
    OuterProduct,
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
    return any(m.scope != "Thread" and not constructible(checks.caps, m) for m in checks.program.matrices)


def multiplies(row: MatrixProduct, a: Matrix, b: Matrix, c: Matrix, group: int) -> bool:
    """Whether a row of the caps has a product: its types, multiples of one of its shapes, and its group."""
    if (row.a, row.b, row.accumulator) != (a.component, b.component, c.component):
        return False
    if c.scope == "ThreadGroup":
        least, most = row.group_threads
        if not (least and least <= group <= most and group % least == 0):
            return False
    return any(c.m % m == 0 and a.n % k == 0 and c.n % n == 0 for m, k, n in row.shapes)


def unmultiplied(checks: Checks) -> bool:
    """Whether some product of matrices is supported by no row."""
    group = checks.program.group
    return any(
        not any(multiplies(row, a, b, c, group) for row in checks.caps.products) for _, c, a, b in products(checks)
    )


def vector_row(checks: Checks, found: MultiplyVector) -> VectorProduct | None:
    """The row of the caps that has a product with a vector."""
    program = checks.program
    wanted = (
        program.vector(found.source).component,
        program.matrix(found.matrix).component,
        program.vector(found.vector).component,
    )
    return next((row for row in checks.caps.vector_products if (row.vector, row.matrix, row.result) == wanted), None)


def bias_component(program: LinalgProgram, found: MultiplyVector) -> str | None:
    """The component type of a bias, None where there is none."""
    if isinstance(found.bias, MemoryBias):
        return found.bias.component
    return None if found.bias is None else program.vector(found.bias).component


def unmultiplied_vector(checks: Checks) -> bool:
    """Whether some product with a vector, or its bias, is supported by no row."""
    for found in checks.instructions():
        if isinstance(found, MultiplyVector):
            row, bias = vector_row(checks, found), bias_component(checks.program, found)
            if row is None or (bias is not None and bias not in row.biases):
                return True
    return False


def unloadable(checks: Checks) -> bool:
    """Whether a factor is loaded transposed where no row has that, or plainly where it has to be emulated."""
    rows: dict[str, list[VectorProduct]] = {}
    for found in checks.instructions():
        if isinstance(found, MultiplyVector) and (row := vector_row(checks, found)) is not None:
            rows.setdefault(found.matrix, []).append(row)
    for access, matrix in checks.accesses():
        if not isinstance(access, Load) or matrix.scope != "Thread":
            continue
        used = rows.get(matrix.name, [])
        if access.layout in TRANSPOSED and not (used and all(row.transpose for row in used)):
            return True
        if any(row.emulated_inputs for row in used) and access.layout not in ("MulOptimal", "MulOptimalTranspose"):
            return True
    return False


def unmade_outer(checks: Checks) -> bool:
    """Whether some outer product is not supported."""
    offered = {(row.vector, row.matrix) for row in checks.caps.outer_products}
    program = checks.program
    return any(
        (program.vector(found.column).component, program.matrix(found.matrix).component) not in offered
        for found in checks.instructions()
        if isinstance(found, OuterProduct)
    )


def unsummed(checks: Checks) -> bool:
    """Whether something is added to memory in a type that the device cannot add there."""
    buffers = {row.component for row in checks.caps.atomics if row.buffers}
    arrays = {row.component for row in checks.caps.atomics if row.arrays}
    for found in checks.instructions():
        match found:
            case InterlockedAccumulate():
                component = checks.program.matrix(found.matrix).component
                offered = arrays if checks.is_array(found.memory) else buffers
            case VectorAccumulate():
                component, offered = checks.program.vector(found.vector).component, buffers
            case _:
                continue
        if component not in offered:
            return True
    return False


def unfit_group(checks: Checks) -> bool:
    """Whether the group is too large, or has waves of a size that the device does not have."""
    program, caps = checks.program, checks.caps
    return program.wave_size not in caps.wave_sizes or program.group > caps.largest_group


CAPS_CHECKS: Mapping[str, Callable[[Checks], bool]] = MappingProxyType(
    {
        "LINALG-CAPS-CONSTRUCTION": unmade,
        "LINALG-CAPS-MULTIPLY": unmultiplied,
        "LINALG-CAPS-VECTOR": unmultiplied_vector,
        "LINALG-CAPS-LOAD": unloadable,
        "LINALG-CAPS-OUTER": unmade_outer,
        "LINALG-CAPS-ATOMIC": unsummed,
        "LINALG-CAPS-GROUP": unfit_group,
    }
)
"""Clause -> whether a program breaks it."""
