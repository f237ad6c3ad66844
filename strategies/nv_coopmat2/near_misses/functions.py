"""Near misses of the functions that operations call: what combines components, and what works on each of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, get_args

from mmaspec.oracle.nv_coopmat2.validity.operations import type_of
from mmaspec.programs.base import Literal
from mmaspec.programs.formats import format_named
from mmaspec.programs.nv_coopmat2.caps import CoopMatCaps
from mmaspec.programs.nv_coopmat2.program import (
    REDUCE_ROW_AND_COLUMN,
    Combine,
    Component,
    ElementFunction,
    PerElement,
    Reduce,
)
from mmaspec.strategies.grammar import Draft, DrawContext, Form, Forms, form_of, in_forms
from mmaspec.strategies.nv_coopmat2.near_misses.edits import followed
from mmaspec.strategies.nv_coopmat2.near_misses.listed import has_pair, named_pair, other_type, pairs

KINDS = ("as wide", "wider", "narrower")
"""How another component type may differ; the rest of it is drawn."""


COMPONENTS: tuple[Component, ...] = get_args(Component)


def other(context: DrawContext[CoopMatCaps], component: Component, kind: str) -> Component:
    """A component type that is another, and as wide, or wider or narrower where there is one."""
    width = format_named(component).bits
    options: list[Component] = [each for each in COMPONENTS if each != component]
    fitting: list[Component] = []
    for each in options:
        bits = format_named(each).bits
        if {"as wide": bits == width, "wider": bits > width, "narrower": bits < width}[kind]:
            fitting.append(each)
    return context.choices.one_of(fitting or options)


@dataclass(frozen=True, slots=True)
class Combining:
    """One row of a table: a mask, and the combine function; ``OTHER`` stands for another component type."""

    kind: str = ""
    mask: int = REDUCE_ROW_AND_COLUMN
    parameters: tuple[str | None, ...] = (None, None)
    returns: str | None = None
    fields: Mapping[str, Any] = field(default_factory=dict)


OTHER = "other"


def combining(context: DrawContext[CoopMatCaps], draft: Draft, wrong: Combining) -> Draft:
    """A reduction with a mask or a combine function that there is not."""
    c, d = draft.program.matrices[2:4]
    odd = other(context, c.component, wrong.kind) if wrong.kind else None
    parameters: tuple[Component | None, ...] = tuple(odd if each == OTHER else None for each in wrong.parameters)
    combine = Combine("max", parameters, odd if wrong.returns == OTHER else None, **wrong.fields)
    return followed(draft, Reduce(d.name, c.name, wrong.mask, combine))


REDUCE_MASKS = in_forms(
    combining,
    {
        "2x2 with rows": Combining(mask=5),
        "2x2 with columns": Combining(mask=6),
        "2x2 with rows and columns": Combining(mask=7),
        **{f"first parameter {kind}": Combining(kind, parameters=(OTHER, None)) for kind in KINDS[:2]},
        **{f"second parameter {kind}": Combining(kind, parameters=(None, OTHER)) for kind in KINDS[1:]},
        "both parameters": Combining("as wide", parameters=(OTHER, OTHER)),
        **{f"returns {kind}": Combining(kind, returns=OTHER) for kind in KINDS[:2]},
        "one parameter": Combining(parameters=(None,)),
        "three parameters": Combining(parameters=(None, None, None)),
        "parameters in": Combining(fields={"qualifier": "in"}),
        "parameters inout": Combining(fields={"qualifier": "inout"}),
    },
)
"""NVCM2-REDUCE-MASK."""


@dataclass(frozen=True, slots=True)
class Function:
    """One row of a table: a function of elements, and the extras of its call; ``OTHER`` as above."""

    name: Any
    kind: str = ""
    element: str | None = None
    extras: tuple[str | None, ...] = ()
    returns: str | None = None
    fields: Mapping[str, Any] = field(default_factory=dict)
    given: int = 0
    """Extras that the call has."""


def function(context: DrawContext[CoopMatCaps], draft: Draft, wrong: Function) -> Draft:
    """A call of a function whose signature is not that of its call."""
    c, d = draft.program.matrices[2:4]
    odd = other(context, c.component, wrong.kind) if wrong.kind else None

    def typed(each: str | None) -> Component | None:
        return odd if each == OTHER else None

    extras: tuple[Component | None, ...] = tuple(typed(each) for each in wrong.extras)
    made = ElementFunction(wrong.name, typed(wrong.element), extras, typed(wrong.returns), **wrong.fields)
    return followed(draft, PerElement(d.name, c.name, made, (c.name,) * wrong.given))


FUNCTIONS: Mapping[str, Function] = MappingProxyType(
    {
        **{f"element {kind}": Function("triangle", kind, OTHER) for kind in KINDS[:2]},
        **{f"returns {kind}": Function("place", kind, returns=OTHER) for kind in KINDS[1:]},
        "place int32_t": Function("place", fields={"place": "int32_t"}),
        "place uint16_t": Function("triangle", fields={"place": "uint16_t"}),
        "parameters in": Function("triangle", fields={"qualifier": "in"}),
        "parameters inout": Function("triangle", fields={"qualifier": "inout"}),
        "an extra too few": Function("add", extras=(None, None), given=1),
        "an extra too many": Function("add", extras=(None,), given=2),
        "an extra for none": Function("triangle", given=1),
        **{f"extra {kind}": Function("select", kind, extras=(OTHER,), given=1) for kind in KINDS[:2]},
        "second extra as wide": Function("select", "as wide", extras=(None, OTHER), given=2),
    }
)


def scalar_too_many(_: DrawContext[CoopMatCaps], draft: Draft, __: str) -> Draft:
    """A scalar that the function does not take."""
    c, d = draft.program.matrices[2:4]
    return followed(draft, PerElement(d.name, c.name, ElementFunction("triangle"), (Literal(1),)))


def matrices_of(context: DrawContext[CoopMatCaps], draft: Draft, wrong: tuple[str, str]) -> Draft | None:
    """A result, or an extra matrix, of another type than the source."""
    place, aspect = wrong
    found = pairs(context.caps, context.row.entry, other_type, aspect)
    if not found:
        return None
    x, y = named_pair(context.choices.one_of(found))
    assert type_of(x) != type_of(y)
    if place == "result":
        return followed(draft, PerElement("y", "x", ElementFunction("triangle")), matrices=(x, y))
    second = place == "second extra"
    made = ElementFunction("add", None, (None, y.component) if second else (y.component,))
    extras = ("x", "y") if second else ("y",)
    return followed(draft, PerElement("x", "x", made, extras), matrices=(x, y))


def _matrices() -> Iterator[Form]:
    table = (
        ("result", ("component", "rows", "use")),
        ("extra", ("component", "cols", "use")),
        ("second extra", ("use",)),
    )
    for place, aspects in table:
        for aspect in aspects:
            yield form_of(
                matrices_of, (place, aspect), f"{place}: other {aspect}", possible=has_pair(other_type, aspect)
            )


ELEMENT_FUNCTIONS = Forms(
    (
        *in_forms(function, FUNCTIONS).forms,
        form_of(scalar_too_many, "", "a scalar for none"),
        *_matrices(),
    )
)
"""NVCM2-PERELEM-SIG."""
