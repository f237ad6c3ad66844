"""Validity of loads, stores and accumulations of groupshared arrays: one small function for each clause."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType

from mmaspec.oracle.hlsl_linalg.addresses import (
    access_addresses,
    access_format,
    array_bytes,
    is_linear,
)
from mmaspec.oracle.hlsl_linalg.rule_context import Context
from mmaspec.oracle.hlsl_linalg.validity.memory import MATRIX_ALIGNMENT, STRIDE_ALIGNMENT, Access, values
from mmaspec.oracle.hlsl_linalg.validity.types import Rule
from mmaspec.programs.formats import FORMATS
from mmaspec.programs.hlsl_linalg.components import NATIVE, SCALARS
from mmaspec.programs.hlsl_linalg.program import InterlockedAccumulate, Load, Matrix, SharedArray, Store

PACKED = "uint8_t4_packed"


def array_accesses(context: Context) -> Iterator[tuple[Access, Matrix, SharedArray, int]]:
    """Every access to an array with its matrix and the number of its passes."""
    for one, passes in context.each(Load, Store, InterlockedAccumulate):
        array = context.program.array(one.memory)
        if array is not None:
            yield one, context.program.matrix(one.matrix), array, passes


def holds_integers(array: SharedArray) -> bool:
    """Whether the elements of an array are integers, plain or packed."""
    return not FORMATS[SCALARS[array.element]].is_float


def has_type_of(array: SharedArray, matrix: Matrix) -> bool:
    """Whether an array has the matrix's own type."""
    return NATIVE.get(array.element) == matrix.component


def gs_type(context: Context) -> bool:
    """LINALG-GS-TYPE: an array has the type of the matrix, or integers (reading of LINALG-AMB-30: any)."""
    return any(
        isinstance(one, Load | Store) and not has_type_of(array, matrix) and not holds_integers(array)
        for one, matrix, array, _ in array_accesses(context)
    )


def gs_arith(context: Context) -> bool:
    """LINALG-GS-ARITH: an array that a matrix is moved from or to has scalars."""
    return any(array.width for _, _, array, _ in array_accesses(context))


def acc_gs_target(context: Context) -> bool:
    """LINALG-ACC-GS-TARGET: the type that is named is that of the array, or the array has packed words.

    HLSL names one of packed words only (reading of LINALG-AMB-31: elements are converted).
    """
    return any(
        isinstance(one, InterlockedAccumulate)
        and one.target is not None
        and array.element != PACKED
        and NATIVE[array.element] != one.target
        for one, _, array, _ in array_accesses(context)
    )


def _sized(context: Context) -> Iterator[tuple[Access, Matrix, SharedArray, int, int]]:
    """Every access to an array whose elements have a size, with that size."""
    for one, matrix, array, passes in array_accesses(context):
        target = one.target if isinstance(one, InterlockedAccumulate) else None
        if context.known(matrix.component, *([target] if target else [])):
            yield one, matrix, array, passes, access_format(context.program, one, matrix, context.caps.revision).nbytes


def gs_align(context: Context) -> bool:
    """LINALG-GS-ALIGN: in bytes the offset is a multiple of 128, the stride of 16."""
    return any(
        any(offset * size % MATRIX_ALIGNMENT for offset in values(context, matrix.scope, one.offset, passes))
        or any(stride * size % STRIDE_ALIGNMENT for stride in values(context, matrix.scope, one.stride, passes))
        for one, matrix, _, passes, size in _sized(context)
    )


def store_gs_size(context: Context) -> bool:
    """LINALG-STORE-GS-SIZE: what is stored to or accumulated in an array lies inside it."""
    return any(
        int(access_addresses(context.program, one, loop, context.caps.revision).max()) + size > array_bytes(array)
        for one, _, array, passes, size in _sized(context)
        if not isinstance(one, Load) and is_linear(one.layout)
        for loop in range(passes)
    )


ARRAY_RULES: Mapping[str, Rule] = MappingProxyType(
    {
        "LINALG-GS-TYPE": gs_type,
        "LINALG-GS-ARITH": gs_arith,
        "LINALG-GS-ALIGN": gs_align,
        "LINALG-STORE-GS-SIZE": store_gs_size,
        "LINALG-ACC-GS-TARGET": acc_gs_target,
    }
)
"""Clause -> whether a program breaks it."""
