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
from mmaspec.strategies.nv_coopmat2.arrays.extents import Extents
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
    """The setters of the chosen classes; a slice leaves the tensor by a row below and a column at the right.

    Unless it may not, in the mode Undefined.
    """
    kind, again = chosen["setter-sequence"], chosen.get("dimensions-again") == "equal"
    mode = _mode(chosen)
    clamped = mode == CONSTANT and not stored
    moving = "dimension" if MOVING[kind] == "clamp" and not clamped else MOVING[kind]
    move = Moving(moving, *MOVES[chosen["layout-evaluation"]])
    names = kind.split("-")
    if move.acts and move.setter == "clamp":
        names.append("slice")  # without which nothing is out of bounds
    last = len(names) - 1 - names[::-1].index("dimension")
    rows, cols = matrix.rows, matrix.cols
    place = (-1, builder.choices.integer(2, 4))
    sizes = (rows + builder.choices.integer(0, 2), cols + place[1] - 1)
    # In a span that is too small elements come again: two of them may not be stored in one place.
    final = sizes if "slice" in names[last:] else (rows if stored else rows - 1, cols + 1)
    if mode == UNDEFINED:  # where nothing may be out of bounds, NVCM2-CLAMP-UNDEF
        place = (1, place[1])
        sizes = final = (2 * rows + 4, cols + place[1] + 2)
    before = final if again else (rows + 3, cols + 5)
    width = max(sizes[1], before[1]) if "stride" in names[1:last] else sizes[1]
    outer = width + builder.choices.integer(1, 5)
    shrinks = min(rows // 2, rows - 3)  # two rows are left: there is no mirror of one
    # Blocks of one column would leave the strides as they are where dimensions are set again.
    every = ((1, 2), (2, 1), (3, 2))
    # Of a tensor that shrinks, or with a block that grows, in each wave or pass there is still a whole block.
    least = min(final[0], before[0]) - {"dimension": shrinks, "block": 1}.get(moving, 0)
    shapes = [shape for shape in every if shape[0] <= least and (shape[1] > 1 or "block" not in names[:last])]
    calls: dict[str, Setter] = {
        "slice": Slice(place, move("span", (rows, cols), (1, 1) if stored else (-1, -1))),
        "stride": SetStride(move("stride", (outer, 1), (outer, 1))),
        "block": SetBlockSize(move("block", builder.choices.one_of(shapes), (1, 1))),
        "dimension": SetDimension(move("dimension", final, (1 if stored else -shrinks, 1))),
    }
    found = [calls[name] for name in names]
    if "dimension" in names[:last] and not again:
        found[names.index("dimension")] = SetDimension(before)
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
    mode = _mode(chosen)

    def layout(calls: Sequence[Setter], start: str | None = None) -> str:
        return builder.layout(tuple(calls), mode=mode, start=start)

    if chosen["layout-start"] == "copy":
        name = layout((), layout(calls))
        # A copy of what is sliced gets another clamp value, and the original is used besides.
        back = (1, 1) if mode == UNDEFINED else (0, -2)
        sliced = layout((Slice(back, (matrix.rows, matrix.cols)),), name)
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


def _extent(matrix: Matrix) -> int:
    """Elements that no layout leaves, whatever its strides."""
    return 2 * (matrix.rows + 8) * (matrix.cols + 14)


def _laid_out(context: DrawContext[CoopMatCaps], chosen: Chosen) -> Draft | None:
    builder, matrix, passes = _begun(context, chosen)
    accesses = _layouts(builder, matrix, chosen)
    buffer = builder.buffer("in")
    body: list[Simple] = []
    for target, tensor in accesses:
        where = region(builder, buffer, matrix, _extent(matrix))
        body.append(Splat(target.name, Literal(OLD_BITS[target.component])))
        body.append(LoadTensor(target.name, buffer, where, tensor, data=builder.name("T")))
    body += [store(builder, target, passes=passes) for target, _ in accesses]
    in_passes(builder, passes, body)
    return builder.draft("distinct", batch=2)


def _stored(context: DrawContext[CoopMatCaps], chosen: Chosen) -> Draft | None:
    builder, matrix, passes = _begun(context, chosen)
    accesses = _layouts(builder, matrix, chosen, stored=True)
    buffer = builder.buffer("out")
    body: list[Simple] = [load(builder, target, passes=passes) for target, _ in accesses]
    extent = _extent(matrix)
    for target, tensor in accesses:  # no wave, and no pass, stores over what another has stored
        where = region(builder, buffer, matrix, extent * builder.waves * passes)
        spread = builder.spread(where, extent, builder.waves * extent if passes > 1 else 0)
        body.append(StoreTensor(target.name, buffer, spread, tensor))
    in_passes(builder, passes, body)
    return builder.draft("distinct", batch=2)


def _fits(_: Row[Any], caps: CoopMatCaps, __: str, ___: str) -> bool:
    return caps.features.tensor_addressing


LAYOUT_SETTERS = Array(
    name="layout-setters",
    focus=("NVCM2-SETDIM-ORDER", "NVCM2-SETSTRIDE", "NVCM2-SLICE", "NVCM2-BLOCK", "NVCM2-CLAMPVALUE"),
    axes={
        "setter-sequence": SEQUENCES,
        "clamp-value-place": ("first", "last", "between"),
        "layout-start": ("copy", "two-copies", "chain"),
        "layout-evaluation": tuple(MOVES),
        "dimensions-again": ("other", "equal"),
        "use": tuple(USES),
    },
    build=_laid_out,
    rules=("dimensions-again=equal with setter-sequence=" + _ONCE,),
    rows=("shared",),
    fits=_fits,
)
"""One layout as it is used.

``clamp-value-place``: where among the others its clamp value is set; ``dimensions-again``: dimensions before the last.
"""

CLAMPED_SETTERS = Array(
    name="clamped-setters",
    focus=("NVCM2-SETDIM-ORDER", "NVCM2-SETSTRIDE", "NVCM2-SLICE", "NVCM2-BLOCK", "NVCM2-CLAMP-EDGE"),
    axes={
        "setter-sequence": SEQUENCES,
        "clamp-mode": tuple(mode for mode in MODES if mode != "constant"),
        "layout-start": ("copy", "two-copies", "chain"),
        "layout-evaluation": tuple(MOVES),
        "use": tuple(USES),
    },
    build=_laid_out,
    rows=("shared",),
    fits=_fits,
)
"""The same in the other clamp modes, of which Undefined leaves nothing out of bounds."""

UNBLOCKED = tuple(kind for kind in SEQUENCES if "block" not in kind)
"""Sequences by which a store may go, NVCM2-STORE-NOBLOCK."""

STORED_SETTERS = Array(
    name="stored-setters",
    focus=("NVCM2-SETDIM-ORDER", "NVCM2-SETSTRIDE", "NVCM2-SLICE", "NVCM2-CLAMP-STORE-DROP"),
    axes={
        "setter-sequence": UNBLOCKED,
        "clamp-mode": tuple(MODES),
        "layout-start": ("copy", "two-copies", "chain"),
        "layout-evaluation": tuple(MOVES),
        "dimensions-again": ("other", "equal"),
        "use": tuple(USES),
    },
    build=_stored,
    rules=("dimensions-again=equal with setter-sequence=stride-dimension|slice-dimension",),
    rows=("shared",),
    fits=_fits,
)
"""The same in stores, which no clamp value reaches."""
