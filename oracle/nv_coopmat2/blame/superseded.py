"""Setter calls that a later one of the same kind replaces: without them a layout or view is the same."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TypeVar

from mmaspec.oracle.nv_coopmat2.text.layouts import SETTERS
from mmaspec.programs.nv_coopmat2.program import (
    SetBlockSize,
    SetClampValue,
    SetClip,
    SetStride,
    Setter,
    SetViewDimensions,
    SetViewStride,
    ViewSetter,
)

Call = TypeVar("Call", bound=Setter | ViewSetter)

REPLACES: dict[type[Setter] | type[ViewSetter], str] = {
    SetBlockSize: "NVCM2-SETBLOCK",
    SetStride: "NVCM2-SETSTRIDE",
    SetClampValue: "NVCM2-CLAMPVALUE",
    SetViewDimensions: "NVCM2-SETVIEWDIM",
    SetViewStride: "NVCM2-SETVIEWSTRIDE",
    SetClip: "NVCM2-SETCLIP",
}
"""Setter -> the clause that says that it replaces what an earlier one set, and adds nothing to it."""


def superseded(
    calls: tuple[Call, ...], state: Callable[[tuple[Call, ...]], object]
) -> Iterator[tuple[str, tuple[Call, ...], str]]:
    """For each kind of setter that is called again: its clause, the calls with the last of the kind alone, in words.

    ``state`` is what calls make; a kind whose earlier calls something else came to depend on is left out, such as the
    dimensions that fixed the strides, or block sizes that a dimension was set after.
    """
    whole = state(calls)
    for kind, clause in REPLACES.items():
        last = max((i for i, call in enumerate(calls) if type(call) is kind), default=-1)
        kept = tuple(call for i, call in enumerate(calls) if type(call) is not kind or i == last)
        if len(kept) < len(calls) and state(kept) == whole:
            yield clause, kept, f"{SETTERS[kind]} called once, with the last arguments"
