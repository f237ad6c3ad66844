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
from mmaspec.strategies.nv_coopmat2.builder import LINE, Sketch
from mmaspec.strategies.nv_coopmat2.plain import store
from mmaspec.strategies.nv_coopmat2.templates_views import arguments
from mmaspec.strategies.nv_coopmat2.tensors import base

Pair = tuple[int, int]


def _blocks(sketch: Sketch) -> Pair:
    """Extents of a block, never square."""
    inner = sketch.choices.integer(2, 4)
    return sketch.choices.one_of([size for size in (2, 3, 5) if size != inner]), inner


def _reaching(sketch: Sketch, matrix: Matrix, blocks: Pair) -> tuple[Pair, Pair]:
    """Dimensions and an offset: both ends of both are left behind, and only inner blocks are all full."""
    outer = matrix.rows - sketch.choices.integer(4, 6)
    inner = -(-(matrix.cols - sketch.choices.integer(4, 6)) // blocks[1]) * blocks[1]
    return (max(outer, 3), max(inner, 2 * blocks[1])), (-sketch.choices.integer(1, 2), -sketch.choices.integer(1, 2))


def _count(sizes: Pair, blocks: Pair) -> int:
    return prod(-(-size // block) for size, block in zip(sizes, blocks, strict=True))


def undecoded(sketch: Sketch) -> None:
    """Blocks without a decode function: all elements of a block read one component, and clamping comes first."""
    matrix, buffer = sketch.any_matrix(), sketch.buffer("in")
    blocks = _blocks(sketch)
    sizes, offset = _reaching(sketch, matrix, blocks)
    calls = (
        SetBlockSize(arguments(sketch, blocks)),
        SetDimension(arguments(sketch, sizes)),
        Slice(arguments(sketch, offset), arguments(sketch, (matrix.rows, matrix.cols))),
    )
    tensor = sketch.layout(calls, mode=sketch.choices.one_of((CLAMP_TO_EDGE, REPEAT, MIRROR_REPEAT)))
    where = base(sketch, buffer, matrix, prod(sizes))
    sketch.add(LoadTensor(matrix.name, buffer, where, tensor, data=sketch.name("T")), store(sketch, matrix))


def blocked_late(sketch: Sketch) -> None:
    """Block sizes set after the dimensions, whose strides stay those of elements."""
    matrix, buffer = sketch.any_matrix(), sketch.buffer("in")
    blocks = _blocks(sketch)
    sizes = (matrix.rows, -(-matrix.cols // blocks[1]) * blocks[1] + blocks[1])
    calls = (
        SetDimension(arguments(sketch, sizes)),
        SetBlockSize(arguments(sketch, blocks)),
        Slice(arguments(sketch, (0, sketch.choices.integer(0, 2))), arguments(sketch, (matrix.rows, matrix.cols))),
    )
    tensor = sketch.layout(calls, mode=CONSTANT)
    where = base(sketch, buffer, matrix, prod(sizes))
    sketch.add(LoadTensor(matrix.name, buffer, where, tensor, data=sketch.name("T")), store(sketch, matrix))


def partial_blocks(sketch: Sketch) -> None:
    """Dimensions that are no multiples of their blocks, under strides of the layout's own."""
    matrix, buffer = sketch.any_matrix(), sketch.buffer("in")
    blocks = _blocks(sketch)
    sizes = (matrix.rows - 3, (matrix.cols - 4) // blocks[1] * blocks[1] + 1)
    inner = sketch.choices.integer(1, 2)
    outer = (-(-sizes[1] // blocks[1])) * inner + sketch.choices.integer(1, 3)
    calls = (
        SetBlockSize(arguments(sketch, blocks)),
        SetDimension(arguments(sketch, sizes)),
        SetStride(arguments(sketch, (outer, inner))),
        Slice(arguments(sketch, (-1, -1)), arguments(sketch, (matrix.rows, matrix.cols))),
    )
    tensor = sketch.layout(calls, mode=sketch.choices.one_of((CLAMP_TO_EDGE, REPEAT)))
    where = base(sketch, buffer, matrix, -(-sizes[0] // blocks[0]) * outer)
    sketch.add(LoadTensor(matrix.name, buffer, where, tensor, data=sketch.name("T")), store(sketch, matrix))


def structs(sketch: Sketch, buffer: str, count: int, nbytes: int, unit: int) -> Index:
    """The offset, in array elements, of a new region for so many structs."""
    return sketch.argument(sketch.region(buffer, -(-count * nbytes // LINE) * LINE) // unit)


def echo(sketch: Sketch) -> Decode:
    """Both coordinates, never more than 255 in sum."""
    weights = sketch.choices.one_of(((11, 1), (1, 11), (5, 7)))
    return Echo(sketch.choices.integer(1, 9), weights, sketch.choices.one_of(((3, 5), (5, 3))))


def packed(sketch: Sketch, matrix: Matrix, blocks: Pair) -> Decode:
    """Values in memory: scaled bytes for floats, nibbles for integers and at times for floats as well."""
    count = prod(blocks)
    spare = sketch.choices.integer(0, 3)
    if format_named(matrix.component).is_float and sketch.choices.chance(60):
        return ScaleAndBytes(2 + count + count % 2 + 2 * spare, blocks)
    return Nibbles(-(-count // 2) + spare, blocks, sketch.choices.integer(0, 8))


def decoded(sketch: Sketch) -> None:
    """The issue's quantised tensor: blocks of structs; coordinates told, then values unpacked."""
    kind, buffer = sketch.any_matrix(), sketch.buffer("in")
    array: ArrayType = sketch.choices.one_of(("", "uint", "uvec4"))
    for number in range(2):
        matrix = kind if number == 0 else sketch.matrix(kind.use)
        blocks = _blocks(sketch)
        sizes, offset = _reaching(sketch, matrix, blocks)
        function = echo(sketch) if number == 0 else packed(sketch, matrix, blocks)
        calls = (
            SetBlockSize(arguments(sketch, blocks)),
            SetDimension(arguments(sketch, sizes)),
            Slice(arguments(sketch, offset), arguments(sketch, (matrix.rows, matrix.cols))),
            SetClampValue(sketch.argument(0x3C01_4081)),
        )
        tensor = sketch.layout(calls, mode=sketch.choices.one_of((CONSTANT, CLAMP_TO_EDGE, REPEAT)))
        where = structs(sketch, buffer, _count(sizes, blocks), function.struct_bytes, sketch.unit(array, matrix))
        data = sketch.name("T")
        sketch.add(LoadTensor(matrix.name, buffer, where, tensor, array, data, decode=function), store(sketch, matrix))


def decoded_view(sketch: Sketch) -> None:
    """The same under a view with swapped axes: the function still gets coordinates of the layout."""
    matrix, buffer = sketch.any_matrix(), sketch.buffer("in")
    blocks = _blocks(sketch)
    sizes = (matrix.cols, -(-matrix.rows // blocks[1]) * blocks[1])
    function = packed(sketch, matrix, blocks)
    calls = (
        SetBlockSize(arguments(sketch, blocks)),
        SetDimension(arguments(sketch, sizes)),
        Slice((0, 0), arguments(sketch, (matrix.cols, matrix.rows))),
    )
    tensor = sketch.layout(calls)
    where = structs(sketch, buffer, _count(sizes, blocks), function.struct_bytes, sketch.unit("", matrix))
    view = sketch.view(permutation=(1, 0))
    sketch.add(
        LoadTensor(matrix.name, buffer, where, tensor, data=sketch.name("T"), view=view, decode=function),
        store(sketch, matrix),
    )
