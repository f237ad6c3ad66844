"""Accesses in which one instance does something else, and shared arrays."""

from __future__ import annotations

from mmaspec.programs.base import Affine
from mmaspec.programs.nv_coopmat2.program import CONSTANT, USE_A, LoadTensor, SetDimension, Slice, StoreTensor
from mmaspec.strategies.nv_coopmat2.arrays.scenes.parts import before, laid, loaded, stored, tile
from mmaspec.strategies.nv_coopmat2.builder.program import LINE, ProgramBuilder
from mmaspec.strategies.nv_coopmat2.templates.plain import load, store

HALF = 1 << 31


def one_differs(builder: ProgramBuilder) -> None:
    """Of three instances the first, the last or the one between leaves the tensor; the others, in the last case."""
    builder.waves = 3
    matrix = builder.matrix(USE_A)
    rows, cols = matrix.rows, matrix.cols
    cases = ((Affine(-1, wave=1), cols + 1), (Affine(0, wave=1), cols + 1), (Affine(-HALF, wave=HALF), cols))
    for offset, size in cases:
        tensor = laid(builder, SetDimension((rows, size)), Slice((0, offset), (rows, cols)), mode=CONSTANT)
        builder.add(before(matrix), loaded(builder, matrix, tensor, rows * size), store(builder, matrix))
        builder.add(stored(builder, matrix, tensor, rows * size))


def wave_and_pass(builder: ProgramBuilder) -> None:
    """Offsets that move with wave and pass, in opposite directions."""
    builder.waves, passes = 2, 3
    matrix = builder.matrix(USE_A)
    rows, cols = matrix.rows, matrix.cols
    sizes = (rows * 6, cols + 3)
    moving = (Affine(0, wave=3 * rows, loop=rows), Affine(2, wave=1, loop=-1))
    tensor = laid(builder, SetDimension(sizes), Slice(moving, (rows, cols)), mode=CONSTANT)
    down = Affine(rows * 5, wave=-3 * rows, loop=-rows)
    back = laid(builder, SetDimension(sizes), Slice((down, 1), (rows, cols)))
    out = builder.buffer("out")
    width = builder.unit("", matrix)
    where = builder.region(out, -(-sizes[0] * sizes[1] * width // LINE) * LINE) // width
    # In the loop stand layouts, too, that differ between waves alone, and that are all loaded at run time.
    apart = laid(builder, SetDimension(sizes), Slice((Affine(0, wave=3 * rows), 1), (rows, cols)))
    words = [builder.run_time(number) for number in (*sizes, 1, 2, rows, cols)]
    late = laid(builder, SetDimension(tuple(words[:2])), Slice(tuple(words[2:4]), tuple(words[4:])), mode=0)
    builder.repeat(
        passes,
        loaded(builder, matrix, apart, sizes[0] * sizes[1]),
        store(builder, matrix, passes=passes),
        loaded(builder, matrix, late, sizes[0] * sizes[1]),
        store(builder, matrix, passes=passes),
        loaded(builder, matrix, tensor, sizes[0] * sizes[1]),
        store(builder, matrix, passes=passes),
        StoreTensor(matrix.name, out, where, back),
    )


def shared(builder: ProgramBuilder) -> None:
    """Tensors in the second shared array, and in a buffer beside it."""
    builder.waves = 1
    matrix = builder.matrix(USE_A)
    given, taken = builder.shared_array("staged"), builder.shared_array("staged")
    tensor, size = tile(builder, matrix)
    width = builder.unit("", matrix)
    extent = -(-size * width // LINE) * LINE
    for buffer in (given, taken):
        where = builder.region(buffer, extent) // 4
        builder.add(LoadTensor(matrix.name, buffer, where, tensor, "uint", builder.name("T")))
        where = builder.region(buffer, extent) // 4
        builder.add(store(builder, matrix), StoreTensor(matrix.name, buffer, where, tensor, "uint"))
    where = builder.region(given, extent) // 4
    builder.add(load(builder, matrix, buffer=taken, array="uint"))
    builder.add(StoreTensor(matrix.name, given, where, tensor, "uint"))
    builder.add(LoadTensor(matrix.name, taken, builder.region(taken, extent) // 4, tensor, "uint", builder.name("T")))
    builder.add(store(builder, matrix, buffer=given, array="uint"))


def from_shared(builder: ProgramBuilder) -> None:
    """Loads from a shared array, stores to a buffer only."""
    builder.waves = 1
    matrix = builder.matrix(USE_A)
    first, second = builder.shared_array("staged"), builder.shared_array("staged")
    tensor, size = tile(builder, matrix)
    extent = -(-size * builder.unit("", matrix) // LINE) * LINE
    for buffer in (first, second):
        where = builder.region(buffer, extent) // 4
        builder.add(LoadTensor(matrix.name, buffer, where, tensor, "uint", builder.name("T")), store(builder, matrix))
        builder.add(stored(builder, matrix, tensor, size))
