"""Tensor views as values: the state that a view carries, and the setters that return changed copies."""

from __future__ import annotations

from dataclasses import dataclass, replace

from mmaspec.oracle.latest_programs import LatestPrograms
from mmaspec.oracle.nv_coopmat2.tensors.layouts import UINT32, Words, moves, uint32, words
from mmaspec.programs.errors import BadInput
from mmaspec.programs.nv_coopmat2.operands import arguments
from mmaspec.programs.nv_coopmat2.program import (
    CoopMatProgram,
    SetClip,
    SetViewDimensions,
    View,
    ViewSetter,
)


@dataclass(frozen=True, slots=True)
class TensorView:
    """The logical state of a ``tensorViewNV``, under the document's own names (in snake case)."""

    has_dimensions: bool
    permutation: Words
    view_dimension: Words
    view_stride: Words
    clip_row_offset: int = 0
    clip_row_span: int = UINT32
    clip_col_offset: int = 0
    clip_col_span: int = UINT32

    @property
    def vdim(self) -> int:
        """``VDim``: the number of dimensions; dimension 0 is the outermost."""
        return len(self.permutation)


def create_tensor_view(rank: int, has_dimensions: bool, permutation: Words = ()) -> TensorView:
    """NVCM2-CREATE-VIEW: dimensions and strides of zero, a clip that leaves nothing out, axes in their order."""
    zeros = (0,) * rank
    return TensorView(has_dimensions, permutation or tuple(range(rank)), zeros, zeros)


def set_tensor_view_dimensions(v: TensorView, dim: Words) -> TensorView:
    """NVCM2-SETVIEWDIM: sets the dimensions, and strides without gaps, the last dimension innermost."""
    stride = [1] * v.vdim
    for i in range(v.vdim - 2, -1, -1):
        stride[i] = uint32(stride[i + 1] * dim[i + 1])
    return replace(v, view_dimension=dim, view_stride=tuple(stride))


def set_tensor_view_stride(v: TensorView, s: Words) -> TensorView:
    """NVCM2-SETVIEWSTRIDE: replaces the strides and nothing else; nothing bounds them."""
    return replace(v, view_stride=s)


def set_tensor_view_clip(v: TensorView, row_offset: int, row_span: int, col_offset: int, col_span: int) -> TensorView:
    """NVCM2-SETCLIP: replaces the clip region and nothing else."""
    return replace(
        v, clip_row_offset=row_offset, clip_row_span=row_span, clip_col_offset=col_offset, clip_col_span=col_span
    )


def wraps(v: TensorView) -> bool:
    """Whether the end of a clip region does not fit 32 bits (NVCM2-AMB-04)."""
    return max(v.clip_row_offset + v.clip_row_span, v.clip_col_offset + v.clip_col_span) > UINT32


def view_lineage(program: CoopMatProgram, name: str) -> tuple[View, tuple[ViewSetter, ...]]:
    """The created view behind a named one, and every setter called since, in order."""
    created, calls, _ = _lineage(program, name)
    return created, calls


def _lineage(program: CoopMatProgram, name: str) -> tuple[View, tuple[ViewSetter, ...], bool]:
    """The same, and whether some argument is another one in other waves or passes."""
    known = _lineages.about(program)
    if name not in known:
        view = program.view(name)
        calls = view.calls
        while view.start is not None:
            view = program.view(view.start)
            calls = view.calls + calls
        known[name] = view, calls, moves(calls)
    return known[name]


_lineages: LatestPrograms[str, tuple[View, tuple[ViewSetter, ...], bool]] = LatestPrograms()
_values: LatestPrograms[tuple[str, int, int], TensorView] = LatestPrograms()


def evaluate_view(program: CoopMatProgram, name: str, wave: int, loop: int) -> TensorView:
    """The value of a named view for one wave and pass. ``BadInput`` for a wrong number of arguments.

    NVCM2-FUNCTIONAL: a view that starts from another one leaves that one as it is.
    """
    created, calls, moving = _lineage(program, name)
    values = _values.about(program)
    key = (name, wave if moving else 0, loop if moving else 0)
    if key not in values:
        values[key] = _evaluated(name, created, calls, wave, loop)
    return values[key]


def _evaluated(name: str, created: View, calls: tuple[ViewSetter, ...], wave: int, loop: int) -> TensorView:
    value = create_tensor_view(created.rank, created.has_dimensions, created.permutation)
    for call in calls:
        found = words(arguments(call), wave, loop)
        if isinstance(call, SetClip):
            value = set_tensor_view_clip(value, *found)
        elif len(found) != created.rank:
            raise BadInput(f"view {name}: a setter without one argument for each of {created.rank} dimensions")
        elif isinstance(call, SetViewDimensions):
            value = set_tensor_view_dimensions(value, found)
        else:
            value = set_tensor_view_stride(value, found)
    return value
