"""Near misses of the types of layouts and views: what starts from another type, and setters of another length."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from msgspec.structs import replace

from mmaspec.programs.nv_coopmat2.caps import CoopMatCaps
from mmaspec.programs.nv_coopmat2.program import (
    Layout,
    LoadTensor,
    SetBlockSize,
    SetDimension,
    SetStride,
    Setter,
    SetViewDimensions,
    SetViewStride,
    Slice,
    View,
    ViewSetter,
)
from mmaspec.strategies.grammar import Draft, DrawContext, Forms, in_forms, joined
from mmaspec.strategies.nv_coopmat2.near_misses.edits import changed, unfitted
from mmaspec.strategies.nv_coopmat2.near_misses.tensors import parts

MODE = 1
"""The clamp mode of the draft's layout."""
LAYOUTS: Mapping[str, Layout] = MappingProxyType(
    {
        "layout from another mode": Layout("other", (), 2, 3, "t"),
        "layout from fewer dimensions": Layout("other", (), 3, MODE, "t"),
        "layout from more dimensions": Layout("other", (), 1, MODE, "t"),
    }
)
"""Layouts that start from the draft's, which has two dimensions."""

SETTERS: Mapping[str, Setter] = MappingProxyType(
    {
        "a dimension too few": SetDimension((8,)),
        "a stride too many": SetStride((64, 8, 1)),
        "a stride too few": SetStride((8,)),
        "a block size too few": SetBlockSize((1,)),
        "a slice too few": Slice((0,), (1,)),
        "a span too few": Slice((0, 0), (1,)),
        "a span for an offset": Slice((0,), (1, 1, 1)),
    }
)
"""A setter of a layout of two dimensions that nothing uses."""

VIEWS: Mapping[str, tuple[View, ...]] = MappingProxyType(
    {
        "view from another permutation": (View("v"), View("v2", permutation=(1, 0), start="v")),
        "view from one without dimensions": (View("v"), View("v2", has_dimensions=True, start="v")),
        "view from one with dimensions": (View("v", has_dimensions=True), View("v2", start="v")),
        "view from fewer dimensions": (View("v"), View("v2", rank=3, start="v")),
        "view from more dimensions": (View("v", rank=3), View("v2", start="v")),
    }
)
VIEW_SETTERS: Mapping[str, ViewSetter] = MappingProxyType(
    {
        "a view's dimension too many": SetViewDimensions((2, 2, 2)),
        "a view's stride too few": SetViewStride((2,)),
    }
)
"""A setter of a view of two dimensions."""


def derived(_: DrawContext[CoopMatCaps], draft: Draft, layout: Layout) -> Draft:
    """A layout made from one of another type."""
    own: Layout = draft.program.layouts[0]
    return unfitted(draft, layouts=(*draft.program.layouts, replace(layout, start=own.name)))


def wrong_setter(_: DrawContext[CoopMatCaps], draft: Draft, setter: Setter) -> Draft:
    """A setter with an argument too many or too few."""
    return unfitted(draft, layouts=(*draft.program.layouts, Layout("unused", (setter,))))


def longer_dimensions(_: DrawContext[CoopMatCaps], draft: Draft, __: str) -> Draft:
    """The layout that is used, with one dimension too many."""
    layout: Layout = draft.program.layouts[0]
    dimension, stride, cut = parts(layout)
    calls = (SetDimension((*dimension.dimensions, 1)), stride, cut)
    return unfitted(draft, layouts=(replace(layout, calls=calls), *draft.program.layouts[1:]))


def used_setter(_: DrawContext[CoopMatCaps], draft: Draft, which: str) -> Draft:
    """The layout that is used, with an argument too few in one setter."""
    layout: Layout = draft.program.layouts[0]
    dimension, stride, cut = parts(layout)
    if which == "dimension":
        dimension = SetDimension(dimension.dimensions[1:])
    else:
        cut = Slice(cut.offsets, cut.spans[1:])
    return unfitted(draft, layouts=(replace(layout, calls=(dimension, stride, cut)), *draft.program.layouts[1:]))


def used_layout(_: DrawContext[CoopMatCaps], draft: Draft, kind: type) -> Draft:
    """An access by a layout that starts from one of another mode."""
    own: Layout = draft.program.layouts[0]
    other = replace(LAYOUTS["layout from another mode"], start=own.name)
    return unfitted(changed(draft, kind, tensor=other.name, fit=False), layouts=(*draft.program.layouts, other))


def used_view(_: DrawContext[CoopMatCaps], draft: Draft, views: tuple[View, ...]) -> Draft:
    """A load through a view that is made wrongly."""
    return unfitted(changed(draft, LoadTensor, view=views[-1].name, fit=False), views=views)


def wrong_views(_: DrawContext[CoopMatCaps], draft: Draft, views: tuple[View, ...]) -> Draft:
    """A view made from one of another type."""
    return unfitted(draft, views=views)


def wrong_view_setter(_: DrawContext[CoopMatCaps], draft: Draft, setter: ViewSetter) -> Draft:
    """A view's setter with an argument too many or too few."""
    return unfitted(draft, views=(View("v", (setter,), has_dimensions=True),))


def type_params() -> Forms:
    """The forms of NVCM2-TYPE-PARAMS."""
    return joined(
        in_forms(derived, LAYOUTS),
        in_forms(longer_dimensions, ("a dimension too many",)),
        in_forms(used_setter, {"a dimension too few, used": "dimension", "a span too few, used": "span"}),
        in_forms(used_layout, {"load by a layout from another mode": LoadTensor}),
        in_forms(wrong_setter, SETTERS),
        in_forms(wrong_views, VIEWS),
        in_forms(wrong_view_setter, VIEW_SETTERS),
        in_forms(
            used_view,
            {
                "load by a view from another permutation": VIEWS["view from another permutation"],
                **{
                    f"load, {name}": (View("v", (setter,), has_dimensions=True),)
                    for name, setter in VIEW_SETTERS.items()
                },
            },
        ),
    )
