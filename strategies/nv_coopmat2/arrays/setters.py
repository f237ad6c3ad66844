"""Layouts and views whose setters stand in every order, after every kind of start."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from mmaspec.oracle.spec import Row
from mmaspec.programs.base import Affine, Index, Literal
from mmaspec.programs.formats import format_named
from mmaspec.programs.nv_coopmat2.caps import CoopMatCaps
from mmaspec.programs.nv_coopmat2.program import (
    CONSTANT,
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
)
from mmaspec.strategies.grammar import Array, Chosen, Draft, DrawContext
from mmaspec.strategies.nv_coopmat2.arrays.extents import Extents
from mmaspec.strategies.nv_coopmat2.arrays.tensor_access import USES
from mmaspec.strategies.nv_coopmat2.builder.program import LINE, ProgramBuilder
from mmaspec.strategies.nv_coopmat2.templates.operations import like
from mmaspec.strategies.nv_coopmat2.templates.plain import store
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


def sequence(builder: ProgramBuilder, matrix: Matrix, chosen: Chosen) -> list[Setter]:
    """The setters of the chosen classes; a slice leaves the tensor by a row below and a column at the right."""
    kind, again = chosen["setter-sequence"], chosen["dimensions-again"] == "equal"
    move = Moving(MOVING[kind], *MOVES[chosen["layout-evaluation"]])
    names = kind.split("-")
    if move.acts and move.setter == "clamp":
        names.append("slice")  # without which nothing is out of bounds
    last = len(names) - 1 - names[::-1].index("dimension")
    rows, cols = matrix.rows, matrix.cols
    place = (-1, builder.choices.integer(2, 4))
    sizes = (rows + builder.choices.integer(0, 2), cols + place[1] - 1)
    final = sizes if "slice" in names[last:] else (rows - 1, cols + 1)
    before = final if again else (rows + 3, cols + 5)
    width = max(sizes[1], before[1]) if "stride" in names[1:last] else sizes[1]
    outer = width + builder.choices.integer(1, 5)
    # Blocks of one column would leave the strides as they are where dimensions are set again.
    shapes = ((1, 2), (3, 2)) if "block" in names[:last] else ((1, 2), (2, 1), (3, 2))
    calls: dict[str, Setter] = {
        "slice": Slice(place, move("span", (rows, cols), (-1, -1))),
        "stride": SetStride(move("stride", (outer, 1), (outer, 1))),
        "block": SetBlockSize(move("block", builder.choices.one_of(shapes), (1, 1))),
        "dimension": SetDimension(move("dimension", final, (-(rows // 2), 1))),
    }
    found = [calls[name] for name in names]
    if "dimension" in names[:last] and not again:
        found[names.index("dimension")] = SetDimension(before)
    clamp = move("clamp", (CLAMP_VALUE,), (CLAMP_STEP,))[0]
    at = {"first": 0, "last": len(found), "between": 1}[chosen["clamp-value-place"]]
    found.insert(at, SetClampValue(builder.argument(CLAMP_VALUE) if clamp == CLAMP_VALUE else clamp))
    return found


def _laid_out(context: DrawContext[CoopMatCaps], chosen: Chosen) -> Draft | None:
    builder = ProgramBuilder(context, most_waves=1)
    waves, passes = (1 + grows for grows in MOVES[chosen["layout-evaluation"]])
    builder.waves = waves
    matrix = builder.matrix(USES[chosen["use"]])
    calls = sequence(builder, matrix, chosen)
    start = chosen["layout-start"]
    loads: list[tuple[Matrix, str]] = []
    if start == "copy":
        name = builder.layout((), mode=CONSTANT, start=builder.layout(tuple(calls), mode=CONSTANT))
        # A copy of what is sliced gets another clamp value, and the original is used besides.
        sliced = builder.layout((Slice((0, -2), (matrix.rows, matrix.cols)),), mode=CONSTANT, start=name)
        late = builder.layout((SetClampValue(builder.argument(OTHER_VALUE)),), mode=CONSTANT, start=sliced)
        loads += [(like(builder, matrix), late), (like(builder, matrix), sliced)]
    elif start == "chain":
        first = builder.layout(tuple(calls[:1]), mode=CONSTANT)
        name = builder.layout((), mode=CONSTANT, start=builder.layout(tuple(calls[1:]), mode=CONSTANT, start=first))
    else:
        before = builder.layout(tuple(calls[:-1]), mode=CONSTANT)
        name = builder.layout(tuple(calls[-1:]), mode=CONSTANT, start=before)
        loads.append((like(builder, matrix), builder.layout(tuple(calls[-1:]), mode=CONSTANT, start=before)))
    buffer = builder.buffer("in")
    body: list[Simple] = []
    for target, tensor in (*loads, (matrix, name)):
        where = region(builder, buffer, matrix, 2 * (matrix.rows + 5) * (matrix.cols + 9))
        body.append(Splat(target.name, Literal(OLD_BITS[target.component])))
        body.append(LoadTensor(target.name, buffer, where, tensor, data=builder.name("T")))
    body += [store(builder, target, passes=passes) for target, _ in (*loads, (matrix, name))]
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
