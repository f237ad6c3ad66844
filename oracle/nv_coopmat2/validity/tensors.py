"""Validity of tensor layouts, views, and the loads and stores that take them: one function per clause."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from mmaspec.oracle.nv_coopmat2.addresses import base_byte
from mmaspec.oracle.nv_coopmat2.rule_context import Context
from mmaspec.oracle.nv_coopmat2.tensors.layouts import (
    TensorLayout,
    apply,
    blocks_of,
    create_tensor_layout,
    lineage,
    words,
)
from mmaspec.oracle.nv_coopmat2.tensors.readings import CEILING, FLOOR, AddressReading
from mmaspec.programs.nv_coopmat2.operands import arguments
from mmaspec.programs.nv_coopmat2.program import (
    CoopMatProgram,
    Echo,
    Layout,
    LoadTensor,
    SetBlockSize,
    SetClampValue,
    SetClip,
    SetStride,
    Slice,
    StoreTensor,
    View,
)
from mmaspec.programs.tree import unrolled

ALIGNMENT = 16
"""Bytes: the alignment of the base of every tensor."""


def accesses(program: CoopMatProgram) -> Iterator[tuple[LoadTensor | StoreTensor, int]]:
    """Every executed tensor access with its pass."""
    for place, instruction in unrolled(program):
        if isinstance(instruction, LoadTensor | StoreTensor):
            yield instruction, place.loop


def dim_range(context: Context) -> bool:
    """NVCM2-DIM-RANGE: a tensor layout, and a view, has one to five dimensions."""
    program = context.program
    ranks = [*(layout.rank for layout in program.layouts), *(view.rank for view in program.views)]
    return any(not 1 <= rank <= 5 for rank in ranks)


def clamp_enums(context: Context) -> bool:
    """NVCM2-ENUMS: a clamp mode is 0 to 4."""
    return any(layout.clamp_mode not in range(5) for layout in context.program.layouts)


def view_permutation(context: Context) -> bool:
    """NVCM2-VIEW-PERM: the axes of a view are a permutation of all its dimensions (none given: in their order)."""
    return any(
        view.permutation and sorted(view.permutation) != list(range(view.rank)) for view in context.program.views
    )


def type_params(context: Context) -> bool:
    """NVCM2-TYPE-PARAMS: setters keep the type, and take one argument (slices two) per dimension."""
    program = context.program
    return any(_ill_typed(program, layout) for layout in program.layouts) or any(
        _ill_typed_view(program, view) for view in program.views
    )


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


def _ill_typed_view(program: CoopMatProgram, view: View) -> bool:
    if view.start is not None:
        start = program.view(view.start)
        if (start.rank, start.has_dimensions) != (view.rank, view.has_dimensions) or axes(start) != axes(view):
            return True
    return any(len(arguments(call)) != view.rank for call in view.calls if not isinstance(call, SetClip))


def axes(view: View) -> tuple[int, ...]:
    """The permutation of a view; an empty one is the identity."""
    return view.permutation or tuple(range(view.rank))


def set_stride_minimum(context: Context) -> bool:
    """NVCM2-SETSTRIDE-MIN: stride i is at least stride i+1 times the blocks of dimension i+1, as the layout is then.

    NVCM2-AMB-19: broken where partial blocks do not even count; what only misses them is NVCM2-STRIDE-PARTIAL.
    """
    program = context.program
    return any(strides_too_small(program, layout, FLOOR) for layout in program.layouts)


def strides_too_small(program: CoopMatProgram, layout: Layout, partial_blocks: str = CEILING) -> bool:
    """Whether some wave and pass gives a layout strides under the minimum; never if its setter calls are ill-typed."""
    chain: Layout | None = layout
    while chain is not None:
        if _ill_typed(program, chain):
            return False  # the calls cannot be carried out
        chain = None if chain.start is None else program.layout(chain.start)
    return any(
        _stride_too_small(program, layout, wave, loop, partial_blocks)
        for loop in _passes(program, layout)
        for wave in range(program.waves)
    )


def _passes(program: CoopMatProgram, layout: Layout) -> list[int]:
    """The passes in which a layout is used; the first where it is used nowhere."""
    return sorted({loop for access, loop in accesses(program) if access.tensor == layout.name}) or [0]


def _stride_too_small(program: CoopMatProgram, layout: Layout, wave: int, loop: int, partial_blocks: str) -> bool:
    created, calls = lineage(program, layout.name)
    t: TensorLayout = create_tensor_layout(created.rank, created.clamp_mode)
    for call in calls:
        t = apply(t, call, wave, loop, AddressReading(partial_blocks))
        if isinstance(call, SetStride) and 0 not in t.block_size:  # else nothing can be counted
            blocks = blocks_of(t, t.layout_dimension, partial_blocks)
            if any(t.stride[i] < t.stride[i + 1] * blocks[i + 1] for i in range(t.ldim - 1)):
                return True
    return False


def base_align(context: Context) -> bool:
    """NVCM2-BASE-ALIGN: the offset of a tensor access is a multiple of 16 bytes; its elements need not be."""
    program = context.program
    return any(
        base_byte(program, access, wave, loop) % ALIGNMENT
        for access, loop in accesses(program)
        for wave in range(program.waves)
    )


def decode_signature(context: Context) -> bool:
    """NVCM2-DECODE-SIG: a buffer reference, two arrays of the layout's dimension count; returns the component type.

    Every parameter is ``const in``, and there are no references to shared memory.
    """
    program = context.program
    for access, _ in accesses(program):
        decode = access.decode
        if not isinstance(access, LoadTensor) or decode is None:
            continue
        if decode.component not in (None, program.matrix(access.matrix).component):
            return True
        if decode.by_value or decode.qualifier != "const in" or access.buffer in program.shared:
            return True
        arrays = [decode.block, *([decode.within] if isinstance(decode, Echo) else [])]
        if any(len(array) != program.layout(access.tensor).rank for array in arrays):
            return True
    return False


def store_without_blocks(context: Context) -> bool:
    """NVCM2-STORE-NOBLOCK: a store has no decode function, and no block of more than one element."""
    program = context.program
    for access, loop in accesses(program):
        if isinstance(access, StoreTensor):
            if access.decode is not None:
                return True
            if any(size > 1 for wave in range(program.waves) for size in _block_size(program, access, wave, loop)):
                return True
    return False


def _block_size(program: CoopMatProgram, access: StoreTensor, wave: int, loop: int) -> tuple[int, ...]:
    """The block sizes that a store's layout was given last; none where it never was."""
    found: tuple[int, ...] = ()
    for call in lineage(program, access.tensor)[1]:
        if isinstance(call, SetBlockSize):
            found = words(call.sizes, wave, loop)
    return found


TENSOR_RULES: dict[str, Callable[[Context], bool]] = {
    "NVCM2-DIM-RANGE": dim_range,
    "NVCM2-ENUMS": clamp_enums,
    "NVCM2-VIEW-PERM": view_permutation,
    "NVCM2-TYPE-PARAMS": type_params,
    "NVCM2-SETSTRIDE-MIN": set_stride_minimum,
    "NVCM2-BASE-ALIGN": base_align,
    "NVCM2-DECODE-SIG": decode_signature,
    "NVCM2-STORE-NOBLOCK": store_without_blocks,
}
