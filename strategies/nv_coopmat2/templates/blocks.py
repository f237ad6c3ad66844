"""Block sizes and decode functions: one function per family, each with everything else drawn."""

from __future__ import annotations

from math import prod

from mmaspec.programs.base import Index
from mmaspec.programs.formats import format_named
from mmaspec.programs.nv_coopmat2.program import (
    CLAMP_TO_EDGE,
    CONSTANT,
    MIRROR_REPEAT,
    REPEAT,
    ArrayType,
    Decode,
    Echo,
    LoadTensor,
    Matrix,
    Nibbles,
    ScaleAndBytes,
    SetBlockSize,
    SetClampValue,
    SetDimension,
    SetStride,
    Slice,
)
from mmaspec.strategies.nv_coopmat2.builder.program import LINE, ProgramBuilder
from mmaspec.strategies.nv_coopmat2.features import DECODING, has
from mmaspec.strategies.nv_coopmat2.templates.plain import store
from mmaspec.strategies.nv_coopmat2.templates.tensors import base
from mmaspec.strategies.nv_coopmat2.templates.views import arguments

Pair = tuple[int, int]


def _blocks(builder: ProgramBuilder) -> Pair:
    """Extents of a block, never square."""
    inner = builder.choices.integer(2, 4)
    return builder.choices.one_of([size for size in (2, 3, 5) if size != inner]), inner


def _reaching(builder: ProgramBuilder, matrix: Matrix, blocks: Pair) -> tuple[Pair, Pair]:
    """Dimensions and an offset: both ends of both are left behind, and only inner blocks are all full."""
    outer = matrix.rows - builder.choices.integer(4, 6)
    inner = -(-(matrix.cols - builder.choices.integer(4, 6)) // blocks[1]) * blocks[1]
    return (max(outer, 3), max(inner, 2 * blocks[1])), (-builder.choices.integer(1, 2), -builder.choices.integer(1, 2))


def _count(sizes: Pair, blocks: Pair) -> int:
    return prod(-(-size // block) for size, block in zip(sizes, blocks, strict=True))


def undecoded(builder: ProgramBuilder) -> None:
    """Blocks without a decode function: all elements of a block read one component, and clamping comes first."""
    matrix, buffer = builder.any_matrix(), builder.buffer("in")
    blocks = _blocks(builder)
    sizes, offset = _reaching(builder, matrix, blocks)
    calls = (
        SetBlockSize(arguments(builder, blocks)),
        SetDimension(arguments(builder, sizes)),
        Slice(arguments(builder, offset), arguments(builder, (matrix.rows, matrix.cols))),
    )
    tensor = builder.layout(calls, mode=builder.choices.one_of((CLAMP_TO_EDGE, REPEAT, MIRROR_REPEAT)))
    where = base(builder, buffer, matrix, prod(sizes))
    builder.add(LoadTensor(matrix.name, buffer, where, tensor, data=builder.name("T")), store(builder, matrix))


def blocked_late(builder: ProgramBuilder) -> None:
    """Block sizes set after the dimensions, whose strides stay those of elements."""
    matrix, buffer = builder.any_matrix(), builder.buffer("in")
    blocks = _blocks(builder)
    sizes = (matrix.rows, -(-matrix.cols // blocks[1]) * blocks[1] + blocks[1])
    calls = (
        SetDimension(arguments(builder, sizes)),
        SetBlockSize(arguments(builder, blocks)),
        Slice(arguments(builder, (0, builder.choices.integer(0, 2))), arguments(builder, (matrix.rows, matrix.cols))),
    )
    tensor = builder.layout(calls, mode=CONSTANT)
    where = base(builder, buffer, matrix, prod(sizes))
    builder.add(LoadTensor(matrix.name, buffer, where, tensor, data=builder.name("T")), store(builder, matrix))


def partial_blocks(builder: ProgramBuilder) -> None:
    """Dimensions that are no multiples of their blocks, under strides of the layout's own."""
    matrix, buffer = builder.any_matrix(), builder.buffer("in")
    blocks = _blocks(builder)
    sizes = (matrix.rows - 3, (matrix.cols - 4) // blocks[1] * blocks[1] + 1)
    inner = builder.choices.integer(1, 2)
    outer = (-(-sizes[1] // blocks[1])) * inner + builder.choices.integer(1, 3)
    calls = (
        SetBlockSize(arguments(builder, blocks)),
        SetDimension(arguments(builder, sizes)),
        SetStride(arguments(builder, (outer, inner))),
        Slice(arguments(builder, (-1, -1)), arguments(builder, (matrix.rows, matrix.cols))),
    )
    tensor = builder.layout(calls, mode=builder.choices.one_of((CLAMP_TO_EDGE, REPEAT)))
    where = base(builder, buffer, matrix, -(-sizes[0] // blocks[0]) * outer)
    builder.add(LoadTensor(matrix.name, buffer, where, tensor, data=builder.name("T")), store(builder, matrix))


def partial_rows(builder: ProgramBuilder) -> None:
    """A quantised tensor whose rows end inside a block, under the strides that its dimensions give.

    NVCM2-AMB-19: the block at the end of a row counts, or not. All of its elements lie inside the tensor.
    """
    matrix, buffer = builder.any_matrix(), builder.buffer("in")
    blocks = _blocks(builder)
    sizes = (matrix.rows + builder.choices.integer(0, 2), _off(matrix.cols, blocks[1], builder.choices.integer(1, 9)))
    decodes = builder.choices.chance(60) and has(builder.caps, DECODING)
    function = packed(builder, matrix, blocks) if decodes else None
    calls = (
        SetBlockSize(arguments(builder, blocks)),
        SetDimension(arguments(builder, sizes)),
        Slice(arguments(builder, (0, sizes[1] - matrix.cols)), arguments(builder, (matrix.rows, matrix.cols))),
    )
    tensor = builder.layout(calls, mode=builder.choices.one_of((CONSTANT, CLAMP_TO_EDGE, REPEAT)))
    where = (
        base(builder, buffer, matrix, prod(sizes))
        if function is None
        else structs(builder, buffer, _count(sizes, blocks), function.struct_bytes, builder.unit("", matrix))
    )
    builder.add(
        LoadTensor(matrix.name, buffer, where, tensor, data=builder.name("T"), decode=function),
        store(builder, matrix),
    )


def _off(extent: int, block: int, more: int) -> int:
    """A size from an extent on that is no multiple of a block."""
    size = extent + more
    return size if size % block else size + 1


def structs(builder: ProgramBuilder, buffer: str, count: int, nbytes: int, unit: int) -> Index:
    """The offset, in array elements, of a new region for so many structs."""
    return builder.argument(builder.region(buffer, -(-count * nbytes // LINE) * LINE) // unit)


def echo(builder: ProgramBuilder) -> Decode:
    """Both coordinates, never more than 255 in sum."""
    weights = builder.choices.one_of(((11, 1), (1, 11), (5, 7)))
    return Echo(builder.choices.integer(1, 9), weights, builder.choices.one_of(((3, 5), (5, 3))))


def packed(builder: ProgramBuilder, matrix: Matrix, blocks: Pair) -> Decode:
    """Values in memory: scaled bytes for floats, nibbles for integers and at times for floats as well."""
    count = prod(blocks)
    spare = builder.choices.integer(0, 3)
    if format_named(matrix.component).is_float and builder.choices.chance(60):
        return ScaleAndBytes(2 + count + count % 2 + 2 * spare, blocks)
    return Nibbles(-(-count // 2) + spare, blocks, builder.choices.integer(0, 8))


def decoded(builder: ProgramBuilder) -> None:
    """The issue's quantised tensor: blocks of structs; coordinates told, then values unpacked."""
    kind, buffer = builder.any_matrix(), builder.buffer("in")
    array: ArrayType = builder.choices.one_of(("", "uint", "uvec4"))
    for number in range(2):
        matrix = kind if number == 0 else builder.matrix(kind.use)
        blocks = _blocks(builder)
        sizes, offset = _reaching(builder, matrix, blocks)
        function = echo(builder) if number == 0 else packed(builder, matrix, blocks)
        calls = (
            SetBlockSize(arguments(builder, blocks)),
            SetDimension(arguments(builder, sizes)),
            Slice(arguments(builder, offset), arguments(builder, (matrix.rows, matrix.cols))),
            SetClampValue(builder.argument(0x3C01_4081)),
        )
        tensor = builder.layout(calls, mode=builder.choices.one_of((CONSTANT, CLAMP_TO_EDGE, REPEAT)))
        where = structs(builder, buffer, _count(sizes, blocks), function.struct_bytes, builder.unit(array, matrix))
        data = builder.name("T")
        builder.add(
            LoadTensor(matrix.name, buffer, where, tensor, array, data, decode=function), store(builder, matrix)
        )


def decoded_view(builder: ProgramBuilder) -> None:
    """The same under a view with swapped axes: the function still gets coordinates of the layout."""
    matrix, buffer = builder.any_matrix(), builder.buffer("in")
    blocks = _blocks(builder)
    sizes = (matrix.cols, -(-matrix.rows // blocks[1]) * blocks[1])
    function = packed(builder, matrix, blocks)
    calls = (
        SetBlockSize(arguments(builder, blocks)),
        SetDimension(arguments(builder, sizes)),
        Slice((0, 0), arguments(builder, (matrix.cols, matrix.rows))),
    )
    tensor = builder.layout(calls)
    where = structs(builder, buffer, _count(sizes, blocks), function.struct_bytes, builder.unit("", matrix))
    view = builder.view(permutation=(1, 0))
    builder.add(
        LoadTensor(matrix.name, buffer, where, tensor, data=builder.name("T"), view=view, decode=function),
        store(builder, matrix),
    )
