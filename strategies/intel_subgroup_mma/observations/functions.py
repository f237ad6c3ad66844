"""Which functions a kernel calls: their elements, their rows, and which follows which."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

from mmaspec.oracle.intel_subgroup_mma.functions import Signature
from mmaspec.programs.intel_subgroup_mma.caps import FORMS, Form
from mmaspec.strategies.axes.observation import Answer, Look, Subject, Thing
from mmaspec.strategies.intel_subgroup_mma.observations.dialect import signature_of
from mmaspec.strategies.register_kernels.observations.flow import Event, flow_of
from mmaspec.strategies.register_kernels.observations.product import call_of
from mmaspec.strategies.register_kernels.observations.tiles import Tiling

_NUMBERS = {1: "one", 2: "two", 4: "four", 8: "eight", 16: "sixteen"}


def _signature(event: Event) -> Signature:
    program: Any = event.flow.program
    return signature_of(program, event.call)


def _form(event: Event) -> Form:
    return FORMS[_signature(event).form]


def _events(subject: Subject, thing: Thing) -> list[Event]:
    """The calls that a thing is about."""
    calls = flow_of(subject).calls
    if thing.group in ("sequence", "tiling"):
        found: list[Event] = thing.of.products
        return found
    if thing.group == "loop":
        return [event for event in calls if event.loop == thing.of]
    if thing.group == "fragment":
        return [e for e in calls if thing.of.name in (e.call.a, e.call.b, e.call.c, e.call.d)]
    return calls if thing.group == "program" else [call_of(thing)]


def _rows(subject: Subject, thing: Thing) -> Answer:
    return {_NUMBERS[_signature(event).rows] for event in _events(subject, thing)}


def _rows_before(subject: Subject, thing: Thing) -> Answer:
    earlier = [event for event in flow_of(subject).products if event.turn < thing.of.turn]
    return _NUMBERS[_signature(earlier[-1]).rows] if earlier else "none"


def _rows_together(subject: Subject, thing: Thing) -> Answer:
    """Of consecutive products of a program, or of a sequence."""
    events = flow_of(subject).products if thing.group == "program" else thing.of.products
    rows = [_signature(event).rows for event in events]
    if not rows:
        return None
    found = {"more" if then > first else "fewer" for first, then in pairwise(rows) if first != then}
    return found or "equal"


def _shared_by_rows(_: Subject, thing: Thing) -> Answer:
    """The B of products of a sequence."""
    by: dict[int, set[int]] = {}
    seen: dict[int, int] = {}
    for event in thing.of.products:
        key = id(event.reads["b"])
        by.setdefault(key, set()).add(_signature(event).rows)
        seen[key] = seen.get(key, 0) + 1
    found = {"other-rows" if len(rows) > 1 else "same-rows" for key, rows in by.items() if seen[key] > 1}
    return found or "no"


def _tile_rows(_: Subject, thing: Thing) -> Answer:
    tiling: Tiling = thing.of
    rows = [_signature(line[0].chain.products[0]).rows for line in tiling.in_order()]
    if len(set(rows)) == 1:
        return "equal"
    return "ragged" if len(set(rows[:-1])) == 1 and rows[-1] < rows[0] else "mixed"


def _differences(forms: set[Form]) -> set[str]:
    """In what the forms of a kernel, or of a chain, differ from one another."""
    found = set()
    bits = {form.bits for form in forms if form.integer}
    for width in bits:
        if len({(form.a, form.b) for form in forms if form.integer and form.bits == width}) > 1:
            found.add("signs")
    if len(bits) > 1:
        found.add("widths")
    floats = {form for form in forms if not form.integer}
    if len({form.a for form in floats}) > 1:
        found.add("float-inputs")
    if any(one.a == other.a and one.acc != other.acc for one in floats for other in floats):
        found.add("accumulators")
    if bits and floats:
        found.add("float-and-integer")
    return found


def _distinct(subject: Subject, _: Thing) -> Answer:
    forms = {_form(event) for event in flow_of(subject).calls}
    if not forms:
        return None
    return {*_differences(forms), *({"three-or-more"} if len(forms) > 2 else set())} or "one"


def _chain(_: Subject, thing: Thing) -> Answer:
    """The sums of a chain are in one fragment, so of one format."""
    return _differences({_form(event) for event in thing.of.chain.products}) or "one"


def _called_for(subject: Subject, thing: Thing) -> Answer:
    """Of a fragment: what the functions that take it differ in."""
    signatures = {_signature(event) for event in _events(subject, thing)}
    if not signatures:
        return None
    found = _differences({FORMS[one.form] for one in signatures}) - {"float-and-integer"}
    return {*found, *({"rows"} if len({one.rows for one in signatures}) > 1 else set())} or "one"


def _converted(subject: Subject, thing: Thing) -> Answer:
    event: Event = thing.of
    call, signature = event.call, _signature(event)
    given = (("addend", call.c), ("result", call.d))
    fragment, taken = subject.program.fragment, signature.acc[0]
    found = [role for role, name in given if name is not None and fragment(name).component != taken]
    return found or "none"


def _sign(role: str) -> Look:
    def look(_: Subject, thing: Thing) -> Answer:
        return "unsigned" if getattr(_form(call_of(thing)), role)[0] == "u" else "signed"

    return look


LOOKS: dict[str, Look] = {
    "sub-group-size": lambda subject, _: _NUMBERS.get(subject.program.sub_group_size),
    "rows": _rows,
    "rows-before": _rows_before,
    "rows-together": _rows_together,
    "shared-by-rows": _shared_by_rows,
    "tile-rows": _tile_rows,
    "converted-scalars": _converted,
    "distinct-forms": _distinct,
    "chain-formats": _chain,
    "fragment-functions": _called_for,
    "fragment-component": lambda _, thing: str(thing.of.component),
    "fragment-holds": lambda _, thing: str(thing.of.holds),
    "a-sign": _sign("a"),
    "b-sign": _sign("b"),
}
