"""Other setter calls that make the same layout or view: without those that are replaced, in another order."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TypeVar

from mmaspec.oracle.nv_coopmat2.text.layouts import SETTERS
from mmaspec.programs.nv_coopmat2.program import (
    SetBlockSize,
    SetClampValue,
    SetClip,
    SetDimension,
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


def remade(
    calls: tuple[Call, ...], state: Callable[[tuple[Call, ...]], object]
) -> Iterator[tuple[str, tuple[Call, ...], str]]:
    """All other calls that make the same: the clause that says so, the calls, what they are in words.

    ``state`` is what calls make.
    """
    yield from superseded(calls, state)
    yield from reordered(calls, state)


def superseded(
    calls: tuple[Call, ...], state: Callable[[tuple[Call, ...]], object]
) -> Iterator[tuple[str, tuple[Call, ...], str]]:
    """For each kind of setter that is called again: its clause, the calls with the last of the kind alone, in words.

    A kind whose earlier calls something else came to depend on is left out, such as the dimensions that fixed the
    strides, or block sizes that a dimension was set after.
    """
    whole = state(calls)
    for kind, clause in REPLACES.items():
        last = max((i for i, call in enumerate(calls) if type(call) is kind), default=-1)
        kept = tuple(call for i, call in enumerate(calls) if type(call) is not kind or i == last)
        if len(kept) < len(calls) and state(kept) == whole:
            yield clause, kept, f"{SETTERS[kind]} called once, with the last arguments"


def reordered(
    calls: tuple[Call, ...], state: Callable[[tuple[Call, ...]], object]
) -> Iterator[tuple[str, tuple[Call, ...], str]]:
    """For each kind of setter that can stand earlier: its clause, the calls with it there, in words.

    Each sets something of its own, so that it does not matter what was set since the dimensions were.
    """
    whole = state(calls)
    for kind, clause in REPLACES.items():
        at = max((i for i, call in enumerate(calls) if type(call) is kind), default=-1)
        if at < 1:
            continue
        dimensions = [i + 1 for i, call in enumerate(calls[:at]) if isinstance(call, SetDimension | SetViewDimensions)]
        for early in (0, *dimensions[-1:]):
            moved = (*calls[:early], calls[at], *calls[early:at], *calls[at + 1 :])
            if moved != calls and state(moved) == whole:
                passed = dict.fromkeys(map(_name, calls[early:at]))
                yield clause, moved, f"{SETTERS[kind]} called before {' and '.join(passed)}"
                break


def _name(call: Setter | ViewSetter) -> str:
    return SETTERS[type(call)]
