"""The list of templates, each with the clauses that it is about."""

from __future__ import annotations

from mmaspec.strategies.grammar import Template
from mmaspec.strategies.hlsl_wave_matrix.templates.lanes import first_lane
from mmaspec.strategies.hlsl_wave_matrix.templates.products import (
    HARD_REGIMES,
    accumulate,
    depth_loop,
    fill,
    move,
    move_subnormals,
    multiply,
    overflow,
    rounding,
    run_time,
    waves,
)
from mmaspec.strategies.hlsl_wave_matrix.templates.samples import groupshared, plain, quantized
from mmaspec.strategies.hlsl_wave_matrix.templates.shared_arrays import shared_move, shared_product
from mmaspec.strategies.hlsl_wave_matrix.templates.sums import (
    add,
    cast,
    edges,
    overflow_elsewhere,
    scalars,
    specials_elsewhere,
    sums,
)

OF_NAN = {"specials": ("WM-FP-NAN",), "overflow-edge": ("WM-FP-NAN",)}
"""Data in which NaN comes up -> the clause about it."""

TEMPLATES = (
    Template(
        "move",
        ("WM-ADDR-ROW", "WM-ADDR-COL", "WM-PACK-DIR", "WM-SHAPE", "WM-STORE-TRANSPOSE", "WM-ROUNDTRIP", "WM-STORE-ALL"),
        move,
    ),
    Template("move-subnormals", ("WM-ROUNDTRIP", "WM-STORE-ALL", "WM-FILL"), move_subnormals, rows=("float",)),
    Template("fill", ("WM-FILL",), fill),
    Template("multiply", ("WM-MUL", "WM-LOAD-ALL", "WM-FP-SUM", "WM-INT-EXACT"), multiply),
    Template("accumulate", ("WM-MAC", "WM-MUL-MIXSIGN", "WM-TILING"), accumulate),
    Template("depth-loop", ("WM-MAC", "WM-ADDR-ROW", "WM-ADDR-COL", "WM-DEPTH-ELEMS"), depth_loop),
    Template("waves", ("WM-ONE-PER-WAVE", "WM-K-UNIQUE"), waves),
    Template("run-time", ("WM-ADDR-ROW", "WM-ADDR-COL"), run_time),
    Template("sums", ("WM-SUMACC-LEFT", "WM-SUMACC-RIGHT", "WM-ADDR-FRAG", "WM-STORE-ALL"), sums),
    Template("add", ("WM-ADD-COL", "WM-ADD-ROW", "WM-ADD-FULL"), add),
    Template("cast", ("WM-ADD-CAST",), cast),
    Template("scalars", ("WM-SCALAR-OPS", "WM-DIVIDE-INT", "WM-FIRST-LANE"), scalars),
    Template("edges", ("WM-SCALAR-OPS", "WM-SUMACC-LEFT", "WM-SUMACC-RIGHT", "WM-ADD-FULL"), edges),
    Template("first-lane", ("WM-FIRST-LANE",), first_lane),
    Template("shared-move", ("WM-ADDR-GS", "WM-PACK-DIR"), shared_move),
    Template("shared-product", ("WM-ADDR-GS", "WM-ONE-PER-WAVE"), shared_product),
    Template("sample-plain", ("WM-MAC", "WM-FP-SUM"), plain, rows=("f16",)),
    Template("sample-quantized", ("WM-MAC", "WM-SUMACC-LEFT", "WM-SUMACC-RIGHT"), quantized, rows=("byte",)),
    Template("sample-groupshared", ("WM-ADDR-GS", "WM-ONE-PER-WAVE"), groupshared, rows=("f16",)),
    *(
        Template(f"rounding-{regime}", ("WM-FP-SUM", *OF_NAN.get(regime, ())), rounding(regime), rows=("float",))
        for regime in HARD_REGIMES
    ),
    Template("specials-elsewhere", ("WM-FP-NAN",), specials_elsewhere, rows=("float",)),
    Template("overflow", ("WM-INT-EXACT", "WM-INT-OVERFLOW"), overflow, rows=("int",)),
    Template("overflow-elsewhere", ("WM-INT-OVERFLOW", "WM-SCALAR-OPS"), overflow_elsewhere, rows=("int",)),
)
"""Every template of the grammar."""
