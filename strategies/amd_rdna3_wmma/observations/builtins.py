"""Which builtins or instructions a kernel calls, for which size of wave, with what vectors."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations

from mmaspec.oracle.amd_rdna3_wmma.builtins import Builtin, parse
from mmaspec.oracle.amd_rdna3_wmma.modifiers import as_builtin
from mmaspec.programs.amd_rdna3_wmma import VWmma
from mmaspec.strategies.axes.observation import Answer, Look, Subject, Thing
from mmaspec.strategies.register_kernels.observations.flow import Event, flow_of


def _distinct(subject: Subject, _: Thing) -> Answer:
    forms = {_form(subject, event) for event in flow_of(subject).calls}
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


def _form(subject: Subject, event: Event) -> Builtin:
    """Of an instruction the builtin that is like it: that the other halves of D are kept is no matter of its form."""
    if isinstance(event.call, VWmma):
        return replace(as_builtin(event.call, subject.program.wave_size), tied=False)
    found = parse(event.call.builtin)
    assert found is not None
    return found


def _chain(subject: Subject, thing: Thing) -> Answer:
    """Of the products of one chain, whose sums are in one format."""
    forms = {_form(subject, event) for event in thing.of.chain.products}
    found = {"inputs-change"} if len({form.operand for form in forms}) > 1 else set()
    return found | ({"half-forms-change"} if len({form.tied for form in forms}) > 1 else set()) or "one"


LOOKS: dict[str, Look] = {
    "wave-size": lambda subject, _: f"wave{subject.program.wave_size}",
    "distinct-builtins": _distinct,
    "chain-formats": _chain,
    "fragment-element": lambda _, thing: str(thing.of.element),
}
