"""Operators on matrices in which every two classes of operator, right operand, use and identity meet."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any, Literal

from mmaspec.oracle.nv_coopmat2.rows import rows
from mmaspec.oracle.spec import Row
from mmaspec.programs.base import FromBuffer, Scalar
from mmaspec.programs.base import Literal as Bits
from mmaspec.programs.formats import Format, format_named
from mmaspec.programs.nv_coopmat2.caps import CoopMatCaps, Property
from mmaspec.programs.nv_coopmat2.program import (
    USE_A,
    USE_ACCUMULATOR,
    USE_B,
    Arithmetic,
    Component,
    EachComponent,
    Matrix,
    Negate,
    Splat,
)
from mmaspec.strategies.grammar import Array, Chosen, Draft, DrawContext
from mmaspec.strategies.nv_coopmat2.arrays import destinations, origins
from mmaspec.strategies.nv_coopmat2.arrays.conversions import batch
from mmaspec.strategies.nv_coopmat2.builder.program import ProgramBuilder
from mmaspec.strategies.nv_coopmat2.templates.operations import like
from mmaspec.strategies.nv_coopmat2.templates.plain import load, store
from mmaspec.strategies.regimes.operand_values import values

OPERATORS: dict[str, Literal["+", "-", "*", "/"]] = {"plus": "+", "minus": "-", "times": "*", "divide": "/"}

USES = {"a": USE_A, "b": USE_B, "accumulator": USE_ACCUMULATOR}

SCALARS = ("literal", "memory")
"""How a scalar operand is given: in memory at any place that its width allows."""

EACH: dict[str, Literal["add", "multiply", "negate"]] = {"add": "add", "multiply": "multiply", "negate": "negate"}


def component(entry: Property, use: str) -> Component:
    """The component type that a row has for a use."""
    kinds: dict[str, Component] = {"a": entry.a, "b": entry.b, "accumulator": entry.c}
    return kinds[use]


@lru_cache(maxsize=16)
def first_rows(caps: CoopMatCaps) -> Mapping[tuple[str, str], str]:
    """(component type, use) -> the first row that has it: operators depend neither on sizes nor on scopes."""
    found: dict[tuple[str, str], str] = {}
    for row in rows(caps):
        for use in USES:
            found.setdefault((component(row.entry, use), use), row.name)
    return found


def has_operators(row: Row[Any], caps: CoopMatCaps, axis: str, name: str) -> bool:
    """Whether a row shows operators on matrices of a use: bf16 has none, and any other type one row."""
    if axis != "use":
        return True
    kind = component(row.entry, name)
    return kind != "bf16" and first_rows(caps)[kind, name] == row.name


def scalar(builder: ProgramBuilder, matrix: Matrix, form: str) -> Scalar:
    """A scalar operand: a literal, or in memory."""
    if form == "literal":
        return Bits(builder.choices.one_of(_numbers(format_named(matrix.component))))
    buffer = builder.buffer("in")
    start = builder.region(buffer, 32)
    # What is narrower than 4 bytes need not lie at a multiple of 4.
    width = format_named(matrix.component).nbytes
    return FromBuffer(buffer, start + (width if builder.choices.chance(50) else 0), builder.name("S"))


def _numbers(fmt: Format) -> list[int]:
    """Values that leave something to judge, whatever all elements are combined with: neither 0 nor beyond numbers."""
    most = fmt.largest_magnitude if fmt.is_float else fmt.mask
    low = fmt.mask ^ fmt.sign_bit if fmt.is_float else fmt.mask
    return [bits for bits in values(fmt) if 0 < bits & low <= most]


def _taken(builder: ProgramBuilder, matrix: Matrix, form: str) -> Scalar | None:
    """The scalar of a class; None for ``none``."""
    return None if form == "none" else scalar(builder, matrix, form)


def _computed(context: DrawContext[CoopMatCaps], chosen: Chosen) -> Draft | None:
    builder = ProgramBuilder(context, most_waves=1)
    left = builder.matrix(USES[chosen["use"]])
    kind, identity = chosen["right-operand"], chosen["result-identity"]
    builder.add(*origins.drawn(builder, left, share=30))
    first, right = False, left
    given: str | Scalar
    if kind in {"matrix", "splat"}:
        right = like(builder, left)
        value = _taken(builder, left, chosen["scalar"])
        builder.add(load(builder, right) if value is None else Splat(right.name, value))
        given = right.name
    elif kind == "itself":
        given = left.name
    else:
        value = _taken(builder, left, chosen["scalar"])
        if value is None:
            return None
        given = value
        first = kind == "scalar-before"
    if chosen["source-kept"] == "stored-before":
        builder.add(store(builder, left))
    result = {"first-operand": left, "second-operand": right}.get(identity) or like(builder, left)
    builder.add(Arithmetic(result.name, left.name, OPERATORS[chosen["operator"]], given, first))
    builder.add(*destinations.drawn(builder, result))
    if chosen["source-kept"] == "stored":
        builder.add(store(builder, left))
    return builder.draft("operands", batch=batch(left))


ARITHMETIC = Array(
    name="operators",
    focus=("KHRCM-ARITH", "KHRCM-DIVIDE-INT"),
    axes={
        "operator": tuple(OPERATORS),
        "right-operand": ("matrix", "itself", "splat", "scalar-after", "scalar-before"),
        "use": tuple(USES),
        "result-identity": ("fresh", "first-operand", "second-operand"),
        "source-kept": ("dead", "stored", "stored-before"),
        "scalar": ("none", *SCALARS),
    },
    build=_computed,
    rules=(
        "right-operand=scalar-after|scalar-before with operator=plus|minus|divide",
        "right-operand=itself|splat|scalar-after|scalar-before with result-identity=second-operand",
        "result-identity=first-operand with source-kept=stored",
        "right-operand=matrix|itself with scalar=literal|memory",
        "right-operand=splat|scalar-after|scalar-before with scalar=none",
    ),
    fits=has_operators,
)
"""One operator; origin, destination and the values of both operands come along."""


def _negated(context: DrawContext[CoopMatCaps], chosen: Chosen) -> Draft | None:
    builder = ProgramBuilder(context, most_waves=1)
    matrix = builder.matrix(USES[chosen["use"]])
    builder.add(*origins.drawn(builder, matrix, share=40))
    result = matrix if chosen["result-identity"] == "first-operand" else like(builder, matrix)
    if builder.choices.chance(30):
        builder.add(store(builder, matrix))
    builder.add(Negate(result.name, matrix.name))
    if chosen["negated"] == "twice":
        again = like(builder, result)
        builder.add(store(builder, result), Negate(again.name, result.name), store(builder, again))
    builder.add(*destinations.drawn(builder, result))
    if result is not matrix and builder.choices.chance(30):
        builder.add(store(builder, matrix))
    return builder.draft("operands", batch=batch(matrix))


NEGATIONS = Array(
    name="negations",
    focus=("KHRCM-ARITH",),
    axes={
        "use": tuple(USES),
        "negated": ("once", "twice"),
        "result-identity": ("fresh", "first-operand"),
    },
    build=_negated,
    fits=has_operators,
)
"""The unary minus, once or of its own result."""


def _looped(context: DrawContext[CoopMatCaps], chosen: Chosen) -> Draft | None:
    builder = ProgramBuilder(context, most_waves=1)
    matrix = builder.matrix(USES[chosen["use"]])
    builder.add(*origins.drawn(builder, matrix, share=40))
    name = chosen["each-component-function"]
    if builder.choices.chance(40):
        builder.add(store(builder, matrix))
    value = _taken(builder, matrix, chosen["scalar"])
    builder.add(EachComponent(matrix.name, EACH[name], value))
    builder.add(*destinations.drawn(builder, matrix))
    # Nobody uses what one more leaves.
    builder.add(EachComponent(matrix.name, "negate"), load(builder, matrix, builder.name("V")), store(builder, matrix))
    return builder.draft("operands", batch=batch(matrix))


LOOPS_OVER_COMPONENTS = Array(
    name="each-component",
    focus=("KHRCM-LENGTH",),
    axes={
        "each-component-function": tuple(EACH),
        "use": tuple(USES),
        "scalar": ("none", *SCALARS),
    },
    build=_looped,
    rules=(
        "each-component-function=negate with scalar=literal|memory",
        "each-component-function=add|multiply with scalar=none",
    ),
    fits=has_operators,
)
"""One loop over the components of a matrix; ``scalar``: how its operand is given."""
