"""Plain loads whose lines overlap: what one load brings in, another one finds again in other places."""

from __future__ import annotations

from typing import Any

from mmaspec.oracle.spec import Row
from mmaspec.programs.formats import format_named
from mmaspec.programs.nv_coopmat2.caps import CoopMatCaps
from mmaspec.programs.nv_coopmat2.program import COLUMN_MAJOR, ROW_MAJOR, USE_A, USE_ACCUMULATOR, USE_B, Load
from mmaspec.strategies.grammar import Array, Chosen, Draft, DrawContext
from mmaspec.strategies.nv_coopmat2.arrays.programs.plain_numbers import lines_of
from mmaspec.strategies.nv_coopmat2.builder.program import LINE, ProgramBuilder
from mmaspec.strategies.nv_coopmat2.templates.operations import like
from mmaspec.strategies.nv_coopmat2.templates.plain import store

USES = (USE_A, USE_B, USE_ACCUMULATOR)
MAJORS = {"row": ROW_MAJOR, "column": COLUMN_MAJOR}


def _fits(row: Row[Any], _: CoopMatCaps, axis: str, name: str) -> bool:
    """Some line longer than the 16 bytes to which it is aligned, else none can overlap."""
    entry, side = row.entry, int(name == "row")
    sizes = ((entry.a, (entry.m, entry.k)), (entry.b, (entry.k, entry.n)), (entry.c, (entry.m, entry.n)))
    return axis != "plain-major" or any(format_named(kind).nbytes * size[side] > LINE for kind, size in sizes)


def _built(context: DrawContext[CoopMatCaps], chosen: Chosen) -> Draft | None:
    builder = ProgramBuilder(context, most_waves=1)
    layout = MAJORS[chosen["plain-major"]]
    for use in USES:
        matrix = builder.matrix(use)
        width = format_named(matrix.component).nbytes
        count, nbytes = lines_of(matrix, layout)
        if nbytes <= LINE:
            continue
        buffer = builder.name("lines")
        start = builder.region(buffer, nbytes * count) // width
        whole = Load(matrix.name, buffer, start, nbytes // width, layout, "", builder.name("L"))
        over = like(builder, matrix)
        again = Load(over.name, buffer, builder.argument(start), builder.argument(LINE // width), layout)
        builder.add(whole, again, store(builder, over), store(builder, matrix))
    return builder.draft("distinct", batch=2) if builder.body and not builder.odd_lines() else None


PLAIN_OVERLAPS = Array(
    name="plain-overlaps",
    focus=("KHRCM-STRIDE-UNITS", "KHRCM-LOAD-ROW", "KHRCM-LOAD-COL"),
    axes={"plain-major": tuple(MAJORS)},
    build=_built,
    rows=("addresses",),
    fits=_fits,
)
"""Loads with a stride of 16 bytes from lines of more."""
