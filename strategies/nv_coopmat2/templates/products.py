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
from mmaspec.strategies.nv_coopmat2.builder.program import ProgramBuilder
from mmaspec.strategies.nv_coopmat2.features import TENSORS, has
from mmaspec.strategies.nv_coopmat2.templates.plain import load, store
from mmaspec.strategies.nv_coopmat2.templates.tensors import OLD_BITS, base, dimensions


def single(builder: ProgramBuilder) -> None:
    """One product; the result goes to a matrix of its own or over C."""
    a, b, c = (builder.matrix(use) for use in (USE_A, USE_B, USE_ACCUMULATOR))
    result = builder.matrix(USE_ACCUMULATOR) if builder.choices.chance(50) else c
    loads = [load(builder, matrix) for matrix in (a, b, c)]
    first = builder.choices.integer(0, 2)
    builder.add(*loads[first:], *loads[:first], builder.mul_add(result, a, b, c), store(builder, result))


def chain(builder: ProgramBuilder) -> None:
    """Products over a loop whose operands move with the pass."""
    a, b, c = (builder.matrix(use) for use in (USE_A, USE_B, USE_ACCUMULATOR))
    passes = builder.choices.integer(2, 4)
    tensor = builder.choices.chance(60) and has(builder.caps, TENSORS)
    builder.add(load(builder, c))
    moving: list[Simple] = []
    for matrix, down in ((a, False), (b, True)):
        if tensor:
            # What the last tile does not fill must not be what the splat left.
            moving.append(Splat(matrix.name, Literal(OLD_BITS[matrix.component])))
            moving.append(_tile(builder, matrix, passes, down=down))
        else:
            moving.append(load(builder, matrix, passes=passes))
    builder.repeat(passes, *moving, builder.mul_add(c, a, b, c))
    builder.add(store(builder, c))


def _tile(builder: ProgramBuilder, matrix: Matrix, passes: int, *, down: bool) -> LoadTensor:
    """Tiles along K of a tensor whose last tile is cut off, so that zeros fill it up."""
    buffer = builder.buffer("in")
    fixed = matrix.cols if down else matrix.rows
    length = (matrix.rows if down else matrix.cols) * passes
    cut, rest = builder.choices.integer(1, 3), builder.choices.integer(0, 3)
    sizes = (length - cut, fixed + rest) if down else (fixed + rest, length - cut)
    step = Affine(0, 0, matrix.rows if down else matrix.cols)
    across = builder.choices.integer(0, rest)
    offsets = (step, across) if down else (across, step)
    tensor = builder.layout((dimensions(builder, sizes), Slice(offsets, (matrix.rows, matrix.cols))), mode=CONSTANT)
    where = base(builder, buffer, matrix, sizes[0] * sizes[1])
    return LoadTensor(matrix.name, buffer, where, tensor, data=builder.name("T"))
