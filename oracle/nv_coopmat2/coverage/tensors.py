"""Coverage points of tensor loads and stores: the clauses that act, and in which circumstance."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import prod

import numpy as np

from mmaspec.oracle.nv_coopmat2.addresses import array_bytes, component_bytes, elements, layouts_of, view_of
from mmaspec.oracle.nv_coopmat2.tensors.elements import Elements
from mmaspec.oracle.nv_coopmat2.tensors.index_functions import Ended
from mmaspec.oracle.nv_coopmat2.tensors.layouts import TensorLayout, lineage
from mmaspec.oracle.nv_coopmat2.tensors.views import TensorView, view_lineage
from mmaspec.programs.nv_coopmat2.program import (
    CLAMP_TO_EDGE,
    CONSTANT,
    MIRROR_REPEAT,
    REPEAT,
    UNDEFINED,
    CoopMatProgram,
    Decode,
    LoadTensor,
    Nibbles,
    ScaleAndBytes,
    SetBlockSize,
    SetClampValue,
    SetClip,
    SetDimension,
    SetStride,
    SetViewDimensions,
    SetViewStride,
    Slice,
    StoreTensor,
)

MODES = {
    CONSTANT: "NVCM2-CLAMP-CONST",
    CLAMP_TO_EDGE: "NVCM2-CLAMP-EDGE",
    REPEAT: "NVCM2-CLAMP-REPEAT",
    MIRROR_REPEAT: "NVCM2-CLAMP-MIRROR",
}
"""Clamp mode -> the clause that says what a load finds outside the layout."""

_FORMS: dict[type[Decode], str] = {ScaleAndBytes: "scale-and-bytes", Nibbles: "nibbles"}


def tensor_points(
    program: CoopMatProgram, access: LoadTensor | StoreTensor, loop: int, *, overwritten: bool = False
) -> tuple[str, ...]:
    """The clauses of a tensor access, the special before the general; ``overwritten``: the matrix held something."""
    layouts = layouts_of(program, access, loop)
    found = [elements(program, access, wave, loop) for wave in range(program.waves)]
    outside: set[str] = set().union(*(_outside(t, one) for t, one in zip(layouts, found, strict=True)))
    load = isinstance(access, LoadTensor)
    points: list[str] = []
    if overwritten and load and outside and layouts[0].clamp_mode == CONSTANT:
        points.append("NVCM2-LOAD-INOUT/outside")
    if outside:
        points += _clamp_points(program, access, layouts[0].clamp_mode, outside)
    if access.decode is not None:
        points.append(f"NVCM2-DECODE-ADDR/{_FORMS.get(type(access.decode), 'echo')}")
    if access.view is not None:
        points += _view_points(program, access, loop, layouts, found)
    points += _setter_points(program, access, layouts)
    points += _general_points(program, access, layouts)
    return tuple(points)


def _general_points(
    program: CoopMatProgram, access: LoadTensor | StoreTensor, layouts: tuple[TensorLayout, ...]
) -> Iterator[str]:
    """The coverage points of most accesses."""
    matrix = program.matrix(access.matrix)
    verb = "load" if isinstance(access, LoadTensor) else "store"
    yield "NVCM2-SPANCOORD" + ("/repeated" if any(matrix.rows * matrix.cols > prod(t.span) for t in layouts) else "")
    if any(any(t.offset) for t in layouts):
        yield "NVCM2-OFFSET" + ("/bounds" if layouts[0].clamp_mode != UNDEFINED else "")
    if any(t.stride[-1] != 1 for t in layouts):
        yield "NVCM2-STRIDE-SUM/inner"
    if array_bytes(access, matrix) != component_bytes(matrix):
        yield f"NVCM2-BYTEADDR/{verb}-{access.array}"
    if access.view is None:
        yield f"NVCM2-LINEAR/{verb}"


def _outside(t: TensorLayout, found: Elements) -> set[str]:
    """In which ways elements leave the layout: ``below``, ``above``, and ``corner`` for two dimensions at once."""
    c = found.span[found.span[..., 0] >= 0] + np.array(t.offset, np.int64)
    below, above = c < 0, c >= np.array(t.layout_dimension, np.int64)
    ways = {"below": below.any(), "above": above.any(), "corner": ((below | above).sum(axis=-1) > 1).any()}
    return {way for way, there in ways.items() if there}


def _clamp_points(
    program: CoopMatProgram, access: LoadTensor | StoreTensor, mode: int, sides: set[str]
) -> Iterator[str]:
    if isinstance(access, StoreTensor):
        yield f"NVCM2-CLAMP-STORE-DROP/mode-{mode}"
        return
    if mode == CONSTANT:
        given = any(isinstance(call, SetClampValue) for call in lineage(program, access.tensor)[1])
        yield "NVCM2-CLAMPVALUE" if given else "NVCM2-CREATE-LAYOUT/clamp-value"
    yield f"{MODES[mode]}/{'-'.join(sorted(sides - {'corner'}))}"
    if "corner" in sides:
        yield "NVCM2-CLAMP-PERDIM"


def _setter_points(
    program: CoopMatProgram, access: LoadTensor | StoreTensor, layouts: tuple[TensorLayout, ...]
) -> Iterator[str]:
    kinds: list[type] = [type(call) for call in lineage(program, access.tensor)[1]]
    if any(layout.start == access.tensor and layout.calls for layout in program.layouts):
        yield "NVCM2-FUNCTIONAL"
    last = max((i for i, kind in enumerate(kinds) if kind is SetDimension), default=-1)
    blocks_after = SetBlockSize in kinds[last + 1 :]
    if set(kinds[: max(last, 0)]) - {SetClampValue, SetBlockSize} or (last >= 0 and blocks_after):
        yield "NVCM2-SETDIM-ORDER" + ("/blocks" if blocks_after else "")
    if SetBlockSize in kinds:
        partial = any(
            dim % size for t in layouts for dim, size in zip(t.layout_dimension, t.block_size, strict=True) if size
        )
        yield "NVCM2-BLOCK" + ("/partial" if partial else "")
        yield "NVCM2-SETBLOCK"
    after = kinds[last + 1 :]
    if Slice in after:
        yield "NVCM2-SLICE" + ("/again" if after.count(Slice) > 1 else "")
    if SetStride in after:
        yield "NVCM2-SETSTRIDE"
    elif last >= 0 and layouts[0].ldim > 1:
        yield "NVCM2-SETDIM/strides"


def _view_points(
    program: CoopMatProgram,
    access: LoadTensor | StoreTensor,
    loop: int,
    layouts: tuple[TensorLayout, ...],
    found: list[Elements],
) -> Iterator[str]:
    """The clauses of the view: its clip first, then its axes."""
    assert access.view is not None
    verb = "load" if isinstance(access, LoadTensor) else "store"
    views = [view_of(program, access, wave, loop) for wave in range(program.waves)]
    v = next(view for view in views if view is not None)
    kinds: list[type] = [type(call) for call in view_lineage(program, access.view)[1]]
    if any(view.start == access.view and view.calls for view in program.views):
        yield "NVCM2-FUNCTIONAL/view"
    if pattern := pattern_of(v, layouts[0].ldim, kinds):
        yield f"{pattern}/{verb}"
    if any((one.index == Ended.SKIPPED.value).any() for one in found):
        yield f"NVCM2-CLIP-SKIP/{verb}"
    yield f"NVCM2-CLIP-INDEX/{_width(v, program.matrix(access.matrix).cols)}"
    yield "NVCM2-SETCLIP" if SetClip in kinds else "NVCM2-CREATE-VIEW"
    last = max((i for i, kind in enumerate(kinds) if kind is SetViewDimensions), default=-1)
    if v.has_dimensions:
        yield "NVCM2-SETVIEWSTRIDE" if SetViewStride in kinds[last + 1 :] else "NVCM2-SETVIEWDIM"
    yield f"NVCM2-VIEW-LINEAR/{'own' if v.has_dimensions else 'span'}"
    order = "axes" if v.permutation == tuple(range(v.vdim)) else "permuted"
    yield f"NVCM2-VIEW-UNRAVEL/{order}-{v.vdim}"


def pattern_of(v: TensorView, ldim: int, setters: Sequence[type]) -> str:
    """The clause of a view in a form that compilers look for, to skip the general calculation; empty for others."""
    if SetClip in setters:
        return ""
    if v.has_dimensions:
        patches = v.permutation == (0, 2, 1, 3, 4) and SetViewStride not in setters
        return "NVCM2-SPACE2DEPTH" if patches else ""
    if v.permutation == tuple(range(ldim)):
        return "NVCM2-VIEW-IDENTITY"
    return "NVCM2-VIEW-TRANSPOSE" if v.permutation == (1, 0) else ""


def _width(v: TensorView, cols: int) -> str:
    """The relation of the width of a clip region to that of the matrix."""
    if v.clip_col_span < cols:
        return "beyond" if v.clip_col_offset + v.clip_col_span > cols else "narrow"
    return "whole" if v.clip_col_offset == 0 else "beyond"
