"""Layouts and views whose setters stand in every order, after every kind of start."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from mmaspec.oracle.spec import Row
from mmaspec.programs.base import Affine, Index, Literal
from mmaspec.programs.formats import format_named
from mmaspec.programs.nv_coopmat2.caps import CoopMatCaps
from mmaspec.programs.nv_coopmat2.program import (
    CONSTANT,
    UNDEFINED,
    LoadTensor,
    Matrix,
    SetBlockSize,
    SetClampValue,
    SetDimension,
    SetStride,
    Setter,
    Simple,
    Slice,
    Splat,
    StoreTensor,
)
from mmaspec.strategies.grammar import Array, Chosen, Draft, DrawContext
from mmaspec.strategies.nv_coopmat2.arrays.extents import RANKS, Extents
from mmaspec.strategies.nv_coopmat2.arrays.setters.numbers import numbers
from mmaspec.strategies.nv_coopmat2.arrays.tensor_access import USES
from mmaspec.strategies.nv_coopmat2.arrays.tensor_layout import MODES
from mmaspec.strategies.nv_coopmat2.builder.program import LINE, ProgramBuilder
from mmaspec.strategies.nv_coopmat2.templates.operations import like
from mmaspec.strategies.nv_coopmat2.templates.plain import load, store
from mmaspec.strategies.nv_coopmat2.templates.tensors import OLD_BITS

SEQUENCES = (
    "dimension-stride", "dimension-slice-stride", "stride-dimension", "slice-dimension", "dimension-block",
    "dimension-block-stride", "dimension-block-dimension", "dimension-slice-dimension", "dimension-stride-dimension",
)  # fmt: skip
"""Classes of ``setter-sequence`` that tensor accesses of other arrays do not have."""

MOVING = {
    "dimension-stride": "stride", "dimension-slice-stride": "span", "stride-dimension": "dimension",
    "slice-dimension": "clamp", "dimension-block": "block", "dimension-block-stride": "stride",
    "dimension-block-dimension": "block", "dimension-slice-dimension": "dimension",
    "dimension-stride-dimension": "dimension",
}  # fmt: skip
"""Class of ``setter-sequence`` -> the setter of it whose arguments differ between waves or passes, and no other's."""

_ONCE = "|".join(kind for kind in SEQUENCES if kind.count("dimension") == 1)
"""Sequences in which dimensions are set once."""

MOVES = {"drawn": (0, 0), "per-wave": (1, 0), "per-pass": (0, 1)}
"""Class of ``layout-evaluation`` -> how often the steps of these arguments are added by the wave, and by the pass."""

CLAMP_VALUE = 0x3C7B_1942
CLAMP_STEP = 0x0101_0101
OTHER_VALUE = 0x4119_2C3D


@dataclass(frozen=True, slots=True)
class Moving:
    """Writes arguments; those of one setter so that they differ between waves or passes."""

    setter: str
    wave: int
    loop: int

    @property
    def acts(self) -> bool:
        """Whether anything differs."""
        return bool(self.wave or self.loop)

    def __call__(self, setter: str, values: Extents, steps: Extents) -> tuple[Index, ...]:
        """The arguments of a setter: these values, and by ``steps`` more in each further wave or pass."""
        if setter != self.setter or not self.acts:
            return values
        return tuple(
            Affine(value, self.wave * step, self.loop * step) for value, step in zip(values, steps, strict=True)
        )


def in_passes(builder: ProgramBuilder, passes: int, body: list[Simple]) -> None:
    """Add instructions: in a loop if there are several passes."""
    if passes > 1:
        builder.repeat(passes, *body)
    else:
        builder.add(*body)


def region(builder: ProgramBuilder, buffer: str, matrix: Matrix, elements: int) -> int:
    """The offset of a new region for so many elements."""
    width = format_named(matrix.component).nbytes
    return builder.region(buffer, -(-elements * width // LINE) * LINE) // width


def sequence(builder: ProgramBuilder, matrix: Matrix, chosen: Chosen, *, stored: bool) -> list[Setter]:
    """The setters of the chosen classes, of which every argument acts (`numbers`)."""
    kind, again = chosen["setter-sequence"], chosen.get("dimensions-again") == "equal"
    mode = _mode(chosen)
    clamped = mode == CONSTANT and not stored
    moving = "dimension" if MOVING[kind] == "clamp" and not clamped else MOVING[kind]
    move = Moving(moving, *MOVES[chosen["layout-evaluation"]])
    names = kind.split("-")
    if move.acts and move.setter == "clamp":
        names.append("slice")  # without which nothing is out of bounds
    last = len(names) - 1 - names[::-1].index("dimension")
    rank = RANKS[chosen["tensor-rank"]]
    with_ = numbers(
        builder.choices, matrix, rank, names, mode=mode, moving=moving, again=again, stored=stored
    )  # fmt: skip
    one_more = (*(0,) * (rank - 2), *(1,) * min(rank, 2))
    calls: dict[str, Setter] = {
        "slice": Slice(with_.offsets, move("span", with_.spans, with_.spans_steps)),
        "stride": SetStride(move("stride", with_.strides, with_.strides)),
        "block": SetBlockSize(move("block", with_.blocks, one_more)),
        "dimension": SetDimension(move("dimension", with_.sizes, with_.sizes_steps)),
    }
    found = [calls[name] for name in names]
    if "dimension" in names[:last] and not again:
        found[names.index("dimension")] = SetDimension(with_.before)
    if stored:  # which no clamp value reaches
        return found
    clamp = move("clamp", (CLAMP_VALUE,), (CLAMP_STEP,))[0]
    at = {"first": 0, "last": len(found), "between": 1}[chosen.get("clamp-value-place", "first")]
    found.insert(at, SetClampValue(builder.argument(CLAMP_VALUE) if clamp == CLAMP_VALUE else clamp))
    return found


def _mode(chosen: Chosen) -> int:
    """The clamp mode of the layouts: where the array does not vary it, one that shows what is out of bounds."""
    return MODES[chosen.get("clamp-mode", "constant")]


def _layouts(
    builder: ProgramBuilder, matrix: Matrix, chosen: Chosen, *, stored: bool = False
) -> list[tuple[Matrix, str]]:
    """The layouts of the chosen classes, each with a matrix to access by it; the last one with this matrix."""
    calls = sequence(builder, matrix, chosen, stored=stored)
    mode, rank = _mode(chosen), RANKS[chosen["tensor-rank"]]

    def layout(calls: Sequence[Setter], start: str | None = None) -> str:
        return builder.layout(tuple(calls), rank=rank, mode=mode, start=start)

    if chosen["layout-start"] == "copy":
        name = layout((), layout(calls))
        # A copy of what is sliced gets another clamp value, and the original is used besides.
        back = (1, 1) if mode == UNDEFINED else (0, -2)
        whole = (matrix.rows, matrix.cols) if rank > 1 else (matrix.rows * matrix.cols,)
        outside = (0,) * (rank - 2), (1,) * (rank - 2)
        sliced = layout((Slice((*outside[0], *back[-rank:]), (*outside[1], *whole)),), name)
        late = layout((SetClampValue(builder.argument(OTHER_VALUE)),), sliced)
        return [(like(builder, matrix), late), (like(builder, matrix), sliced), (matrix, name)]
    if chosen["layout-start"] == "chain":
        return [(matrix, layout((), layout(calls[1:], layout(calls[:1]))))]
    before = layout(calls[:-1])
    first, second = layout(calls[-1:], before), layout(calls[-1:], before)
    return [(like(builder, matrix), second), (matrix, first)]


def _begun(context: DrawContext[CoopMatCaps], chosen: Chosen) -> tuple[ProgramBuilder, Matrix, int]:
    """A program with as many waves as the chosen class needs, its matrix, and how many passes that needs."""
    builder = ProgramBuilder(context, most_waves=1)
    waves, passes = (1 + grows for grows in MOVES[chosen["layout-evaluation"]])
    builder.waves = waves
    return builder, builder.matrix(USES[chosen["use"]]), passes


def _extent(matrix: Matrix, chosen: Chosen) -> int:
    """Elements that no layout leaves, whatever its strides."""
    rank = RANKS[chosen["tensor-rank"]]
    if rank == 1:
        return 6 * (matrix.rows * matrix.cols + 16)
    return 2 * (matrix.rows + 8) * (matrix.cols + 14) << (rank - 1 if rank > 2 else 0)


def _laid_out(context: DrawContext[CoopMatCaps], chosen: Chosen) -> Draft | None:
    return loaded(context, [chosen])


def loaded(context: DrawContext[CoopMatCaps], several: Sequence[Chosen]) -> Draft | None:
    """A program with the loads of several choices, which have one use and one number of waves and passes."""
    builder, matrix, passes = _begun(context, several[0])
    buffer = builder.buffer("in")
    body: list[Simple] = []
    targets = []
    for number, chosen in enumerate(several):
        accesses = _layouts(builder, matrix if not number else like(builder, matrix), chosen)
        for target, tensor in accesses:
            where = region(builder, buffer, matrix, _extent(matrix, chosen))
            body.append(Splat(target.name, Literal(OLD_BITS[target.component])))
            body.append(LoadTensor(target.name, buffer, where, tensor, data=builder.name("T")))
            targets.append(target)
    body += [store(builder, target, passes=passes) for target in targets]
    in_passes(builder, passes, body)
    return builder.draft("distinct", batch=2)


def _stored(context: DrawContext[CoopMatCaps], chosen: Chosen) -> Draft | None:
    builder, matrix, passes = _begun(context, chosen)
    accesses = _layouts(builder, matrix, chosen, stored=True)
    buffer = builder.buffer("out")
    body: list[Simple] = [load(builder, target, passes=passes) for target, _ in accesses]
    extent = _extent(matrix, chosen)
    for target, tensor in accesses:  # no wave, and no pass, stores over what another has stored
        where = region(builder, buffer, matrix, extent * builder.waves * passes)
        spread = builder.spread(where, extent, builder.waves * extent if passes > 1 else 0)
        body.append(StoreTensor(target.name, buffer, spread, tensor))
    in_passes(builder, passes, body)
    return builder.draft("distinct", batch=2)


def fits(_: Row[Any], caps: CoopMatCaps, __: str, ___: str) -> bool:
    """Whether a device has tensor addressing."""
    return caps.features.tensor_addressing


LAYOUT_SETTERS = Array(
    name="layout-setters",
    focus=("NVCM2-SETDIM-ORDER", "NVCM2-SETSTRIDE", "NVCM2-SLICE", "NVCM2-BLOCK", "NVCM2-CLAMPVALUE"),
    axes={
        "setter-sequence": SEQUENCES,
        "tensor-rank": tuple(RANKS),
        "clamp-value-place": ("first", "last", "between"),
        "layout-start": ("copy", "two-copies", "chain"),
        "layout-evaluation": tuple(MOVES),
        "dimensions-again": ("other", "equal"),
        "use": tuple(USES),
    },
    build=_laid_out,
    rules=("dimensions-again=equal with setter-sequence=" + _ONCE,),
    rows=("shared",),
    fits=fits,
)
"""One layout as it is used.

``clamp-value-place``: where among the others its clamp value is set; ``dimensions-again``: dimensions before the last.
"""

CLAMPED_SETTERS = Array(
    name="clamped-setters",
    focus=("NVCM2-SETDIM-ORDER", "NVCM2-SETSTRIDE", "NVCM2-SLICE", "NVCM2-BLOCK", "NVCM2-CLAMP-EDGE"),
    axes={
        "setter-sequence": SEQUENCES,
        "tensor-rank": tuple(RANKS),
        "clamp-mode": tuple(mode for mode in MODES if mode != "constant"),
        "layout-start": ("copy", "two-copies", "chain"),
        "layout-evaluation": tuple(MOVES),
        "use": tuple(USES),
    },
    build=_laid_out,
    rows=("shared",),
    fits=fits,
)
"""The same in the other clamp modes, of which Undefined leaves nothing out of bounds."""

UNBLOCKED = tuple(kind for kind in SEQUENCES if "block" not in kind)
"""Sequences by which a store may go, NVCM2-STORE-NOBLOCK."""

STORED_SETTERS = Array(
    name="stored-setters",
    focus=("NVCM2-SETDIM-ORDER", "NVCM2-SETSTRIDE", "NVCM2-SLICE", "NVCM2-CLAMP-STORE-DROP"),
    axes={
        "setter-sequence": UNBLOCKED,
        "tensor-rank": tuple(RANKS),
        "clamp-mode": tuple(MODES),
        "layout-start": ("copy", "two-copies", "chain"),
        "layout-evaluation": tuple(MOVES),
        "dimensions-again": ("other", "equal"),
        "use": tuple(USES),
    },
    build=_stored,
    rules=("dimensions-again=equal with setter-sequence=stride-dimension|slice-dimension",),
    rows=("shared",),
    fits=fits,
)
"""The same in stores, which no clamp value reaches."""
