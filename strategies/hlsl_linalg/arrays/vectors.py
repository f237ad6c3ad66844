"""Products with vectors and outer products: matrices, vectors and biases of threads, and what follows."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from mmaspec.oracle.spec import Row
from mmaspec.programs.hlsl_linalg.caps import LinalgCaps, VectorProduct
from mmaspec.programs.hlsl_linalg.components import COMPONENTS
from mmaspec.programs.hlsl_linalg.program import Convert, MultiplyVector, Use
from mmaspec.strategies.covering import Tuple
from mmaspec.strategies.grammar import Chosen, Draft, DrawContext
from mmaspec.strategies.hlsl_linalg.arrays.packed import Packed
from mmaspec.strategies.hlsl_linalg.arrays.workshop import CannotBeMade, Workshop
from mmaspec.strategies.hlsl_linalg.builder.accesses import Style, load
from mmaspec.strategies.hlsl_linalg.builder.vectors import memory_bias, vector_load, vector_store
from mmaspec.strategies.hlsl_linalg.revisions import LATER
from mmaspec.strategies.hlsl_linalg.templates.parts import small_regime

ROWS = {"one": 1, "two": 2, "three": 3, "four": 4, "eight": 8}
COLUMNS = {"four": 4, "eight": 8, "to-15": 12, "sixteen": 16}
LAYOUTS: dict[str, Any] = {"row-major": "RowMajor", "col-major": "ColMajor"}
FLOWS = ("straight", "first-pass", "branch-all", "branch-waves", "branch-lanes")
A: Use = "A"


def _multiplied(shop: Workshop, thing: Chosen) -> None:
    b, answer = shop.b, shop.context.row.entry.answer
    m, k = ROWS[thing["vector-rows"]], COLUMNS[thing["vector-k"]]
    matrix = b.matrix(shop.name("M"), answer.matrix, (m, k), A, "Thread")
    source = b.vector(shop.name("x"), answer.vector, k)
    result = b.vector(shop.name("y"), answer.result, m)
    room = b.room(shop.name("matrix"), read_only=True)
    style = Style(layout=LAYOUTS[thing["matrix-from"]], own=thing["matrix-differs"] == "by-thread", run_time=10)
    with shop.around(thing["in-flow"]):
        shop.add(load(b, matrix, room, style))
        shop.add(vector_load(b, source, "in", own=thing["source-differs"] == "by-thread"))
        bias: Any = None
        if thing["bias"] == "vector":
            held = b.vector(shop.name("z"), answer.biases[0], m)
            shop.add(vector_load(b, held, "in"))
            bias = held.name
        elif thing["bias"] == "memory":
            name = shop.name("bias")
            bias = memory_bias(b, answer.biases[-1], m, b.room(name, read_only=True), name)
        shop.add(MultiplyVector(result.name, matrix.name, source.name, bias))
        match thing["vector-goes"]:
            case "store":
                shop.add(vector_store(b, result, "out"))
            case "convert":
                other = b.vector(shop.name("w"), "F32" if answer.result != "F32" else "F16", m)
                shop.add(Convert(other.name, result.name), vector_store(b, other, "out"))
            case _:
                again = b.vector(shop.name("w"), answer.result, m)
                shop.add(MultiplyVector(again.name, matrix.name, source.name, result.name))
                shop.add(vector_store(b, again, "out"))


def _products(context: DrawContext[Any], things: tuple[Chosen, ...]) -> Draft | None:
    shop = Workshop(context, 2, context.caps.wave_sizes[0] + 2)
    try:
        for thing in things:
            _multiplied(shop, thing)
    except CannotBeMade:
        return None
    return shop.draft(small_regime(context.row.entry.answer.result), 2)


def _possible(row: Row[Any], _: LinalgCaps) -> Iterator[Tuple]:
    answer: VectorProduct = row.entry.answer
    if not answer.biases:
        yield from (frozenset({("bias", name)}) for name in ("vector", "memory"))
    elif not COMPONENTS[answer.biases[0]].native:
        yield frozenset({("bias", "vector")})
    if answer.result not in answer.biases:
        yield frozenset({("vector-goes", "bias")})


VECTOR_PRODUCTS = Packed(
    name="vector-products",
    under=LATER,
    focus=("LINALG-VECMUL", "LINALG-VECMULADD", "LINALG-SCOPE-THREAD-UNIQUE", "LINALG-VEC-OWN"),
    axes={
        "vector-rows": tuple(ROWS),
        "vector-k": tuple(COLUMNS),
        "matrix-from": tuple(LAYOUTS),
        "matrix-differs": ("same", "by-thread"),
        "source-differs": ("same", "by-thread"),
        "bias": ("none", "vector", "memory"),
        "vector-goes": ("store", "convert", "bias"),
        "in-flow": FLOWS,
    },
    build=_products,
    groups=("vector-product",),
    per_case=5,
    rows=("vector",),
    fits_row=lambda row: not row.entry.answer.emulated_inputs,
    excluded=_possible,
)
"""Matrices, vectors and biases of products with vectors."""
