"""Accesses of which a part lies outside of the buffer, at every edge."""

from __future__ import annotations

from typing import Any

from msgspec.structs import replace

from mmaspec.programs.base import Affine
from mmaspec.programs.hlsl_linalg.components import ComponentType
from mmaspec.programs.hlsl_linalg.program import Barrier, InterlockedAccumulate, Load, Store
from mmaspec.strategies.grammar import Chosen, Draft, DrawContext
from mmaspec.strategies.hlsl_linalg.arrays.buffer_accesses import LINES, placed, sized
from mmaspec.strategies.hlsl_linalg.arrays.packed import Packed
from mmaspec.strategies.hlsl_linalg.arrays.workshop import LAYOUTS, USES, CannotBeMade, Workshop
from mmaspec.strategies.hlsl_linalg.builder.accesses import lines_of, load, store
from mmaspec.strategies.hlsl_linalg.builder.program import up
from mmaspec.strategies.hlsl_linalg.revisions import is_earlier

BOUNDS = (
    "inside", "to-the-end", "one-word", "part-of-line", "line", "several", "half", "all", "far", "in-some",
)  # fmt: skip
FAR = 1 << 31
WORD = 4


def _cut(shop: Workshop, access: Any, bounds: str) -> Any:
    """The access, whose buffer then ends where the class says."""
    b = shop.b
    room = b.rooms[access.memory]
    matrix = next(one for one in b.matrices if one.name == access.matrix)
    lines, line = lines_of(matrix, access.layout)
    first = access.offset.base if isinstance(access.offset, Affine) else access.offset
    stride, last = access.stride, room.used
    begin = last - (lines - 1) * stride - line
    ends = {
        "inside": last + 16,
        "one-word": last - WORD,
        "part-of-line": last - line // 2,
        "line": last - line,
        "several": begin + (lines - 2) * stride,
        "half": begin + lines // 2 * stride,
        "all": first,
        "far": first,
        "in-some": begin,
    }
    shop.ends[access.memory] = up(max(ends.get(bounds, last), WORD), WORD)
    return replace(access, offset=first + FAR) if bounds == "far" else access


def _outside(shop: Workshop, thing: Chosen) -> None:
    component: ComponentType = shop.context.row.entry.answer.component
    use, scope, bounds = thing.get("accessed-use", "accumulator"), thing["accessed-scope"], thing["bounds"]
    matrix = sized(shop, component, use, scope, thing["layout"], LINES[thing["padding"]])
    where = {**thing, "buffer-offset": thing.get("buffer-offset", "at-128")}
    places = "apart" if bounds == "in-some" or (use == "accumulator" and _apart(shop)) else "same"

    def place(places: str) -> Any:
        name, start, _, layout, align = placed(shop, matrix, where, thing["padding"], places, False)
        found: Any = Store(matrix.name, name, start, 0, layout, align)
        lines = lines_of(matrix, layout)
        stride = {"none": lines[1], "part": lines[1] + 32, "more": 3 * lines[1]}[thing["padding"]]
        if not isinstance(start, int | Affine):
            raise CannotBeMade
        return replace(found, stride=stride)

    if "matrix" in shop.context.row.tags:
        found = place(places)
        loaded = Load(matrix.name, *_fields(found), matrix.name)
        stored = place("apart")
        shop.add(_cut(shop, loaded, bounds), store(shop.b, matrix, "out"), _cut(shop, stored, bounds))
        return
    before = shop.matrix(component, "Accumulator", matrix.scope, (matrix.m, matrix.n))
    found = _cut(shop, InterlockedAccumulate(matrix.name, *_fields(place(places))), bounds)
    there = Load(before.name, *_fields(found), before.name)
    shop.add(load(shop.b, matrix, "in"), there, Barrier(), found)
    if is_earlier(shop.context.caps):
        # Where sums are dropped as a whole, nothing else may be left to see.
        shop.add(store(shop.b, matrix, "out"))


def _apart(shop: Workshop) -> bool:
    """Whether several sums in one place are not stated: in the text of 2025-09-19 (LINALG-AMB-09)."""
    return is_earlier(shop.context.caps) and "matrix" not in shop.context.row.tags


def _fields(one: Any) -> tuple[str, Any, Any, Any, int]:
    return one.memory, one.offset, one.stride, one.layout, one.align


def outside(context: DrawContext[Any], things: tuple[Chosen, ...]) -> Draft | None:
    """Every thing an access of a buffer that ends somewhere in it."""
    shop = Workshop(context, 2)
    shop.literal = True
    try:
        for thing in things:
            _outside(shop, thing)
    except CannotBeMade:
        return None
    sums = "matrix" not in context.row.tags
    draft = shop.draft("small" if sums else "distinct")
    if draft is None:
        return None
    buffers = tuple(replace(one, size=shop.ends.get(one.name, one.size)) for one in draft.program.buffers)
    return Draft(replace(draft.program, buffers=buffers), draft.regime, draft.batch, draft.words)


_RULES = ("accessed-scope=group with bounds=in-some",)
BOUNDS_OF_MATRICES = Packed(
    name="outside-buffers",
    focus=("LINALG-OOB-LOAD", "LINALG-OOB-STORE"),
    axes={
        "bounds": BOUNDS,
        "accessed-use": tuple(USES),
        "accessed-scope": ("wave", "group"),
        "layout": tuple(LAYOUTS),
        "padding": ("none", "part", "more"),
        "align": ("default", "larger"),
    },
    build=outside,
    groups=("load", "store"),
    per_case=3,
    rows=("matrix",),
    rules=_RULES,
)
"""Loads and Stores that leave their buffer."""
BOUNDS_OF_SUMS = Packed(
    name="sums-outside-buffers",
    focus=("LINALG-OOB-ACC",),
    axes={
        "bounds": BOUNDS,
        "accessed-scope": ("wave", "group"),
        "layout": tuple(LAYOUTS),
        "padding": ("none", "part", "more"),
        "align": ("default", "larger"),
    },
    build=outside,
    groups=("sum",),
    per_case=3,
    rows=("matrix-sums",),
    rules=_RULES,
)
"""Atomic sums of matrices that leave their buffer."""
