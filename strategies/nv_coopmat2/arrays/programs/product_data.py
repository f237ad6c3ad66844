"""Products over data of a kind of their own: identities, zeros, special values, sums at the ends of their range."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from mmaspec.oracle.nv_coopmat2.rows import rows
from mmaspec.oracle.spec import Row
from mmaspec.programs.base import Literal
from mmaspec.programs.formats import format_named
from mmaspec.programs.nv_coopmat2.caps import CoopMatCaps
from mmaspec.programs.nv_coopmat2.program import COLUMN_MAJOR, ROW_MAJOR, USE_A, USE_ACCUMULATOR, USE_B, Splat
from mmaspec.strategies.grammar import Array, Chosen, Draft, DrawContext
from mmaspec.strategies.nv_coopmat2.arrays.origins import number
from mmaspec.strategies.nv_coopmat2.builder.program import ProgramBuilder
from mmaspec.strategies.nv_coopmat2.templates.plain import load, store
from mmaspec.strategies.regimes import patterns, rounding
from mmaspec.strategies.regimes.extremes import integer_ends, nan_kinds

FLOAT_ITEMS = {
    "patterned": 25, "marked": 26, "padded": 10, "twins": 6, "zero-addends": 4, "brinks": 16,
    "nan-kinds": nan_kinds.ITEMS, "rounding": rounding.ITEMS, "patterns": patterns.ITEMS,
}  # fmt: skip
INTEGER_ITEMS = {
    "patterned": 25, "marked": 26, "padded": 10, "twins": 6, "zero-addends": 4, "brinks": 16,
    "integer-ends": 2 * integer_ends.ENDS, "patterns": patterns.ITEMS,
}  # fmt: skip
"""Regime -> items in which all of it comes up."""

LOADED = {"all": "abc", "a": "a", "b": "b", "c": "c", "infinite-a": "c", "infinite-b": "c"}
"""Operands that are loaded; the others are constants, of which A or B may be an infinity."""


@lru_cache(maxsize=16)
def smallest_rows(caps: CoopMatCaps) -> Mapping[tuple[str, str, bool], str]:
    """(component types of A and C, saturating) -> the row with the fewest products that has them."""
    found: dict[tuple[str, str, bool], tuple[int, str]] = {}
    for row in rows(caps):
        one = row.entry
        key = (one.a, one.c, one.saturating)
        found[key] = min(found.get(key, (1 << 40, "")), (one.m * one.n * one.k, row.name))
    return {key: name for key, (_, name) in found.items()}


def _fits(row: Row[Any], caps: CoopMatCaps, axis: str, name: str) -> bool:
    one = row.entry
    if smallest_rows(caps)[one.a, one.c, one.saturating] != row.name:
        return False
    if axis == "loaded" and name != "all":
        return "float" in row.tags
    return axis != "data" or name in (FLOAT_ITEMS if "float" in row.tags else INTEGER_ITEMS)


def _multiplied(context: DrawContext[CoopMatCaps], chosen: Chosen) -> Draft | None:
    builder = ProgramBuilder(context, most_waves=1)
    a, b, c = builder.matrix(USE_A), builder.matrix(USE_B), builder.matrix(USE_ACCUMULATOR)
    for name, matrix, layout in (("a", a, ROW_MAJOR), ("b", b, COLUMN_MAJOR), ("c", c, ROW_MAJOR)):
        if name in LOADED[chosen["loaded"]]:
            builder.add(load(builder, matrix, layout=layout))
        else:
            infinite = chosen["loaded"] == f"infinite-{name}"
            bits = format_named(matrix.component).infinity_magnitude if infinite else number(matrix)
            builder.add(Splat(matrix.name, Literal(bits)))
    without = chosen["addend"] == "without"
    result = builder.matrix(USE_ACCUMULATOR) if without else c
    builder.add(builder.mul_add(result, a, b, None if without else c), store(builder, result))
    if without:
        builder.add(store(builder, c))
    items = FLOAT_ITEMS if "float" in builder.row.tags else INTEGER_ITEMS
    return builder.draft(chosen["data"], batch=2 if builder.slow else items[chosen["data"]])


PRODUCT_DATA = Array(
    name="product-data",
    focus=("KHRCM-MULADD", "KHRCM-FP-ORDER", "KHRCM-INT-EXT"),
    axes={
        "data": tuple(dict.fromkeys((*FLOAT_ITEMS, *INTEGER_ITEMS))),
        "addend": ("loaded", "without"),
        "loaded": tuple(LOADED),
    },
    rules=(
        "loaded=c|infinite-a|infinite-b with addend=without",
        "loaded=a|b|c with data=patterned|marked|padded|twins|zero-addends|brinks|rounding|patterns|integer-ends",
        "loaded=infinite-a|infinite-b with"
        " data=patterned|marked|padded|twins|brinks|rounding|patterns|integer-ends|nan-kinds",  # zero addends are left
    ),
    build=_multiplied,
    fits=_fits,
    costly=("data=patterns|padded|twins", "addend=without"),
)
"""One product of data of every kind."""
