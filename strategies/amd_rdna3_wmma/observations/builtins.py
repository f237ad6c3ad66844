"""Which builtins a kernel calls, for which size of wave, with what vectors."""

from __future__ import annotations

from itertools import combinations

from mmaspec.oracle.amd_rdna3_wmma.builtins import Builtin, parse
from mmaspec.strategies.axes.observation import Answer, Look, Subject, Thing
from mmaspec.strategies.register_kernels.observations.flow import Event, flow_of


def _distinct(subject: Subject, _: Thing) -> Answer:
    forms = {_form(event) for event in flow_of(subject).calls}
    if not forms:
        return None
    found = {"three-or-more"} if len(forms) > 2 else set()
    for one, other in combinations(forms, 2):
        if one.integer != other.integer:
            found.add("float-and-integer")
        elif one.accumulator == other.accumulator:
            found.add("tied-and-untied" if one.operand == other.operand else "same-result")
        elif one.operand == other.operand:
            found.add("same-inputs")
    return found or ("one" if len(forms) == 1 else None)


def _form(event: Event) -> Builtin:
    found = parse(event.call.builtin)
    assert found is not None
    return found


def _chain(_: Subject, thing: Thing) -> Answer:
    """Of the products of one chain, whose sums are in one format."""
    forms = {_form(event) for event in thing.of.chain.products}
    found = {"inputs-change"} if len({form.operand for form in forms}) > 1 else set()
    return found | ({"half-forms-change"} if len({form.tied for form in forms}) > 1 else set()) or "one"


LOOKS: dict[str, Look] = {
    "wave-size": lambda subject, _: f"wave{subject.program.wave_size}",
    "distinct-builtins": _distinct,
    "chain-formats": _chain,
    "fragment-element": lambda _, thing: str(thing.of.element),
}
