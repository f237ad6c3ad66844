"""The numbers of a layout and of a view, and the program parts that have them."""

from __future__ import annotations

from dataclasses import dataclass, field

from mmaspec.programs.base import Index
from mmaspec.programs.nv_coopmat2.program import (
    SetBlockSize,
    SetClampValue,
    SetClip,
    SetDimension,
    SetStride,
    Setter,
    SetViewDimensions,
    SetViewStride,
    Slice,
    ViewSetter,
)
from mmaspec.strategies.nv_coopmat2.builder.program import ProgramBuilder

Words = tuple[int, ...]
WHOLE = 0xFFFF_FFFF
"""The spans of the clip of a new view."""


@dataclass
class ViewShape:
    """The numbers of a view; no dimensions: it has none of its own."""

    rank: int
    permutation: Words = ()
    dimensions: Words | None = None
    strides: Words | None = None
    clip: Words | None = None
    unset: bool = False
    """It has dimensions of its own by its type, and nobody sets them."""


@dataclass
class Shape:
    """The numbers of a layout, ``strides`` where they are set, ``spans`` where there is a slice."""

    sizes: Words
    mode: int = 1
    offsets: Words = ()
    spans: Words | None = None
    strides: Words | None = None
    blocks: Words | None = None
    clamp: int | None = None
    first: Words = ()
    """Offsets of an earlier slice, to which those of the last one add."""
    late_blocks: bool = False
    """Block sizes are set after dimensions."""
    view: ViewShape | None = None
    base: int | None = None
    """The byte at which the tensor has to start."""
    unit: int = 0
    """Bytes of the array's elements, where it matters."""
    kept: list[str] = field(default_factory=list)
    """What decorations may not change."""

    @property
    def rank(self) -> int:
        """Dimensions."""
        return len(self.sizes)


def implied(sizes: Words) -> Words:
    """Strides without gaps, the last dimension innermost."""
    found: list[int] = []
    step = 1
    for size in reversed(sizes):
        found.insert(0, step & WHOLE)
        step *= size
    return tuple(found)


def written(builder: ProgramBuilder | None, values: Words, share: int) -> tuple[Index, ...]:
    """Arguments as literals, or ``share`` per cent of the calls at run time, one or all of them."""
    if builder is None or not builder.choices.chance(share):
        return values
    turn = builder.choices.integer(-1, len(values) - 1)
    return tuple(builder.run_time(value) if turn in (-1, at) else value for at, value in enumerate(values))


def setters(builder: ProgramBuilder | None, shape: Shape, share: int = 0) -> tuple[Setter, ...]:
    """The calls that make a layout."""

    def told(values: Words) -> tuple[Index, ...]:
        return written(builder, values, share)

    calls: list[Setter] = [SetDimension(told(shape.sizes))]
    if shape.blocks is not None:
        calls.insert(1 if shape.late_blocks else 0, SetBlockSize(told(shape.blocks)))
    if shape.strides is not None:
        calls.append(SetStride(told(shape.strides)))
    if shape.spans is not None:
        if shape.first:
            calls.append(Slice(told(shape.first), told(shape.spans)))
        calls.append(Slice(told(shape.offsets), told(shape.spans)))
    if shape.clamp is not None:
        place = 0 if builder is None else builder.choices.integer(0, len(calls))
        calls.insert(place, SetClampValue(*told((shape.clamp,))))
    return tuple(calls)


def view_setters(builder: ProgramBuilder | None, view: ViewShape, share: int = 0) -> tuple[ViewSetter, ...]:
    """The calls that make a view."""
    calls: list[ViewSetter] = []
    if view.dimensions is not None:
        calls.append(SetViewDimensions(written(builder, view.dimensions, share)))
    if view.strides is not None:
        calls.append(SetViewStride(written(builder, view.strides, share)))
    if view.clip is not None:
        place = 0 if builder is None else builder.choices.integer(0, len(calls))
        calls.insert(place, SetClip(*written(builder, view.clip, share)))
    return tuple(calls)
