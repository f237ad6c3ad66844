"""Reductions whose result is the matrix that is reduced: each value is combined from what the matrix held before."""

from __future__ import annotations

from typing import Any, Literal

from mmaspec.oracle.spec import Row
from mmaspec.programs.formats import format_named
from mmaspec.programs.nv_coopmat2.caps import CoopMatCaps
from mmaspec.programs.nv_coopmat2.program import COLUMN_MAJOR, ROW_MAJOR, USE_ACCUMULATOR, Combine, Reduce
from mmaspec.strategies.grammar import Array, Chosen, Draft, DrawContext
from mmaspec.strategies.nv_coopmat2.arrays.reductions import COMBINES, MASKS, first_rows, same_sizes
from mmaspec.strategies.nv_coopmat2.builder.program import ProgramBuilder
from mmaspec.strategies.nv_coopmat2.templates.plain import load, store
from mmaspec.strategies.regimes.combined_patterns import FLOAT_PATTERNS, INTEGER_PATTERNS

IN_PLACE = ("row", "column", "all")
"""The masks that leave rows and columns as they are."""
OTHER: Literal["add-one"] = "add-one"
"""The function for a second matrix: unlike the least or largest value, a sum changes if anything is combined again."""


def _reduced(context: DrawContext[CoopMatCaps], chosen: Chosen) -> Draft:
    """Two matrices, of other sizes if the device has them, that are loaded, reduced into themselves and stored."""
    builder = ProgramBuilder(context, most_waves=1)
    mask = MASKS[chosen["reduce-mask"]]
    sizes = same_sizes(builder.caps, builder.entry, mask)
    first = builder.choices.integer(0, len(sizes) - 1)
    for number, function in enumerate((COMBINES[chosen["combine"]], OTHER)):
        source = builder.typed(builder.entry.c, *sizes[(first + number) % len(sizes)], USE_ACCUMULATOR)
        layout = builder.choices.one_of((ROW_MAJOR, COLUMN_MAJOR))
        builder.add(load(builder, source, builder.name("L"), layout=layout))
        builder.add(Reduce(source.name, source.name, mask, Combine(function)), store(builder, source))
    patterns = FLOAT_PATTERNS if format_named(builder.entry.c).is_float else INTEGER_PATTERNS
    return builder.draft("combined", batch=len(patterns))


def _fits(row: Row[Any], caps: CoopMatCaps, axis: str, name: str) -> bool:
    if not caps.features.reductions or first_rows(caps).get((row.entry.c, row.entry.scope)) != row.name:
        return False
    return axis != "reduce-mask" or bool(same_sizes(caps, row.entry, MASKS[name]))


REDUCTIONS_IN_PLACE = Array(
    name="reductions-in-place",
    focus=("NVCM2-REDUCE-ROW", "NVCM2-REDUCE-COL", "NVCM2-REDUCE-ALL"),
    axes={"reduce-mask": IN_PLACE, "combine": tuple(COMBINES)},
    build=_reduced,
    rows=("reduces",),
    fits=_fits,
)
"""One variable, source and result."""
