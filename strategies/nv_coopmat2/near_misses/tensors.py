"""Near misses of tensor layouts, views and decode functions: for each clause a change that breaks it alone."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, get_args

from msgspec.structs import replace

from mmaspec.programs.base import Buffer
from mmaspec.programs.nv_coopmat2.caps import CoopMatCaps
from mmaspec.programs.nv_coopmat2.program import (
    Component,
    CoopMatProgram,
    Echo,
    Layout,
    LoadTensor,
    Nibbles,
    SetBlockSize,
    SetDimension,
    SetStride,
    SetViewDimensions,
    SetViewStride,
    Slice,
    StoreTensor,
    View,
    ViewSetter,
)
from mmaspec.strategies.grammar import (
    Draft,
    DrawContext,
    Form,
    Forms,
    NearMiss,
    drawing_nothing,
    each_form,
    forms_of,
    in_forms,
)
from mmaspec.strategies.nv_coopmat2.builder.program import with_program
from mmaspec.strategies.nv_coopmat2.near_misses.edits import changed, first, shifted
from mmaspec.strategies.nv_coopmat2.near_misses.operations import NAMELESS_MASKS

SIGNATURES = 6
"""Ways in which a decode function's signature is wrong, whatever buffer it points into."""


def _with_layout(draft: Draft, layout: Layout) -> Draft:
    """Another first layout."""
    return with_program(draft, replace(draft.program, layouts=(layout, *draft.program.layouts[1:])))


def _parts(layout: Layout) -> tuple[SetDimension, SetStride, Slice]:
    dimension, stride, cut = layout.calls
    assert isinstance(dimension, SetDimension)
    assert isinstance(stride, SetStride)
    assert isinstance(cut, Slice)
    return dimension, stride, cut


def dim_range(context: DrawContext[CoopMatCaps], draft: Draft, what: str) -> Draft:
    """A layout of no dimension, or of six, the outer ones of size 1; a view of six."""
    choices = context.choices
    if what == "view":
        return _with_view(draft, View("v", rank=choices.integer(6, 7)))
    layout: Layout = draft.program.layouts[0]
    if what == "none":
        none = (SetDimension(()), SetStride(()), Slice((), ()))
        return _with_layout(draft, replace(layout, rank=0, calls=none))
    dimension, stride, cut = _parts(layout)
    rank = choices.integer(6, 7)
    more = rank - layout.rank
    far = _far(dimension, stride)
    calls = (
        SetDimension((1,) * more + dimension.dimensions),
        SetStride((far,) * more + stride.strides),
        Slice((0,) * more + cut.offsets, (1,) * more + cut.spans),
    )
    return _with_layout(draft, replace(layout, rank=rank, calls=calls))


def _far(dimension: SetDimension, stride: SetStride) -> int:
    """A stride beyond the whole tensor."""
    size, step = dimension.dimensions[0], stride.strides[0]
    assert isinstance(size, int)
    assert isinstance(step, int)
    return size * step


def nameless_mode(context: DrawContext[CoopMatCaps], draft: Draft) -> Draft:
    """A clamp mode that has no name."""
    return _with_layout(draft, replace(draft.program.layouts[0], clamp_mode=context.choices.integer(5, 9)))


def view_permutation(_: DrawContext[CoopMatCaps], draft: Draft, axes: tuple[int, ...]) -> Draft:
    """An axis twice, one that there is not, or one too few."""
    return _with_view(draft, View("v", permutation=axes))


def type_params(context: DrawContext[CoopMatCaps], draft: Draft, what: str) -> Draft:
    """A layout or a view made from one of another type, or a setter with one argument too many."""
    choices = context.choices
    layout: Layout = draft.program.layouts[0]
    if what == "layout":
        other = Layout("other", (), layout.rank, choices.integer(2, 4), layout.name)
        return _unfitted(draft, layouts=(*draft.program.layouts, other))
    if what == "view":
        turned = View("v2", has_dimensions=choices.chance(50), permutation=(1, 0), start="v")
        return _unfitted(draft, views=(View("v"), turned))
    if what == "view-setter":
        options: tuple[ViewSetter, ...] = (SetViewDimensions((2, 2, 2)), SetViewStride((2,)))
        long = choices.one_of(options)
        return _unfitted(draft, views=(View("v", (long,), has_dimensions=True),))
    dimension, *rest = layout.calls
    assert isinstance(dimension, SetDimension)
    longer = SetDimension((*dimension.dimensions, 1))
    return _unfitted(draft, layouts=(replace(layout, calls=(longer, *rest)), *draft.program.layouts[1:]))


def _unfitted(draft: Draft, **fields: Any) -> Draft:
    """Other declarations, whose values need not exist."""
    return Draft(replace(draft.program, **fields), draft.regime, draft.batch, draft.words)


def _with_view(draft: Draft, view: View) -> Draft:
    """The store through a view."""
    with_view = changed(draft, StoreTensor, view=view.name, fit=False)
    return _unfitted(with_view, views=(view,))


def set_stride_minimum(draft: Draft) -> Draft:
    """The outer stride one too small."""
    layout: Layout = draft.program.layouts[0]
    dimension, stride, cut = _parts(layout)
    inner, size = stride.strides[1], dimension.dimensions[1]
    assert isinstance(inner, int)
    assert isinstance(size, int)
    short = SetStride((inner * size - 1, inner))
    return _with_layout(draft, replace(layout, calls=(dimension, short, cut)))


def base_align(_: DrawContext[CoopMatCaps], draft: Draft, kind: type) -> Draft:
    """The offset of a tensor access one element too large."""
    return changed(draft, kind, offset=shifted(draft, first(draft, kind).offset, 1))


def store_blocks(_: DrawContext[CoopMatCaps], draft: Draft, blocks: tuple[int, int] | None) -> Draft:
    """A store with a decode function, or through a layout with blocks."""
    if blocks is None:
        return changed(draft, StoreTensor, decode=Echo(16, (1, 1), (1, 1)))
    layout: Layout = draft.program.layouts[0]
    return _with_layout(draft, replace(layout, calls=(SetBlockSize(blocks), *layout.calls)))


def decode_shared(_: DrawContext[CoopMatCaps], draft: Draft) -> Draft:
    """A decode function that is to point into a shared array."""
    echo = Echo(1, (1, 1), (1, 1))
    return _shared(changed(draft, LoadTensor, fit=False, buffer="staged", offset=0, array="uvec4", decode=echo))


def decode_signature(context: DrawContext[CoopMatCaps], draft: Draft, number: int) -> Draft:
    """A decode function that returns another type, takes another number of coordinates, no pointer, or may write."""
    choices = context.choices
    axes = (1,) * choices.one_of((1, 3))
    own = draft.program.matrix(first(draft, LoadTensor).matrix).component
    other = choices.one_of([component for component in get_args(Component) if component != own])
    functions = (
        Echo(4, (1, 1), (1, 1), component=other),
        Echo(4, axes, axes),
        Nibbles(4, axes),
        Echo(4, (1, 1), (1, 1), by_value=True),
        Echo(4, (1, 1), (1, 1), qualifier="in"),
        Echo(4, (1, 1), (1, 1), qualifier="inout"),
    )
    assert len(functions) == SIGNATURES
    return changed(draft, LoadTensor, decode=functions[number], fit=False)


def _shared(draft: Draft) -> Draft:
    """With an array called ``staged`` in shared memory."""
    program: CoopMatProgram = draft.program
    return with_program(draft, replace(program, buffers=(*program.buffers, Buffer("staged", 0)), shared=("staged",)))


def _with_reductions(change: NearMiss) -> NearMiss:
    """The near miss where the device has reductions."""

    def near_miss(context: DrawContext[CoopMatCaps], draft: Draft) -> Draft | None:
        return change(context, draft) if context.caps.features.reductions else None

    return near_miss


TENSOR_NEAR_MISSES: Mapping[str, NearMiss] = MappingProxyType(
    {
        "NVCM2-DIM-RANGE": in_forms(dim_range, ("view", "none", "six")),
        "NVCM2-ENUMS": Forms((Form(nameless_mode), *forms_of(each_form(_with_reductions, NAMELESS_MASKS)))),
        "NVCM2-VIEW-PERM": in_forms(view_permutation, ((0, 0), (1, 1), (0, 2), (1,))),
        "NVCM2-TYPE-PARAMS": in_forms(type_params, ("layout", "view", "view-setter", "setter")),
        "NVCM2-SETSTRIDE-MIN": drawing_nothing(set_stride_minimum),
        "NVCM2-BASE-ALIGN": in_forms(base_align, (LoadTensor, StoreTensor)),
        "NVCM2-STORE-NOBLOCK": in_forms(store_blocks, (None, (2, 1), (1, 2))),
        "NVCM2-DECODE-SIG": Forms(
            (*in_forms(decode_signature, range(SIGNATURES)).forms, Form(decode_shared, rows=("subgroup",)))
        ),
    }
)
"""Validity clause -> how to break it."""
