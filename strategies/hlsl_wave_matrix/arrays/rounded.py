"""Products of floats whose sums are tied, or nearly, cancel down to C, or leave the range of halves."""

from __future__ import annotations

from typing import Any

from mmaspec.oracle.spec import Row
from mmaspec.programs.hlsl_wave_matrix.caps import WaveMmaCaps
from mmaspec.programs.hlsl_wave_matrix.program import MultiplyAccumulate
from mmaspec.strategies.grammar import Array, Chosen, Draft, DrawContext
from mmaspec.strategies.hlsl_wave_matrix.arrays.packed import one_of_each
from mmaspec.strategies.hlsl_wave_matrix.arrays.workshop import Workshop
from mmaspec.strategies.hlsl_wave_matrix.builder.program import ProgramBuilder
from mmaspec.strategies.regimes import rounding


def _built(context: DrawContext[WaveMmaCaps], chosen: Chosen) -> Draft:
    shop = Workshop(ProgramBuilder(context))
    left, right, total = shop.matrix("left"), shop.matrix("right"), shop.matrix("accumulator")
    shop.give(left, "buffer-row")
    shop.give(right, "buffer-row")
    shop.give(total, "buffer-row")
    shop.body.append(MultiplyAccumulate(total.name, left.name, right.name))
    shop.use(total, "buffer-row")
    return shop.builder.draft(shop.body, chosen["data"], batch=rounding.ITEMS)


def _fits(row: Row[Any], caps: WaveMmaCaps, axis: str, name: str) -> bool:
    del name
    return axis != "data" or row in one_of_each(caps, 0)


ROUNDED = Array(
    name="rounded-sums",
    focus=("WM-FP-SUM", "WM-MAC"),
    axes={"data": ("rounding",)},
    build=_built,
    rows=("float",),
    fits=_fits,
)
"""Sums of products about which roundings differ."""
