"""Matrices of every kind moved from buffer to buffer, on data of which no bit may change: NaNs, ends, patterns."""

from __future__ import annotations

from typing import Any

from mmaspec.oracle.spec import Row
from mmaspec.programs.hlsl_wave_matrix.caps import WaveMmaCaps
from mmaspec.strategies.grammar import Array, Chosen, Draft, DrawContext
from mmaspec.strategies.hlsl_wave_matrix.arrays.packed import one_of_each
from mmaspec.strategies.hlsl_wave_matrix.arrays.values import ITEMS, MOVED
from mmaspec.strategies.hlsl_wave_matrix.arrays.workshop import Workshop
from mmaspec.strategies.hlsl_wave_matrix.builder.program import ProgramBuilder


def _built(context: DrawContext[WaveMmaCaps], chosen: Chosen) -> Draft:
    shop = Workshop(ProgramBuilder(context))
    for number, kind in enumerate(MOVED):
        matrix = shop.matrix(kind)
        shop.give(matrix, "buffer-row")
        shop.use(matrix, "buffer-col" if number % 2 else "buffer-row")
    return shop.builder.draft(shop.body, chosen["data"], batch=ITEMS[chosen["data"]])


def _fits(row: Row[Any], caps: WaveMmaCaps, axis: str, name: str) -> bool:
    del name
    return axis != "data" or row in one_of_each(caps, 0)


MOVED_BITS = Array(
    name="moved-bits",
    focus=("WM-LOAD-ALL", "WM-STORE-ALL", "WM-ROUNDTRIP", "WM-ADDR-FRAG"),
    axes={"data": tuple(ITEMS)},
    build=_built,
    fits=_fits,
)
"""What is only moved."""
