"""Validity: one function per clause, each telling whether a program breaks it. All of them always run."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from mmaspec.oracle.nv_coopmat2.caps import CoopMatCaps
from mmaspec.oracle.nv_coopmat2.footprint import array_bytes, base_byte, component_bytes
from mmaspec.oracle.nv_coopmat2.layouts import apply, arguments, create_tensor_layout, lineage
from mmaspec.oracle.nv_coopmat2.program import (
    COLUMN_MAJOR,
    CoopMatProgram,
    Layout,
    Load,
    LoadTensor,
    MulAdd,
    SetClampValue,
    SetStride,
    Simple,
    Slice,
    Store,
    StoreTensor,
)
from mmaspec.oracle.nv_coopmat2.supported import flexible_kind, listed, products
from mmaspec.oracle.nv_coopmat2.wellformed import check_names
from mmaspec.oracle.program import at, unrolled

ALIGNMENT = 16
"""Bytes: the most that any access needs."""


def rejected(program: CoopMatProgram, caps: CoopMatCaps) -> frozenset[str]:
    """Every validity clause that a resolved program breaks. ``BadInput`` for one that cannot be read at all."""
    check_names(program)
    return frozenset(clause for clause, broken in RULES.items() if broken(program, caps))


def _instructions(program: CoopMatProgram) -> Iterator[tuple[Simple, int]]:
    for place, instruction in unrolled(program):
        yield instruction, place.loop


def enums(program: CoopMatProgram, caps: CoopMatCaps) -> bool:  # noqa: ARG001 - all rules have one signature
    """KHRCM-ENUMS: a matrix use is 0, 1 or 2; a memory layout is 0 (row-major) or 1 (column-major)."""
    return any(matrix.use not in (0, 1, 2) for matrix in program.matrices) or any(
        instruction.layout not in (0, 1)
        for instruction, _ in _instructions(program)
        if isinstance(instruction, Load | Store)
    )


def caps_match(program: CoopMatProgram, caps: CoopMatCaps) -> bool:
    """KHRCM-CAPS-MATCH: every matrix type, and every product as a whole, is one that the device lists.

    Sizes that only miss a flexible property's multiples are NVCM2-FLEX-CAPS.
    """
    for matrix in program.matrices:
        if matrix.use in (0, 1, 2) and not listed(caps, matrix) and not flexible_kind(caps, matrix):
            return True
    return any(
        isinstance(instruction, MulAdd) and _product_unlisted(program, caps, instruction)
        for instruction, _ in _instructions(program)
    )


def _product_unlisted(program: CoopMatProgram, caps: CoopMatCaps, instruction: MulAdd) -> bool:
    a, b = program.matrix(instruction.a), program.matrix(instruction.b)
    c = program.matrix(instruction.result if instruction.c is None else instruction.c)
    if not all(listed(caps, matrix) for matrix in (a, b, c)):
        return False  # the types themselves are at fault already
    return next(products(caps, a, b, c), None) is None


def flexible_caps(program: CoopMatProgram, caps: CoopMatCaps) -> bool:
    """NVCM2-FLEX-CAPS: flexible sizes are multiples of the granularities, up to the maximum."""
    return any(not listed(caps, matrix) and flexible_kind(caps, matrix) for matrix in program.matrices)


def storage(program: CoopMatProgram, caps: CoopMatCaps) -> bool:  # noqa: ARG001
    """KHRCM-STORAGE: the result of a product has the type of its addend; no other matrix takes it."""
    for instruction, _ in _instructions(program):
        if isinstance(instruction, MulAdd) and instruction.c is not None:
            c, result = program.matrix(instruction.c), program.matrix(instruction.result)
            if (c.component, c.scope, c.rows, c.cols, c.use) != (
                result.component,
                result.scope,
                result.rows,
                result.cols,
                result.use,
            ):
                return True
    return False


def stride_zero(program: CoopMatProgram, caps: CoopMatCaps) -> bool:  # noqa: ARG001
    """KHRCM-STRIDE-ZERO: the stride of a store is above zero (that of a load may be zero)."""
    return any(
        isinstance(instruction, Store) and any(at(instruction.stride, wave, loop) == 0 for wave in range(program.waves))
        for instruction, loop in _instructions(program)
    )


def align(program: CoopMatProgram, caps: CoopMatCaps) -> bool:  # noqa: ARG001
    """KHRCM-ALIGN: the pointer and the stride are multiples of 16 bytes, or of a row (column) if that is less."""
    for instruction, loop in _instructions(program):
        if not isinstance(instruction, Load | Store):
            continue
        matrix = program.matrix(instruction.matrix)
        line = matrix.rows if instruction.layout == COLUMN_MAJOR else matrix.cols
        alignment = min(ALIGNMENT, line * component_bytes(matrix))
        for wave in range(program.waves):
            stride = at(instruction.stride, wave, loop) * array_bytes(instruction, matrix)
            if stride % alignment or base_byte(program, instruction, wave, loop) % alignment:
                return True
    return False


def dim_range(program: CoopMatProgram, caps: CoopMatCaps) -> bool:  # noqa: ARG001
    """NVCM2-DIM-RANGE: a tensor layout has one to five dimensions."""
    return any(not 1 <= layout.rank <= 5 for layout in program.layouts)


def clamp_enums(program: CoopMatProgram, caps: CoopMatCaps) -> bool:  # noqa: ARG001
    """NVCM2-ENUMS: a clamp mode is 0 to 4."""
    return any(layout.clamp_mode not in range(5) for layout in program.layouts)


def type_params(program: CoopMatProgram, caps: CoopMatCaps) -> bool:  # noqa: ARG001
    """NVCM2-TYPE-PARAMS: setters keep the type, and take one argument (slices two) per dimension."""
    return any(_ill_typed(program, layout) for layout in program.layouts)


def _ill_typed(program: CoopMatProgram, layout: Layout) -> bool:
    if layout.start is not None:
        start = program.layout(layout.start)
        if (start.rank, start.clamp_mode) != (layout.rank, layout.clamp_mode):
            return True
    for call in layout.calls:
        if isinstance(call, SetClampValue):
            continue
        if isinstance(call, Slice) and len(call.offsets) != len(call.spans):
            return True
        if len(arguments(call)) != layout.rank * (2 if isinstance(call, Slice) else 1):
            return True
    return False


def set_stride_minimum(program: CoopMatProgram, caps: CoopMatCaps) -> bool:  # noqa: ARG001
    """NVCM2-SETSTRIDE-MIN: stride i is at least stride i+1 times dimension i+1, as the layout is at the call."""
    return any(
        _stride_too_small(program, layout, wave, loop)
        for layout in program.layouts
        for loop in _passes(program, layout)
        for wave in range(program.waves)
    )


def _passes(program: CoopMatProgram, layout: Layout) -> list[int]:
    """The passes in which a layout is used; the first where it is used nowhere."""
    used = {
        loop
        for instruction, loop in _instructions(program)
        if isinstance(instruction, LoadTensor | StoreTensor) and instruction.tensor == layout.name
    }
    return sorted(used) or [0]


def _stride_too_small(program: CoopMatProgram, layout: Layout, wave: int, loop: int) -> bool:
    chain: Layout | None = layout
    while chain is not None:
        if _ill_typed(program, chain):
            return False  # the calls cannot be carried out
        chain = None if chain.start is None else program.layout(chain.start)
    created, calls = lineage(program, layout.name)
    t = create_tensor_layout(created.rank, created.clamp_mode)
    for call in calls:
        t = apply(t, call, wave, loop)
        if isinstance(call, SetStride):
            blocks = [-(-dim // block) for dim, block in zip(t.layout_dimension, t.block_size, strict=True)]
            if any(t.stride[i] < t.stride[i + 1] * blocks[i + 1] for i in range(t.ldim - 1)):
                return True
    return False


def base_align(program: CoopMatProgram, caps: CoopMatCaps) -> bool:  # noqa: ARG001
    """NVCM2-BASE-ALIGN: the offset of a tensor access is a multiple of 16 bytes; its elements need not be."""
    return any(
        isinstance(instruction, LoadTensor | StoreTensor)
        and any(base_byte(program, instruction, wave, loop) % ALIGNMENT for wave in range(program.waves))
        for instruction, loop in _instructions(program)
    )


RULES: dict[str, Callable[[CoopMatProgram, CoopMatCaps], bool]] = {
    "KHRCM-ENUMS": enums,
    "KHRCM-CAPS-MATCH": caps_match,
    "KHRCM-STORAGE": storage,
    "KHRCM-STRIDE-ZERO": stride_zero,
    "KHRCM-ALIGN": align,
    "NVCM2-FLEX-CAPS": flexible_caps,
    "NVCM2-DIM-RANGE": dim_range,
    "NVCM2-ENUMS": clamp_enums,
    "NVCM2-TYPE-PARAMS": type_params,
    "NVCM2-SETSTRIDE-MIN": set_stride_minimum,
    "NVCM2-BASE-ALIGN": base_align,
}
