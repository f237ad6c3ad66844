"""Views whose setters stand in every order, after every kind of start, with strides and permutations of every kind."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from mmaspec.programs.base import Literal
from mmaspec.programs.nv_coopmat2.caps import CoopMatCaps
from mmaspec.programs.nv_coopmat2.program import (
    CONSTANT,
    LoadTensor,
    Matrix,
    SetClip,
    SetDimension,
    SetViewDimensions,
    SetViewStride,
    Simple,
    Slice,
    Splat,
    ViewSetter,
)
from mmaspec.strategies.grammar import Array, Chosen, Draft, DrawContext
from mmaspec.strategies.nv_coopmat2.arrays.extents import Extents, factors
from mmaspec.strategies.nv_coopmat2.arrays.setters.layouts import MOVES, Moving, fits, in_passes, region
from mmaspec.strategies.nv_coopmat2.arrays.tensor_access import USES
from mmaspec.strategies.nv_coopmat2.builder.program import ProgramBuilder
from mmaspec.strategies.nv_coopmat2.templates.operations import like
from mmaspec.strategies.nv_coopmat2.templates.plain import store
from mmaspec.strategies.nv_coopmat2.templates.tensors import OLD_BITS

SEQUENCES = {
    "strides-dimensions": "sd", "clip-between": "dcs", "clip-twice": "dcc", "dimensions-twice": "dds",
    "strides-twice": "dss",
}  # fmt: skip
"""Class of ``view-setter-sequence`` -> dimensions, strides and clips in order."""

STRIDES = (
    "implicit", "explicit-same", "overlapping", "inner-above-one", "zero-inner", "zero-all", "overwritten",
)  # fmt: skip
"""Classes of ``view-stride-kind``."""

PERMUTATIONS: dict[str, Extents] = {
    "double-swap": (1, 0, 3, 2),
    "cycle-of-five": (2, 0, 4, 1, 3),
    "three-and-two": (1, 2, 0, 4, 3),
    "identity": (0,),
    "swap-two": (1, 0),
    "cycle-left": (1, 2, 0),
}
"""Class of ``view-permutation`` -> the order of the axes."""

_SET = "clip-between|dimensions-twice|strides-twice"
"""Sequences that end with strides that act."""


def _strides(packed: Extents, kind: str) -> Extents:
    """The strides of a class of ``view-stride-kind``."""
    outer, middle, inner = packed[:1], packed[1:-1], packed[-1]
    if len(packed) == 1:
        outer = ()
    return {
        "explicit-same": packed,
        "overlapping": (*(max(1, stride - 3) for stride in outer), *middle, inner),
        "inner-above-one": (*outer, *middle, inner * 2),
        "zero-inner": (*outer, *middle, 0),
        "zero-all": tuple(0 for _ in packed),
    }[kind]


MOVING = {
    "strides-dimensions": "dimensions", "clip-between": "strides", "clip-twice": "clip",
    "dimensions-twice": "dimensions", "strides-twice": "strides",
}  # fmt: skip
"""Class of ``view-setter-sequence`` -> the setter of it whose arguments differ between waves or passes."""

CLIP_STEPS = (1, -2, 1, -2)
"""By how much a clip that moves begins later, and ends earlier."""


def _calls(builder: ProgramBuilder, rows: int, cols: int, chosen: Chosen, rank: int, move: Moving) -> list[ViewSetter]:
    dims = factors(rows, cols, rank)
    packed = tuple(prod(dims[dim + 1 :]) for dim in range(rank))
    kind = chosen["view-stride-kind"]
    last = packed if kind in {"implicit", "overwritten"} else _strides(packed, kind)
    found: list[ViewSetter] = []
    ones = (1,) * rank
    letters = SEQUENCES[chosen["view-setter-sequence"]]
    for turn, letter in enumerate(letters):
        again = letter in letters[turn + 1 :]
        if letter == "d":
            found.append(SetViewDimensions(tuple(dim + 1 for dim in dims) if again else move("dimensions", dims, ones)))
        elif letter == "s":
            acts = "d" not in letters[turn + 1 :] and not again
            found.append(SetViewStride(move("strides", last, ones) if acts else tuple(step + 2 for step in packed)))
        elif again:
            found.append(SetClip(0, 2, 1, 3))
        else:
            # What is left of a side of 4 is 3, of which a clip that moves takes two.
            left = [side - builder.choices.integer(1, max(1, min(3, side - 3))) for side in (rows, cols)]
            clip = (1, left[0], 0, left[1])
            found.append(SetClip(*move("clip", clip, CLIP_STEPS)))
    return found


def _viewed(context: DrawContext[CoopMatCaps], chosen: Chosen) -> Draft | None:
    return loaded(context, [chosen])


def loaded(context: DrawContext[CoopMatCaps], several: Sequence[Chosen]) -> Draft | None:
    """A program with the loads of several choices, which have one use and one number of waves and passes."""
    builder = ProgramBuilder(context, most_waves=1)
    waves, passes = (1 + grows for grows in MOVES[several[0]["evaluation"]])
    builder.waves = waves
    matrix = builder.matrix(USES[several[0]["use"]])
    loads: list[tuple[Matrix, str]] = []
    for number, chosen in enumerate(several):
        loads += _views(builder, matrix if not number else like(builder, matrix), chosen, waves - 1, passes - 1)
    sizes = (matrix.rows + 2, matrix.cols + 3)
    tensor = builder.layout((SetDimension(sizes), Slice((1, 2), (matrix.rows, matrix.cols))), mode=CONSTANT)
    buffer = builder.buffer("in")
    where = region(builder, buffer, matrix, prod(sizes))
    data = builder.name("T")
    body: list[Simple] = []
    for target, used in loads:
        body.append(Splat(target.name, Literal(OLD_BITS[target.component])))
        body.append(LoadTensor(target.name, buffer, where, tensor, data=data, view=used))
    body += [store(builder, target, passes=passes) for target, _ in loads]
    in_passes(builder, passes, body)
    return builder.draft("distinct", batch=2)


def _views(
    builder: ProgramBuilder, matrix: Matrix, chosen: Chosen, by_wave: int, by_pass: int
) -> list[tuple[Matrix, str]]:
    """The views of the chosen classes, each with a matrix to load by it; the last one with this matrix."""
    order = PERMUTATIONS[chosen["view-permutation"]]
    rank = len(order)
    move = Moving(MOVING[chosen["view-setter-sequence"]], by_wave, by_pass)
    calls = tuple(_calls(builder, matrix.rows, matrix.cols, chosen, rank, move))
    start = chosen["view-start"]

    def view(some: tuple[ViewSetter, ...], before: str | None = None) -> str:
        return builder.view(some, rank=rank, own=True, permutation=order, start=before)

    if start == "copy":
        return [(matrix, view((), view(calls)))]
    if start == "chain":
        return [(matrix, view(calls[1:], view((), view(calls[:1]))))]
    # Both are used: what is set later changes nothing for the earlier one.
    before = view((*calls, SetClip(*move("clip", (2, 6, 1, 7), CLIP_STEPS))))
    return [(like(builder, matrix), before), (matrix, view((SetClip(0, 0xFFFF_FFFF, 0, 0xFFFF_FFFF),), before))]


VIEW_SETTERS = Array(
    name="view-setter-calls",
    focus=("NVCM2-SETVIEWDIM", "NVCM2-SETVIEWSTRIDE", "NVCM2-SETCLIP", "NVCM2-VIEW-UNRAVEL", "NVCM2-FUNCTIONAL"),
    axes={
        "view-setter-sequence": tuple(SEQUENCES),
        "view-start": ("copy", "clip-reset", "chain"),
        "view-stride-kind": STRIDES,
        "view-permutation": tuple(PERMUTATIONS),
        "evaluation": tuple(MOVES),
        "use": tuple(USES),
    },
    build=_viewed,
    rules=(
        "view-stride-kind=implicit|overwritten with view-setter-sequence=" + _SET,
        "view-stride-kind=explicit-same|overlapping|inner-above-one|zero-inner|zero-all"
        " with view-setter-sequence=strides-dimensions|clip-twice",
        "view-stride-kind=overwritten with view-setter-sequence=clip-twice",
        "view-stride-kind=implicit with view-setter-sequence=strides-dimensions",
        # A line overlaps itself only where all its strides are zero.
        "view-stride-kind=overlapping with view-permutation=identity",
        # What is clipped again has another sequence.
        "view-start=clip-reset with view-setter-sequence=strides-dimensions|clip-between",
    ),
    rows=("shared",),
    fits=fits,
)
"""One view with dimensions of its own, as a load uses it; ``evaluation``: whether a setter's arguments differ."""
