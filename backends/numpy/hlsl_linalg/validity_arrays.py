"""Checks of accesses to groupshared arrays."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

from mmaspec.backends.numpy.hlsl_linalg.facts import Access, Checks, Touch, component_bytes
from mmaspec.backends.numpy.hlsl_linalg.running import element_bytes
from mmaspec.backends.numpy.hlsl_linalg.validity_memory import GRAIN, LINE
from mmaspec.programs.formats import FORMATS
from mmaspec.programs.hlsl_linalg.components import NATIVE, SCALARS
from mmaspec.programs.hlsl_linalg.program import (
    InterlockedAccumulate,
    Load,
    Matrix,
    SharedArray,
    VectorAccumulate,
)

WORDS = ("int", "uint", "uint8_t4_packed")
"""Elements of 32 bits, which may be understood as any component type."""


def shared(checks: Checks) -> list[tuple[Touch, Access, SharedArray, Matrix]]:
    """Every access to an array, as it is executed."""
    found = []
    for touch in checks.touches():
        access, matrix = touch.access, touch.matrix
        if not isinstance(access, VectorAccumulate) and matrix is not None:
            array = checks.program.array(access.memory)
            if array is not None:
                found.append((touch, access, array, matrix))
    return found


def unlike(checks: Checks) -> bool:
    """Whether an array that is loaded from or stored to has neither the matrix's own elements nor integers."""
    return any(
        not isinstance(access, InterlockedAccumulate)
        and NATIVE.get(array.element) != matrix.component
        and FORMATS[SCALARS[array.element]].is_float
        for _, access, array, matrix in shared(checks)
    )


def unlike_target(checks: Checks) -> bool:
    """Whether an array is to be understood as another type than its own that is not words of 32 bits."""
    return any(
        isinstance(access, InterlockedAccumulate)
        and access.target is not None
        and NATIVE.get(array.element) != access.target
        and array.element not in WORDS
        for _, access, array, _ in shared(checks)
    )


def misaligned(checks: Checks) -> bool:
    """Whether a matrix in an array starts at no multiple of 128 bytes, or its rows or columns at none of 16."""
    return any(
        touch.offset * unit % GRAIN or touch.stride * unit % LINE
        for touch, _, _, matrix in shared(checks)
        for unit in (component_bytes(matrix.component),)
    )


def stored_bytes(access: Access, array: SharedArray, matrix: Matrix) -> int:
    """Bytes of an element as it lies in an array."""
    if not isinstance(access, InterlockedAccumulate):
        return component_bytes(matrix.component)
    if access.target is not None:
        return component_bytes(access.target)
    return element_bytes(array) if array.element in NATIVE else component_bytes(matrix.component)


def beyond(checks: Checks) -> bool:
    """Whether a store or accumulation into an array reaches beyond its end."""
    for touch, access, array, matrix in shared(checks):
        if isinstance(access, Load):
            continue
        lines, length = (matrix.n, matrix.m) if access.layout == "ColMajor" else (matrix.m, matrix.n)
        start = component_bytes(matrix.component) * (touch.offset + (lines - 1) * touch.stride)
        end = start + length * stored_bytes(access, array, matrix)
        if end > array.length * max(1, array.width) * element_bytes(array):
            return True
    return False


ARRAY_CHECKS: Mapping[str, Callable[[Checks], bool]] = MappingProxyType(
    {
        "LINALG-GS-TYPE": unlike,
        "LINALG-GS-ALIGN": misaligned,
        "LINALG-STORE-GS-SIZE": beyond,
        "LINALG-ACC-GS-TARGET": unlike_target,
    }
)
"""Clause -> whether a program breaks it."""
