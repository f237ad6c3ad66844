"""Atomic sums of matrices and vectors: how many meet in one place, what lies there, and who takes part."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from msgspec.structs import replace

from mmaspec.oracle.spec import Row
from mmaspec.programs.base import Affine
from mmaspec.programs.hlsl_linalg.caps import LinalgCaps
from mmaspec.programs.hlsl_linalg.components import COMPONENTS
from mmaspec.programs.hlsl_linalg.program import Barrier, InterlockedAccumulate, Load, Store
from mmaspec.strategies.covering import Tuple
from mmaspec.strategies.grammar import Chosen, Draft, DrawContext
from mmaspec.strategies.hlsl_linalg.arrays.packed import Packed
from mmaspec.strategies.hlsl_linalg.arrays.products import LEAST_SIDE
from mmaspec.strategies.hlsl_linalg.arrays.workshop import LAYOUTS, SCOPES, CannotBeMade, Workshop
from mmaspec.strategies.hlsl_linalg.builder.accesses import Style, accumulate, lines_of
from mmaspec.strategies.hlsl_linalg.builder.shared_arrays import OWN, SharedRoom, held
from mmaspec.strategies.hlsl_linalg.builder.vectors import vector_accumulate, vector_load
from mmaspec.strategies.hlsl_linalg.revisions import LATER
from mmaspec.strategies.hlsl_linalg.templates.parts import is_float, sums_are_judged

FROM = ("load", "array-load", "splat", "cast", "elements", "product", "accumulate", "addition")
BEFORE = ("data", "stored", "added", "loaded-there")
FLOWS = ("straight", "first-pass", "branch-all")


def _sum(shop: Workshop, thing: Chosen) -> None:
    b, answer = shop.b, shop.context.row.entry.answer
    size = shop.sides("square", (answer.component, "Accumulator"), least=LEAST_SIDE)
    matrix = shop.matrix(answer.component, "Accumulator", SCOPES[thing["accessed-scope"]], size)
    room = b.room(shop.name("sum"))
    align = {"default": 0, "same": 128, "larger": 256}[thing["align"]]
    layout = LAYOUTS[thing["layout"]]
    stride = lines_of(matrix, layout)[1] + 16 * b.choices.integer(0, 3)
    style = Style(layout=layout, own=thing["places"] == "apart", run_time=10, align=align, stride=stride)
    added = accumulate(b, matrix, room, style)
    where = (room, added.offset, added.stride, added.layout, added.align)
    other = shop.matrix(answer.component, "Accumulator", matrix.scope, (matrix.m, matrix.n))
    match thing["memory-before"]:
        case "data":
            shop.add(Load(other.name, *where, data=shop.name("there")), Barrier())
        case "stored":
            if thing["places"] != "apart" and matrix.scope == "Wave":
                raise CannotBeMade
            shop.give(other, "load")
            shop.add(Store(other.name, *where), Barrier())
        case "added":
            shop.give(other, "load")
            first = InterlockedAccumulate(other.name, *where)
            shop.add(Load(other.name, *where, data=shop.name("there")), Barrier(), first)
        case _:
            shop.add(Load(matrix.name, *where, data=shop.name("there")), Barrier())
    if thing["memory-before"] != "loaded-there":
        shop.give(matrix, thing["content-from"])
    with shop.around(thing["in-flow"]):
        shop.add(added)


def _regime(context: DrawContext[Any]) -> str:
    return "window" if is_float(context.row.entry.answer.component) else "small"


def _sums(of: Any, in_last: int = 0) -> Any:
    def build(context: DrawContext[Any], things: tuple[Chosen, ...]) -> Draft | None:
        if not sums_are_judged(context.row.entry.answer.component):
            return None
        shop = Workshop(context, 2, in_last)
        try:
            for thing in things:
                of(shop, thing)
        except CannotBeMade:
            return None
        return shop.draft(_regime(context), 2)

    return build


def _from(row: Row[Any], caps: LinalgCaps) -> Iterator[Tuple]:
    component = row.entry.answer.component
    if not COMPONENTS[component].native:
        yield frozenset({("content-from", "elements")})
    if not any(one.accumulator == component for one in caps.products):
        yield from (frozenset({("content-from", name)}) for name in ("product", "accumulate"))


_RULES = (
    "accessed-scope=group with places=same|apart",
    "accessed-scope=wave with places=one",
    "memory-before=loaded-there with content-from=array-load|splat|cast|elements|product|accumulate|addition",
    "memory-before=stored with places=same",
)
BUFFER_SUMS = Packed(
    name="buffer-sums",
    under=LATER,
    focus=("LINALG-ACC-ADD", "LINALG-ATOMIC"),
    axes={
        "content-from": FROM,
        "memory-before": BEFORE,
        "accessed-scope": ("wave", "group"),
        "layout": tuple(LAYOUTS),
        "places": ("one", "same", "apart"),
        "align": ("default", "same", "larger"),
        "in-flow": FLOWS,
    },
    build=_sums(_sum),
    groups=("sum",),
    per_case=4,
    rows=("matrix-sums",),
    excluded=_from,
    rules=_RULES,
)
"""Atomic sums of matrices in buffers."""


def _array_sum(shop: Workshop, thing: Chosen) -> None:
    b, answer = shop.b, shop.context.row.entry.answer
    size = shop.sides("square", (answer.component, "Accumulator"), least=LEAST_SIDE)
    matrix = shop.matrix(answer.component, "Accumulator", SCOPES[thing["accessed-scope"]], size)
    room = SharedRoom(b, shop.name("array"), OWN[answer.component])
    own = thing["places"] == "apart"
    added = room.accumulate(matrix, own=own)
    added = replace(added, layout=LAYOUTS[thing["layout"]])
    if thing["sum-target"] == "own":
        added = replace(added, target=answer.component)
    where = (room.name, added.offset, added.stride, added.layout)
    other = shop.matrix(answer.component, "Accumulator", matrix.scope, (matrix.m, matrix.n))
    shop.add(room.stage("in", data=shop.name("held")), Barrier())
    match thing["memory-before"]:
        case "stored":
            shop.give(other, "load")
            shop.add(Store(other.name, *where), Barrier())
        case "added":
            shop.give(other, "load")
            shop.add(InterlockedAccumulate(other.name, *where, 0, added.target))
        case "loaded-there":
            shop.add(Load(matrix.name, *where), Barrier())
    if thing["memory-before"] != "loaded-there":
        shop.give(matrix, thing["content-from"])
    with shop.around(thing["in-flow"]):
        shop.add(added)
    shop.add(Barrier(), room.unstage("out"))
    room.finish()


ARRAY_SUMS = Packed(
    name="array-sums",
    under=LATER,
    focus=("LINALG-ACC-GS-ADD", "LINALG-ATOMIC"),
    axes={
        "content-from": FROM,
        "memory-before": BEFORE,
        "accessed-scope": ("wave",),
        "layout": tuple(LAYOUTS),
        "places": ("same", "apart"),
        "sum-target": ("none", "own"),
        "in-flow": FLOWS,
    },
    build=_sums(_array_sum),
    groups=("array-sum",),
    per_case=3,
    rows=("array-sums",),
    fits_row=lambda row: row.entry.answer.component in OWN,
    excluded=_from,
    rules=(
        "memory-before=loaded-there with content-from=load|splat|cast|elements|product|accumulate|addition",
        "memory-before=stored with places=same",
    ),
)
"""Atomic sums of matrices in arrays."""

LENGTHS = {"one": 1, "two": 2, "three": 3, "four": 4, "to-15": 7, "sixteen": 16, "more": 33}


def _vector_sum(shop: Workshop, thing: Chosen) -> None:
    b, component = shop.b, shop.context.row.entry.answer.component
    vector = b.vector(shop.name("v"), component, LENGTHS[thing["summed-length"]])
    room = b.room(shop.name("sum"))
    own = thing["vector-places"] == "apart"
    align = {"default": 0, "same": 64}[thing["vector-align"]]
    shop.add(vector_load(b, vector, "in"))
    with shop.around(thing["in-flow"]):
        added = vector_accumulate(b, vector, room, own=own, run_time=0)
        shop.add(added)
    first = added.offset.base if isinstance(added.offset, Affine) else added.offset
    assert isinstance(first, int)
    size = COMPONENTS[component].format.nbytes
    found = held(b, component, room, first, (b.rooms[room].used - first) // size * size)
    step: Any = shop.body.pop()
    new = replace(added, align=align)
    step = new if step == added else replace(step, body=(new,))
    shop.add(found, Barrier(), step)


VECTOR_SUMS = Packed(
    name="vector-sums",
    under=LATER,
    focus=("LINALG-VEC-ACC", "LINALG-ATOMIC"),
    axes={
        "summed-length": tuple(LENGTHS),
        "vector-places": ("same", "apart"),
        "vector-align": ("default", "same"),
        "in-flow": (*FLOWS, "branch-waves", "branch-lanes"),
    },
    build=_sums(_vector_sum, in_last=2),
    groups=("vector-sum",),
    per_case=6,
    rows=("buffer-sums",),
    fits_row=lambda row: row.entry.answer.component in OWN,
)
"""Atomic sums of vectors."""
