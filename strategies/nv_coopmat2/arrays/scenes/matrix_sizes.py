"""Tensor loads and stores of long and of wide matrices, up to the largest that a device has."""

from __future__ import annotations

from math import prod
from typing import Any

from mmaspec.oracle.nv_coopmat2.caps_support import other_kinds
from mmaspec.oracle.nv_coopmat2.program_support import beside
from mmaspec.oracle.spec import Row
from mmaspec.programs.formats import format_named
from mmaspec.programs.nv_coopmat2.caps import CoopMatCaps
from mmaspec.programs.nv_coopmat2.program import (
    REDUCE_COLUMN,
    ROW_MAJOR,
    USE_A,
    USE_ACCUMULATOR,
    USE_B,
    Combine,
    Convert,
    ElementFunction,
    PerElement,
    Reduce,
    SetDimension,
    Slice,
)
from mmaspec.strategies.axes.space import space_of
from mmaspec.strategies.grammar import Array, Chosen, Draft, DrawContext
from mmaspec.strategies.nv_coopmat2.arrays.scenes.parts import before, clipped, loaded, sliced, stored
from mmaspec.strategies.nv_coopmat2.builder.program import ProgramBuilder
from mmaspec.strategies.nv_coopmat2.features import PER_ELEMENT, REDUCING, TENSORS, has
from mmaspec.strategies.nv_coopmat2.templates.plain import load, store

SHORT = "thirty-two"
LONG = (
    "between-64", "one-hundred-twenty-eight", "between-128", "two-hundred-fifty-six", "large", "maximum",
)  # fmt: skip
"""Classes of ``matrix-rows`` and of ``matrix-columns``."""
SHAPES = {
    "between-64": (64, 96), "one-hundred-twenty-eight": (128, 32), "between-128": (32, 128),
    "two-hundred-fifty-six": (256, 160),
}  # fmt: skip
"""Class of ``matrix-rows`` -> rows and columns of an accumulator that is worked on; of ``matrix-columns`` as well."""
MANY = 1 << 15
"""Elements of a matrix that takes long to be worked on."""


def _extent(axis: str, name: str) -> int:
    """A multiple of 32 in a class."""
    least = space_of("nv-coopmat2").axis[axis].classes[name].least
    assert least is not None
    return -(-least // 32) * 32


def _sized(context: DrawContext[CoopMatCaps], chosen: Chosen) -> Draft | None:
    builder = ProgramBuilder(context, most_waves=1)
    rows, cols = (_extent(axis, chosen[axis]) for axis in ("matrix-rows", "matrix-columns"))
    builder.sizes = (rows, cols, 32)
    use = USE_ACCUMULATOR
    if rows > cols:
        builder.sizes, use = (rows, 32, cols), builder.choices.one_of((USE_A, USE_ACCUMULATOR))
    elif cols > rows:
        builder.sizes, use = (32, cols, rows), builder.choices.one_of((USE_B, USE_ACCUMULATOR))
    matrix = builder.matrix(use)
    sizes = (matrix.rows + 1, matrix.cols - builder.choices.integer(-1, 3))
    place = (builder.choices.integer(-1, 2), builder.choices.integer(0, 1))
    calls = (SetDimension(sizes), Slice(place, (matrix.rows, matrix.cols)))
    tensor = builder.layout(calls, mode=builder.choices.integer(1, 4))
    view = clipped(builder, 1, matrix.rows - 1, 0, matrix.cols - 5)
    builder.add(before(matrix), loaded(builder, matrix, tensor, prod(sizes), view=view), store(builder, matrix))
    builder.add(stored(builder, matrix, tensor, prod(sizes)))
    _operated(builder, chosen)
    return builder.draft("distinct", batch=1)


def _operated(builder: ProgramBuilder, chosen: Chosen) -> None:
    """Operations on accumulators of the sizes that few programs have: four to one, no ratio, many elements."""
    rows, cols = SHAPES.get(chosen["matrix-rows"], (0, 0))
    if not rows:
        cols, rows = SHAPES.get(chosen["matrix-columns"], (0, 0))
    if not rows or max(rows, cols) > builder.caps.maximum:
        return
    entry = builder.entry
    source = builder.typed(entry.c, rows, cols, USE_ACCUMULATOR)
    many = rows * cols > MANY
    if many:
        # Numbers of elements of 16 bits, in a tensor as well.
        tensor = sliced(builder, (rows, cols + 1), (0, 0), (rows, cols))
        builder.add(loaded(builder, source, tensor, rows * (cols + 1)))
        builder.add(stored(builder, source, tensor, rows * (cols + 1)))
    else:
        builder.add(load(builder, source, builder.name("V"), layout=ROW_MAJOR))
        for kind in other_kinds(beside(builder.caps, entry), source)[:1]:
            result = builder.typed(kind, rows, cols, USE_ACCUMULATOR)
            builder.add(Convert(result.name, source.name), store(builder, result))
        if has(builder.caps, REDUCING) and format_named(source.component).is_float:
            least = builder.typed(entry.c, rows, cols, USE_ACCUMULATOR)
            builder.add(Reduce(least.name, source.name, REDUCE_COLUMN, Combine("min")), store(builder, least))
    if has(builder.caps, PER_ELEMENT):
        builder.add(PerElement(source.name, source.name, ElementFunction("triangle")), store(builder, source))


def _fits(row: Row[Any], caps: CoopMatCaps, axis: str, name: str) -> bool:
    """Long matrices are floats, wide ones integers; granularities are those of usual devices."""
    if not has(caps, TENSORS) or any(32 % size for size in (row.entry.m, row.entry.n, row.entry.k)):
        return False
    fits = _extent(axis, name) <= caps.maximum
    return fits and (name == SHORT or ("float" in row.tags) == (axis == "matrix-rows"))


MATRIX_SIZES = Array(
    name="matrix-sizes",
    focus=("NVCM2-LINEAR", "NVCM2-CLIP-INDEX"),
    axes={"matrix-rows": (SHORT, *LONG), "matrix-columns": (SHORT, *LONG)},
    build=_sized,
    rules=(
        f"matrix-rows={'|'.join(LONG)} with matrix-columns={'|'.join(LONG)}",
        f"matrix-rows={SHORT} with matrix-columns={SHORT}",
    ),
    rows=("flexible",),
    fits=_fits,
)
"""One load and one store."""
