"""What a matrix holds before a load, who uses it afterwards, and what loads and stores share."""

from __future__ import annotations

from mmaspec.programs.base import Affine
from mmaspec.programs.nv_coopmat2.program import (
    MIRROR_REPEAT,
    USE_A,
    USE_ACCUMULATOR,
    USE_B,
    Convert,
    LoadTensor,
    Matrix,
    Negate,
    SetDimension,
    Slice,
    StoreTensor,
    Transpose,
)
from mmaspec.strategies.nv_coopmat2.arrays.origins import of_type
from mmaspec.strategies.nv_coopmat2.arrays.scenes.parts import (
    WHOLE,
    before,
    clipped,
    loaded,
    room,
    sliced,
    stored,
    tile,
)
from mmaspec.strategies.nv_coopmat2.builder.program import ARGUMENTS, LINE, ProgramBuilder
from mmaspec.strategies.nv_coopmat2.templates.operations import like
from mmaspec.strategies.nv_coopmat2.templates.plain import load, store


def product_then_clip(builder: ProgramBuilder) -> None:
    """A clipped load into the result of a product."""
    a, b, c = builder.matrix(USE_A), builder.matrix(USE_B), builder.matrix(USE_ACCUMULATOR)
    builder.add(*(load(builder, one) for one in (a, b, c)), builder.mul_add(c, a, b, c))
    tensor, size = tile(builder, c)
    view = clipped(builder, 1, c.rows - 3, 2, c.cols - 3)
    builder.add(loaded(builder, c, tensor, size, view=view), store(builder, c))


def into_product(builder: ProgramBuilder) -> None:
    """A load that leaves the tensor into every operand of a product."""
    a, b, c = builder.matrix(USE_A), builder.matrix(USE_B), builder.matrix(USE_ACCUMULATOR)
    for one in (a, b, c):
        sizes = (one.rows - 3, one.cols - 1)
        tensor = sliced(builder, sizes, (-1, 0), (one.rows, one.cols))
        builder.add(loaded(builder, one, tensor, sizes[0] * sizes[1]))
    builder.add(builder.mul_add(c, a, b, c), store(builder, c))


def converted_then_clip(builder: ProgramBuilder) -> None:
    """A clipped load into the result of a conversion."""
    source = builder.matrix(USE_ACCUMULATOR)
    result = builder.typed(source.component, source.rows, source.cols, USE_ACCUMULATOR)
    builder.add(load(builder, source), Convert(result.name, source.name))
    tensor, size = tile(builder, result)
    view = clipped(builder, 2, 2, 3, 3)  # offsets and spans alike
    builder.add(loaded(builder, result, tensor, size, view=view), store(builder, result))


def previous_pass(builder: ProgramBuilder) -> None:
    """A clipped load whose other elements are those of the pass before; rows move with wave and pass."""
    matrix, passes = builder.matrix(builder.choices.one_of((USE_A, USE_ACCUMULATOR))), 3
    sizes = (matrix.rows + 4, matrix.cols + 3)
    tensor = sliced(builder, sizes, (Affine(0, wave=1, loop=1), 1), (matrix.rows, matrix.cols))
    view = clipped(builder, Affine(0, loop=4), 4, 0, WHOLE)
    builder.add(before(matrix))
    access = loaded(builder, matrix, tensor, sizes[0] * sizes[1], view=view)
    builder.repeat(passes, access, store(builder, matrix, passes=passes))


def next_pass(builder: ProgramBuilder) -> None:
    """What is loaded in a pass is stored in the next one."""
    matrix, passes = builder.matrix(USE_ACCUMULATOR), 2
    tensor, size = tile(builder, matrix)
    builder.add(before(matrix))
    builder.repeat(passes, store(builder, matrix, passes=passes), loaded(builder, matrix, tensor, size))
    tensor = sliced(builder, (matrix.rows, matrix.cols), (Affine(0, wave=0, loop=0), 0), (matrix.rows, matrix.cols))
    builder.add(stored(builder, matrix, tensor, matrix.rows * matrix.cols))


def stored_in_next_pass(builder: ProgramBuilder) -> None:
    """A tensor store of what the pass before made, to rows that move with wave and pass."""
    matrix, passes = builder.matrix(USE_ACCUMULATOR), 2
    builder.add(load(builder, matrix))
    rows = matrix.rows * passes * builder.waves
    moving = Affine(0, wave=matrix.rows * passes, loop=matrix.rows)
    tensor = sliced(builder, (rows, matrix.cols), (moving, 0), (matrix.rows, matrix.cols))
    buffer, where = room(builder, "out", matrix, rows * matrix.cols)
    builder.repeat(passes, StoreTensor(matrix.name, buffer, where, tensor), Negate(matrix.name, matrix.name))
    builder.add(store(builder, matrix))


def complementary(builder: ProgramBuilder) -> None:
    """Two loads whose clips complete each other, then four of a quarter each, from different places."""
    matrix = builder.matrix(builder.choices.one_of((USE_A, USE_B, USE_ACCUMULATOR)))
    rows, cols = matrix.rows, matrix.cols
    builder.add(before(matrix))
    for clip in ((0, rows - 5, 0, WHOLE), (rows - 5, 5, 0, cols)):
        tensor, size = tile(builder, matrix)
        builder.add(loaded(builder, matrix, tensor, size, view=clipped(builder, *clip)))
    builder.add(store(builder, matrix))
    for row in (0, rows // 2):
        for col in (0, cols // 2):
            tensor, size = tile(builder, matrix)
            view = clipped(builder, row, rows // 2, col, cols // 2)
            builder.add(loaded(builder, matrix, tensor, size, view=view))
    builder.add(store(builder, matrix))


def stored_before(builder: ProgramBuilder) -> None:
    """A load right after the store of what it replaces, then one whose result nobody uses, then one more."""
    matrix = builder.matrix(USE_A)
    builder.add(load(builder, matrix), store(builder, matrix))
    for _ in range(2):
        tensor, size = tile(builder, matrix)
        builder.add(loaded(builder, matrix, tensor, size))
    builder.add(store(builder, matrix))


def stored_clamped(builder: ProgramBuilder) -> None:
    """What a layout clamps is stored by the same layout, which drops it; two matrices share another layout."""
    matrix, other = builder.matrix(USE_ACCUMULATOR), builder.matrix(USE_A)
    sizes = (matrix.rows - 2, matrix.cols - 1)
    mode = builder.choices.integer(1, MIRROR_REPEAT)
    tensor = sliced(builder, sizes, (-1, 0), (matrix.rows, matrix.cols), mode)
    builder.add(loaded(builder, matrix, tensor, sizes[0] * sizes[1]))
    builder.add(stored(builder, matrix, tensor, sizes[0] * sizes[1]))
    both = sliced(builder, (20, 40), (2, 2), (20, 40))
    view = builder.view((), rank=2, permutation=(1, 0))
    for one, layout in ((matrix, both), (other, both), (other, tensor)):
        builder.add(loaded(builder, one, layout, 800, view=view), store(builder, one))


def transposed(builder: ProgramBuilder) -> None:
    """Accumulators are transposed: from a tensor, from one shared array into another, and in every pass of a loop."""
    source = builder.matrix(USE_ACCUMULATOR)
    tensor, size = tile(builder, source)
    turned = Matrix("", builder.entry.b, source.cols, source.rows, USE_B, source.scope)
    result = of_type(builder, builder.entry.b, turned, USE_B)
    if result is None:
        return
    builder.add(loaded(builder, source, tensor, size), Transpose(result.name, source.name), store(builder, result))
    given, taken = builder.shared_array("staged"), builder.shared_array("staged")
    builder.add(load(builder, source, buffer=given, array="uint"), Transpose(result.name, source.name))
    builder.add(store(builder, result, buffer=taken, array="uint"))
    # Every pass stores what the one before made of what the one before that left.
    again, negated = Transpose(result.name, source.name), Negate(source.name, source.name)
    builder.repeat(3, store(builder, result, passes=3), again, negated)


def beside_words(builder: ProgramBuilder) -> None:
    """A load from the buffer of run-time arguments, and one from a buffer that is stored to before and after."""
    matrix = builder.matrix(USE_A)
    builder.used[ARGUMENTS] = max(builder.used.get(ARGUMENTS, 0), 64 * LINE)
    builder.run_time(1)
    width = builder.unit("", matrix)
    for buffer in (ARGUMENTS, "both"):
        sizes = (matrix.rows + 1, matrix.cols + 2)
        calls = (SetDimension(sizes), Slice((builder.run_time(1), 0), (matrix.rows, matrix.cols)))
        start = builder.region(buffer, -(-sizes[0] * sizes[1] * width // LINE) * LINE)
        tensor = builder.layout(calls, mode=1)
        builder.add(store(builder, matrix, buffer="both") if buffer == "both" else before(matrix))
        builder.add(LoadTensor(matrix.name, buffer, start // width, tensor, data=builder.name("T")))
        builder.add(store(builder, matrix, buffer="both"))


def over_input(builder: ProgramBuilder) -> None:
    """A tensor store over what was loaded."""
    matrix = like(builder, builder.matrix(USE_ACCUMULATOR))
    builder.waves = 1
    tensor, size = tile(builder, matrix)
    access = loaded(builder, matrix, tensor, size)
    builder.add(access, Negate(matrix.name, matrix.name))
    builder.add(StoreTensor(matrix.name, access.buffer, access.offset, tensor))
