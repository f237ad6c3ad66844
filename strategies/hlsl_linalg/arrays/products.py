"""Products and additions of matrices: what they work on, what that came from, and what follows."""

from __future__ import annotations

from collections.abc import Iterator
from math import lcm
from typing import Any

from mmaspec.oracle.spec import Row
from mmaspec.programs.hlsl_linalg.caps import LinalgCaps, MatrixProduct
from mmaspec.programs.hlsl_linalg.components import COMPONENTS, ComponentType
from mmaspec.programs.hlsl_linalg.program import Accumulate, Multiply, MultiplyAccumulate, Scope
from mmaspec.strategies.covering import Tuple
from mmaspec.strategies.grammar import Chosen, Draft, DrawContext
from mmaspec.strategies.hlsl_linalg.arrays.conversions import COMPONENT
from mmaspec.strategies.hlsl_linalg.arrays.packed import Packed
from mmaspec.strategies.hlsl_linalg.arrays.workshop import USES, CannotBeMade, Workshop
from mmaspec.strategies.hlsl_linalg.builder.sizes import construction_of, made
from mmaspec.strategies.hlsl_linalg.revisions import LATER, is_earlier
from mmaspec.strategies.hlsl_linalg.templates.parts import is_float, sums_are_judged

FACTOR_FROM = ("load", "array-load", "splat", "cast", "elements")
TOTAL_FROM = ("nothing", "load", "array-load", "splat", "cast", "elements", "product", "addition")
GOES = ("store", "array-store", "sum", "cast", "elements", "accumulate", "addition", "overwritten")
TILES = {"one": 1, "two": 2, "three": 3}
FLOWS = ("straight", "first-pass", "branch-all", "branch-waves")
MOST_K = 128
LEAST_SIDE = 16
"""Of accumulators that products may have made."""


def _product(shop: Workshop, thing: Chosen) -> None:
    answer: MatrixProduct = shop.context.row.entry.answer
    scope: Scope = "ThreadGroup" if "group" in shop.context.row.tags else "Wave"
    if scope == "ThreadGroup":
        shop.let_groups_multiply(answer)
    answers = [construction_of(shop.b.caps, name) for name in (answer.a, answer.b, answer.accumulator)]
    if None in answers:
        raise CannotBeMade
    least_a, least_b, least_c = (one for one in answers if one is not None)
    shape = answer.shapes[0]
    m = lcm(shape[0], least_a.min_m, least_c.min_m) * TILES[thing["m-tiles"]]
    k = lcm(shape[1], least_a.min_k, least_b.min_k) * TILES[thing["k-tiles"]]
    n = lcm(shape[2], least_b.min_n, least_c.min_n) * TILES[thing["n-tiles"]]
    if k > MOST_K:
        raise CannotBeMade
    a = shop.matrix(answer.a, "A", scope, (m, k))
    b = shop.matrix(answer.b, "B", scope, (k, n))
    total = shop.matrix(answer.accumulator, "Accumulator", scope, (m, n))
    with shop.around(thing["in-flow"]):
        shop.give(a, thing["a-from"])
        shop.give(b, thing["b-from"])
        match thing["method"]:
            case "accumulate":
                shop.give(total, thing["c-from"])
                shop.add(MultiplyAccumulate(total.name, a.name, b.name))
            case method:
                shop.add(Multiply(total.name, a.name, b.name, method == "typed"))
        shop.use(total, thing["product-goes"])


def _program(of: Any) -> Any:
    def build(context: DrawContext[Any], things: tuple[Chosen, ...]) -> Draft | None:
        shop = Workshop(context, 2)
        try:
            for thing in things:
                of(shop, thing)
        except CannotBeMade:
            return None
        return shop.draft(regime_of(context), 2)

    return build


def regime_of(context: DrawContext[Any]) -> str:
    """Data whose sums are exact, so that every element is judged sharply."""
    answer = context.row.entry.answer
    component = answer.accumulator if isinstance(answer, MatrixProduct) else answer.component
    return "window" if is_float(component) else "small"


def _possible(row: Row[Any], caps: LinalgCaps) -> Iterator[Tuple]:
    answer: MatrixProduct = row.entry.answer
    if len({answer.a, answer.b, answer.accumulator}) > 1:
        yield frozenset({("method", "inferred")})
    for axis, component in (("a-from", answer.a), ("b-from", answer.b), ("c-from", answer.accumulator)):
        if not COMPONENTS[component].native:
            yield frozenset({(axis, "elements")})
    if not COMPONENTS[answer.accumulator].native:
        yield frozenset({("product-goes", "elements")})
    if not any(one.component == answer.accumulator and one.buffers for one in caps.atomics):
        yield frozenset({("product-goes", "sum")})
    if "group" in row.tags:
        yield frozenset({("in-flow", "branch-waves")})
    if is_earlier(caps):
        yield from _of_later_text(answer)


def _of_later_text(answer: MatrixProduct) -> Iterator[Tuple]:
    """What the text of 2025-09-19 has not: single elements, sums of two matrices, packed arrays, a K of any size."""
    yield frozenset({("k-tiles", "three")})
    yield frozenset({("c-from", "addition")})
    yield frozenset({("product-goes", "addition")})
    for axis, component in (("a-from", answer.a), ("b-from", answer.b), ("c-from", answer.accumulator)):
        yield frozenset({(axis, "elements")})
        if not COMPONENTS[component].native:
            yield frozenset({(axis, "array-load")})
    yield frozenset({("product-goes", "elements")})


_SETS = ("first-pass", "branch-waves")
"""Flows in which an element that is set needs a barrier that would have to stand elsewhere."""
PRODUCTS = Packed(
    name="products",
    focus=("LINALG-MUL", "LINALG-MAC", "LINALG-TILING", "LINALG-INT-EXACT", "LINALG-FP-SUM"),
    axes={
        "method": ("typed", "inferred", "accumulate"),
        "a-from": FACTOR_FROM,
        "b-from": FACTOR_FROM,
        "c-from": TOTAL_FROM,
        "product-goes": GOES,
        "k-tiles": tuple(TILES),
        "m-tiles": ("one", "two"),
        "n-tiles": ("one", "two"),
        "in-flow": FLOWS,
    },
    build=_program(_product),
    groups=("product",),
    per_case=3,
    rows=("product",),
    excluded=_possible,
    rules=(
        "method=accumulate with c-from=nothing",
        "method=typed|inferred with c-from=load|array-load|splat|cast|elements|product|addition",
        *(f"in-flow=first-pass|branch-all|branch-waves with {axis}=array-load|elements"
          for axis in ("a-from", "b-from", "c-from")),
        "in-flow=first-pass|branch-all|branch-waves with product-goes=array-store|sum",
        "a-from=cast with b-from=cast",  # of FP8 each leaves a choice, and a case may leave a few
        "k-tiles=three with a-from=array-load",
        "k-tiles=three with b-from=array-load",
        "m-tiles=two with c-from=array-load",
        "m-tiles=two with product-goes=array-store",
    ),
)  # fmt: skip
"""Operands, results and tiles of products."""


def _addition(shop: Workshop, thing: Chosen) -> None:
    own: ComponentType = shop.context.row.entry.answer.component
    other, use = COMPONENT[thing["added-component"]], USES[thing["added-use"]]
    scope: Scope = "Wave" if thing["product-scope"] == "wave" else "ThreadGroup"
    size = shop.sides("square", (own, "Accumulator"), (other, use), least=LEAST_SIDE)
    total = shop.matrix(own, "Accumulator", scope, size)
    operand = shop.matrix(other, use, scope, size)
    with shop.around(thing["in-flow"]):
        shop.give(operand, thing["added-from"])
        shop.give(total, thing["total-from"])
        shop.add(*[Accumulate(total.name, operand.name)] * (2 if thing["added-again"] == "once" else 1))
        shop.use(total, thing["product-goes"])


def _addable(row: Row[Any], caps: LinalgCaps) -> Iterator[Tuple]:
    own: ComponentType = row.entry.answer.component
    if not sums_are_judged(own):
        yield from (frozenset({("added-use", use)}) for use in ("a", "b"))
    if not COMPONENTS[own].native:
        yield frozenset({("total-from", "elements")})
        yield frozenset({("product-goes", "elements")})
    if not any(one.component == own and one.buffers for one in caps.atomics):
        yield frozenset({("product-goes", "sum")})
    if not any(one.accumulator == own for one in caps.products):
        yield frozenset({("total-from", "product")})
        yield frozenset({("product-goes", "accumulate")})
    there = {COMPONENTS[name].format.name for name in made(caps)}
    for name, component in COMPONENT.items():
        if name not in there or is_float(component) != is_float(own):
            yield frozenset({("added-component", name)})
        elif not COMPONENTS[component].native:
            yield frozenset({("added-component", name), ("added-from", "elements")})


ADDITIONS = Packed(
    name="additions",
    under=LATER,
    focus=("LINALG-ACCUMULATE",),
    axes={
        "added-component": tuple(COMPONENT),
        "added-use": ("a", "b"),
        "added-from": FACTOR_FROM,
        "total-from": ("load", "array-load", "splat", "cast", "elements", "product", "addition"),
        "product-goes": GOES,
        "product-scope": ("wave", "group"),
        "added-again": ("never", "once"),
        "in-flow": FLOWS,
    },
    build=_program(_addition),
    groups=("addition",),
    per_case=6,
    rows=("matrix",),
    excluded=_addable,
    rules=(
        "product-scope=group with in-flow=branch-waves",
        "added-again=once with total-from=load|array-load|splat|cast|elements|product",
        "in-flow=first-pass|branch-all|branch-waves with added-from=array-load|elements",
        "in-flow=first-pass|branch-all|branch-waves with total-from=array-load|elements",
        "in-flow=first-pass|branch-all|branch-waves with product-goes=array-store|sum",
    ),
)
"""Operands and accumulators that are added."""
