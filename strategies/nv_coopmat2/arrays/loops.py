"""Loops in which every two classes of body, number of passes and surroundings meet."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any
from typing import Literal as Word

from mmaspec.oracle.nv_coopmat2.caps_support import other_kinds
from mmaspec.oracle.nv_coopmat2.program_support import beside
from mmaspec.oracle.spec import Row
from mmaspec.programs.base import Literal
from mmaspec.programs.formats import format_named
from mmaspec.programs.nv_coopmat2.caps import CoopMatCaps
from mmaspec.programs.nv_coopmat2.program import (
    REDUCE_ROW,
    USE_A,
    USE_ACCUMULATOR,
    USE_B,
    Arithmetic,
    Combine,
    Convert,
    EachComponent,
    ElementFunction,
    Load,
    Matrix,
    Negate,
    PerElement,
    Reduce,
    Simple,
    Splat,
    Transpose,
)
from mmaspec.strategies.grammar import Array, Chosen, Draft, DrawContext
from mmaspec.strategies.nv_coopmat2.arrays.origins import number
from mmaspec.strategies.nv_coopmat2.builder.program import ProgramBuilder
from mmaspec.strategies.nv_coopmat2.templates.operations import like
from mmaspec.strategies.nv_coopmat2.templates.plain import load, store

PASSES = {"one": 1, "many": 16}
"""Class of ``loop-count`` -> passes."""

WAVES = {"several": 2, "one": 1}
"""Class of ``loop-waves`` -> instances of the scope."""

OTHER_DATA = {"element-wise": "whole", "conversion": "limits"}
"""Body -> the regime of its data, where it is no product and does not only move them."""

BODIES = (
    "product-only",
    "loads-and-product",
    "stores-only",
    "load-op-store",
    "operations",
    "conversion",
    "element-wise",
    "reduction",
)


def found_in(builder: ProgramBuilder, matrix: Matrix, passes: int = 1) -> Load:
    """A load of data of its own: a loop may load what was loaded before it."""
    return load(builder, matrix, builder.name("V"), passes=passes)


def _fits(row: Row[Any], caps: CoopMatCaps, axis: str, name: str) -> bool:
    if axis != "loop-body":
        return True
    entry = row.entry
    if name == "conversion":
        matrix = Matrix("", entry.c, entry.m, entry.n, USE_ACCUMULATOR, entry.scope)
        return bool(other_kinds(beside(caps, entry), matrix))
    if name in {"load-op-store", "operations", "element-wise"}:
        return bool(entry.c != "bf16")
    if name == "reduction":
        return caps.features.reductions and format_named(entry.c).is_float
    return True


def _products(builder: ProgramBuilder, chosen: Chosen, passes: int) -> tuple[list[Simple], list[Simple], list[Simple]]:
    """What stands before a loop of products, its body, and what stands behind."""
    a, b, c = (builder.matrix(use) for use in (USE_A, USE_B, USE_ACCUMULATOR))
    carried, loads = chosen["carried"], chosen["loop-body"] == "loads-and-product"
    before: list[Simple] = [found_in(builder, c)]
    moved: list[Simple] = [found_in(builder, a, passes=passes), found_in(builder, b, passes=passes)] if loads else []
    if not loads or carried == "double-buffer":
        before += [found_in(builder, a), found_in(builder, b)]
    body: list[Simple] = [builder.mul_add(c, a, b, c)]
    after: list[Simple] = []
    if carried == "rotated":
        other = builder.matrix(USE_ACCUMULATOR)
        body = [builder.mul_add(other, a, b, c), builder.mul_add(c, a, b, other)]
    if carried == "several":
        other = builder.matrix(USE_ACCUMULATOR)
        before.append(Splat(other.name, Literal(number(other))))
        body.append(builder.mul_add(other, a, b, other))
        after.append(store(builder, other))
    body = [*body, *moved] if carried == "double-buffer" else [*moved, *body]
    return before, body, [*after, store(builder, c)]


def _others(builder: ProgramBuilder, kind: str, passes: int) -> tuple[list[Simple], list[Simple], list[Simple]]:
    matrix = builder.matrix(USE_ACCUMULATOR)
    arrives, leaves = found_in(builder, matrix, passes=passes), store(builder, matrix, passes=passes)
    if kind == "stores-only":
        return [found_in(builder, matrix)], [leaves], []
    if kind == "load-op-store":
        return [], [arrives, EachComponent(matrix.name, "negate"), leaves], []
    if kind == "operations":
        return [], [arrives, *_operations(builder, matrix, passes)], []
    if kind == "element-wise":
        step = like(builder, matrix)
        op: Word["+", "-"] = builder.choices.one_of(("+", "-"))
        body: list[Simple] = [Arithmetic(matrix.name, matrix.name, op, step.name)]
        return [found_in(builder, matrix), found_in(builder, step)], body, [store(builder, matrix)]
    if kind == "conversion":
        found = other_kinds(beside(builder.caps, builder.entry), matrix)
        result = builder.typed(builder.choices.one_of(found), matrix.rows, matrix.cols, matrix.use)
        return [], [arrives, Convert(result.name, matrix.name), store(builder, result, passes=passes)], []
    result = like(builder, matrix)
    reduce = Reduce(result.name, matrix.name, REDUCE_ROW, Combine(builder.choices.one_of(("min", "max"))))
    return [], [arrives, reduce, store(builder, result, passes=passes)], []


def _operations(builder: ProgramBuilder, matrix: Matrix, passes: int) -> Iterator[Simple]:
    """What a loaded matrix is made into, each stored in every pass."""
    results: list[tuple[Matrix, Callable[[str], Simple]]] = [
        (like(builder, matrix), lambda name: Negate(name, matrix.name)),
        (like(builder, matrix), lambda name: Arithmetic(name, matrix.name, "+", matrix.name)),
    ]
    if builder.caps.features.per_element:
        chosen = ElementFunction("triangle")
        results.append((like(builder, matrix), lambda name: PerElement(name, matrix.name, chosen)))
    entry = builder.entry
    if "transposes" in builder.row.tags and matrix.cols % entry.k == matrix.rows % entry.n == 0:
        turned = builder.typed(entry.b, matrix.cols, matrix.rows, USE_B)
        results.append((turned, lambda name: Transpose(name, matrix.name)))
    for result, make in results:
        yield from (make(result.name), store(builder, result, passes=passes))


def _repeated(context: DrawContext[CoopMatCaps], chosen: Chosen) -> Draft | None:
    builder = ProgramBuilder(context, waves=WAVES[chosen["loop-waves"]])
    passes, kind = PASSES[chosen["loop-count"]], chosen["loop-body"]
    products = kind in {"product-only", "loads-and-product"}
    before, body, after = _products(builder, chosen, passes) if products else _others(builder, kind, passes)
    builder.add(*before)
    builder.repeat(passes, *body)
    if chosen["loop-place"] == "two-loops":
        # The same loop goes on where accumulators are carried, and a second one follows where every pass stores.
        again = body if products or kind == "element-wise" else _others(builder, kind, passes)[1]
        if kind == "stores-only":
            matrix = builder.matrices[0]
            again = [store(builder, matrix, passes=passes)]
        builder.repeat(passes, *again)
    if chosen["loop-place"] == "between" and not after:
        matrix = builder.matrix(USE_ACCUMULATOR)
        after = [found_in(builder, matrix), store(builder, matrix)]
        builder.body[:0] = [found_in(builder, matrix), store(builder, matrix)]
    builder.add(*after)
    whole = "float" in builder.row.tags
    regime = ("window" if whole else "full") if products else OTHER_DATA.get(kind, "distinct")
    return builder.draft(regime, batch=2)


LOOPS = Array(
    name="loops",
    focus=("KHRCM-MULADD", "KHRCM-LOAD-ROW"),
    axes={
        "loop-body": BODIES,
        "loop-count": tuple(PASSES),
        "loop-waves": tuple(WAVES),
        "carried": ("nothing", "one", "several", "rotated", "double-buffer"),
        "loop-place": ("whole", "between", "two-loops"),
    },
    build=_repeated,
    rules=(
        "loop-body=stores-only|load-op-store|operations|conversion|element-wise|reduction"
        " with carried=one|several|rotated|double-buffer",
        "loop-body=product-only|loads-and-product with carried=nothing",
        "loop-body=product-only with carried=double-buffer",
        "loop-body=product-only|loads-and-product|stores-only|element-wise with loop-place=whole",
    ),
    rows=("transposes", "s16"),
    fits=_fits,
)
"""One loop, or two; ``carried``: which accumulators or operands of products a pass takes over from the one before."""
