"""Operations between a rare origin of their operand and a rare destination of their result."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any

from mmaspec.oracle.nv_coopmat2.caps_support import other_kinds
from mmaspec.oracle.nv_coopmat2.program_support import beside
from mmaspec.oracle.nv_coopmat2.rows import rows
from mmaspec.oracle.spec import Row
from mmaspec.programs.base import Literal
from mmaspec.programs.formats import format_named
from mmaspec.programs.nv_coopmat2.caps import CoopMatCaps, FixedSize
from mmaspec.programs.nv_coopmat2.program import (
    REDUCE_COLUMN,
    REDUCE_ROW,
    USE_A,
    USE_ACCUMULATOR,
    USE_B,
    Arithmetic,
    Combine,
    Convert,
    EachComponent,
    ElementFunction,
    Matrix,
    Negate,
    PerElement,
    Reduce,
    Simple,
    Splat,
    Transpose,
)
from mmaspec.strategies.grammar import Array, Chosen, Draft, DrawContext
from mmaspec.strategies.nv_coopmat2.arrays.destinations import DESTINATIONS, STORES
from mmaspec.strategies.nv_coopmat2.arrays.loops import found_in
from mmaspec.strategies.nv_coopmat2.arrays.origins import ORIGINS, has_operators, number, of_type
from mmaspec.strategies.nv_coopmat2.builder.program import ProgramBuilder
from mmaspec.strategies.nv_coopmat2.features import CONVERTING, PER_ELEMENT, REDUCING, has
from mmaspec.strategies.nv_coopmat2.templates.operations import like
from mmaspec.strategies.nv_coopmat2.templates.plain import store

Made = tuple[list[Simple], Matrix] | None
"""Instructions, and the matrix that the last of them makes; None where a row has no such thing."""


def _product(builder: ProgramBuilder, matrix: Matrix) -> Made:
    a, b, c = (builder.matrix(use) for use in (USE_A, USE_B, USE_ACCUMULATOR))
    own = {USE_A: a, USE_B: b, USE_ACCUMULATOR: c}[matrix.use]
    if (own.component, own.rows, own.cols) != (matrix.component, matrix.rows, matrix.cols):
        return None
    builder.matrices.remove(own)
    a, b, c = (matrix if one is own else one for one in (a, b, c))
    result = c if builder.choices.chance(40) else like(builder, c)
    loads: list[Simple] = [found_in(builder, one) for one in (a, b, c) if one is not matrix]
    return [*loads, builder.mul_add(result, a, b, c)], result


def _conversion(builder: ProgramBuilder, matrix: Matrix) -> Made:
    kinds = other_kinds(beside(builder.caps, builder.entry), matrix)
    if not kinds:
        return None
    result = builder.typed(builder.choices.one_of(kinds), matrix.rows, matrix.cols, matrix.use)
    return [Convert(result.name, matrix.name)], result


def _use_conversion(builder: ProgramBuilder, matrix: Matrix) -> Made:
    if matrix.use != USE_ACCUMULATOR or not has(builder.caps, CONVERTING):
        return None
    result = of_type(builder, matrix.component, matrix, builder.choices.one_of((USE_A, USE_B)))
    return None if result is None else ([Convert(result.name, matrix.name)], result)


def _arithmetic(builder: ProgramBuilder, matrix: Matrix) -> Made:
    if not has_operators(matrix):
        return None
    other = like(builder, matrix)
    first = builder.choices.chance(50)
    result = builder.choices.one_of((matrix, other, like(builder, matrix)))
    names = (matrix.name, other.name) if first else (other.name, matrix.name)
    return [found_in(builder, other), Arithmetic(result.name, names[0], "-", names[1])], result


def _negation(builder: ProgramBuilder, matrix: Matrix) -> Made:
    result = matrix if builder.choices.chance(30) else like(builder, matrix)
    return ([Negate(result.name, matrix.name)], result) if has_operators(matrix) else None


def _each(_: ProgramBuilder, matrix: Matrix) -> Made:
    if not has_operators(matrix):
        return None
    return [EachComponent(matrix.name, "multiply", Literal(number(matrix)))], matrix


def _reduction(builder: ProgramBuilder, matrix: Matrix) -> Made:
    if matrix.use != USE_ACCUMULATOR or not has(builder.caps, REDUCING):
        return None
    result = matrix if builder.choices.chance(40) else like(builder, matrix)
    mask = builder.choices.one_of((REDUCE_ROW, REDUCE_COLUMN))
    return [Reduce(result.name, matrix.name, mask, Combine(builder.choices.one_of(("min", "max"))))], result


def _per_element(builder: ProgramBuilder, matrix: Matrix) -> Made:
    if not has(builder.caps, PER_ELEMENT):
        return None
    other = like(builder, matrix)
    result = builder.choices.one_of((matrix, other, like(builder, matrix)))
    function = ElementFunction("select", None, (None,))
    return [found_in(builder, other), PerElement(result.name, matrix.name, function, (other.name,))], result


def _transpose(builder: ProgramBuilder, matrix: Matrix) -> Made:
    turned = Matrix("", matrix.component, matrix.cols, matrix.rows, USE_ACCUMULATOR, matrix.scope)
    if matrix.use != USE_ACCUMULATOR or not has(builder.caps, CONVERTING):
        return None
    result = of_type(builder, matrix.component, turned, USE_B)
    return None if result is None else ([Transpose(result.name, matrix.name)], result)


def _splat(_: ProgramBuilder, matrix: Matrix) -> Made:
    return [Splat(matrix.name, Literal(number(matrix)))], matrix


OPERATIONS: dict[str, Callable[[ProgramBuilder, Matrix], Made]] = {
    "product": _product,
    "conversion": _conversion,
    "use-conversion": _use_conversion,
    "arithmetic": _arithmetic,
    "negation": _negation,
    "each-component": _each,
    "reduction": _reduction,
    "per-element": _per_element,
    "transpose": _transpose,
    "splat": _splat,
}

FROM = (*ORIGINS, "previous-pass")
INTO = (*DESTINATIONS, "next-pass", "overwritten")


def _ends(builder: ProgramBuilder, result: Matrix, turn: int) -> list[Simple]:
    """What uses the result in the way of a class, or in the next one that there is for its type."""
    for more in range(len(INTO)):
        name = INTO[(turn + more) % len(INTO)]
        if name in DESTINATIONS:
            found = DESTINATIONS[name](builder, result)
            if found is not None:
                return found if name in STORES else [store(builder, result), *found]
    return [store(builder, result)]


WANTED = {"product-a": USE_A, "product-b": USE_B, "product-c": USE_ACCUMULATOR, "reduction": USE_ACCUMULATOR}
"""What use a matrix needs to go there."""
KEEPS_USE = ("conversion", "arithmetic", "negation", "each-component", "per-element", "splat")
"""Operations whose result has the use of their operand."""


def _place(operation: str, turn: int) -> int:
    """Where the result of an operation goes in a turn, as a place in ``INTO``."""
    return (turn * 3 + 5 * [*OPERATIONS].index(operation)) % len(INTO)


def _flowing(context: DrawContext[CoopMatCaps], chosen: Chosen) -> Draft | None:
    builder = ProgramBuilder(context, most_waves=1)
    name = chosen["operation"]
    turn = FROM.index(chosen["from"])
    into = INTO[_place(name, turn)]
    uses = (
        [USE_A, USE_B, USE_ACCUMULATOR]
        if name not in ("use-conversion", "reduction", "transpose")
        else [USE_ACCUMULATOR]
    )
    wanted = [use for use in uses if use == WANTED.get(into, use)] if name in KEEPS_USE else uses
    matrix = builder.matrix(builder.choices.one_of(wanted or uses))
    found = OPERATIONS[name](builder, matrix)
    if found is None:
        return None
    steps, result = found
    looped = chosen["from"] == "previous-pass" or into == "next-pass"
    made = None if looped else ORIGINS[chosen["from"]](builder, matrix)
    builder.add(*(made or [found_in(builder, matrix)]))
    if looped and result is not matrix:
        # The operand is another one from the second pass on, and the result of a pass is stored in the next.
        builder.add(found_in(builder, result))
        *before, last = steps
        builder.add(*before)
        builder.repeat(3, store(builder, result, passes=3), last, found_in(builder, matrix, passes=3))
        builder.add(*_ends(builder, result, INTO.index(into)))
        return builder.draft("whole", batch=2)
    if looped:
        *before, last = steps
        builder.add(*before)
        # A splat takes nothing from the pass before, but leaves something to the next.
        body = (store(builder, matrix, passes=3), last) if name == "splat" else (last, store(builder, matrix, passes=3))
        builder.repeat(3, *body)
        builder.add(*_ends(builder, result, INTO.index(into)))
        return builder.draft("whole", batch=2)
    builder.add(*steps)
    if into == "overwritten":
        builder.add(found_in(builder, result), store(builder, result))
    else:
        if result is not matrix and turn % 4 == 1:
            builder.add(store(builder, matrix))
        builder.add(*_ends(builder, result, INTO.index(into)))
    if not turn:
        # The one that no turn comes to.
        for last in {*range(len(INTO))} - {_place(name, each) for each in range(len(FROM))}:
            builder.add(*_ends(builder, result, last))
    return builder.draft("whole", batch=2)


@lru_cache(maxsize=16)
def flowing_row(caps: CoopMatCaps) -> str:
    """The row that has most of it: square, fixed, with one type for everything, as far as there is such a one."""

    def worth(row: Row[Any]) -> tuple[bool, ...]:
        one = row.entry
        square = one.m == one.n == one.k
        return (one.c != "bf16", square, one.a == one.c, isinstance(one, FixedSize), format_named(one.c).bits < 64)

    return max(rows(caps), key=worth).name


def _fits(row: Row[Any], caps: CoopMatCaps, _: str, __: str) -> bool:
    return row.name == flowing_row(caps)


FLOWS = Array(
    name="flows",
    focus=("KHRCM-STORAGE", "KHRCM-MULADD", "NVCM2-FUNCTIONAL"),
    axes={"operation": tuple(OPERATIONS), "from": FROM},
    build=_flowing,
    # What a splat overwrites does not matter to it.
    rules=(
        "operation=splat with from=plain-load-columns|shared-load|tensor-load|view-load|clipped-load|decoded-load|splat"
        "|product|conversion|use-conversion|arithmetic|negation|each-component|reduction|transpose",
    ),
    fits=_fits,
)
"""One operation; where its result goes changes with where its operand comes from."""
