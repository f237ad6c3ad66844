"""Near misses of functions with one type by its name: every component type that a matrix does not have."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

from mmaspec.oracle.spec import Row
from mmaspec.programs.formats import format_named
from mmaspec.programs.nv_coopmat2.caps import CoopMatCaps, Property
from mmaspec.programs.nv_coopmat2.program import (
    REDUCE_COLUMN,
    USE_ACCUMULATOR,
    Combine,
    Component,
    Echo,
    ElementFunction,
    LoadTensor,
    Matrix,
    PerElement,
    Reduce,
    Simple,
)
from mmaspec.strategies.grammar import Draft, DrawContext, Form, Forms, form_of
from mmaspec.strategies.nv_coopmat2.near_misses.edits import changed, followed
from mmaspec.strategies.nv_coopmat2.near_misses.functions import COMPONENTS
from mmaspec.strategies.nv_coopmat2.near_misses.listed import listed_types, named_pair

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

Typed = tuple[Call, Component]


def named(context: DrawContext[CoopMatCaps], draft: Draft, wrong: Typed) -> Draft | None:
    """An operation on accumulators whose function has another type in one place."""
    call, kind = wrong
    c, d = draft.program.matrices[2:4]
    if c.component != kind:
        return followed(draft, call(d.name, c.name, kind))
    others = _unlike(kind, context.row.entry, context.caps)
    if not others:
        return None
    x, y = named_pair((others[0], others[0]))
    return followed(draft, call(y.name, x.name, kind), matrices=(x, y))


def _unlike(kind: Component, entry: Property, caps: CoopMatCaps) -> list[Matrix]:
    """The accumulators that programs of a row may have beside those of its own type, floats first."""
    found = [one for one in listed_types(caps, entry) if one.use == USE_ACCUMULATOR and one.component != kind]
    return sorted(found, key=lambda one: not format_named(one.component).is_float)


def decoded(_: DrawContext[CoopMatCaps], draft: Draft, kind: Component) -> Draft:
    """A decode function that returns another type, in the last coordinate alone."""
    return changed(draft, LoadTensor, decode=Echo(4, (0, 1), (0, 1), component=kind), fit=False)


def _other(kind: Component, row: Row[Any], caps: CoopMatCaps) -> bool:
    return bool(row.entry.c != kind or _unlike(kind, row.entry, caps))


def of_calls(calls: dict[str, Call]) -> Forms:
    """A form for every place and component type."""
    return Forms(tuple(_of_calls(calls)))


def _of_calls(calls: dict[str, Call]) -> Iterator[Form]:
    for place, call in calls.items():
        for kind in COMPONENTS:
            yield form_of(named, (call, kind), f"{place} {kind}", possible=partial(_other, kind))


def of_decoding() -> Forms:
    """The forms of decode functions that return integers of 32 bits, and of those that return the other sign."""
    kinds: tuple[Component, ...] = ("s32", "u32")
    return Forms(
        (
            *(form_of(decoded, kind, f"decodes into {kind}", possible=partial(_unlike_own, kind)) for kind in kinds),
            form_of(other_sign, "", "decodes into the other sign", possible=lambda row, _: row.entry.c in OTHER_SIGN),
        )
    )


def _unlike_own(kind: Component, row: Row[Any], _: Any) -> bool:
    return bool(row.entry.c != kind)


OTHER_SIGN: dict[str, Component] = {"s8": "u8", "u8": "s8", "s16": "u16", "u16": "s16", "s32": "u32", "u32": "s32"}


def other_sign(context: DrawContext[CoopMatCaps], draft: Draft, _: str) -> Draft:
    """A decode function that returns integers as wide as the matrix has, signed where these are not."""
    echo = Echo(4, (1, 0), (1, 0), component=OTHER_SIGN[context.row.entry.c])
    return changed(draft, LoadTensor, decode=echo, fit=False)
