"""Products: single ones, and chains over K in a loop, from plain arrays and from tensors."""

from __future__ import annotations

from mmaspec.programs.base import Affine, Literal
from mmaspec.programs.nv_coopmat2.program import (
    CONSTANT,
    USE_A,
    USE_ACCUMULATOR,
    USE_B,
    LoadTensor,
    Matrix,
    Simple,
    Slice,
    Splat,
)
from mmaspec.strategies.nv_coopmat2.builder import Sketch
from mmaspec.strategies.nv_coopmat2.plain import load, store
from mmaspec.strategies.nv_coopmat2.tensors import OLD_BITS, base, dimensions


def single(sketch: Sketch) -> None:
    """One product; the result goes to a matrix of its own or over C."""
    a, b, c = (sketch.matrix(use) for use in (USE_A, USE_B, USE_ACCUMULATOR))
    result = sketch.matrix(USE_ACCUMULATOR) if sketch.choices.chance(50) else c
    loads = [load(sketch, matrix) for matrix in (a, b, c)]
    first = sketch.choices.integer(0, 2)
    sketch.add(*loads[first:], *loads[:first], sketch.mul_add(result, a, b, c), store(sketch, result))


def chain(sketch: Sketch) -> None:
    """Products over a loop whose operands move with the pass."""
    a, b, c = (sketch.matrix(use) for use in (USE_A, USE_B, USE_ACCUMULATOR))
    passes = sketch.choices.integer(2, 4)
    tensor = sketch.choices.chance(60)
    sketch.add(load(sketch, c))
    moving: list[Simple] = []
    for matrix, down in ((a, False), (b, True)):
        if tensor:
            # What the last tile does not fill must not be what the splat left.
            moving.append(Splat(matrix.name, Literal(OLD_BITS[matrix.component])))
            moving.append(_tile(sketch, matrix, passes, down=down))
        else:
            moving.append(load(sketch, matrix, passes=passes))
    sketch.repeat(passes, *moving, sketch.mul_add(c, a, b, c))
    sketch.add(store(sketch, c))


def _tile(sketch: Sketch, matrix: Matrix, passes: int, *, down: bool) -> LoadTensor:
    """Tiles along K of a tensor whose last tile is cut off, so that zeros fill it up."""
    buffer = sketch.buffer("in")
    fixed = matrix.cols if down else matrix.rows
    length = (matrix.rows if down else matrix.cols) * passes
    cut, rest = sketch.choices.integer(1, 3), sketch.choices.integer(0, 3)
    sizes = (length - cut, fixed + rest) if down else (fixed + rest, length - cut)
    step = Affine(0, 0, matrix.rows if down else matrix.cols)
    across = sketch.choices.integer(0, rest)
    offsets = (step, across) if down else (across, step)
    tensor = sketch.layout((dimensions(sketch, sizes), Slice(offsets, (matrix.rows, matrix.cols))), mode=CONSTANT)
    where = base(sketch, buffer, matrix, sizes[0] * sizes[1])
    return LoadTensor(matrix.name, buffer, where, tensor, data=sketch.name("T"))
