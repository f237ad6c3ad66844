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
from mmaspec.strategies.nv_coopmat2.builder.program import LINE, ProgramBuilder
from mmaspec.strategies.nv_coopmat2.templates.plain import load, store

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


def base(
    builder: ProgramBuilder, buffer: str, matrix: Matrix, elements: int, array: ArrayType = "", copies: int = 1
) -> Index:
    """The offset of a new region for a tensor of so many elements; ``copies``: one for every wave."""
    unit = builder.unit(array, matrix)
    extent = -(-elements * format_named(matrix.component).nbytes // LINE) * LINE
    start = builder.region(buffer, extent * copies)
    return builder.spread(start // unit, extent // unit) if copies > 1 else builder.argument(start // unit)


def sizes_around(builder: ProgramBuilder, matrix: Matrix, offset: Pair, steps: int) -> Pair:
    """Dimensions in which a slice of the matrix's size fits at ``offset``, moved down by ``steps`` rows."""
    rest = (builder.choices.integer(0, 3), builder.choices.integer(1, 4))
    return offset[0] + matrix.rows + steps + rest[0], offset[1] + matrix.cols + rest[1]


def dimensions(builder: ProgramBuilder, sizes: Pair) -> SetDimension:
    """The call, with drawn kinds of arguments."""
    return SetDimension((builder.argument(sizes[0]), builder.argument(sizes[1])))


def slice_at(builder: ProgramBuilder, offset: Pair, spans: Pair, *, per_wave: int = 0) -> Slice:
    """The call; ``per_wave`` rows further down for every wave."""
    outer = builder.spread(offset[0], per_wave) if per_wave else builder.argument(offset[0])
    return Slice((outer, builder.argument(offset[1])), (builder.argument(spans[0]), builder.argument(spans[1])))


def small_offset(builder: ProgramBuilder) -> Pair:
    """A slice's position: never the origin, never symmetric."""
    outer = builder.choices.integer(1, 4)
    return outer, builder.choices.integer(outer + 1, 6)


def region(builder: ProgramBuilder) -> None:
    """Implicit strides, one slice inside the layout, in a mode that looks at bounds."""
    matrix, buffer = builder.any_matrix(), builder.buffer("in")
    offset = small_offset(builder)
    sizes = sizes_around(builder, matrix, offset, builder.waves - 1)
    calls = (dimensions(builder, sizes), slice_at(builder, offset, (matrix.rows, matrix.cols), per_wave=1))
    tensor = builder.layout(calls, mode=CONSTANT)
    where = base(builder, buffer, matrix, sizes[0] * sizes[1])
    builder.add(LoadTensor(matrix.name, buffer, where, tensor, data=builder.name("T")), store(builder, matrix))


def strided(builder: ProgramBuilder) -> None:
    """Strides of its own, the innermost too; sliced twice; a tensor for every wave."""
    matrix, buffer = builder.any_matrix(), builder.buffer("in")
    first, second = small_offset(builder), (builder.choices.integer(-1, 2), builder.choices.integer(-2, 1))
    total = (first[0] + second[0], first[1] + second[1])
    sizes = sizes_around(builder, matrix, (max(total[0], first[0]), max(total[1], first[1])), 0)
    inner = builder.choices.integer(2, 3)
    outer = sizes[1] * inner + builder.choices.integer(1, 7)
    calls = (
        dimensions(builder, sizes),
        SetStride((builder.argument(outer), builder.argument(inner))),
        slice_at(builder, first, (builder.choices.integer(1, 40), builder.choices.integer(1, 40))),
        slice_at(builder, second, (matrix.rows, matrix.cols)),
    )
    tensor = builder.layout(calls)
    elements = (sizes[0] - 1) * outer + (sizes[1] - 1) * inner + 1
    where = base(builder, buffer, matrix, elements, copies=builder.waves)
    builder.add(LoadTensor(matrix.name, buffer, where, tensor, data=builder.name("T")), store(builder, matrix))


def derived(builder: ProgramBuilder) -> None:
    """A layout from which another one is made, used after that; and the other one."""
    matrix, buffer = builder.any_matrix(), builder.buffer("in")
    other = builder.matrix(matrix.use)
    offset, more = small_offset(builder), (builder.choices.integer(1, 2), builder.choices.integer(1, 2))
    sizes = sizes_around(builder, matrix, (offset[0] + more[0], offset[1] + more[1]), 0)
    spans = (matrix.rows, matrix.cols)
    made = builder.layout((dimensions(builder, sizes), slice_at(builder, offset, spans)), mode=REPEAT)
    moved = builder.layout((slice_at(builder, more, spans),), mode=REPEAT, start=made)
    where = base(builder, buffer, matrix, sizes[0] * sizes[1])
    data = builder.name("T")
    builder.add(
        LoadTensor(matrix.name, buffer, where, made, data=data),
        LoadTensor(other.name, buffer, where, moved, data=data),
        store(builder, matrix),
        store(builder, other),
    )


def redimensioned(builder: ProgramBuilder) -> None:
    """Dimensions set last, over strides and a slice that were set before."""
    matrix, buffer = builder.any_matrix(), builder.buffer("in")
    offset, early = small_offset(builder), small_offset(builder)
    sizes = sizes_around(builder, matrix, offset, 0)
    before = (sizes[0] + builder.choices.integer(1, 5), sizes[1] + builder.choices.integer(1, 5))
    outer = before[1] + builder.choices.integer(1, 5)
    calls = (
        dimensions(builder, before),
        SetStride((builder.argument(outer), 1)),
        slice_at(builder, early, (matrix.rows, matrix.cols)),
        dimensions(builder, sizes),
        slice_at(builder, offset, (matrix.rows, matrix.cols)),
    )
    where = base(builder, buffer, matrix, sizes[0] * sizes[1])
    tensor = builder.layout(calls)
    builder.add(LoadTensor(matrix.name, buffer, where, tensor, data=builder.name("T")), store(builder, matrix))


def larger_than_span(builder: ProgramBuilder) -> None:
    """A slice smaller than the matrix, so that its elements come up again."""
    matrix, buffer = builder.any_matrix(), builder.buffer("in")
    spans = builder.choices.one_of(
        ((matrix.rows // 2, matrix.cols), (matrix.rows - 3, matrix.cols), (matrix.rows // 2, matrix.cols - 3))
    )
    offset = small_offset(builder)
    sizes = sizes_around(builder, matrix, offset, builder.waves - 1)
    calls = (dimensions(builder, sizes), slice_at(builder, offset, spans, per_wave=1))
    where = base(builder, buffer, matrix, sizes[0] * sizes[1])
    tensor = builder.layout(calls)
    builder.add(LoadTensor(matrix.name, buffer, where, tensor, data=builder.name("T")), store(builder, matrix))


def other_elements(builder: ProgramBuilder) -> None:
    """Arrays whose element type is not the component type, loaded from and stored to."""
    matrix, buffer, out = builder.any_matrix(), builder.buffer("in"), builder.buffer("out")
    array = builder.other_array(matrix)
    offset = small_offset(builder)
    sizes = sizes_around(builder, matrix, offset, 0)
    calls = (dimensions(builder, sizes), slice_at(builder, offset, (matrix.rows, matrix.cols)))
    tensor = builder.layout(calls, mode=builder.choices.one_of((UNDEFINED, CLAMP_TO_EDGE)))
    where = base(builder, buffer, matrix, sizes[0] * sizes[1], array, builder.waves)
    there = base(builder, out, matrix, sizes[0] * sizes[1], array, builder.waves)
    builder.add(
        LoadTensor(matrix.name, buffer, where, tensor, array, builder.name("T")),
        StoreTensor(matrix.name, out, there, tensor, array),
    )


def beyond(builder: ProgramBuilder, matrix: Matrix) -> tuple[Pair, Pair]:
    """Dimensions and a slice's offset such that elements leave both dimensions at both ends."""
    sizes = tuple(max(2, extent - builder.choices.integer(5, 6)) for extent in (matrix.rows, matrix.cols))
    offset = tuple(-builder.choices.integer(1, 3) for _ in range(2))
    return (sizes[0], sizes[1]), (offset[0], offset[1])


def _clamp_values(builder: ProgramBuilder, matrix: Matrix) -> tuple[int, ...]:
    """32 bits of which the component takes the low ones: any pattern, as it is no number that they are made from.

    Of floats first a normal number, an infinity or a NaN with a payload, then a subnormal number, which may be flushed;
    mostly negative ones; then a zero with a sign, of which the number 0 keeps nothing. With a component of 64 bits,
    bit 31 is set: whether those above are copies of it has two readings (NVCM2-AMB-13).
    """
    choices, fmt = builder.choices, format_named(matrix.component)
    upper = choices.integer(0x3C01, 0xCFFF) << 16
    if fmt.bits > 32:
        return (upper | 1 << 31 | choices.integer(1, 0xFFFF),)
    if not fmt.is_float:
        return (upper | choices.integer(0, 0xFFFF) | choices.one_of((0x81, 0x01)),)
    sign, exponents = choices.weighted([(3, 1), (1, 0)]), fmt.infinity_magnitude
    payload = choices.integer(1, 63)
    middle = fmt.bias << fmt.fraction_bits
    magnitude = choices.weighted(
        [(1, middle | payload), (1, exponents), (1, exponents | 1 << (fmt.fraction_bits - 1) | payload)]
    )
    found = (sign << (fmt.bits - 1) | magnitude, sign << (fmt.bits - 1) | payload, 1 << (fmt.bits - 1))
    return tuple((upper & ~fmt.mask) | low for low in found)


def clamped_constant(builder: ProgramBuilder) -> None:
    """Out of bounds in mode Constant: with a clamp value or two, and with the one that a new layout has."""
    matrix = builder.any_matrix()
    sizes, offset = beyond(builder, matrix)
    values = [SetClampValue(builder.argument(value)) for value in _clamp_values(builder, matrix)]
    cut = slice_at(builder, offset, (matrix.rows, matrix.cols))
    placed = builder.choices.integer(0, 2)
    calls: list[Setter] = [dimensions(builder, sizes), cut]
    given: list[tuple[Setter, ...]] = [*((value,) for value in values), ()]
    for number, more in enumerate(given):
        each = builder.matrix(matrix.use) if number else matrix
        tensor = builder.layout((*calls[:placed], *more, *calls[placed:]), mode=CONSTANT)
        buffer = builder.buffer("in")
        where = base(builder, buffer, each, sizes[0] * sizes[1])
        builder.add(
            Splat(each.name, Literal(OLD_BITS[each.component])),
            LoadTensor(each.name, buffer, where, tensor, data=builder.name("T")),
            store(builder, each),
        )


def clamped_coordinates(builder: ProgramBuilder) -> None:
    """Out of bounds in the modes that find another element, on one tensor.

    First near its ends; then several sizes away, below in one dimension and above in the other.
    """
    kind, buffer = builder.any_matrix(), builder.buffer("in")
    sizes, near = beyond(builder, kind)
    where, data = base(builder, buffer, kind, sizes[0] * sizes[1]), builder.name("T")
    size_call = dimensions(builder, sizes)
    far = [builder.choices.integer(2, 3) * size + builder.choices.integer(1, size) for size in sizes]
    low_high, high_low = (-far[0], far[1]), (far[0], -far[1])
    if builder.choices.chance(50):
        low_high, high_low = high_low, low_high
    clamped = (
        (CLAMP_TO_EDGE, near),
        (REPEAT, near),
        (MIRROR_REPEAT, near),
        (REPEAT, low_high),
        (MIRROR_REPEAT, high_low),
    )
    for number, (mode, offset) in enumerate(clamped):
        matrix = kind if number == 0 else builder.matrix(kind.use)
        cut = slice_at(builder, offset, (matrix.rows, matrix.cols), per_wave=1)
        tensor = builder.layout((size_call, cut), mode=mode)
        builder.add(LoadTensor(matrix.name, buffer, where, tensor, data=data), store(builder, matrix))


def dropped(builder: ProgramBuilder) -> None:
    """A store of which elements leave the layout at both ends of both dimensions."""
    matrix, out = builder.any_matrix(), builder.buffer("out")
    sizes, offset = beyond(builder, matrix)
    mode = builder.choices.one_of((CONSTANT, CLAMP_TO_EDGE, REPEAT, MIRROR_REPEAT))
    calls = (dimensions(builder, sizes), slice_at(builder, offset, (matrix.rows, matrix.cols)))
    there = base(builder, out, matrix, sizes[0] * sizes[1], copies=builder.waves)
    tensor = builder.layout(calls, mode=mode)
    builder.add(load(builder, matrix), StoreTensor(matrix.name, out, there, tensor))
