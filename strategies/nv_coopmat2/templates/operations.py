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
    EachComponent,
    ElementFunction,
    Matrix,
    Negate,
    PerElement,
    Reduce,
    Transpose,
)
from mmaspec.strategies.nv_coopmat2.builder.program import ProgramBuilder
from mmaspec.strategies.nv_coopmat2.templates.plain import load, store

OPERATORS: tuple[Literal["+", "*", "/"], ...] = ("+", "*", "/")
COMBINES: tuple[Literal["add", "min", "max"], ...] = ("add", "min", "max")


def like(builder: ProgramBuilder, matrix: Matrix) -> Matrix:
    """Another matrix of the same type."""
    return builder.typed(matrix.component, matrix.rows, matrix.cols, matrix.use)


def _scalar(builder: ProgramBuilder) -> FromBuffer:
    buffer = builder.buffer("in")
    return FromBuffer(buffer, builder.region(buffer, 16), builder.name("S"))


def converted(builder: ProgramBuilder) -> None:
    """An accumulator in two other component types: of the other kind, and of the other signedness, where there are."""
    source = builder.matrix(USE_ACCUMULATOR)
    builder.add(load(builder, source))
    fmt, found = format_named(source.component), other_kinds(beside(builder.caps, builder.entry), source)
    other: list[Component] = [kind for kind in found if format_named(kind).is_float != fmt.is_float]
    turned: list[Component] = [
        kind for kind in found if not fmt.is_float and format_named(kind).bits == fmt.bits and kind not in other
    ]
    drawn: list[Component] = [builder.choices.one_of(options) for options in (other, turned or found) if options]
    kinds: list[Component] = drawn or [source.component]  # of a size that has no other type
    for kind in dict.fromkeys(kinds):
        target = builder.typed(kind, source.rows, source.cols, source.use)
        builder.add(Convert(target.name, source.name), store(builder, target))


def used(builder: ProgramBuilder) -> None:
    """An accumulator that becomes an A or a B, in its own component type where the device has that."""
    entry = builder.entry
    if isinstance(entry, FlexibleSize):
        use = builder.choices.one_of((USE_A, USE_B))
        rows = entry.m if use == USE_A else lcm(entry.m, entry.k)
        cols = entry.n if use == USE_B else lcm(entry.n, entry.k)
    else:
        uses = [use for use, size in ((USE_A, entry.n), (USE_B, entry.m)) if entry.k == size]
        use, rows, cols = builder.choices.one_of(uses), entry.m, entry.n
    source = builder.typed(entry.c, rows, cols, USE_ACCUMULATOR)
    target = Matrix("", entry.c, rows, cols, use, entry.scope)
    kind = entry.c if listed(beside(builder.caps, entry), target) else entry.a if use == USE_A else entry.b
    result = builder.typed(kind, rows, cols, use)
    builder.add(load(builder, source), Convert(result.name, source.name), store(builder, result))


def transposed(builder: ProgramBuilder) -> None:
    """An accumulator that becomes a B with rows and columns swapped."""
    entry = builder.entry
    flexible = isinstance(entry, FlexibleSize)
    rows, cols = (lcm(entry.m, entry.n), lcm(entry.n, entry.k)) if flexible else (entry.m, entry.n)
    source = builder.typed(entry.c, rows, cols, USE_ACCUMULATOR)
    result = builder.typed(entry.b, cols, rows, USE_B)
    builder.add(load(builder, source), Transpose(result.name, source.name), store(builder, result))


def arithmetic(builder: ProgramBuilder) -> None:
    """A difference, another operator, a multiple and the negative of accumulators; of integers always a quotient."""
    left, right = builder.matrix(USE_ACCUMULATOR), builder.matrix(USE_ACCUMULATOR)
    builder.add(load(builder, left), load(builder, right))
    whole = not format_named(left.component).is_float
    op = builder.choices.one_of(OPERATORS[:2] if whole else OPERATORS)
    first = builder.choices.chance(50)
    multiple = _scalar(builder)
    made: list[Arithmetic | Negate] = [
        Arithmetic("", left.name, "-", right.name),
        Arithmetic("", left.name, op, right.name),
        Arithmetic("", right.name, "*", multiple, first),
        Negate("", left.name),
    ]
    if whole:
        made.append(Arithmetic("", left.name, "/", right.name))
    for operation in made:
        result = like(builder, left)
        builder.add(replace(operation, result=result.name), store(builder, result))


def components(builder: ProgramBuilder) -> None:
    """A loop over the components of every invocation, in a matrix of any use."""
    entry, choices = builder.entry, builder.choices
    kinds = {USE_A: entry.a, USE_B: entry.b, USE_ACCUMULATOR: entry.c}
    matrix = builder.matrix(choices.one_of([use for use, kind in kinds.items() if kind != "bf16"]))
    name: Literal["add", "multiply", "negate"] = choices.one_of(("add", "multiply", "negate"))
    value = None if name == "negate" else _scalar(builder)
    builder.add(load(builder, matrix), EachComponent(matrix.name, name, value), store(builder, matrix))


def elements(builder: ProgramBuilder) -> None:
    """Functions of row and column, and of an extra matrix and a scalar, of which one shows in which order they come."""
    source, extra = builder.matrix(USE_ACCUMULATOR), builder.matrix(USE_ACCUMULATOR)
    builder.add(load(builder, source), load(builder, extra))
    alone = ElementFunction(builder.choices.one_of(("triangle", "place")))
    kind = source.component
    both = ElementFunction("add", kind, (kind, None), kind)
    either = ElementFunction("select", None, (kind,))
    ordered = ElementFunction("select", None, (kind, None))
    for call in (
        PerElement("", source.name, alone),
        PerElement("", source.name, both, (extra.name, _scalar(builder))),
        PerElement("", extra.name, either, (source.name,)),
        PerElement("", source.name, ordered, (extra.name, _scalar(builder))),
    ):
        result = like(builder, source)
        builder.add(replace(call, result=result.name), store(builder, result))


def reduced(builder: ProgramBuilder) -> None:
    """Rows, columns and everything: sums of rows, and sums or extremes of the others."""
    source = builder.matrix(USE_ACCUMULATOR)
    builder.add(load(builder, source))
    for mask in (REDUCE_ROW, REDUCE_COLUMN, REDUCE_ROW_AND_COLUMN):
        # A long sum in a short format may be so far off that it shows nothing; in bf16 every one is.
        fmt = format_named(source.component)
        exact = not fmt.is_float or fmt.precision >= (16 if mask == REDUCE_ROW_AND_COLUMN else 11)
        drawn = builder.choices.one_of(COMBINES if exact else COMBINES[1:])
        name = COMBINES[0] if exact and mask == REDUCE_ROW else drawn
        result = _free_shape(builder, source, mask)
        builder.add(Reduce(result.name, source.name, mask, Combine(name)), store(builder, result))


def summed(builder: ProgramBuilder) -> None:
    """Sums whose last bits depend on the order."""
    source = builder.matrix(USE_ACCUMULATOR)
    builder.add(load(builder, source))
    for mask in (REDUCE_ROW, REDUCE_COLUMN, REDUCE_ROW_AND_COLUMN):
        result = _free_shape(builder, source, mask)
        builder.add(Reduce(result.name, source.name, mask, Combine("add")), store(builder, result))


def _free_shape(builder: ProgramBuilder, source: Matrix, mask: int) -> Matrix:
    """A result whose rows or columns differ from the source's where the mask and the device leave them free."""
    rows, cols = source.rows, source.cols
    if isinstance(builder.entry, FlexibleSize) and builder.choices.chance(60):
        more = builder.choices.integer(1, 2)
        cols = builder.times(builder.entry.n, more) if mask & REDUCE_ROW else cols
        rows = builder.times(builder.entry.m, more) if mask & REDUCE_COLUMN else rows
    return builder.typed(source.component, rows, cols, USE_ACCUMULATOR)


def halved(builder: ProgramBuilder) -> None:
    """Neighbourhoods of two rows and two columns."""
    entry = builder.entry
    source = builder.typed(entry.c, 2 * entry.m, 2 * entry.n, USE_ACCUMULATOR)
    result = builder.typed(entry.c, entry.m, entry.n, USE_ACCUMULATOR)
    combine = Combine(builder.choices.one_of(COMBINES))
    builder.add(load(builder, source), Reduce(result.name, source.name, REDUCE_2X2, combine), store(builder, result))
