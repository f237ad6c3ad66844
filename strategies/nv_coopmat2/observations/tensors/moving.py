"""The axes of setters whose arguments differ between instances or passes: of layouts, and of views."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import pairwise

from mmaspec.programs.base import Index
from mmaspec.programs.nv_coopmat2.operands import arguments
from mmaspec.programs.nv_coopmat2.program import (
    SetBlockSize,
    SetClampValue,
    SetClip,
    SetDimension,
    SetStride,
    SetViewDimensions,
    SetViewStride,
    Slice,
)
from mmaspec.strategies.axes.observation import Answer, Look
from mmaspec.strategies.nv_coopmat2.observations.accesses import State, TensorFacts, of_tensor
from mmaspec.strategies.nv_coopmat2.observations.facts import every
from mmaspec.strategies.nv_coopmat2.observations.loops import form

WAVE, PASS = "wave", "loop"
"""What an argument depends on, as its form says."""


def _differs(one: TensorFacts, by: str, value: Callable[[State], object]) -> bool:
    """Whether two waves of one pass, or two passes of one wave, have other values."""
    by_wave = by == WAVE

    def fixed(state: State) -> int:
        return state.loop if by_wave else state.wave

    together = sorted(one.states, key=fixed)
    return any(fixed(a) == fixed(b) and value(a) != value(b) for a, b in pairwise(together))


def _moves(by: str, words: Iterable[Index]) -> bool:
    """Whether one of the arguments is written so that it differs."""
    return any(by in form(word).split("-") for word in words)


def layout_setters(by: str) -> Look:
    """Which setters of a layout act with arguments that differ."""

    def look(one: TensorFacts) -> Answer:
        last = max((turn for turn, call in enumerate(one.calls) if isinstance(call, SetDimension)), default=-1)
        acting = {type(call): call for call in one.calls[last + 1 :]}
        acting |= {type(call): call for call in one.calls if isinstance(call, SetBlockSize | SetClampValue)}
        stride, cut = acting.get(SetStride), acting.get(Slice)
        spans = cut.spans if isinstance(cut, Slice) else ()
        return every(
            ("block-size", _differs(one, by, lambda state: state.t.block_size)),
            ("dimension", _differs(one, by, lambda state: state.t.layout_dimension)),
            ("stride", stride and _moves(by, arguments(stride)) and _differs(one, by, lambda state: state.t.stride)),
            ("slice-offset", _differs(one, by, lambda state: state.t.offset)),
            ("slice-span", _moves(by, spans) and _differs(one, by, lambda state: state.t.span)),
            ("clamp-value", _differs(one, by, lambda state: state.t.clamp_value)),
        ) or ("none",)

    return of_tensor(look)


def view_setters(by: str) -> Look:
    """Which setters of a view act with arguments that differ."""

    def look(one: TensorFacts) -> Answer:
        if one.v is None:
            return None
        kinds = [type(call) for call in one.view_calls]
        last = max((turn for turn, kind in enumerate(kinds) if kind is SetViewDimensions), default=-1)
        strides = [call for call in one.view_calls[last + 1 :] if isinstance(call, SetViewStride)][-1:]
        moved = any(_moves(by, call.strides) for call in strides)
        return every(
            ("dimensions", _differs(one, by, lambda state: state.v and state.v.view_dimension)),
            ("strides", moved and _differs(one, by, lambda state: state.v and state.v.view_stride)),
            ("clip", SetClip in kinds and _differs(one, by, _clip)),
        ) or ("none",)

    return of_tensor(look)


def _clip(state: State) -> tuple[int, ...]:
    v = state.v
    return () if v is None else (v.clip_row_offset, v.clip_row_span, v.clip_col_offset, v.clip_col_span)


LOOKS: dict[str, Look] = {
    "setters-by-wave": layout_setters(WAVE),
    "setters-by-pass": layout_setters(PASS),
    "view-setters-by-wave": view_setters(WAVE),
    "view-setters-by-pass": view_setters(PASS),
}
"""Axis -> how its class is seen."""
