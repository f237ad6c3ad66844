"""Near misses of tensor layouts and views: for each clause changes that break it alone."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from msgspec.structs import replace

from mmaspec.programs.nv_coopmat2.caps import CoopMatCaps
from mmaspec.programs.nv_coopmat2.program import (
    Echo,
    Layout,
    LoadTensor,
    SetBlockSize,
    SetDimension,
    SetStride,
    Slice,
    StoreTensor,
    View,
)
from mmaspec.strategies.circumstances import When, argument
from mmaspec.strategies.grammar import Draft, DrawContext
from mmaspec.strategies.nv_coopmat2.builder.program import with_program
from mmaspec.strategies.nv_coopmat2.near_misses.edits import changed, number_of, repeated, unfitted, with_words


def with_layout(draft: Draft, layout: Layout) -> Draft:
    """Another first layout."""
    return with_program(draft, replace(draft.program, layouts=(layout, *draft.program.layouts[1:])))


def parts(layout: Layout) -> tuple[SetDimension, SetStride, Slice]:
    """The calls of the draft's layout."""
    dimension, stride, cut = layout.calls
    assert isinstance(dimension, SetDimension)
    assert isinstance(stride, SetStride)
    assert isinstance(cut, Slice)
    return dimension, stride, cut


def numbers(values: tuple[object, ...]) -> tuple[int, ...]:
    """Arguments that are all literals."""
    found = tuple(value for value in values if isinstance(value, int))
    assert len(found) == len(values)
    return found


def with_view(draft: Draft, view: View, kind: type = StoreTensor) -> Draft:
    """A tensor access through a view."""
    return unfitted(changed(draft, kind, view=view.name, fit=False), views=(view,))


def layout_rank(_: DrawContext[CoopMatCaps], draft: Draft, rank: int) -> Draft:
    """A layout of no dimension, or of more than five, the outer ones of size 1."""
    layout: Layout = draft.program.layouts[0]
    if not rank:
        none = (SetDimension(()), SetStride(()), Slice((), ()))
        return with_layout(draft, replace(layout, rank=0, calls=none))
    dimension, stride, cut = parts(layout)
    more = rank - layout.rank
    far = numbers(dimension.dimensions)[0] * numbers(stride.strides)[0]
    calls = (
        SetDimension((1,) * more + dimension.dimensions),
        SetStride((far,) * more + stride.strides),
        Slice((0,) * more + cut.offsets, (1,) * more + cut.spans),
    )
    return with_layout(draft, replace(layout, rank=rank, calls=calls))


def decoded_rank(context: DrawContext[CoopMatCaps], draft: Draft, rank: int) -> Draft:
    """The same of a load with a decode function, which takes as many coordinates."""
    decode = Echo(4, (1,) * rank, (1,) * rank)
    return changed(layout_rank(context, draft, rank), LoadTensor, decode=decode, fit=False)


def unused_rank(_: DrawContext[CoopMatCaps], draft: Draft, rank: int) -> Draft:
    """One layout more, which nothing uses."""
    return unfitted(draft, layouts=(*draft.program.layouts, Layout("unused", rank=rank)))


def view_rank(_: DrawContext[CoopMatCaps], draft: Draft, wrong: tuple[type, int]) -> Draft:
    """An access through a view of no dimension, or of more than five."""
    kind, rank = wrong
    return with_view(draft, View("v", rank=rank), kind)


def nameless_mode(_: DrawContext[CoopMatCaps], draft: Draft, mode: int) -> Draft:
    """A clamp mode that has no name."""
    return with_layout(draft, replace(draft.program.layouts[0], clamp_mode=mode))


def unused_mode(_: DrawContext[CoopMatCaps], draft: Draft, mode: int) -> Draft:
    """A clamp mode that has no name, of a layout that nothing uses."""
    return unfitted(draft, layouts=(*draft.program.layouts, Layout("unused", clamp_mode=mode)))


def view_permutation(_: DrawContext[CoopMatCaps], draft: Draft, wrong: tuple[type, int, tuple[int, ...]]) -> Draft:
    """An axis twice, one that there is not, one too few, or one too many."""
    kind, rank, axes = wrong
    return with_view(draft, View("v", rank=rank, permutation=axes), kind)


PERMUTATIONS: Mapping[str, tuple[type, int, tuple[int, ...]]] = MappingProxyType(
    {
        f"{'load' if kind is LoadTensor else 'store'}, axes {' '.join(map(str, axes))} of {rank}": (kind, rank, axes)
        for kind, rank, axes in (
            (StoreTensor, 2, (0, 0)),
            (StoreTensor, 2, (1, 1)),
            (StoreTensor, 2, (0, 2)),
            (StoreTensor, 2, (1,)),
            (StoreTensor, 2, (0, 1, 2)),
            (StoreTensor, 3, (0, 1, 1)),
            (LoadTensor, 2, (1, 1)),
            (LoadTensor, 2, (0, 2)),
            (LoadTensor, 3, (1, 0)),
        )
    }
)


Strides = tuple[str, When]
"""Which stride, and when."""


def short_stride(_: DrawContext[CoopMatCaps], draft: Draft, wrong: Strides) -> Draft:
    """The outer stride one too small, or 0."""
    how, when = wrong
    layout: Layout = draft.program.layouts[0]
    dimension, stride, cut = parts(layout)
    outer, inner = numbers(stride.strides)
    least = inner * numbers(dimension.dimensions)[1]
    value = 0 if how == "0" else least - 1
    short = SetStride((argument(outer, value, when), inner))
    program = replace(
        draft.program, layouts=(replace(layout, calls=(dimension, short, cut)), *draft.program.layouts[1:])
    )
    if when.endswith("pass"):
        number = number_of(draft, LoadTensor)
        body = program.body
        program = replace(program, body=(*body[:number], repeated(body[number], when), *body[number + 1 :]))
    return with_words(draft, program, value, when)


STRIDES: Mapping[str, Strides] = MappingProxyType(
    {
        "outer stride 0": ("0", ""),
        **{
            ", ".join(filter(None, ("outer stride one short", when))): ("one short", when)
            for when in ("", "at run time", "first wave", "last wave", "first pass", "last pass")
        },
    }
)

CALLS: Mapping[str, tuple[int, tuple[SetDimension | SetStride | SetBlockSize, ...]]] = MappingProxyType(
    {
        "outermost of three": (3, (SetDimension((4, 6, 8)), SetStride((59, 10, 1)))),
        "middle of three": (3, (SetDimension((4, 6, 8)), SetStride((60, 7, 1)))),
        "of blocks": (2, (SetBlockSize((2, 2)), SetDimension((8, 8)), SetStride((3, 1)))),
        "made good by later strides": (2, (SetDimension((8, 8)), SetStride((7, 1)), SetStride((8, 1)))),
    }
)
"""Calls of a layout that nothing uses, by what is wrong with its strides."""


def unused_strides(_: DrawContext[CoopMatCaps], draft: Draft, name: str) -> Draft:
    """One layout more, which nothing uses, with strides that are too small."""
    rank, calls = CALLS[name]
    return unfitted(draft, layouts=(*draft.program.layouts, Layout("unused", calls, rank)))


def derived_strides(_: DrawContext[CoopMatCaps], draft: Draft, __: str) -> Draft:
    """Strides that are too small for the layout that another starts from."""
    layout: Layout = draft.program.layouts[0]
    dimension, stride, _cut = parts(layout)
    inner = numbers(stride.strides)[1]
    calls = (SetStride((inner * numbers(dimension.dimensions)[1] - 1, inner)),)
    derived = Layout("derived", calls, layout.rank, layout.clamp_mode, layout.name)
    return unfitted(draft, layouts=(*draft.program.layouts, derived))
