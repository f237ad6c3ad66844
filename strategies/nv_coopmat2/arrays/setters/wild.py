"""Setters as they come: any calls in any order, repeated and copied, several layouts and views to a program.

The other arrays have one rule of the text meet another. Here many calls do: a layout is whatever its calls left, so
whoever evaluates them in another way has another one.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from itertools import permutations
from math import prod

from mmaspec.programs.base import Literal
from mmaspec.programs.nv_coopmat2.caps import CoopMatCaps
from mmaspec.programs.nv_coopmat2.program import (
    LoadTensor,
    Matrix,
    SetBlockSize,
    SetClampValue,
    SetClip,
    SetDimension,
    SetStride,
    Setter,
    SetViewDimensions,
    SetViewStride,
    Simple,
    Slice,
    Splat,
    ViewSetter,
)
from mmaspec.strategies.choices import Choices
from mmaspec.strategies.grammar import Array, Chosen, Draft, DrawContext
from mmaspec.strategies.nv_coopmat2.arrays.extents import RANKS, Extents, factors
from mmaspec.strategies.nv_coopmat2.arrays.setters.layouts import fits, region
from mmaspec.strategies.nv_coopmat2.arrays.tensor_access import USES
from mmaspec.strategies.nv_coopmat2.arrays.tensor_layout import MODES
from mmaspec.strategies.nv_coopmat2.builder.program import ProgramBuilder
from mmaspec.strategies.nv_coopmat2.templates.operations import like
from mmaspec.strategies.nv_coopmat2.templates.plain import store
from mmaspec.strategies.nv_coopmat2.templates.tensors import OLD_BITS

LOADS = 6
"""Layouts of one program; the first half of them as chosen."""
DRAWS = tuple("12345678")
CLAMPED = tuple(mode for mode in MODES if mode != "undefined")
KINDS = [(4, "slice"), (3, "dimension"), (3, "stride"), (3, "block"), (1, "clamp")]
"""Setters and how often they are called."""


@dataclass
class State:
    """What calls have left so far, of what decides how large a tensor is and which strides may be set."""

    shape: Extents
    """The spans of a whole matrix."""
    mode: int
    sizes: list[int] = field(default_factory=list)
    strides: list[int] = field(default_factory=list)
    blocks: list[int] = field(default_factory=list)

    def call(self, choices: Choices, kind: str) -> Setter:
        """One more call, with numbers that it may have."""
        rank = len(self.shape)
        if kind == "slice":
            spans = tuple(max(1, span + choices.one_of((0, 0, 0, -1, 1))) for span in self.shape)
            return Slice(tuple(choices.integer(-1, 2) for _ in spans), spans)
        if kind == "clamp":
            return SetClampValue(choices.integer(1, 0xFFFF_FFFF))
        if kind == "block":
            self.blocks = [choices.one_of((1, 1, 2, 3)) for _ in range(rank)]
            return SetBlockSize(tuple(self.blocks))
        if kind == "dimension":
            self.sizes = [max(2, span + choices.integer(-1, 3)) for span in self.shape]
        inner = choices.one_of((1, 2, 3)) if kind == "stride" else 1
        gap = 4 if kind == "stride" else 0
        found = [inner]
        for dim in range(rank - 1, 0, -1):
            found.insert(0, found[0] * self.counts[dim] + choices.integer(0, gap))
        self.strides = found
        return SetDimension(tuple(self.sizes)) if kind == "dimension" else SetStride(tuple(found))

    @property
    def counts(self) -> list[int]:
        """Blocks along each dimension."""
        return [-(-size // block) for size, block in zip(self.sizes, self.blocks, strict=True)]

    @property
    def elements(self) -> int:
        """How far the tensor reaches."""
        return 1 + sum((count - 1) * stride for count, stride in zip(self.counts, self.strides, strict=True))


def _begun(choices: Choices, matrix: Matrix, rank: int, mode: int) -> tuple[State, list[Setter]]:
    """A new layout, of which the dimensions are set at some time."""
    shape = factors(matrix.rows, matrix.cols, rank)
    state = State(shape, mode, [1] * rank, [1] * rank, [1] * rank)
    early = [choices.one_of(("slice", "block", "clamp", "stride")) for _ in range(choices.integer(0, 2))]
    late = [choices.weighted(KINDS) for _ in range(choices.integer(1, 4))]
    return state, [state.call(choices, kind) for kind in (*early, "dimension", *late)]


def _laid_out(context: DrawContext[CoopMatCaps], chosen: Chosen) -> Draft | None:
    builder = ProgramBuilder(context, most_waves=1)
    choices, buffer = builder.choices, builder.buffer("in")
    matrix = builder.matrix(USES[chosen["use"]])
    made: list[tuple[str, State]] = []
    body: list[Simple] = []
    targets = []
    for number in range(LOADS):
        target = like(builder, matrix) if number else matrix
        if made and choices.chance(35):
            before, earlier = choices.one_of(tuple(made))
            state = replace(earlier)
            calls = [state.call(choices, choices.weighted(KINDS)) for _ in range(choices.integer(1, 3))]
            name = builder.layout(tuple(calls), rank=len(state.shape), mode=state.mode, start=before)
            made.append((name, state))
            used = choices.one_of((made[-1], (before, earlier)))
        else:
            as_chosen = number < LOADS // 2
            rank = RANKS[chosen["tensor-rank"]] if as_chosen else choices.integer(1, 5)
            mode = MODES[chosen["clamp-mode"] if as_chosen else choices.one_of(CLAMPED)]
            state, calls = _begun(choices, matrix, rank, mode)
            used = builder.layout(tuple(calls), rank=rank, mode=mode), state
            made.append(used)
        where = region(builder, buffer, matrix, used[1].elements)
        view = _view(builder, matrix) if choices.chance(50) else None
        body.append(Splat(target.name, Literal(OLD_BITS[target.component])))
        body.append(LoadTensor(target.name, buffer, where, used[0], data=builder.name("T"), view=view))
        targets.append(target)
    builder.add(*body, *(store(builder, target) for target in targets))
    return builder.draft("distinct", batch=2)


def _view(builder: ProgramBuilder, matrix: Matrix) -> str:
    """A view of any permutation, whose setters stand in any order."""
    choices = builder.choices
    rank = choices.integer(1, 5)
    order = choices.one_of(tuple(permutations(range(rank))))
    sizes = factors(matrix.rows, matrix.cols, rank)
    packed = tuple(prod(sizes[dim + 1 :]) for dim in range(rank))
    calls: list[ViewSetter] = []
    kinds = [choices.one_of(("size", "stride", "clip")) for _ in range(choices.integer(1, 4))]
    for number, kind in enumerate(kinds):
        if kind == "size":
            more = 1 if "size" in kinds[number + 1 :] else 0
            calls.append(SetViewDimensions(tuple(size + more for size in sizes)))
        elif kind == "stride":
            calls.append(SetViewStride(tuple(choices.one_of((step, step, step + 1, 0)) for step in packed)))
        else:
            rows, cols = (choices.integer(1, side) for side in (matrix.rows, matrix.cols))
            calls.append(SetClip(choices.integer(0, 2), rows, choices.integer(0, 2), cols))
    if "size" not in kinds:
        calls.insert(0, SetViewDimensions(sizes))
    return builder.view(tuple(calls), rank=rank, own=True, permutation=order)


WILD_SETTERS = Array(
    name="wild-setters",
    focus=(
        "NVCM2-SETDIM-ORDER",
        "NVCM2-SETSTRIDE",
        "NVCM2-SLICE",
        "NVCM2-BLOCK",
        "NVCM2-FUNCTIONAL",
        "NVCM2-VIEW-UNRAVEL",
    ),
    axes={"draw": DRAWS, "tensor-rank": tuple(RANKS), "clamp-mode": CLAMPED, "use": tuple(USES)},
    build=_laid_out,
    rows=("shared",),
    fits=fits,
)
"""Six loads, each by a layout of its own or by one that another was made of."""
