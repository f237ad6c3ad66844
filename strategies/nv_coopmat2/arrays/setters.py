"""Layouts and views whose setters stand in every order, after every kind of start."""

from __future__ import annotations

from typing import Any

from mmaspec.oracle.spec import Row
from mmaspec.programs.base import Literal
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
    Slice,
    Splat,
)
from mmaspec.strategies.grammar import Array, Chosen, Draft, DrawContext
from mmaspec.strategies.nv_coopmat2.arrays.tensor_access import USES
from mmaspec.strategies.nv_coopmat2.builder.program import LINE, ProgramBuilder
from mmaspec.strategies.nv_coopmat2.templates.operations import like
from mmaspec.strategies.nv_coopmat2.templates.plain import store
from mmaspec.strategies.nv_coopmat2.templates.tensors import OLD_BITS

SEQUENCES = (
    "dimension-stride", "dimension-slice-stride", "stride-dimension", "slice-dimension", "dimension-block",
    "dimension-block-stride", "dimension-block-dimension",
)  # fmt: skip
"""Classes of ``setter-sequence`` that tensor accesses of other arrays do not have."""

CLAMP_VALUE = 0x3C7B_1942
OTHER_VALUE = 0x4119_2C3D


def region(builder: ProgramBuilder, buffer: str, matrix: Matrix, elements: int) -> int:
    """The offset of a new region for so many elements."""
    width = format_named(matrix.component).nbytes
    return builder.region(buffer, -(-elements * width // LINE) * LINE) // width


def sequence(builder: ProgramBuilder, matrix: Matrix, kind: str) -> list[Setter]:
    """The setters of a class; a slice leaves the tensor by a row below and a column at the right."""
    rows, cols = matrix.rows, matrix.cols
    place, spans = (-1, builder.choices.integer(2, 4)), (rows, cols)
    sizes = (rows + builder.choices.integer(0, 2), cols + place[1] - 1)
    calls: dict[str, Setter] = {
        "slice": Slice(place, spans),
        "stride": SetStride((sizes[1] + builder.choices.integer(1, 5), 1)),
        "block": SetBlockSize(builder.choices.one_of(((1, 2), (2, 1), (3, 2)))),
    }
    names = kind.split("-")
    sliced = "slice" in names[names.index("dimension") :]
    found: list[Setter] = []
    for turn, name in enumerate(names):
        if name != "dimension":
            found.append(calls[name])
        elif "dimension" in names[turn + 1 :]:
            found.append(SetDimension((rows + 3, cols + 5)))
        else:
            found.append(SetDimension(sizes if sliced else (rows - 1, cols + 1)))
    return found


def _laid_out(context: DrawContext[CoopMatCaps], chosen: Chosen) -> Draft | None:
    builder = ProgramBuilder(context, most_waves=1)
    matrix = builder.matrix(USES[chosen["use"]])
    calls = sequence(builder, matrix, chosen["setter-sequence"])
    place = {"first": 0, "last": len(calls), "between": 1}[chosen["clamp-value-place"]]
    calls.insert(place, SetClampValue(builder.argument(CLAMP_VALUE)))
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
    for target, tensor in (*loads, (matrix, name)):
        where = region(builder, buffer, matrix, 2 * (matrix.rows + 5) * (matrix.cols + 9))
        builder.add(Splat(target.name, Literal(OLD_BITS[target.component])))
        builder.add(LoadTensor(target.name, buffer, where, tensor, data=builder.name("T")))
    builder.add(*(store(builder, target) for target, _ in (*loads, (matrix, name))))
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
        "use": tuple(USES),
    },
    build=_laid_out,
    rows=("shared",),
    fits=_fits,
)
"""One layout as it is used; ``clamp-value-place``: where among the others its clamp value is set."""
