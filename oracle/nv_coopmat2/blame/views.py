"""Ablations of tensor views: clip, axes, strides, one removed at a time."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator

from msgspec.structs import replace

from mmaspec.oracle.nv_coopmat2.blame.edits import FRESH, FRESH_VIEW, exchanged
from mmaspec.oracle.nv_coopmat2.blame.remade import remade
from mmaspec.oracle.nv_coopmat2.coverage.tensors import pattern_of
from mmaspec.oracle.nv_coopmat2.tensors.layouts import UINT32, evaluate, lineage
from mmaspec.oracle.nv_coopmat2.tensors.views import TensorView, evaluate_view, view_lineage
from mmaspec.oracle.spec import Ablation
from mmaspec.programs import tree
from mmaspec.programs.base import Literal, Place
from mmaspec.programs.nv_coopmat2.program import (
    CoopMatProgram,
    Layout,
    Load,
    LoadTensor,
    SetBlockSize,
    SetClampValue,
    SetClip,
    SetDimension,
    SetStride,
    Setter,
    SetViewDimensions,
    SetViewStride,
    Slice,
    Splat,
    StoreTensor,
    View,
    ViewSetter,
)

Calls = tuple[ViewSetter, ...]

MOST_DIMENSIONS = 5
"""Of a layout or a view."""

FAR = 1 << 30
"""A stride above every minimum, of a dimension in which nothing moves."""


def view_ablations(program: CoopMatProgram, place: Place, access: LoadTensor | StoreTensor) -> Iterator[Ablation]:
    """Ablations of the view of an access, most telling first."""
    assert access.view is not None
    created, calls = view_lineage(program, access.view)
    v = evaluate_view(program, access.view, 0, 0)

    def given(clause: str, calls: Calls, **changed: object) -> Ablation:
        """The access through a view of its own, made by ``calls``."""
        view = replace(View(FRESH_VIEW, calls, created.rank, created.has_dimensions, created.permutation), **changed)
        return Ablation(clause, exchanged(program, place, replace(access, view=FRESH_VIEW), view=view))

    yield from _unrecognised(program, place, access, created, v)
    if any(view.start == access.view for view in program.views):
        yield given("NVCM2-FUNCTIONAL", calls)

    def state(calls: Calls) -> TensorView:
        found = given("", calls).program
        assert isinstance(found, CoopMatProgram)
        return evaluate_view(found, found.views[-1].name, 0, 0)

    for clause, others, says in remade(calls, state):
        yield dataclasses.replace(given(clause, others), says=says)
    if not any(isinstance(call, SetClip) for call in calls):
        yield given("NVCM2-CREATE-VIEW", (*calls, SetClip(0, UINT32, 0, UINT32)))
    if v.has_dimensions:
        last = max((i for i, call in enumerate(calls) if isinstance(call, SetViewDimensions)), default=-1)
        if any(isinstance(call, SetViewStride) for call in calls[last + 1 :]):
            kept = tuple(call for call in calls if not isinstance(call, SetViewStride))
            yield given("NVCM2-SETVIEWSTRIDE", kept)
        else:
            yield given("NVCM2-SETVIEWDIM", (*calls, SetViewStride(v.view_stride)))
    else:
        span = evaluate(program, access.tensor, 0, 0).span
        yield given("NVCM2-VIEW-LINEAR", (*calls, SetViewDimensions(span)), has_dimensions=True)
    if v.permutation != tuple(range(v.vdim)):
        yield given("NVCM2-VIEW-UNRAVEL", calls, permutation=())
    if isinstance(access, LoadTensor) and any(isinstance(call, SetClip) for call in calls):
        yield from _skipping(program, place, access)
        both = (v.clip_col_offset, v.clip_col_span) * 2
        yield given("NVCM2-SETCLIP", (*calls, SetClip(*both)))  # whatever the order of the arguments
        for clause, clip in _clips(v, program.matrix(access.matrix).cols):
            yield given(clause, (*calls, clip))
        yield given("NVCM2-SETCLIP", (*calls, SetClip(0, UINT32, 0, UINT32)))


def _skipping(program: CoopMatProgram, place: Place, access: LoadTensor) -> Iterator[Ablation]:
    """Other contents for skipped elements to keep: written twice, so that older ones are the same, and zero."""
    before = _writer_before(program, place, access.matrix)
    if before is None:
        return
    again = tree.insert(program, before, tree.at(program, before))
    behind = Place((*place.path[:-1], place.path[-1] + 1), place.loop)
    yield Ablation("NVCM2-CLIP-SKIP", again, behind, clears=False, says="the contents before it written twice")
    zero = exchanged(program, before, Splat(access.matrix, Literal(0)))
    yield Ablation("NVCM2-CLIP-SKIP", zero, clears=False)


def _unrecognised(
    program: CoopMatProgram, place: Place, access: LoadTensor | StoreTensor, created: View, v: TensorView
) -> Iterator[Ablation]:
    """The same elements through a view of a form that no compiler looks for, with one dimension more or less."""
    layout, setters = lineage(program, access.tensor)
    calls = view_lineage(program, str(access.view))[1]
    clause = pattern_of(v, layout.rank, [type(call) for call in calls])
    if not clause or access.decode is not None:
        return
    if clause == "NVCM2-SPACE2DEPTH":
        *outer, inner, innermost = v.view_dimension
        joined = View(FRESH_VIEW, (SetViewDimensions((*outer, inner * innermost)),), 4, True, (0, 2, 1, 3))
        yield Ablation(clause, exchanged(program, place, replace(access, view=FRESH_VIEW), view=joined))
    elif layout.rank < MOST_DIMENSIONS:
        lifted = Layout(FRESH, tuple(_lifted(call) for call in setters), layout.rank + 1, layout.clamp_mode)
        axes = (0, *(axis + 1 for axis in v.permutation))
        view = View(FRESH_VIEW, tuple(_lifted_view(call) for call in calls), created.rank + 1, permutation=axes)
        yield Ablation(clause, exchanged(program, place, replace(access, tensor=FRESH, view=FRESH_VIEW), lifted, view))


def _lifted(call: Setter) -> Setter:
    """A setter of a layout with one more dimension outside, of size 1."""
    match call:
        case SetBlockSize():
            return SetBlockSize((1, *call.sizes))
        case SetDimension():
            return SetDimension((1, *call.dimensions))
        case SetStride():
            return SetStride((FAR, *call.strides))
        case Slice():
            return Slice((0, *call.offsets), (1, *call.spans))
        case SetClampValue():
            return call


def _lifted_view(call: ViewSetter) -> ViewSetter:
    """The same for a setter of a view."""
    if isinstance(call, SetViewDimensions):
        return SetViewDimensions((1, *call.dimensions))
    return SetViewStride((FAR, *call.strides)) if isinstance(call, SetViewStride) else call


def _clips(v: TensorView, cols: int) -> Iterator[tuple[str, SetClip]]:
    """Clips with one thing less to get wrong: the width of a row, the ends, the corner."""
    yield "NVCM2-CLIP-INDEX", SetClip(v.clip_row_offset, v.clip_row_span, 0, cols)
    row, col = v.clip_row_offset, v.clip_col_offset
    yield "NVCM2-CLIP-SKIP", SetClip(row, UINT32 - row, col, UINT32 - col)
    yield "NVCM2-CLIP-INDEX", SetClip(0, v.clip_row_span, 0, v.clip_col_span)


def _writer_before(program: CoopMatProgram, place: Place, matrix: str) -> Place | None:
    """The nearest earlier load or splat of a matrix beside a place."""
    *outer, last = place.path
    for step in range(last - 1, -1, -1):
        before = Place((*outer, step))
        found = tree.at(program, before)
        if isinstance(found, Load | LoadTensor | Splat) and found.matrix == matrix:
            return before
    return None
