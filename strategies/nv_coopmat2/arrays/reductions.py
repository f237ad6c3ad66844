"""Reductions in which every two classes of mask, function, shape and further uses meet."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any, Literal

from mmaspec.oracle.nv_coopmat2.caps_support import listed
from mmaspec.oracle.nv_coopmat2.program_support import beside
from mmaspec.oracle.nv_coopmat2.rows import rows
from mmaspec.oracle.spec import Row
from mmaspec.programs.formats import format_named
from mmaspec.programs.nv_coopmat2.caps import CoopMatCaps, Property
from mmaspec.programs.nv_coopmat2.program import (
    COLUMN_MAJOR,
    REDUCE_2X2,
    REDUCE_COLUMN,
    REDUCE_ROW,
    REDUCE_ROW_AND_COLUMN,
    ROW_MAJOR,
    USE_ACCUMULATOR,
    Combine,
    Matrix,
    Reduce,
)
from mmaspec.strategies.grammar import Array, Chosen, Draft, DrawContext
from mmaspec.strategies.nv_coopmat2.arrays import destinations, origins
from mmaspec.strategies.nv_coopmat2.builder.program import ProgramBuilder
from mmaspec.strategies.nv_coopmat2.templates.plain import load, store
from mmaspec.strategies.regimes.combined_patterns import FLOAT_PATTERNS, INTEGER_PATTERNS

MASKS = {
    "row": REDUCE_ROW,
    "column": REDUCE_COLUMN,
    "all": REDUCE_ROW_AND_COLUMN,
    "two-by-two": REDUCE_2X2,
}
"""Classes of ``reduce-mask``."""

COMBINES: dict[str, Literal["add", "add-one", "min", "max"]] = {
    "add": "add", "add-one": "add-one", "min": "min", "max": "max",
}  # fmt: skip

Size = tuple[int, int]

_FACTOR, _AREA, _SMALLEST = 4, 8, 2
"""Rows and columns, and elements, in units of the larger side of a row's smallest matrix: at most so many are taken.

Of each kind the two smallest, as large ones show no more.
"""

_SHAPES = (
    "same", "more-columns", "fewer-columns", "more-rows", "fewer-rows", "both-differ", "exchanged", "half",
)  # fmt: skip


def _sizes(caps: CoopMatCaps, entry: Property, mask: int, shape: str) -> list[tuple[Size, Size]]:
    """Rows and columns of source and result that the device has and that show a class of ``reduce-shape``."""
    side = max(entry.m, entry.n)
    around = {
        (down, right)
        for down in range(entry.m, _FACTOR * side + 1, entry.m)
        for right in range(entry.n, _FACTOR * side + 1, entry.n)
        if down * right <= _AREA * side * side
    }
    around |= {(one.m, one.n) for one in caps.properties if one.scope == entry.scope}
    known = [
        size
        for size in sorted(around)
        if listed(beside(caps, entry), Matrix("", entry.c, *size, USE_ACCUMULATOR, entry.scope))
    ]
    return [(old, new) for old in known for new in known if _meets(old, new, mask, shape)]


def same_sizes(caps: CoopMatCaps, entry: Property, mask: int) -> list[Size]:
    """Rows and columns of what can be reduced into itself: the two smallest that are square, wide and tall."""
    found: dict[str, list[Size]] = {}
    for sizes in sorted(_sizes(caps, entry, mask, "same"), key=_elements):
        found.setdefault(_form(sizes[0]), []).append(sizes[0])
    return [size for form in sorted(found) for size in found[form][:_SMALLEST]]


def _elements(sizes: tuple[Size, Size]) -> int:
    """Of source and result together."""
    return sum(rows * columns for rows, columns in sizes)


def _length(mask: int, source: Size) -> str:
    """The class of ``reduce-length``."""
    rows, columns = source
    count = {REDUCE_ROW: columns, REDUCE_COLUMN: rows, REDUCE_2X2: 4}.get(mask, rows * columns)
    return "other" if count & (count - 1) else "power-of-two"


def _form(source: Size) -> str:
    """The class of ``reduce-source-form``."""
    rows, columns = source
    return "square" if rows == columns else "wide" if rows < columns else "tall"


def _meets(old: Size, new: Size, mask: int, shape: str) -> bool:
    down, right = new[0] - old[0], new[1] - old[1]
    if (mask == REDUCE_ROW and down) or (mask == REDUCE_COLUMN and right):
        return False
    half = (old[0], old[1]) == (2 * new[0], 2 * new[1])
    if mask == REDUCE_2X2 or shape == "half":
        return half and shape == "half"
    return {
        "same": not down and not right,
        "more-columns": right > 0 and not down,
        "fewer-columns": right < 0 and not down,
        "more-rows": down > 0 and not right,
        "fewer-rows": down < 0 and not right,
        "both-differ": bool(down and right) and not half,
        "exchanged": old == (new[1], new[0]) and old[0] != old[1],
    }[shape]


@lru_cache(maxsize=16)
def first_rows(caps: CoopMatCaps) -> Mapping[tuple[str, str], str]:
    """(component type of accumulators, scope) -> the first row that has it."""
    found: dict[tuple[str, str], str] = {}
    for row in reversed(rows(caps)):
        # Integers of workgroup scope are combined as floats are.
        if row.entry.scope == "subgroup" or format_named(row.entry.c).is_float:
            found[row.entry.c, row.entry.scope] = row.name
    return found


def _fits(row: Row[Any], caps: CoopMatCaps, axis: str, name: str) -> bool:
    if not caps.features.reductions or first_rows(caps).get((row.entry.c, row.entry.scope)) != row.name:
        return False
    if axis == "reduce-mask":
        return any(_sizes(caps, row.entry, MASKS[name], shape) for shape in _SHAPES)
    if axis == "reduce-shape":
        return any(_sizes(caps, row.entry, mask, name) for mask in MASKS.values())
    return True


def _reduced(context: DrawContext[CoopMatCaps], chosen: Chosen) -> Draft | None:
    builder = ProgramBuilder(context, most_waves=1)
    mask, shape = MASKS[chosen["reduce-mask"]], chosen["reduce-shape"]
    able: dict[tuple[str, str], list[tuple[Size, Size]]] = {}
    for sizes in sorted(_sizes(builder.caps, builder.entry, mask, shape), key=_elements):
        able.setdefault((_length(mask, sizes[0]), _form(sizes[0])), []).append(sizes)
    if not able:
        return None
    # Kinds of sources that a row has come in turn; a row of one size has one kind.
    kinds = sorted(able)
    turn = builder.choices.integer(0, len(kinds) - 1)
    old, new = builder.choices.one_of(able[kinds[turn]][:_SMALLEST])
    source = builder.typed(builder.entry.c, *old, USE_ACCUMULATOR)
    in_place = chosen["result-identity"] == "first-operand"
    result = source if in_place else builder.typed(builder.entry.c, *new, USE_ACCUMULATOR)
    builder.add(*origins.drawn(builder, source, share=35))
    if builder.choices.chance(30):
        builder.add(store(builder, source))
    builder.add(Reduce(result.name, source.name, mask, Combine(COMBINES[chosen["combine"]])))
    builder.add(*destinations.drawn(builder, result))
    if shape == "same":
        # All rows of one more are alike, and all columns of another.
        for layout in (ROW_MAJOR, COLUMN_MAJOR):
            builder.add(load(builder, source, builder.name("L"), layout=layout, repeated=True))
            builder.add(Reduce(result.name, source.name, mask, Combine("max")), store(builder, result))
    if not in_place and builder.choices.chance(30):
        builder.add(store(builder, source))
    patterns = FLOAT_PATTERNS if format_named(source.component).is_float else INTEGER_PATTERNS
    return builder.draft("combined", batch=len(patterns))


REDUCTIONS = Array(
    name="reduction-classes",
    focus=("NVCM2-REDUCE-ROW", "NVCM2-REDUCE-COL", "NVCM2-REDUCE-ALL", "NVCM2-REDUCE-2X2", "NVCM2-REDUCE-ORDER"),
    axes={
        "reduce-mask": tuple(MASKS),
        "combine": tuple(COMBINES),
        "reduce-shape": _SHAPES,
        "result-identity": ("fresh", "first-operand"),
    },
    build=_reduced,
    rules=(
        "reduce-mask=two-by-two with"
        " reduce-shape=same|more-columns|fewer-columns|more-rows|fewer-rows|both-differ|exchanged",
        "reduce-mask=row with reduce-shape=more-rows|fewer-rows|both-differ|exchanged|half",
        "reduce-mask=column with reduce-shape=more-columns|fewer-columns|both-differ|exchanged|half",
        "result-identity=first-operand with"
        " reduce-shape=more-columns|fewer-columns|more-rows|fewer-rows|both-differ|exchanged|half",
    ),
    rows=("reduces",),
    fits=_fits,
)
"""One reduction; origin, destination and the items' patterns come along."""
