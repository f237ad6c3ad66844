"""Conversions of every pair of component types, and conversions that follow each other."""

from __future__ import annotations

from itertools import product
from typing import Any

from mmaspec.oracle.nv_coopmat2.caps_support import listed, sizes
from mmaspec.oracle.nv_coopmat2.program_support import beside
from mmaspec.oracle.spec import Row
from mmaspec.programs.formats import format_named
from mmaspec.programs.nv_coopmat2.caps import CoopMatCaps
from mmaspec.programs.nv_coopmat2.program import USE_A, USE_ACCUMULATOR, USE_B, Component, Convert, Matrix
from mmaspec.strategies.grammar import Array, Chosen, Draft, DrawContext
from mmaspec.strategies.nv_coopmat2.arrays import destinations, origins
from mmaspec.strategies.nv_coopmat2.arrays.conversion_types import CONVERSIONS, KINDS, matrices, owners
from mmaspec.strategies.nv_coopmat2.builder.program import ProgramBuilder
from mmaspec.strategies.nv_coopmat2.templates.plain import store

ELEMENTS = 2048
"""About so many elements of one matrix a case has: all limits come up in them."""


def batch(matrix: Matrix, least: int = 8) -> int:
    """Items of a case whose data come from a table: every item of the regime, and every value."""
    return max(least, min(16, ELEMENTS // (matrix.rows * matrix.cols)))


def declared(builder: ProgramBuilder, matrix: Matrix) -> Matrix:
    """A new matrix of the same type."""
    return builder.typed(matrix.component, matrix.rows, matrix.cols, matrix.use)


def _converted(context: DrawContext[CoopMatCaps], chosen: Chosen) -> Draft | None:
    builder = ProgramBuilder(context, most_waves=1)
    found = matrices(builder.entry, builder.caps, CONVERSIONS[chosen["conversion"]])
    if found is None:
        return None
    source = declared(builder, found[0])
    # A copy onto itself is a conversion too.
    result = source if found[0] == found[1] else declared(builder, found[1])
    builder.add(*origins.drawn(builder, source, share=20))
    kept = builder.choices.one_of(("dead", "dead", "stored", "before", "again"))
    if kept == "before":
        builder.add(store(builder, source))
    builder.add(Convert(result.name, source.name))
    if kept == "again":
        other = declared(builder, result)
        builder.add(Convert(other.name, source.name), store(builder, other))
    builder.add(*destinations.drawn(builder, result))
    if kept == "stored":
        builder.add(store(builder, source))
    return builder.draft("limits", batch=batch(source))


def _shows(row: Row[Any], caps: CoopMatCaps, _: str, name: str) -> bool:
    return owners(caps).get(name) == row.name


CONVERSION_TYPES = Array(
    name="conversion-types",
    focus=("KHRCM-CONVERT", "NVCM2-CONVERT-USE"),
    axes={"conversion": tuple(CONVERSIONS)},
    build=_converted,
    fits=_shows,
)
"""One conversion of every pair of types; origin, destination and further uses of its source are drawn."""

CHAINS = ("there-and-back", "down-and-up", "type-then-use", "use-then-type", "double-rounding", "two-results")

Typed = tuple[int, Component]

Types = tuple[Typed, Typed, Typed]
"""Use and component type of every matrix of a chain."""

Size = tuple[int, int]


def _is_chain(name: str, types: Types) -> bool:
    """Whether matrices of these types are a chain of a class, or a source with two results."""
    (use, own), (second_use, second), (third_use, third) = types
    bits = [format_named(kind).bits for _, kind in types]
    same_use = use == second_use == third_use
    apart = same_use and len({own, second, third}) == 3
    if name == "there-and-back":
        return same_use and own == third != second
    if name == "down-and-up":
        return same_use and own == third != second and bits[1] < bits[0]
    if name == "type-then-use":
        return use == second_use != third_use and own != second
    if name == "use-then-type":
        # The type between is that of the source, where the device has it in that use.
        return use != second_use == third_use and own == second != third
    if name == "two-results":
        return apart and second < third
    floats = format_named(own).is_float and format_named(third).is_float
    return apart and floats and bits[0] > bits[1] > bits[2]


def _chains(caps: CoopMatCaps, row: Row[Any], name: str) -> list[tuple[Types, Size]]:
    """Every chain of a class that a row has, with rows and columns."""
    found: list[tuple[Types, Size]] = []
    for use in (USE_ACCUMULATOR, USE_A, USE_B):
        size = sizes(row.entry, use)
        own: Component = {USE_A: row.entry.a, USE_B: row.entry.b}.get(use, row.entry.c)
        targets = (USE_ACCUMULATOR, USE_A, USE_B) if use == USE_ACCUMULATOR and caps.features.conversions else (use,)
        able: list[Typed] = [
            (target, kind)
            for target in targets
            for kind in KINDS
            if listed(beside(caps, row.entry), Matrix("", kind, *size, target, row.entry.scope))
        ]
        triples: list[Types] = [((use, own), second, third) for second, third in product(able, able)]
        found += [(types, size) for types in triples if _is_chain(name, types)]
    return found


def _fits(row: Row[Any], caps: CoopMatCaps, axis: str, name: str) -> bool:
    if axis == "matrix-origin" and name == "tensor-load":
        return caps.features.tensor_addressing
    return axis != "conversion-chain" or bool(_chains(caps, row, name))


def _chained(context: DrawContext[CoopMatCaps], chosen: Chosen) -> Draft | None:
    builder = ProgramBuilder(context, most_waves=1)
    name = chosen["conversion-chain"]
    able = _chains(builder.caps, builder.row, name)
    if not able:
        return None
    types, size = builder.choices.one_of(able)
    first, second, third = (builder.typed(kind, *size, use) for use, kind in types)
    builder.add(*origins.made(builder, first, chosen["matrix-origin"]))
    builder.add(Convert(second.name, first.name))
    if chosen["source-kept"] == "stored-before":
        builder.add(store(builder, first if name == "two-results" else second))
    last = first if name == "two-results" else second
    builder.add(Convert(third.name, last.name))
    if name == "two-results":
        builder.add(store(builder, second))
    if chosen["source-kept"] == "stored":
        builder.add(store(builder, last))
    builder.add(*destinations.drawn(builder, third))
    return builder.draft("limits", batch=batch(first))


CONVERSION_CHAINS = Array(
    name="conversion-chains",
    focus=("KHRCM-CONVERT", "NVCM2-CONVERT-USE"),
    axes={
        "conversion-chain": CHAINS,
        "matrix-origin": ("plain-load", "plain-load-columns", "tensor-load"),
        "source-kept": ("dead", "stored", "stored-before"),
    },
    build=_chained,
    rows=("untyped", "transposes"),
    fits=_fits,
)
"""Two conversions, one after the other or of one source."""
