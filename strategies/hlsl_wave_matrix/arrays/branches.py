"""Branches that whole waves take: how many lanes they ask for, what they hold, and what follows them."""

from __future__ import annotations

from typing import Any

from msgspec.structs import replace

from mmaspec.oracle.hlsl_wave_matrix.wave_sizes import lanes, wave_size
from mmaspec.oracle.spec import Row
from mmaspec.programs.base import Literal
from mmaspec.programs.formats import FORMATS
from mmaspec.programs.hlsl_wave_matrix.caps import WaveMmaCaps
from mmaspec.programs.hlsl_wave_matrix.program import (
    Add,
    Branch,
    Fill,
    Instruction,
    Load,
    Matrix,
    Multiply,
    MultiplyAccumulate,
    ScalarAdd,
    ScalarMultiply,
    Simple,
    SumAccumulate,
    WaveMatrixProgram,
)
from mmaspec.strategies.grammar import Array, Chosen, Draft, DrawContext
from mmaspec.strategies.hlsl_wave_matrix.arrays.numbers import within
from mmaspec.strategies.hlsl_wave_matrix.arrays.operations import regime_of
from mmaspec.strategies.hlsl_wave_matrix.arrays.packed import Packed
from mmaspec.strategies.hlsl_wave_matrix.arrays.workshop import Workshop
from mmaspec.strategies.hlsl_wave_matrix.builder.constants import encoded
from mmaspec.strategies.hlsl_wave_matrix.builder.program import ProgramBuilder

BEYOND = {"all": 0, "one-more": 1, "far-more": 64}
"""Classes of ``branch-lanes`` -> lanes beyond those of the wave."""


def _program(context: DrawContext[WaveMmaCaps], things: tuple[Chosen, ...]) -> Draft | None:
    """Branch after branch; all work on the same matrices, which are stored at the end and where a class says so."""
    shop = Workshop(ProgramBuilder(context, context.choices.integer(1, 3)))
    total, fragment = shop.matrix("accumulator"), shop.matrix("left-col-acc")
    left, right = shop.factors()
    for matrix in (total, fragment):
        shop.give(matrix, "buffer-row")
    for thing in things:
        held = _held(shop, thing["branch-body"], total, fragment)
        shop.body += [Branch(1 + BEYOND[thing["branch-lanes"]], held)]
        shop.body += _after(shop, thing["branch-before"], total, (left, right))
    if things[-1]["branch-before"] != "nothing":
        for matrix in (total, fragment):
            shop.use(matrix, "buffer-row")
    draft = shop.builder.draft(shop.body, regime_of(context.row), batch=2)
    return Draft(_in_lanes(draft.program, context.caps), draft.regime, draft.batch, draft.words)


def _in_lanes(program: WaveMatrixProgram, caps: WaveMmaCaps) -> WaveMatrixProgram:
    """The program with what its branches ask for counted from the lanes of its waves."""
    size = wave_size(program, caps)
    body = tuple(replace(one, lanes=one.lanes + size - 1) if isinstance(one, Branch) else one for one in program.body)
    return replace(program, body=body)


def _held(shop: Workshop, what: str, total: Matrix, fragment: Matrix) -> tuple[Simple, ...]:
    builder, three = shop.builder, Literal(encoded(FORMATS[total.element], 3))
    match what:
        case "depth":
            return (builder.depth(builder.matrices[2], "out"),)
        case "loads":
            return builder.load(total, "in", data="again"), builder.load(fragment, "in", data="fragment-again")
        case "fills":
            return Fill(total.name, three), Fill(fragment.name, three)
        case "products":
            left, right = shop.factors()
            return MultiplyAccumulate(total.name, left, right), SumAccumulate(fragment.name, left)
        case "scalar-or-add":
            return ScalarAdd(fragment.name, three), Add(total.name, fragment.name)
        case "stores":
            return builder.store(total, "out"), builder.store(fragment, "out")
    return ()


def _after(shop: Workshop, what: str, total: Matrix, factors: tuple[str, str]) -> list[Instruction]:
    builder = shop.builder
    match what:
        case "load":
            return [builder.load(total, "in", data=f"after-{len(shop.body)}")]
        case "product":
            return [Multiply(total.name, *factors)]
        case "store":
            return [builder.store(total, "out")]
        case "scalar":
            return [ScalarMultiply(total.name, Literal(encoded(FORMATS[total.element], -1)))]
        case "fill":
            return [Fill(total.name, Literal(encoded(FORMATS[total.element], 2)))]
    return []


BRANCHES = Packed(
    "branches",
    ("WM-FIRST-LANE", "WM-MUL", "WM-LOAD-ALL", "WM-STORE-ALL", "WM-FILL"),
    {
        "branch-before": ("load", "product", "store", "scalar", "fill", "nothing"),
        "branch-body": ("empty", "depth", "loads", "fills", "products", "scalar-or-add", "stores"),
        "branch-lanes": tuple(BEYOND),
    },
    _program,
    ("branch",),
    8,
)
"""Branches in turn; one that nothing follows ends its program."""

WHOLE = {
    "depth": "one statement, which touches no element",
    "moved": "a Load and a Store of one buffer",
    "filled": "a Fill and a Store",
    "branch": "all of it in a branch",
    "eight-of-64": "a Load and a Store by eight of the largest waves",
    "sixteen-of-64": "the same by sixteen, as many as a group can have",
}
"""Programs of a few statements, and what they are."""
LARGE = 64
FULL = {"eight-of-64": 8, "sixteen-of-64": 16}
"""Waves of 64 lanes, of those that say their size."""
WAVES = ("one", "two", "three", "four", "to-seven", "eight", "to-fifteen", "sixteen", "to-31", "thirty-two")


def _short(context: DrawContext[WaveMmaCaps], chosen: Chosen) -> Draft | None:
    whole = chosen["whole"]
    builder = ProgramBuilder(context, FULL.get(whole) or context.choices.one_of(within("waves", chosen["waves"])))
    matrix = builder.matrix("left", "A")
    builder.room("out")
    body: list[Instruction] = []
    match whole:
        case "depth":
            body.append(builder.depth(matrix, "out"))
        case "moved" | "eight-of-64" | "sixteen-of-64":
            body += [builder.load(matrix, "out"), builder.store(matrix, "out")]
        case "filled":
            body += [builder.fill(matrix, literal=True), builder.store(matrix, "out")]
        case _:
            held: Load = builder.load(matrix, "out")
            body.append(Branch(1, (held, builder.store(matrix, "out"), builder.depth(matrix, "out"))))
    draft = builder.draft(body, "distinct", batch=2)
    size = max(lanes(context.row.entry.answer, context.caps)) if whole in FULL else 0
    return Draft(replace(_in_lanes(draft.program, context.caps), wave_size=size), draft.regime, 2, draft.words)


def _fits(row: Row[Any], caps: WaveMmaCaps, axis: str, name: str) -> bool:
    return axis != "whole" or name not in FULL or max(lanes(row.entry.answer, caps)) == LARGE


SHORT = Array(
    name="short-programs",
    focus=("WM-LOAD-ALL", "WM-STORE-ALL", "WM-FILL", "WM-DEPTH-ONLY-LR"),
    axes={"whole": tuple(WHOLE), "waves": WAVES},
    build=_short,
    rules=("whole=eight-of-64|sixteen-of-64 with waves=" + "|".join(WAVES[1:]),),
    rows=("dim-16",),
    fits=_fits,
    costly=("waves=" + "|".join(WAVES[1:]),),
)
"""Programs of a few statements that bind one buffer, and most of which say no wave size."""
