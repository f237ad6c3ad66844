"""Operators on matrices in which every two classes of operator, right operand, use and identity meet."""

from __future__ import annotations

from typing import Any, Literal

from mmaspec.oracle.spec import Row
from mmaspec.programs.base import FromBuffer, Scalar
from mmaspec.programs.base import Literal as Bits
from mmaspec.programs.formats import format_named
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

EACH: dict[str, Literal["add", "multiply", "negate"]] = {"add": "add", "multiply": "multiply", "negate": "negate"}


def component(entry: Property, use: str) -> Component:
    """The component type that a row has for a use."""
    kinds: dict[str, Component] = {"a": entry.a, "b": entry.b, "accumulator": entry.c}
    return kinds[use]


def has_operators(row: Row[Any], _: CoopMatCaps, axis: str, name: str) -> bool:
    """Whether a row has operators on matrices of a use: bf16 has none."""
    return axis != "use" or component(row.entry, name) != "bf16"


def scalar(builder: ProgramBuilder, matrix: Matrix, form: str) -> Scalar:
    """A scalar operand in a class of ``scalar-form``."""
    if form == "literal":
        return Bits(builder.choices.one_of(values(format_named(matrix.component))))
    buffer = builder.buffer("in")
    start = builder.region(buffer, 32)
    offset = {"from-buffer": start, "from-buffer-unaligned": start + 8}[form]
    return FromBuffer(buffer, offset, builder.name("S"))


def _computed(context: DrawContext[CoopMatCaps], chosen: Chosen) -> Draft | None:
    builder = ProgramBuilder(context, most_waves=1)
    left = builder.matrix(USES[chosen["use"]])
    kind, identity = chosen["right-operand"], chosen["result-identity"]
    builder.add(*origins.drawn(builder, left, share=30))
    first, right = False, left
    given: str | Scalar
    if kind in {"matrix", "splat"}:
        right = like(builder, left)
        form = builder.choices.one_of(("literal", "from-buffer"))
        way = [Splat(right.name, scalar(builder, right, form))] if kind == "splat" else [load(builder, right)]
        builder.add(*way)
        given = right.name
    elif kind == "itself":
        given = left.name
    else:
        given = scalar(builder, left, chosen["scalar-form"])
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
        "scalar-form": ("literal", "from-buffer", "from-buffer-unaligned"),
    },
    build=_computed,
    rules=(
        "right-operand=scalar-after|scalar-before with operator=plus|minus|divide",
        "right-operand=itself|splat|scalar-after|scalar-before with result-identity=second-operand",
        "result-identity=first-operand with source-kept=stored",
        "right-operand=matrix|itself|splat with scalar-form=from-buffer|from-buffer-unaligned",
    ),
    fits=has_operators,
)
"""One operator; origin, destination and the values of both operands come along."""


def _single(context: DrawContext[CoopMatCaps], chosen: Chosen) -> Draft | None:
    """Negations and loops over components."""
    builder = ProgramBuilder(context, most_waves=1)
    matrix = builder.matrix(USES[chosen["use"]])
    builder.add(*origins.drawn(builder, matrix, share=30))
    name = chosen["each-component-function"]
    if name != "operator":
        if chosen["source-kept"] == "stored-before":
            builder.add(store(builder, matrix))
        value = None if name == "negate" else scalar(builder, matrix, chosen["scalar-form"])
        builder.add(EachComponent(matrix.name, EACH[name], value))
        if chosen["negated"] == "twice":
            builder.add(EachComponent(matrix.name, "negate"))
        builder.add(*destinations.drawn(builder, matrix))
        return builder.draft("operands", batch=batch(matrix))
    result = matrix if chosen["result-identity"] == "first-operand" else like(builder, matrix)
    if chosen["source-kept"] == "stored-before":
        builder.add(store(builder, matrix))
    builder.add(Negate(result.name, matrix.name))
    if chosen["negated"] == "twice":
        again = like(builder, result)
        builder.add(store(builder, result), Negate(again.name, result.name), store(builder, again))
    builder.add(*destinations.drawn(builder, result))
    if chosen["source-kept"] == "stored":
        builder.add(store(builder, matrix))
    return builder.draft("operands", batch=batch(matrix))


SINGLE_OPERANDS = Array(
    name="single-operands",
    focus=("KHRCM-ARITH", "KHRCM-LENGTH"),
    axes={
        "each-component-function": ("operator", *EACH),
        "use": tuple(USES),
        "negated": ("once", "twice"),
        "result-identity": ("fresh", "first-operand"),
        "source-kept": ("dead", "stored", "stored-before"),
        "scalar-form": ("literal", "from-buffer", "from-buffer-unaligned"),
    },
    build=_single,
    rules=(
        "each-component-function=operator|negate with scalar-form=from-buffer|from-buffer-unaligned",
        "each-component-function=add|multiply|negate with result-identity=first-operand",
        "each-component-function=add|multiply|negate with source-kept=stored",
        "each-component-function=add|multiply with negated=twice",
        "result-identity=first-operand with source-kept=stored",
    ),
    fits=has_operators,
)
"""One negation, or one loop over components; ``operator``: the unary minus."""
