"""Views of a size and a base, and depths at a place: what ends with the view, or lies where few bits do not reach."""

from __future__ import annotations

from msgspec.structs import replace

from mmaspec.oracle.hlsl_wave_matrix.addresses import element_bytes
from mmaspec.programs.base import Buffer
from mmaspec.programs.hlsl_wave_matrix.caps import WaveMmaCaps
from mmaspec.programs.hlsl_wave_matrix.program import Branch, Instruction, Load, MatrixDepth, Repeat, Store
from mmaspec.strategies.grammar import Chosen, Draft, DrawContext
from mmaspec.strategies.hlsl_wave_matrix.arrays.numbers import reaching, within
from mmaspec.strategies.hlsl_wave_matrix.arrays.packed import Packed
from mmaspec.strategies.hlsl_wave_matrix.arrays.workshop import Workshop
from mmaspec.strategies.hlsl_wave_matrix.builder.program import ProgramBuilder, Room

FARTHEST = 1 << 18
LANES = 1 << 10
"""More than any wave has: a branch that all lanes take."""


def _ends(context: DrawContext[WaveMmaCaps], things: tuple[Chosen, ...]) -> Draft | None:
    """Fragments loaded from, or stored to, the last bytes of their views."""
    shop = Workshop(ProgramBuilder(context))
    if not shop.builder.agrees():
        shop.factors()
    sizes: dict[str, Buffer] = {}
    for thing in things:
        matrix = shop.matrix("left-col-acc")
        need = element_bytes(matrix) * matrix.rows
        options = [size for size in within("buffer-size", thing["buffer-size"]) if size >= need]
        bases = within("buffer-base", thing["buffer-base"], 16)
        if not options:
            return None
        size, name = context.choices.one_of(options), f"view-{matrix.name}"
        start = (size - need) // 4 * 4
        sizes[name] = Buffer(name, size, context.choices.one_of(bases))
        read_only = thing["binding"] == "read-only"
        shop.builder.rooms[name] = Room(name, 0, size, read_only)
        if thing["binding"] == "read-write-only-written":
            shop.give(matrix, "buffer-row")
            shop.body.append(Store(matrix.name, name, start, element_bytes(matrix)))
        else:
            shop.body.append(Load(matrix.name, name, start, element_bytes(matrix), data=f"{matrix.name}-end"))
            shop.use(matrix, "buffer-row")
    draft = shop.builder.draft(shop.body, "distinct", batch=2)
    buffers = tuple(sizes.get(buffer.name, buffer) for buffer in draft.program.buffers)
    return Draft(replace(draft.program, buffers=buffers), draft.regime, draft.batch, draft.words)


def _depths(context: DrawContext[WaveMmaCaps], things: tuple[Chosen, ...]) -> Draft | None:
    """Every depth in a buffer of its own, and what was filled or loaded stored beside."""
    shop = Workshop(ProgramBuilder(context))
    for number, thing in enumerate(things):
        matrix = shop.matrix("left" if thing["depth-kind"] == "left" else "right")
        name = f"depth-{number}"
        place = context.choices.one_of(within("depth-place", thing["depth-place"], 4))
        shop.builder.rooms[name] = Room(name, 16 * context.choices.integer(0, 6), place + 4, read_only=False)
        held = {"loaded": "buffer-row", "filled": "fill"}.get(thing["depth-object"], "nothing")
        shop.give(matrix, held)
        depth = MatrixDepth(matrix.name, name, place)
        outer: dict[str, Instruction] = {"loop": Repeat(1, (depth,)), "uniform-branch": Branch(LANES, (depth,))}
        shop.body.append(outer.get(thing["depth-flow"], depth))
        if held != "nothing":
            shop.use(matrix, "buffer-row")
        elif thing["depth-object"] == "nothing":
            shop.give(matrix, "buffer-col")
            shop.use(matrix, "buffer-col")
    return shop.builder.draft(shop.body, "distinct", batch=2)


VIEWS = Packed(
    "views",
    ("WM-LOAD-ALL", "WM-STORE-ALL", "WM-ADDR-FRAG"),
    {
        "buffer-size": reaching("buffer-size", FARTHEST),
        "buffer-base": (
            "zero", "sixteen", "thirty-two", "sixty-four", "one-hundred-twenty-eight", "two-hundred-fifty-six",
            "larger",
        ),
        "binding": ("read-only", "read-write-only-read", "read-write-only-written"),
    },
    _ends,
    ("buffer",),
    24,
)  # fmt: skip
"""Sizes and bases of views."""
DEPTHS = Packed(
    "depths",
    ("WM-DEPTH-ELEMS",),
    {
        "depth-place": reaching("depth-place", FARTHEST, 4),
        "depth-kind": ("left", "right"),
        "depth-object": ("nothing", "loaded", "filled", "used-only-here"),
        "depth-flow": ("straight", "loop", "uniform-branch"),
    },
    _depths,
    ("depth",),
    24,
)  # fmt: skip
"""Depths at all sorts of places."""
