"""The list of templates, each with the clauses that it is about."""

from __future__ import annotations

from mmaspec.strategies.grammar import Template
from mmaspec.strategies.hlsl_linalg.revisions import LATER
from mmaspec.strategies.hlsl_linalg.templates import (
    bounds,
    conversions,
    elements,
    layouts,
    moves,
    products,
    sums,
    thread_flow,
    vectors,
)
from mmaspec.strategies.hlsl_linalg.templates.earlier.catalogue import EARLIER_TEMPLATES

OF_NAN = {"specials": ("LINALG-FP-NAN",), "overflow-edge": ("LINALG-FP-NAN",)}
"""Data in which NaN comes up -> the clause about it."""

_MATRIX, _VECTOR = ("matrix",), ("vector",)
_ADDRESSES = ("LINALG-LOAD-ADDR", "LINALG-ROUNDTRIP", "LINALG-LOAD-NOCONV", "LINALG-STORE-NOCONV")
_CONVERSIONS = ("LINALG-CONV-INT", "LINALG-CONV-FLOAT", "LINALG-CONV-INT-FLOAT", "LINALG-CONV-FLOAT-INT")

TEMPLATES = (
    Template("move", (*_ADDRESSES, "LINALG-STORE-ONLY-ELEMS", "LINALG-SCOPE-OWN"), moves.move, rows=_MATRIX),
    Template("move-in-place", ("LINALG-ROUNDTRIP",), moves.move_in_place, rows=_MATRIX),
    Template("move-loop", ("LINALG-LOAD-ADDR",), moves.move_loop, rows=_MATRIX),
    Template("overlap", ("LINALG-LOAD-ADDR",), moves.overlap, rows=_MATRIX),
    Template("run-time", ("LINALG-LOAD-ADDR",), moves.run_time, rows=_MATRIX),
    Template("array-move", ("LINALG-GS-UNITS", "LINALG-GS-NOCONV"), moves.array_move, rows=_MATRIX),
    Template("array-loop", ("LINALG-GS-UNITS", "LINALG-GS-NOCONV"), moves.array_loop, rows=_MATRIX),
    Template("array-bits", ("LINALG-GS-NOCONV",), moves.array_as_other_type, rows=_MATRIX, under=LATER),
    Template("accumulator-layout", ("LINALG-ACCLAYOUT",), moves.accumulator_layout, rows=_MATRIX),
    Template("load-outside", ("LINALG-OOB-LOAD",), bounds.load_outside, rows=_MATRIX, weight=2),
    Template("store-outside", ("LINALG-OOB-STORE",), bounds.store_outside, rows=_MATRIX, weight=2),
    Template("cast", ("LINALG-CAST", "LINALG-CAST-COPY", *_CONVERSIONS), conversions.cast, rows=_MATRIX, weight=3),
    Template(
        "cast-transpose", ("LINALG-CAST-TRANSPOSE",), conversions.cast_transpose, rows=_MATRIX, weight=2, under=LATER
    ),
    Template("cast-back", ("LINALG-CAST",), conversions.cast_back, rows=_MATRIX),
    Template("cast-copy", ("LINALG-CAST-COPY",), conversions.changed_after_cast, rows=("elements",), under=LATER),
    Template("splat", ("LINALG-SPLAT", "LINALG-FILL-CONV", *_CONVERSIONS), conversions.splat, rows=_MATRIX, weight=2),
    Template("splat-first", ("LINALG-SPLAT-FIRST",), conversions.splat_first, rows=_MATRIX, weight=2),
    Template("get", ("LINALG-GET", "LINALG-COORD"), elements.get, rows=("elements",), under=LATER),
    Template("set", ("LINALG-SET", "LINALG-COORD"), elements.put, rows=("elements",), under=LATER),
    Template(
        "beyond",
        ("LINALG-COORD-BEYOND", "LINALG-GET-BEYOND", "LINALG-SET-BEYOND"),
        elements.beyond,
        rows=("elements",),
        under=LATER,
    ),
    Template("length", ("LINALG-LENGTH",), elements.length, rows=("elements",), under=LATER),
    Template("elements-loop", ("LINALG-GET", "LINALG-SET"), elements.elements_loop, rows=("elements",), under=LATER),
    Template("add", ("LINALG-ACCUMULATE",), sums.add, rows=_MATRIX, weight=2, under=LATER),
    Template("multiply", ("LINALG-MUL", "LINALG-INT-EXACT", "LINALG-FP-SUM"), products.multiply, rows=("product",)),
    Template(
        "accumulate", ("LINALG-MAC", "LINALG-MIXED-SIGNS", "LINALG-TILING"), products.accumulate, rows=("product",)
    ),
    Template("depth-loop", ("LINALG-MAC", "LINALG-LOAD-ADDR"), products.depth_loop, rows=("product",)),
    Template("chain", ("LINALG-MUL", "LINALG-MAC"), products.chain, rows=("product",)),
    Template("from-casts", ("LINALG-CAST", "LINALG-FP8-FORMATS"), products.from_casts, rows=("product",), weight=2),
    Template("layers", ("LINALG-CAST", "LINALG-MUL"), products.layers, rows=("product",)),
    Template("waves", ("LINALG-SCOPE-OWN", "LINALG-IMPLICIT-SYNC"), products.waves, rows=("product",)),
    Template("array-product", ("LINALG-GS-UNITS",), products.through_arrays, rows=("product",)),
    *(
        Template(
            f"rounding-{regime}",
            ("LINALG-FP-SUM", *OF_NAN.get(regime, ())),
            products.rounding(regime),
            rows=("float-product",),
        )
        for regime in products.HARD_REGIMES
    ),
    Template("overflow", ("LINALG-INT-EXACT", "LINALG-INT-OVERFLOW"), products.overflow, rows=("int-product",)),
    Template(
        "sum-buffer",
        ("LINALG-ACC-ADD", "LINALG-ATOMIC"),
        sums.add_in_buffer,
        rows=("matrix-sums",),
        weight=3,
        under=LATER,
    ),
    Template("sum-stored", ("LINALG-ACC-ADD",), sums.add_stored, rows=("matrix-sums",)),
    Template("sum-outside", ("LINALG-OOB-ACC",), bounds.sum_outside, rows=("matrix-sums",), weight=2),
    Template(
        "sum-array",
        ("LINALG-ACC-GS-ADD", "LINALG-ACC-GS-CONV"),
        sums.add_in_array,
        rows=("array-sums",),
        weight=3,
        under=LATER,
    ),
    Template(
        "sum-vectors",
        ("LINALG-VEC-ACC", "LINALG-ATOMIC"),
        sums.add_vectors,
        rows=("buffer-sums",),
        weight=3,
        under=LATER,
    ),
    Template(
        "sum-vectors-outside",
        ("LINALG-OOB-ACC",),
        bounds.vector_sum_outside,
        rows=("buffer-sums",),
        weight=2,
        under=LATER,
    ),
    Template("vector-move", ("LINALG-PACK-COUNT", "LINALG-VEC-OWN"), vectors.vector_move, rows=_VECTOR),
    Template("convert", ("LINALG-CONVERT", *_CONVERSIONS), vectors.convert, rows=_VECTOR, weight=4, under=LATER),
    Template(
        "vector-multiply",
        ("LINALG-VECMUL", "LINALG-VEC-INPUT-CONV"),
        vectors.vector_multiply,
        rows=_VECTOR,
        weight=2,
        under=LATER,
    ),
    Template(
        "vector-multiply-add",
        ("LINALG-VECMULADD", "LINALG-BIAS-CONV"),
        vectors.vector_multiply_add,
        rows=("bias",),
        weight=2,
        under=LATER,
    ),
    Template("bias-memory", ("LINALG-BIAS-MEMORY",), vectors.memory_biases, rows=("bias",), under=LATER),
    Template("vector-layers", ("LINALG-VECMUL", "LINALG-VECMULADD"), vectors.vector_layers, rows=_VECTOR, under=LATER),
    Template("vector-loop", ("LINALG-VECMUL",), vectors.vector_loop, rows=_VECTOR, under=LATER),
    Template("thread-matrices", ("LINALG-SCOPE-THREAD-UNIQUE",), vectors.thread_matrices, rows=_VECTOR, under=LATER),
    Template("thread-flow", ("LINALG-THREAD-FLOW",), thread_flow.thread_flow, rows=_VECTOR, under=LATER),
    Template("vector-optimal", ("LINALG-OPT-LOAD",), vectors.vector_optimal, rows=("optimal",), under=LATER),
    Template(
        "vector-transpose", ("LINALG-OPT-TRANSPOSE",), vectors.vector_transposed, rows=("transpose",), under=LATER
    ),
    *(
        Template(
            f"vector-{regime}",
            ("LINALG-FP-SUM", *OF_NAN.get(regime, ())),
            vectors.vector_rounding(regime),
            rows=("float-vector",),
            under=LATER,
        )
        for regime in products.HARD_REGIMES
    ),
    Template(
        "vector-overflow",
        ("LINALG-INT-OVERFLOW",),
        vectors.vector_rounding("overflow"),
        rows=("int-vector",),
        under=LATER,
    ),
    Template("round-trip", ("LINALG-LAYOUT-CONVERT",), layouts.round_trip, rows=("optimal",)),
    Template("linear-layouts", ("LINALG-LAYOUT-CONVERT",), layouts.between_linear, rows=_VECTOR),
    Template(
        "outer",
        ("LINALG-OUTER", "LINALG-OUTER-SUM", "LINALG-ATOMIC"),
        layouts.outer,
        rows=("outer",),
        weight=4,
        under=LATER,
    ),
    *EARLIER_TEMPLATES,
)
"""Every template of the grammar."""
