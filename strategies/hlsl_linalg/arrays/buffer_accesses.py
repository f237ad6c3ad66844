"""Loads and Stores of buffers: uses, layouts, offsets, paddings, alignments and places, every two of them together."""

from __future__ import annotations

from typing import Any

from mmaspec.programs.base import Affine, Index
from mmaspec.programs.hlsl_linalg.program import Load, Matrix, Store
from mmaspec.strategies.grammar import Chosen, Draft, DrawContext
from mmaspec.strategies.hlsl_linalg.arrays.packed import Packed
from mmaspec.strategies.hlsl_linalg.arrays.workshop import LAYOUTS, SCOPES, USES, CannotBeMade, Workshop
from mmaspec.strategies.hlsl_linalg.builder.accesses import lines_of
from mmaspec.strategies.hlsl_linalg.builder.program import Room, element_bytes, up

OFFSETS: dict[str, tuple[int, ...]] = {
    "zero": (0,), "to-64": (16, 48, 64), "to-127": (80, 112), "at-128": (128,), "under-8-bits": (144, 208, 240),
    "at-8-bits": (256,), "under-12-bits": (272, 1040, 3968), "at-12-bits": (4096,), "under-16-bits": (4112, 8192),
}  # fmt: skip
"""Class of ``buffer-offset`` -> some of its numbers."""
ALIGNS = {"default": 0, "same": 128, "larger": 256}
LEAST_BASE = 64
LINES = {"none": 16, "least": 32, "part": 64, "line": 16, "more": 16, "overlap": 32, "same": 16}
"""Class of ``padding`` -> the bytes that a line has at least."""
FLOWS = ("straight", "first-pass", "branch-all", "branch-waves")


def strided(line: int, padding: str) -> int:
    """The stride of a class of ``padding``."""
    return {
        "none": line, "least": line + 16, "part": line + 32, "line": 2 * line, "more": 3 * line, "overlap": line - 16,
        "same": 0,
    }[padding]  # fmt: skip


def sized(shop: Workshop, component: Any, use: str, scope: str, layout: str, least: int) -> Matrix:
    """A matrix whose lines have so many bytes at least."""
    m, n = shop.sides("square", (component, USES[use]))
    times = -(-least // ((n if layout == "row-major" else m) * element_bytes(component)))
    size = (m, n * times) if layout == "row-major" else (m * times, n)
    if max(size) > 128:
        raise CannotBeMade
    return shop.matrix(component, USES[use], SCOPES[scope], size)


def placed(
    shop: Workshop, matrix: Matrix, thing: Chosen, padding: str, places: str, read_only: bool
) -> tuple[str, Index, int, Any, int]:
    """A buffer for an access alone, and its offset, stride, layout and alignment."""
    b, align = shop.b, ALIGNS[thing.get("align", "default")]
    layout = LAYOUTS[thing["layout"]]
    lines, line = lines_of(matrix, layout)
    unit = max(align, 128)
    offset = b.choices.one_of(OFFSETS[thing["buffer-offset"]])
    want = 128 if thing.get("place-multiple") == "of-128" else 0
    base = (want - offset) % 256
    base += 256 if base < LEAST_BASE else 0
    waves = b.waves if matrix.scope == "Wave" and places != "same" else 1
    stride = strided(line, padding)
    tile = up((lines - 1) * stride + line, 256)
    if places == "side-by-side":
        tile = up(line, unit)
        stride = tile * (waves + 1)
    steps = {"wave": tile} if waves > 1 else {}
    span = (lines - 1) * stride + line
    if b.passes > 1 and places != "same":
        steps["loop"] = up(span + tile * (waves - 1), 256)
    end = offset + span + steps.get("wave", 0) * (waves - 1) + steps.get("loop", 0) * (b.passes - 1)
    name = shop.name("room")
    b.rooms[name] = Room(name, base, end, read_only)
    run_time = 0 if shop.literal else 25
    start: Index = Affine(offset, **steps) if steps else b.argument(offset, run_time)
    return name, start, b.argument(stride, run_time), layout, align  # type: ignore[return-value]


def _moved(shop: Workshop, thing: Chosen) -> None:
    component = shop.context.row.entry.answer.component
    padding, places = thing["padding"], thing["places"]
    matrix = sized(shop, component, thing["accessed-use"], thing["accessed-scope"], thing["layout"], LINES[padding])
    read_only = thing["load-binding"] == "read-only"
    with shop.around(thing["in-flow"]):
        load = Load(matrix.name, *placed(shop, matrix, thing, padding, places, read_only), data=matrix.name)
        apart = "apart" if places == "same" else places
        back = "none" if padding in ("same", "overlap") else padding
        shop.add(load, Store(matrix.name, *placed(shop, matrix, thing, back, apart, False)))


def moved(context: DrawContext[Any], things: tuple[Chosen, ...]) -> Draft | None:
    """Every thing a Load and a Store, each of a buffer of its own."""
    shop = Workshop(context, 2)
    try:
        for thing in things:
            _moved(shop, thing)
    except CannotBeMade:
        return None
    return shop.draft("distinct")


BUFFER_ACCESSES = Packed(
    name="buffer-accesses",
    focus=("LINALG-LOAD-ADDR", "LINALG-STORE-ONLY-ELEMS", "LINALG-ROUNDTRIP", "LINALG-LOAD-NOCONV"),
    axes={
        "buffer-offset": tuple(OFFSETS),
        "padding": tuple(LINES),
        "accessed-use": tuple(USES),
        "accessed-scope": ("wave", "group"),
        "layout": tuple(LAYOUTS),
        "align": tuple(ALIGNS),
        "place-multiple": ("of-256", "of-128"),
        "places": ("one", "same", "apart", "side-by-side"),
        "load-binding": ("read-only", "read-write"),
        "in-flow": FLOWS,
    },
    build=moved,
    groups=("load", "store"),
    per_case=10,
    rows=("matrix",),
    rules=(
        "accessed-scope=group with places=same|apart|side-by-side",
        "accessed-scope=wave with places=one with in-flow=straight|first-pass|branch-all",
        "accessed-scope=group with in-flow=branch-waves",
        "in-flow=branch-waves with places=same|apart|side-by-side",
        "align=larger with place-multiple=of-128",
        "places=side-by-side with padding=none|least|part|line|overlap|same",
    ),
)
"""Offsets, paddings, alignments and places of matrices in buffers."""
