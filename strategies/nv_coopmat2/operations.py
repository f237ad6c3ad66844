"""Operations on matrices with everything in them drawn: conversions, arithmetic, functions, reductions."""

from __future__ import annotations

from math import lcm
from typing import Literal

from msgspec.structs import replace

from mmaspec.oracle.nv_coopmat2.caps_support import listed, other_kinds
from mmaspec.oracle.nv_coopmat2.program_support import beside
from mmaspec.programs.base import FromBuffer
from mmaspec.programs.formats import format_named
from mmaspec.programs.nv_coopmat2.caps import FlexibleSize
from mmaspec.programs.nv_coopmat2.program import (
    REDUCE_2X2,
    REDUCE_COLUMN,
    REDUCE_ROW,
    REDUCE_ROW_AND_COLUMN,
    USE_A,
    USE_ACCUMULATOR,
    USE_B,
    Arithmetic,
    Combine,
    Component,
    Convert,
    ElementFunction,
    Matrix,
    Negate,
    PerElement,
    Reduce,
    Transpose,
)
from mmaspec.strategies.nv_coopmat2.builder import Sketch
from mmaspec.strategies.nv_coopmat2.plain import load, store

OPERATORS: tuple[Literal["+", "*", "/"], ...] = ("+", "*", "/")
COMBINES: tuple[Literal["add", "min", "max"], ...] = ("add", "min", "max")


def like(sketch: Sketch, matrix: Matrix) -> Matrix:
    """Another matrix of the same type."""
    return sketch.typed(matrix.component, matrix.rows, matrix.cols, matrix.use)


def _scalar(sketch: Sketch) -> FromBuffer:
    buffer = sketch.buffer("in")
    return FromBuffer(buffer, sketch.region(buffer, 16), sketch.name("S"))


def converted(sketch: Sketch) -> None:
    """An accumulator in two other component types: of the other kind, and of the other signedness, where there are."""
    source = sketch.matrix(USE_ACCUMULATOR)
    sketch.add(load(sketch, source))
    fmt, found = format_named(source.component), other_kinds(beside(sketch.caps, sketch.entry), source)
    other: list[Component] = [kind for kind in found if format_named(kind).is_float != fmt.is_float]
    turned: list[Component] = [
        kind for kind in found if not fmt.is_float and format_named(kind).bits == fmt.bits and kind not in other
    ]
    drawn: list[Component] = [sketch.choices.one_of(options) for options in (other, turned or found) if options]
    kinds: list[Component] = drawn or [source.component]  # of a size that has no other type
    for kind in dict.fromkeys(kinds):
        target = sketch.typed(kind, source.rows, source.cols, source.use)
        sketch.add(Convert(target.name, source.name), store(sketch, target))


def used(sketch: Sketch) -> None:
    """An accumulator that becomes an A or a B, in its own component type where the device has that."""
    entry = sketch.entry
    if isinstance(entry, FlexibleSize):
        use = sketch.choices.one_of((USE_A, USE_B))
        rows = entry.m if use == USE_A else lcm(entry.m, entry.k)
        cols = entry.n if use == USE_B else lcm(entry.n, entry.k)
    else:
        uses = [use for use, size in ((USE_A, entry.n), (USE_B, entry.m)) if entry.k == size]
        use, rows, cols = sketch.choices.one_of(uses), entry.m, entry.n
    source = sketch.typed(entry.c, rows, cols, USE_ACCUMULATOR)
    target = Matrix("", entry.c, rows, cols, use, entry.scope)
    kind = entry.c if listed(beside(sketch.caps, entry), target) else entry.a if use == USE_A else entry.b
    result = sketch.typed(kind, rows, cols, use)
    sketch.add(load(sketch, source), Convert(result.name, source.name), store(sketch, result))


def transposed(sketch: Sketch) -> None:
    """An accumulator that becomes a B with rows and columns swapped."""
    entry = sketch.entry
    flexible = isinstance(entry, FlexibleSize)
    rows, cols = (lcm(entry.m, entry.n), lcm(entry.n, entry.k)) if flexible else (entry.m, entry.n)
    source = sketch.typed(entry.c, rows, cols, USE_ACCUMULATOR)
    result = sketch.typed(entry.b, cols, rows, USE_B)
    sketch.add(load(sketch, source), Transpose(result.name, source.name), store(sketch, result))


def arithmetic(sketch: Sketch) -> None:
    """A difference, another operator, a multiple and the negative of accumulators."""
    left, right = sketch.matrix(USE_ACCUMULATOR), sketch.matrix(USE_ACCUMULATOR)
    sketch.add(load(sketch, left), load(sketch, right))
    op = sketch.choices.one_of(OPERATORS)
    first = sketch.choices.chance(50)
    multiple = _scalar(sketch)
    for make in (
        lambda name: Arithmetic(name, left.name, "-", right.name),
        lambda name: Arithmetic(name, left.name, op, right.name),
        lambda name: Arithmetic(name, right.name, "*", multiple, first),
        lambda name: Negate(name, left.name),
    ):
        result = like(sketch, left)
        sketch.add(make(result.name), store(sketch, result))


def elements(sketch: Sketch) -> None:
    """Functions of row and column, and of an extra matrix and a scalar."""
    source, extra = sketch.matrix(USE_ACCUMULATOR), sketch.matrix(USE_ACCUMULATOR)
    sketch.add(load(sketch, source), load(sketch, extra))
    alone = ElementFunction(sketch.choices.one_of(("triangle", "place")))
    kind = source.component
    both = ElementFunction("add", kind, (kind, None), kind)
    either = ElementFunction("select", None, (kind,))
    for call in (
        PerElement("", source.name, alone),
        PerElement("", source.name, both, (extra.name, _scalar(sketch))),
        PerElement("", extra.name, either, (source.name,)),
    ):
        result = like(sketch, source)
        sketch.add(replace(call, result=result.name), store(sketch, result))


def reduced(sketch: Sketch) -> None:
    """Rows, columns and everything: sums of rows, and sums or extremes of the others."""
    source = sketch.matrix(USE_ACCUMULATOR)
    sketch.add(load(sketch, source))
    for mask in (REDUCE_ROW, REDUCE_COLUMN, REDUCE_ROW_AND_COLUMN):
        # A long sum in a short format may be so far off that it shows nothing.
        long = mask == REDUCE_ROW_AND_COLUMN and format_named(source.component).precision < 16
        name = COMBINES[0] if mask == REDUCE_ROW else sketch.choices.one_of(COMBINES[1:] if long else COMBINES)
        result = _free_shape(sketch, source, mask)
        sketch.add(Reduce(result.name, source.name, mask, Combine(name)), store(sketch, result))


def summed(sketch: Sketch) -> None:
    """Sums whose last bits depend on the order."""
    source = sketch.matrix(USE_ACCUMULATOR)
    sketch.add(load(sketch, source))
    for mask in (REDUCE_ROW, REDUCE_COLUMN, REDUCE_ROW_AND_COLUMN):
        result = _free_shape(sketch, source, mask)
        sketch.add(Reduce(result.name, source.name, mask, Combine("add")), store(sketch, result))


def _free_shape(sketch: Sketch, source: Matrix, mask: int) -> Matrix:
    """A result whose rows or columns differ from the source's where the mask and the device leave them free."""
    rows, cols = source.rows, source.cols
    if isinstance(sketch.entry, FlexibleSize) and sketch.choices.chance(60):
        more = sketch.choices.integer(1, 2)
        cols = sketch.times(sketch.entry.n, more) if mask & REDUCE_ROW else cols
        rows = sketch.times(sketch.entry.m, more) if mask & REDUCE_COLUMN else rows
    return sketch.typed(source.component, rows, cols, USE_ACCUMULATOR)


def halved(sketch: Sketch) -> None:
    """Neighbourhoods of two rows and two columns."""
    entry = sketch.entry
    source = sketch.typed(entry.c, 2 * entry.m, 2 * entry.n, USE_ACCUMULATOR)
    result = sketch.typed(entry.c, entry.m, entry.n, USE_ACCUMULATOR)
    combine = Combine(sketch.choices.one_of(COMBINES))
    sketch.add(load(sketch, source), Reduce(result.name, source.name, REDUCE_2X2, combine), store(sketch, result))
