"""Tensor layouts as values: the state that a layout carries, and the setters that return changed copies."""

from __future__ import annotations

from dataclasses import dataclass, replace

from mmaspec.oracle.latest_programs import LatestPrograms
from mmaspec.oracle.nv_coopmat2.tensors.readings import CEILING, DEFAULT, AddressReading
from mmaspec.programs.base import Index, at
from mmaspec.programs.errors import BadInput
from mmaspec.programs.nv_coopmat2.operands import arguments
from mmaspec.programs.nv_coopmat2.program import (
    CoopMatProgram,
    Layout,
    SetBlockSize,
    SetClampValue,
    SetDimension,
    SetStride,
    Setter,
    Slice,
    ViewSetter,
)

UINT32 = 0xFFFF_FFFF


def uint32(value: int) -> int:
    """The low 32 bits: what every unsigned step of the document's arithmetic keeps."""
    return value & UINT32


def int32(value: int) -> int:
    """The low 32 bits read as two's complement."""
    return uint32(value + 0x8000_0000) - 0x8000_0000


Words = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class TensorLayout:
    """The logical state of a ``tensorLayoutNV``, under the document's own names (in snake case).

    ``divided_by_zero``: some setter divided by a block size of zero, so that the state means nothing.
    """

    clamp_mode: int
    block_size: Words
    layout_dimension: Words
    stride: Words
    offset: Words
    span: Words
    clamp_value: int
    divided_by_zero: bool = False

    @property
    def ldim(self) -> int:
        """``LDim``: the number of dimensions; dimension 0 is the outermost."""
        return len(self.block_size)


def create_tensor_layout(rank: int, clamp_mode: int) -> TensorLayout:
    """NVCM2-CREATE-LAYOUT: everything starts at zero, except block sizes, which start at one."""
    zeros = (0,) * rank
    return TensorLayout(clamp_mode, (1,) * rank, zeros, zeros, zeros, zeros, 0)


def set_tensor_layout_block_size(t: TensorLayout, block_size: Words) -> TensorLayout:
    """NVCM2-SETBLOCK: replaces the block sizes and nothing else; from then on strides count blocks.

    NVCM2-SETDIM-ORDER: strides that dimensions gave before stay as they are.
    """
    return replace(t, block_size=block_size)


def blocks_of(t: TensorLayout, dim: Words, partial_blocks: str = CEILING) -> Words:
    """The number of blocks that cover each dimension; 1 where the block size is zero.

    NVCM2-AMB-19: a partial block counts, or not.
    """
    more = 1 if partial_blocks == CEILING else 0
    return tuple(
        1 if size == 0 else (extent + (size - 1) * more) // size for extent, size in zip(dim, t.block_size, strict=True)
    )


def set_tensor_layout_dimension(t: TensorLayout, dim: Words, partial_blocks: str = CEILING) -> TensorLayout:
    """NVCM2-SETDIM: sets dimensions and spans, zeroes offsets, packs strides with the last dimension innermost.

    NVCM2-SETDIM-ORDER: strides count blocks of the size at hand; whatever strides, offsets and spans were set
    before are overwritten.
    """
    stride = [0] * t.ldim
    blocks = blocks_of(t, dim, partial_blocks)
    s = 1
    for i in range(t.ldim - 1, -1, -1):
        stride[i] = s
        s = uint32(s * blocks[i])
    broken = t.divided_by_zero or 0 in t.block_size
    return replace(
        t, layout_dimension=dim, span=dim, offset=(0,) * t.ldim, stride=tuple(stride), divided_by_zero=broken
    )


def set_tensor_layout_stride(t: TensorLayout, s: Words) -> TensorLayout:
    """NVCM2-SETSTRIDE: replaces the strides and nothing else."""
    return replace(t, stride=s)


def slice_tensor_layout(t: TensorLayout, offset: Words, span: Words) -> TensorLayout:
    """NVCM2-SLICE: adds to the offsets (signed), replaces the spans.

    A sum beyond 32 bits is kept as it is, for NVCM2-SIGNED-RANGE to see.
    """
    return replace(t, offset=tuple(old + new for old, new in zip(t.offset, offset, strict=True)), span=span)


def set_tensor_layout_clamp_value(t: TensorLayout, value: int) -> TensorLayout:
    """NVCM2-CLAMPVALUE: replaces the clamp value and nothing else."""
    return replace(t, clamp_value=value)


def apply(t: TensorLayout, call: Setter, wave: int, loop: int, reading: AddressReading = DEFAULT) -> TensorLayout:
    """One setter call with its arguments as a wave finds them in a pass; every argument is 32 bits wide."""
    if isinstance(call, SetBlockSize):
        return set_tensor_layout_block_size(t, words(call.sizes, wave, loop))
    if isinstance(call, SetDimension):
        return set_tensor_layout_dimension(t, words(call.dimensions, wave, loop), reading.partial_blocks)
    if isinstance(call, SetStride):
        return set_tensor_layout_stride(t, words(call.strides, wave, loop))
    if isinstance(call, Slice):
        offset = tuple(int32(word) for word in words(call.offsets, wave, loop))
        return slice_tensor_layout(t, offset, words(call.spans, wave, loop))
    return set_tensor_layout_clamp_value(t, uint32(at(call.value, wave, loop)))


def words(arguments: tuple[Index, ...], wave: int, loop: int) -> Words:
    """Arguments as a wave finds them in a pass, 32 unsigned bits each."""
    return tuple(uint32(at(argument, wave, loop)) for argument in arguments)


def lineage(program: CoopMatProgram, name: str) -> tuple[Layout, tuple[Setter, ...]]:
    """The created layout behind a named one, and every setter called since, in order."""
    created, calls, _ = _lineage(program, name)
    return created, calls


def _lineage(program: CoopMatProgram, name: str) -> tuple[Layout, tuple[Setter, ...], bool]:
    """The same, and whether some argument is another one in other waves or passes."""
    known = _lineages.about(program)
    if name not in known:
        layout = program.layout(name)
        calls = layout.calls
        while layout.start is not None:
            layout = program.layout(layout.start)
            calls = layout.calls + calls
        known[name] = layout, calls, moves(calls)
    return known[name]


_lineages: LatestPrograms[str, tuple[Layout, tuple[Setter, ...], bool]] = LatestPrograms()
_values: LatestPrograms[tuple[str, int, int, str], TensorLayout] = LatestPrograms()


def moves(calls: tuple[Setter | ViewSetter, ...]) -> bool:
    """Whether some argument of setter calls is another one in other waves or passes."""
    return any(not isinstance(argument, int) for call in calls for argument in arguments(call))


def evaluate(
    program: CoopMatProgram, name: str, wave: int, loop: int, reading: AddressReading = DEFAULT
) -> TensorLayout:
    """The value of a named layout for one wave and pass. ``BadInput`` for a wrong number of arguments.

    NVCM2-FUNCTIONAL: a layout that starts from another one leaves that one as it is.
    """
    created, calls, moving = _lineage(program, name)
    values = _values.about(program)
    key = (name, wave if moving else 0, loop if moving else 0, reading.partial_blocks)
    if key not in values:
        values[key] = _evaluated(name, created, calls, wave, loop, reading)
    return values[key]


def _evaluated(
    name: str, created: Layout, calls: tuple[Setter, ...], wave: int, loop: int, reading: AddressReading
) -> TensorLayout:
    value = create_tensor_layout(created.rank, created.clamp_mode)
    for call in calls:
        parts = (call.offsets, call.spans) if isinstance(call, Slice) else (arguments(call),)
        if not isinstance(call, SetClampValue) and any(len(part) != created.rank for part in parts):
            raise BadInput(f"layout {name}: a setter without one argument for each of {created.rank} dimensions")
        value = apply(value, call, wave, loop, reading)
    return value
