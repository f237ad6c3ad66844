"""Near misses of functions with one type by its name: every component type that a matrix does not have."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

from mmaspec.oracle.spec import Row
from mmaspec.programs.nv_coopmat2.caps import CoopMatCaps
from mmaspec.programs.nv_coopmat2.program import (
    REDUCE_COLUMN,
    Combine,
    Component,
    Echo,
    ElementFunction,
    LoadTensor,
    PerElement,
    Reduce,
    Simple,
)
from mmaspec.strategies.grammar import Draft, DrawContext, Form, Forms, form_of
from mmaspec.strategies.nv_coopmat2.near_misses.edits import changed, followed
from mmaspec.strategies.nv_coopmat2.near_misses.functions import COMPONENTS

Call = Callable[[str, str, Component], Simple]
"""From the names of a result and a source, and a type, an operation whose function says that type."""

CALLS: dict[str, Call] = {
    "element": lambda new, old, kind: PerElement(new, old, ElementFunction("place", kind)),
    "extra": lambda new, old, kind: PerElement(new, old, ElementFunction("select", None, (kind, None)), (old, old)),
    "element returns": lambda new, old, kind: PerElement(new, old, ElementFunction("triangle", None, (), kind)),
}
"""Place of the type -> the call of a function of elements."""

COMBINES: dict[str, Call] = {
    "parameter": lambda new, old, kind: Reduce(new, old, REDUCE_COLUMN, Combine("min", (kind, None))),
    "combine returns": lambda new, old, kind: Reduce(new, old, REDUCE_COLUMN, Combine("min", returns=kind)),
}
"""Place of the type -> the reduction."""

KINDS: tuple[Component, ...] = tuple(kind for kind in COMPONENTS if kind != "f32")
"""Types that the accumulators of a first row hardly have."""

Typed = tuple[Call, Component]


def named(_: DrawContext[CoopMatCaps], draft: Draft, wrong: Typed) -> Draft:
    """An operation on accumulators whose function has another type in one place."""
    call, kind = wrong
    c, d = draft.program.matrices[2:4]
    return followed(draft, call(d.name, c.name, kind))


def decoded(_: DrawContext[CoopMatCaps], draft: Draft, kind: Component) -> Draft:
    """A decode function that returns another type, in the last coordinate alone."""
    return changed(draft, LoadTensor, decode=Echo(4, (0, 1), (0, 1), component=kind), fit=False)


def _other(kind: Component, row: Row[Any], _: Any) -> bool:
    return bool(row.entry.c != kind)


def of_calls(calls: dict[str, Call]) -> Forms:
    """A form for every place and component type."""
    return Forms(tuple(_of_calls(calls)))


def _of_calls(calls: dict[str, Call]) -> Iterator[Form]:
    for place, call in calls.items():
        for kind in KINDS:
            yield form_of(named, (call, kind), f"{place} {kind}", possible=partial(_other, kind))


def of_decoding() -> Forms:
    """The forms of decode functions that return integers of 32 bits, signed or not."""
    kinds: tuple[Component, ...] = ("s32", "u32")
    return Forms(
        tuple(form_of(decoded, kind, f"decodes into {kind}", possible=partial(_other, kind)) for kind in kinds)
    )
