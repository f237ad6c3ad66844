"""Every operation on matrices of which one element is not zero, at the edges of tiles of the largest matrices."""

from __future__ import annotations

from typing import Any

from mmaspec.oracle.spec import Row
from mmaspec.programs.base import Literal
from mmaspec.programs.formats import FORMATS
from mmaspec.programs.hlsl_wave_matrix.caps import WaveMmaCaps
from mmaspec.programs.hlsl_wave_matrix.program import Add, Multiply, MultiplyAccumulate, ScalarMultiply, SumAccumulate
from mmaspec.strategies.grammar import Array, Chosen, Draft, DrawContext
from mmaspec.strategies.hlsl_wave_matrix.arrays.packed import one_of_each
from mmaspec.strategies.hlsl_wave_matrix.arrays.workshop import SUMMED, Workshop
from mmaspec.strategies.hlsl_wave_matrix.builder.constants import encoded
from mmaspec.strategies.hlsl_wave_matrix.builder.program import ProgramBuilder

ITEMS = 8
"""As many as there are places."""
LAST = 99
"""Of the rows of a type the largest."""


def _built(context: DrawContext[WaveMmaCaps], _: Chosen) -> Draft:
    shop = Workshop(ProgramBuilder(context))
    factors, three = shop.factors(), Literal(encoded(FORMATS[shop.builder.shape.accumulator], 3))
    for method in (Multiply, MultiplyAccumulate):
        total = shop.matrix("accumulator")
        shop.give(total, "buffer-col")
        shop.body.append(method(total.name, *factors))
        shop.use(total, "buffer-row")
    total, addend = shop.matrix("accumulator"), shop.matrix("accumulator")
    for matrix in (total, addend):
        shop.give(matrix, "buffer-row")
    shop.body += [Add(total.name, addend.name), ScalarMultiply(addend.name, three)]
    for matrix in (total, addend):
        shop.use(matrix, "buffer-col")
    for kind, (_side, factor) in SUMMED.items():
        fragment = shop.matrix(kind)  # type: ignore[arg-type]
        shop.give(fragment, "buffer-row")
        shop.body += [SumAccumulate(fragment.name, factor), ScalarMultiply(fragment.name, three)]
        shop.use(fragment, "buffer-row")
    return shop.builder.draft(shop.body, "lone", batch=ITEMS)


def _fits(row: Row[Any], caps: WaveMmaCaps, axis: str, name: str) -> bool:
    del name
    return axis != "data" or row in one_of_each(caps, LAST)


LONE = Array(
    name="lone-elements",
    focus=("WM-TILING", "WM-MUL", "WM-MAC", "WM-SUMACC-LEFT", "WM-SUMACC-RIGHT", "WM-ADD-FULL", "WM-SCALAR-OPS"),
    axes={"data": ("lone",)},
    build=_built,
    fits=_fits,
)
"""Single elements."""
