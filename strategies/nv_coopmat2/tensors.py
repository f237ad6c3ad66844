"""Tensor loads and stores: one function per family of layouts, each with everything else drawn."""

from __future__ import annotations

from mmaspec.programs.base import Index, Literal
from mmaspec.programs.formats import format_named
from mmaspec.programs.nv_coopmat2.program import (
    CLAMP_TO_EDGE,
    CONSTANT,
    MIRROR_REPEAT,
    REPEAT,
    UNDEFINED,
    ArrayType,
    LoadTensor,
    Matrix,
    SetClampValue,
    SetDimension,
    SetStride,
    Setter,
    Slice,
    Splat,
    StoreTensor,
)
from mmaspec.strategies.nv_coopmat2.builder import LINE, Sketch
from mmaspec.strategies.nv_coopmat2.plain import load, store

Pair = tuple[int, int]
OLD_BITS = {
    "f16": 0xB855,
    "bf16": 0xC155,
    "f32": 0xC1205555,
    "f64": 0xC015_5555_5555_5555,
    "s8": 0x55,
    "u8": 0x55,
    "s16": 0x5555,
    "u16": 0x5555,
    "s32": 0x55555555,
    "u32": 0x55555555,
}
"""What a matrix holds before a load, by component: bits that no clamp value drawn here has."""


def base(sketch: Sketch, buffer: str, matrix: Matrix, elements: int, array: ArrayType = "", copies: int = 1) -> Index:
    """The offset of a new region for a tensor of so many elements; ``copies``: one for every wave."""
    unit = sketch.unit(array, matrix)
    extent = -(-elements * format_named(matrix.component).nbytes // LINE) * LINE
    start = sketch.region(buffer, extent * copies)
    return sketch.spread(start // unit, extent // unit) if copies > 1 else sketch.argument(start // unit)


def sizes_around(sketch: Sketch, matrix: Matrix, offset: Pair, steps: int) -> Pair:
    """Dimensions in which a slice of the matrix's size fits at ``offset``, moved down by ``steps`` rows."""
    rest = (sketch.choices.integer(0, 3), sketch.choices.integer(1, 4))
    return offset[0] + matrix.rows + steps + rest[0], offset[1] + matrix.cols + rest[1]


def dimensions(sketch: Sketch, sizes: Pair) -> SetDimension:
    """The call, with drawn kinds of arguments."""
    return SetDimension((sketch.argument(sizes[0]), sketch.argument(sizes[1])))


def slice_at(sketch: Sketch, offset: Pair, spans: Pair, *, per_wave: int = 0) -> Slice:
    """The call; ``per_wave`` rows further down for every wave."""
    outer = sketch.spread(offset[0], per_wave) if per_wave else sketch.argument(offset[0])
    return Slice((outer, sketch.argument(offset[1])), (sketch.argument(spans[0]), sketch.argument(spans[1])))


def small_offset(sketch: Sketch) -> Pair:
    """A slice's position: never the origin, never symmetric."""
    outer = sketch.choices.integer(1, 4)
    return outer, sketch.choices.integer(outer + 1, 6)


def region(sketch: Sketch) -> None:
    """Implicit strides, one slice inside the layout, in a mode that looks at bounds."""
    matrix, buffer = sketch.any_matrix(), sketch.buffer("in")
    offset = small_offset(sketch)
    sizes = sizes_around(sketch, matrix, offset, sketch.waves - 1)
    calls = (dimensions(sketch, sizes), slice_at(sketch, offset, (matrix.rows, matrix.cols), per_wave=1))
    tensor = sketch.layout(calls, mode=CONSTANT)
    where = base(sketch, buffer, matrix, sizes[0] * sizes[1])
    sketch.add(LoadTensor(matrix.name, buffer, where, tensor, data=sketch.name("T")), store(sketch, matrix))


def strided(sketch: Sketch) -> None:
    """Strides of its own, the innermost too; sliced twice; a tensor for every wave."""
    matrix, buffer = sketch.any_matrix(), sketch.buffer("in")
    first, second = small_offset(sketch), (sketch.choices.integer(-1, 2), sketch.choices.integer(-2, 1))
    total = (first[0] + second[0], first[1] + second[1])
    sizes = sizes_around(sketch, matrix, (max(total[0], first[0]), max(total[1], first[1])), 0)
    inner = sketch.choices.integer(2, 3)
    outer = sizes[1] * inner + sketch.choices.integer(1, 7)
    calls = (
        dimensions(sketch, sizes),
        SetStride((sketch.argument(outer), sketch.argument(inner))),
        slice_at(sketch, first, (sketch.choices.integer(1, 40), sketch.choices.integer(1, 40))),
        slice_at(sketch, second, (matrix.rows, matrix.cols)),
    )
    tensor = sketch.layout(calls)
    elements = (sizes[0] - 1) * outer + (sizes[1] - 1) * inner + 1
    where = base(sketch, buffer, matrix, elements, copies=sketch.waves)
    sketch.add(LoadTensor(matrix.name, buffer, where, tensor, data=sketch.name("T")), store(sketch, matrix))


def derived(sketch: Sketch) -> None:
    """A layout from which another one is made, used after that; and the other one."""
    matrix, buffer = sketch.any_matrix(), sketch.buffer("in")
    other = sketch.matrix(matrix.use)
    offset, more = small_offset(sketch), (sketch.choices.integer(1, 2), sketch.choices.integer(1, 2))
    sizes = sizes_around(sketch, matrix, (offset[0] + more[0], offset[1] + more[1]), 0)
    spans = (matrix.rows, matrix.cols)
    made = sketch.layout((dimensions(sketch, sizes), slice_at(sketch, offset, spans)), mode=REPEAT)
    moved = sketch.layout((slice_at(sketch, more, spans),), mode=REPEAT, start=made)
    where = base(sketch, buffer, matrix, sizes[0] * sizes[1])
    data = sketch.name("T")
    sketch.add(
        LoadTensor(matrix.name, buffer, where, made, data=data),
        LoadTensor(other.name, buffer, where, moved, data=data),
        store(sketch, matrix),
        store(sketch, other),
    )


def redimensioned(sketch: Sketch) -> None:
    """Dimensions set last, over strides and a slice that were set before."""
    matrix, buffer = sketch.any_matrix(), sketch.buffer("in")
    offset, early = small_offset(sketch), small_offset(sketch)
    sizes = sizes_around(sketch, matrix, offset, 0)
    before = (sizes[0] + sketch.choices.integer(1, 5), sizes[1] + sketch.choices.integer(1, 5))
    outer = before[1] + sketch.choices.integer(1, 5)
    calls = (
        dimensions(sketch, before),
        SetStride((sketch.argument(outer), 1)),
        slice_at(sketch, early, (matrix.rows, matrix.cols)),
        dimensions(sketch, sizes),
        slice_at(sketch, offset, (matrix.rows, matrix.cols)),
    )
    where = base(sketch, buffer, matrix, sizes[0] * sizes[1])
    tensor = sketch.layout(calls)
    sketch.add(LoadTensor(matrix.name, buffer, where, tensor, data=sketch.name("T")), store(sketch, matrix))


def larger_than_span(sketch: Sketch) -> None:
    """A slice smaller than the matrix, so that its elements come up again."""
    matrix, buffer = sketch.any_matrix(), sketch.buffer("in")
    spans = sketch.choices.one_of(
        ((matrix.rows // 2, matrix.cols), (matrix.rows - 3, matrix.cols), (matrix.rows // 2, matrix.cols - 3))
    )
    offset = small_offset(sketch)
    sizes = sizes_around(sketch, matrix, offset, sketch.waves - 1)
    calls = (dimensions(sketch, sizes), slice_at(sketch, offset, spans, per_wave=1))
    where = base(sketch, buffer, matrix, sizes[0] * sizes[1])
    tensor = sketch.layout(calls)
    sketch.add(LoadTensor(matrix.name, buffer, where, tensor, data=sketch.name("T")), store(sketch, matrix))


def other_elements(sketch: Sketch) -> None:
    """Arrays whose element type is not the component type, loaded from and stored to."""
    matrix, buffer, out = sketch.any_matrix(), sketch.buffer("in"), sketch.buffer("out")
    array = sketch.other_array(matrix)
    offset = small_offset(sketch)
    sizes = sizes_around(sketch, matrix, offset, 0)
    calls = (dimensions(sketch, sizes), slice_at(sketch, offset, (matrix.rows, matrix.cols)))
    tensor = sketch.layout(calls, mode=sketch.choices.one_of((UNDEFINED, CLAMP_TO_EDGE)))
    where = base(sketch, buffer, matrix, sizes[0] * sizes[1], array, sketch.waves)
    there = base(sketch, out, matrix, sizes[0] * sizes[1], array, sketch.waves)
    sketch.add(
        LoadTensor(matrix.name, buffer, where, tensor, array, sketch.name("T")),
        StoreTensor(matrix.name, out, there, tensor, array),
    )


def beyond(sketch: Sketch, matrix: Matrix) -> tuple[Pair, Pair]:
    """Dimensions and a slice's offset such that elements leave both dimensions at both ends."""
    sizes = tuple(max(2, extent - sketch.choices.integer(5, 6)) for extent in (matrix.rows, matrix.cols))
    offset = tuple(-sketch.choices.integer(1, 3) for _ in range(2))
    return (sizes[0], sizes[1]), (offset[0], offset[1])


def clamped_constant(sketch: Sketch) -> None:
    """Out of bounds in mode Constant: with a clamp value, and with the one that a new layout has."""
    matrix = sketch.any_matrix()
    other = sketch.matrix(matrix.use)
    sizes, offset = beyond(sketch, matrix)
    value = sketch.choices.integer(0x3C01, 0x4FFF) << 16 | sketch.choices.integer(0x3C01, 0x4FFF) | 0x81
    cut = slice_at(sketch, offset, (matrix.rows, matrix.cols))
    given = SetClampValue(sketch.argument(value))
    placed = sketch.choices.integer(0, 2)
    calls: list[Setter] = [dimensions(sketch, sizes), cut]
    wide = format_named(matrix.component).bits > 32  # what such a clamp value is, nobody says (NVCM2-AMB-13)
    with_value = sketch.layout(tuple(calls) if wide else (*calls[:placed], given, *calls[placed:]), mode=CONSTANT)
    without = sketch.layout(tuple(calls), mode=CONSTANT)
    for each, tensor in ((matrix, with_value), (other, without)):
        buffer = sketch.buffer("in")
        where = base(sketch, buffer, each, sizes[0] * sizes[1])
        sketch.add(
            Splat(each.name, Literal(OLD_BITS[each.component])),
            LoadTensor(each.name, buffer, where, tensor, data=sketch.name("T")),
            store(sketch, each),
        )


def clamped_coordinates(sketch: Sketch) -> None:
    """Out of bounds in the modes that find another element, on one tensor."""
    kind, buffer = sketch.any_matrix(), sketch.buffer("in")
    sizes, offset = beyond(sketch, kind)
    where, data = base(sketch, buffer, kind, sizes[0] * sizes[1]), sketch.name("T")
    size_call = dimensions(sketch, sizes)
    for number, mode in enumerate((CLAMP_TO_EDGE, REPEAT, MIRROR_REPEAT)):
        matrix = kind if number == 0 else sketch.matrix(kind.use)
        cut = slice_at(sketch, offset, (matrix.rows, matrix.cols), per_wave=1)
        tensor = sketch.layout((size_call, cut), mode=mode)
        sketch.add(LoadTensor(matrix.name, buffer, where, tensor, data=data), store(sketch, matrix))


def dropped(sketch: Sketch) -> None:
    """A store of which elements leave the layout at both ends of both dimensions."""
    matrix, out = sketch.any_matrix(), sketch.buffer("out")
    sizes, offset = beyond(sketch, matrix)
    mode = sketch.choices.one_of((CONSTANT, CLAMP_TO_EDGE, REPEAT, MIRROR_REPEAT))
    calls = (dimensions(sketch, sizes), slice_at(sketch, offset, (matrix.rows, matrix.cols)))
    there = base(sketch, out, matrix, sizes[0] * sizes[1], copies=sketch.waves)
    tensor = sketch.layout(calls, mode=mode)
    sketch.add(load(sketch, matrix), StoreTensor(matrix.name, out, there, tensor))
