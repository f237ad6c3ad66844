"""Operators and loops over components, one behind the other."""

from __future__ import annotations

from typing import Any
from typing import Literal as Word

from mmaspec.oracle.nv_coopmat2.caps_support import other_kinds
from mmaspec.oracle.nv_coopmat2.program_support import beside
from mmaspec.oracle.spec import Row
from mmaspec.programs.base import FromBuffer, Literal, Scalar
from mmaspec.programs.formats import format_named
from mmaspec.programs.nv_coopmat2.caps import CoopMatCaps
from mmaspec.programs.nv_coopmat2.program import (
    Arithmetic,
    Component,
    Convert,
    EachComponent,
    ElementFunction,
    Load,
    Matrix,
    Negate,
    PerElement,
    Splat,
)
from mmaspec.strategies.grammar import Array, Chosen, Draft, DrawContext
from mmaspec.strategies.nv_coopmat2.arrays.arithmetic import USES, has_operators, scalar
from mmaspec.strategies.nv_coopmat2.arrays.loops import found_in
from mmaspec.strategies.nv_coopmat2.builder.program import ProgramBuilder
from mmaspec.strategies.nv_coopmat2.features import PER_ELEMENT, has
from mmaspec.strategies.nv_coopmat2.near_misses.listed import listed_types
from mmaspec.strategies.nv_coopmat2.templates.operations import like
from mmaspec.strategies.nv_coopmat2.templates.plain import load, store

WHOLE = "whole"
"""A buffer that holds data and takes results."""


def _operators(builder: ProgramBuilder, x: Matrix, y: Matrix) -> None:
    """A product before a sum and a difference; whatever leaves its range on the way does so in its own width."""
    times, plus, minus, over = (like(builder, x) for _ in range(4))
    builder.add(
        Arithmetic(times.name, x.name, "*", y.name),
        Arithmetic(plus.name, times.name, "+", x.name),
        Arithmetic(minus.name, x.name, "-", times.name),
        Arithmetic(over.name, plus.name, "*", y.name),
    )
    if not format_named(x.component).is_float:
        quotient = like(builder, x)
        builder.add(Arithmetic(quotient.name, x.name, "/", y.name), store(builder, quotient))
    builder.add(*(store(builder, one) for one in (times, plus, minus, over)))
    _widened(builder, plus)
    negative = like(builder, x)
    builder.add(Negate(negative.name, times.name), store(builder, negative))
    _widened(builder, negative)
    _wrapped(builder, x)


def _wrapped(builder: ProgramBuilder, x: Matrix) -> None:
    """Narrow integers that leave their range before they are widened, of whatever use and size has a wider type."""
    fmt, caps = format_named(x.component), beside(builder.caps, builder.entry)
    able = [
        one
        for one in listed_types(caps, builder.entry)
        if one.component == x.component and any(format_named(kind).bits > fmt.bits for kind in other_kinds(caps, one))
    ]
    if fmt.is_float or not able:
        return
    kind = able[0]
    one, total, negative, each = (builder.typed(kind.component, kind.rows, kind.cols, kind.use) for _ in range(4))
    builder.add(found_in(builder, one), Arithmetic(total.name, one.name, "+", one.name))
    builder.add(Negate(negative.name, one.name))
    builder.add(found_in(builder, each), EachComponent(each.name, "multiply", Literal(fmt.max_value & ~1)))
    for result in (total, negative, each):
        _widened(builder, result)


def _widened(builder: ProgramBuilder, matrix: Matrix) -> None:
    """The matrix in a wider type, where there is one."""
    width = format_named(matrix.component).bits
    kinds = other_kinds(beside(builder.caps, builder.entry), matrix)
    wider: list[Component] = [kind for kind in kinds if format_named(kind).bits > width]
    if wider:
        result = builder.typed(builder.choices.one_of(wider), matrix.rows, matrix.cols, matrix.use)
        builder.add(Convert(result.name, matrix.name), store(builder, result))


def _components(builder: ProgramBuilder, x: Matrix, given: Scalar) -> None:
    """Loops over components with one scalar, and with zeros and infinities."""
    fmt = format_named(x.component)
    both = like(builder, x)
    builder.add(found_in(builder, both), EachComponent(both.name, "multiply", given))
    builder.add(EachComponent(both.name, "add", given), store(builder, both))
    _widened(builder, both)
    specials: list[tuple[Word["add", "multiply"], int]] = [("multiply", 0)]
    if fmt.is_float:
        specials.append(("add", fmt.sign_bit))
        specials.append(("add", fmt.infinity_magnitude | fmt.sign_bit))
    for name, bits in specials:
        one = like(builder, x)
        builder.add(found_in(builder, one), EachComponent(one.name, name, Literal(bits)), store(builder, one))
    twice = like(builder, x)
    builder.add(found_in(builder, twice), EachComponent(twice.name, "negate"), store(builder, twice))
    builder.add(EachComponent(twice.name, "negate"), store(builder, twice))


def _from_memory(builder: ProgramBuilder, x: Matrix) -> None:
    """Scalars that are elements of a matrix in a buffer that takes results too."""
    one, other = like(builder, x), like(builder, x)
    first = load(builder, one, builder.name("W"), buffer=WHOLE)
    start = builder.used[WHOLE]
    assert isinstance(first, Load)
    offset = first.offset if isinstance(first.offset, int) else None
    if offset is None:
        offset = next(word.value for word in builder.words if word.offset == getattr(first.offset, "offset", -1))
    width = format_named(x.component).nbytes
    value = FromBuffer(WHOLE, (offset + 1) * width)
    assert value.offset < start
    builder.add(first, Splat(other.name, value), EachComponent(other.name, "add", value), store(builder, other))
    result = like(builder, x)
    builder.add(Arithmetic(result.name, one.name, "*", value), store(builder, result, buffer=WHOLE))
    if has(builder.caps, PER_ELEMENT):
        last = like(builder, x)
        function = ElementFunction("add", None, (None, None, None))
        builder.add(PerElement(last.name, one.name, function, (value, other.name, value)), store(builder, last))


def _chained(context: DrawContext[CoopMatCaps], chosen: Chosen) -> Draft | None:
    builder = ProgramBuilder(context, most_waves=1)
    x = builder.matrix(USES[chosen["use"]])
    y = like(builder, x)
    if chosen["chain"] == "operators":
        # Divisors of that data are scalars, near whose multiples the dividends lie.
        divisor = scalar(builder, y, "memory") if chosen["data"] == "brinks" else None
        builder.add(found_in(builder, x), found_in(builder, y) if divisor is None else Splat(y.name, divisor))
        _operators(builder, x, y)
    elif chosen["chain"] == "components":
        builder.matrices.clear()
        _components(builder, x, scalar(builder, x, "memory"))
    else:
        builder.matrices.clear()
        _from_memory(builder, x)
    return builder.draft(chosen["data"], batch=24 if chosen["data"] == "brinks" else 6)


def _fits(row: Row[Any], caps: CoopMatCaps, axis: str, name: str) -> bool:
    return has_operators(row, caps, axis, name) and (name != "brinks" or "int" in row.tags)


ELEMENTWISE_CHAINS = Array(
    name="elementwise-chains",
    focus=("KHRCM-ARITH", "KHRCM-LENGTH"),
    axes={
        "chain": ("operators", "components", "memory"),
        "use": tuple(USES),
        "data": ("operands", "brinks"),
    },
    build=_chained,
    fits=_fits,
    rules=("data=brinks with chain=components|memory",),
)
"""Several operations on matrices of one use."""
