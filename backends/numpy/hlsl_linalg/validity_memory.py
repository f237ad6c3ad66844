"""Checks of accesses to memory: from where and to where, layouts, alignments, arrays, layout conversions."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

from mmaspec.backends.numpy.hlsl_linalg.facts import Checks, Touch, component_of
from mmaspec.backends.numpy.hlsl_linalg.running import element_bytes
from mmaspec.programs.formats import FORMATS
from mmaspec.programs.hlsl_linalg.components import COMPONENTS, NATIVE, SCALARS
from mmaspec.programs.hlsl_linalg.program import (
    LINEAR,
    AccumulatorLayout,
    Beyond,
    ConvertLayout,
    CountElements,
    InterlockedAccumulate,
    Load,
    Matrix,
    ReadElements,
    SharedArray,
    Store,
    Unstage,
    VectorAccumulate,
    VectorStore,
)

GRAIN = 128
"""Bytes at multiples of which a matrix in a buffer starts."""
LINE = 16
"""Bytes at multiples of which its rows or columns start."""
SUM_GRAIN = 64
"""Bytes at multiples of which a matrix or vector that is added to a buffer starts."""


def load_layout(checks: Checks) -> bool:
    """Whether a matrix of Wave or ThreadGroup scope is loaded from another layout than the two plain ones."""
    return any(
        isinstance(access, Load) and matrix.scope != "Thread" and access.layout not in LINEAR
        for access, matrix in checks.accesses()
    )


def store_layout(checks: Checks) -> bool:
    """Whether a matrix is stored in another layout than the two plain ones."""
    return any(isinstance(access, Store) and access.layout not in LINEAR for access, _ in checks.accesses())


def accumulate_layout(checks: Checks) -> bool:
    """Whether a matrix is accumulated in a layout that its scope does not have."""
    return any(
        isinstance(access, InterlockedAccumulate)
        and (checks.layout(access, matrix) != "OuterProductOptimal" if matrix.scope == "Thread" else not linear)
        for access, matrix in checks.accesses()
        for linear in (checks.linear(access, matrix),)
    )


def stray_stride(checks: Checks) -> bool:
    """Whether a layout without rows or columns is given a stride."""
    return any(
        touch.stride != 0
        for touch in checks.touches()
        if touch.matrix is not None
        and not isinstance(touch.access, VectorAccumulate)
        and not checks.linear(touch.access, touch.matrix)
    )


def accumulate_use(checks: Checks) -> bool:
    """Whether something other than an accumulator is added to memory."""
    added = (matrix for access, matrix in checks.accesses() if isinstance(access, InterlockedAccumulate))
    return any(matrix.use != "Accumulator" for matrix in added)


def read_only_target(checks: Checks) -> bool:
    """Whether anything is written to a buffer bound as read-only."""
    writes: list[str] = []
    for found in checks.instructions():
        match found:
            case Store() | InterlockedAccumulate():
                writes.append(found.memory)
            case VectorStore() | VectorAccumulate() | ReadElements() | Beyond() | CountElements() | AccumulatorLayout():
                writes.append(found.buffer)
            case Unstage():
                writes.append(found.buffer)
            case _:
                pass
    return any(name in checks.program.read_only for name in writes)


def misaligned_parameter(checks: Checks) -> bool:
    """Whether the alignment stated of a matrix in a buffer is no multiple of the least one (0: the default)."""
    return any(access.align % GRAIN != 0 for access, _ in checks.accesses() if not checks.is_array(access.memory))


def misaligned_vector_parameter(checks: Checks) -> bool:
    """Whether the alignment stated of a vector in a buffer is less than the least one, or no multiple of it."""
    found = [found.align for found in checks.instructions() if isinstance(found, VectorAccumulate)]
    return any(align % SUM_GRAIN != 0 for align in found)


def _buffered(checks: Checks) -> list[tuple[Touch, Access]]:
    """Every access of a matrix to a buffer."""
    return [
        (touch, touch.access)
        for touch in checks.touches()
        if not isinstance(touch.access, VectorAccumulate) and not checks.is_array(touch.access.memory)
    ]


def _grain(access: Access | VectorAccumulate) -> int:
    """What the address of an access has to be a multiple of: sums by the prose of their own, or as is stated."""
    least = GRAIN if isinstance(access, Load | Store) else SUM_GRAIN
    return access.align if access.align and access.align % least == 0 else least


def misaligned_base(checks: Checks) -> bool:
    """Whether a matrix in a buffer starts at an address that is not as aligned as it has to be."""
    return any((checks.base(access.memory) + touch.offset) % _grain(access) for touch, access in _buffered(checks))


def misaligned_vector(checks: Checks) -> bool:
    """The same of a vector that is added to memory."""
    return any(
        (checks.base(touch.access.buffer) + touch.offset) % _grain(touch.access)
        for touch in checks.touches()
        if isinstance(touch.access, VectorAccumulate)
    )


def misaligned_stride(checks: Checks) -> bool:
    """Whether rows or columns in a buffer do not all start at multiples of 16 bytes."""
    return any(touch.stride % LINE for touch, _ in _buffered(checks))


def _shared(checks: Checks) -> list[tuple[Touch, SharedArray, Matrix]]:
    """Every access to a groupshared array."""
    found = []
    for touch in checks.touches():
        if touch.matrix is None or isinstance(touch.access, VectorAccumulate):
            continue
        array = checks.program.array(touch.access.memory)
        if array is not None:
            found.append((touch, array, touch.matrix))
    return found


def target_bytes(touch: Touch, matrix: Matrix) -> int:
    """Bytes of one element in an array."""
    target = touch.access.target if isinstance(touch.access, InterlockedAccumulate) else None
    return COMPONENTS[target or matrix.component].format.nbytes


def misaligned_shared(checks: Checks) -> bool:
    """Whether a matrix in an array starts at no multiple of 128 bytes, or its rows or columns at none of 16."""
    return any(
        touch.offset * size % GRAIN or touch.stride * size % LINE
        for touch, _, matrix in _shared(checks)
        for size in (target_bytes(touch, matrix),)
    )


def beyond_array(checks: Checks) -> bool:
    """Whether a store or accumulation into an array reaches beyond its end."""
    for touch, array, matrix in _shared(checks):
        if isinstance(touch.access, Load | VectorAccumulate) or touch.access.layout not in LINEAR:
            continue
        lines, length = (matrix.m, matrix.n) if touch.access.layout == "RowMajor" else (matrix.n, matrix.m)
        last = touch.offset + (lines - 1) * touch.stride + length
        if last * target_bytes(touch, matrix) > array.length * max(1, array.width) * element_bytes(array):
            return True
    return False


def unlike_array(checks: Checks) -> bool:
    """Whether an array has elements that are neither the matrix's own nor integers, which hold anything."""
    for touch, array, matrix in _shared(checks):
        own = NATIVE.get(array.element) == matrix.component
        whole = not FORMATS[SCALARS[array.element]].is_float
        if isinstance(touch.access, InterlockedAccumulate):
            if not _summable(touch.access, array, matrix):
                return True
        elif not (own or whole):
            return True
    return False


def _summable(access: InterlockedAccumulate, array: SharedArray, matrix: Matrix) -> bool:
    """Whether the type that is added is the array's own, or is said of words that hold others."""
    native = NATIVE.get(array.element)
    if access.target is None:
        return native is not None or component_of(matrix).packed == 4
    return native == access.target or (array.element in WORDS and not COMPONENTS[access.target].native)


WORDS = ("uint8_t4_packed", "int", "uint")
"""Arrays of 32-bit words, which can hold other types."""


def conversions(checks: Checks) -> list[ConvertLayout]:
    """Every layout conversion."""
    return [found for found in checks.instructions() if isinstance(found, ConvertLayout)]


def misplaced_conversion(checks: Checks) -> bool:
    """Whether the command list would have to interrupt the shader for a conversion."""
    kinds = [isinstance(found, ConvertLayout) for found in checks.program.body]
    first = kinds.index(False) if False in kinds else len(kinds)
    rest = kinds[first:]
    shader = len(rest) - rest[::-1].index(False) if False in rest else 0
    nested = any(isinstance(site.instruction, ConvertLayout) and site.nested for site in checks.sites())
    return nested or any(rest[:shader])


def conversion_strides(checks: Checks) -> bool:
    """Whether the lines of a matrix that is converted overlap, or do not start where they must."""
    for found in conversions(checks):
        size = COMPONENTS[found.component].format.nbytes
        sides = ((found.source_layout, found.source_stride, size), (found.target_layout, found.target_stride, LINE))
        for layout, stride, grain in sides:
            line = size * (found.n if layout == "RowMajor" else found.m)
            if layout in LINEAR and (stride < line or stride % grain):
                return True
    return False


def conversion_address(checks: Checks) -> bool:
    """Whether the target of a conversion does not start at a multiple of 128 bytes."""
    return any((checks.base(found.target) + found.target_offset) % GRAIN for found in conversions(checks))


MEMORY_CHECKS: Mapping[str, Callable[[Checks], bool]] = MappingProxyType(
    {
        "LINALG-LOAD-LAYOUT": load_layout,
        "LINALG-STORE-LAYOUT": store_layout,
        "LINALG-ACC-LAYOUT": accumulate_layout,
        "LINALG-LOAD-STRIDE0": stray_stride,
        "LINALG-ACC-USE": accumulate_use,
        "LINALG-STORE-TARGET": read_only_target,
        "LINALG-ALIGN": misaligned_parameter,
        "LINALG-ALIGN-VECTOR": misaligned_vector_parameter,
        "LINALG-BASE-ALIGN": misaligned_base,
        "LINALG-VEC-ACC-ALIGN": misaligned_vector,
        "LINALG-STRIDE-ALIGN": misaligned_stride,
        "LINALG-GS-ALIGN": misaligned_shared,
        "LINALG-STORE-GS-SIZE": beyond_array,
        "LINALG-GS-TYPE": unlike_array,
        "LINALG-CONVERT-PLACE": misplaced_conversion,
        "LINALG-CONVERT-STRIDE": conversion_strides,
        "LINALG-CONVERT-ALIGN": conversion_address,
    }
)
"""Clause -> whether a program breaks it."""
