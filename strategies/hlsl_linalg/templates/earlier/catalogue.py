"""The templates of programs that only the text of 2025-09-19 has, each with the clauses that it is about."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from mmaspec.strategies.grammar import Draft, DrawContext, Template
from mmaspec.strategies.hlsl_linalg.revisions import EARLIER
from mmaspec.strategies.hlsl_linalg.templates.earlier import (
    converting_arrays,
    operators,
    outer_products,
    row_products,
    square_sums,
    sums_apart,
    thread_vectors,
)
from mmaspec.strategies.hlsl_linalg.templates.products import HARD_REGIMES

OF_NAN = {"specials": ("LINALG-FP-NAN",), "overflow-edge": ("LINALG-FP-NAN",)}
"""Data in which NaN comes up -> the clause about it."""


def _template(
    name: str,
    focus: tuple[str, ...],
    build: Callable[[DrawContext[Any]], Draft | None],
    rows: tuple[str, ...],
    weight: int = 1,
) -> Template:
    return Template(name, focus, build, rows, weight, EARLIER)


_MATRIX, _VECTOR = ("matrix",), ("vector",)

EARLIER_TEMPLATES = (
    _template("operator", ("LINALG-ELEMWISE",), operators.operate, ("elements",), 3),
    _template("operator-loop", ("LINALG-ELEMWISE",), operators.operate_loop, ("elements",)),
    _template("operator-product", ("LINALG-ELEMWISE", "LINALG-MUL"), operators.operate_product, ("product",)),
    _template("unary", ("LINALG-UNARY",), operators.unary, ("elements",), 2),
    _template("unary-chain", ("LINALG-UNARY", "LINALG-ELEMWISE"), operators.unary_chain, ("elements",)),
    _template("unary-specials", ("LINALG-UNARY-TRIG",), operators.unary_specials, ("functions",), 2),
    _template("unary-curves", ("LINALG-UNARY-TRIG", "LINALG-UNARY-NEAR"), operators.unary_curves, ("functions",), 2),
    _template("square-sum", ("LINALG-SUMACC",), square_sums.square, _MATRIX, 2),
    _template("square-sum-product", ("LINALG-SUMACC", "LINALG-MAC"), square_sums.square_of_product, ("product",)),
    _template("from-vectors", ("LINALG-FROMVEC", "LINALG-FROMVEC-SURPLUS"), thread_vectors.from_vectors, _MATRIX, 2),
    _template("to-vectors", ("LINALG-GETVEC", "LINALG-GETVEC-BEYOND"), thread_vectors.to_vectors, _MATRIX, 2),
    _template("vectors-and-back", ("LINALG-GETVEC-INVERSE",), thread_vectors.there_and_back, _MATRIX, 2),
    _template("vectors-loop", ("LINALG-FROMVEC", "LINALG-GETVEC"), thread_vectors.vectors_loop, _MATRIX),
    _template("factors-of-vectors", ("LINALG-FROMVEC", "LINALG-MUL"), thread_vectors.factors_of_vectors, ("product",)),
    _template(
        "array-load-converts",
        ("LINALG-LOAD-GS-CONV", "LINALG-GS-PLACES"),
        converting_arrays.array_load,
        ("elements",),
        2,
    ),
    _template(
        "array-store-converts",
        ("LINALG-STORE-GS-CONV", "LINALG-GS-PLACES"),
        converting_arrays.array_store,
        ("elements",),
        2,
    ),
    _template(
        "sum-array-apart",
        ("LINALG-ACC-GS-ADD", "LINALG-ACC-GS-CONV"),
        converting_arrays.sum_in_array,
        ("array-sums",),
        3,
    ),
    _template("sum-buffer-apart", ("LINALG-ACC-ADD",), sums_apart.add_apart, ("matrix-sums",), 3),
    _template("row-multiply", ("LINALG-VECMUL",), row_products.row_multiply, _VECTOR, 3),
    _template("row-multiply-add", ("LINALG-VECMULADD",), row_products.row_multiply_add, ("bias",), 3),
    _template("row-loop", ("LINALG-VECMUL",), row_products.row_loop, _VECTOR),
    _template("row-layers", ("LINALG-VECMUL", "LINALG-VECMULADD"), row_products.row_layers, _VECTOR),
    _template("row-of-vectors", ("LINALG-VECMUL", "LINALG-GETVEC"), row_products.row_of_vectors, _VECTOR),
    _template("row-matrices", ("LINALG-SCOPE-THREAD-UNIQUE",), row_products.row_matrices, _VECTOR),
    _template("row-flow", ("LINALG-THREAD-FLOW",), row_products.row_flow, _VECTOR),
    _template("row-optimal", ("LINALG-OPT-LOAD",), row_products.row_optimal, ("optimal",)),
    *(
        _template(
            f"row-{regime}",
            ("LINALG-FP-SUM", *OF_NAN.get(regime, ())),
            row_products.row_rounding(regime),
            ("float-vector",),
        )
        for regime in HARD_REGIMES
    ),
    _template("row-overflow", ("LINALG-INT-OVERFLOW",), row_products.row_rounding("overflow"), ("int-vector",)),
    _template("outer-shared", ("LINALG-OUTER",), outer_products.shared_outer, ("outer",), 4),
    _template("outer-added", ("LINALG-OUTER", "LINALG-SUMACC"), outer_products.outer_added, ("outer",)),
    _template("outer-thread", ("LINALG-OUTER", "LINALG-OUTER-SUM"), outer_products.thread_outer, ("outer",), 2),
)
"""Every template that needs what later texts removed or changed."""
