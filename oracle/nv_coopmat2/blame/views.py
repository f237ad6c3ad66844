"""Ablations of tensor views: clip, axes, strides, one removed at a time."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from mmaspec.oracle.nv_coopmat2.blame.edits import FRESH, exchanged
from mmaspec.oracle.nv_coopmat2.tensors.layouts import UINT32, evaluate
from mmaspec.oracle.nv_coopmat2.tensors.views import TensorView, evaluate_view, view_lineage
from mmaspec.oracle.spec import Ablation
from mmaspec.programs import tree
from mmaspec.programs.base import Literal, Place
from mmaspec.programs.nv_coopmat2.program import (
    CoopMatProgram,
    Load,
    LoadTensor,
    SetClip,
    SetViewDimensions,
    SetViewStride,
    Splat,
    StoreTensor,
    View,
    ViewSetter,
)

Calls = tuple[ViewSetter, ...]


def view_ablations(program: CoopMatProgram, place: Place, access: LoadTensor | StoreTensor) -> Iterator[Ablation]:
    """Ablations of the view of an access, most telling first."""
    assert access.view is not None
    created, calls = view_lineage(program, access.view)
    v = evaluate_view(program, access.view, 0, 0)

    def given(clause: str, calls: Calls, **changed: object) -> Ablation:
        """The access through a view of its own, made by ``calls``."""
        view = replace(View(FRESH, calls, created.rank, created.has_dimensions, created.permutation), **changed)
        return Ablation(clause, exchanged(program, place, replace(access, view=FRESH), view=view))

    if any(view.start == access.view for view in program.views):
        yield given("NVCM2-FUNCTIONAL", calls)
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
        cols = program.matrix(access.matrix).cols
        both = (v.clip_col_offset, v.clip_col_span) * 2
        yield given("NVCM2-SETCLIP", (*calls, SetClip(*both)))  # whatever the order of the arguments
        for clause, clip in _clips(v, cols):
            yield given(clause, (*calls, clip))
        before = _writer_before(program, place, access.matrix)
        if before is not None:
            yield Ablation("NVCM2-CLIP-SKIP", exchanged(program, before, Splat(access.matrix, Literal(0))))
        yield given("NVCM2-SETCLIP", (*calls, SetClip(0, UINT32, 0, UINT32)))


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
