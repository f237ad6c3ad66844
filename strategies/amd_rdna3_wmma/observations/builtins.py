"""Which builtins a kernel calls, for which size of wave, with what vectors."""

from __future__ import annotations

from mmaspec.oracle.amd_rdna3_wmma.builtins import parse
from mmaspec.strategies.axes.observation import Answer, Look, Subject, Thing
from mmaspec.strategies.register_kernels.observations.flow import flow_of


def _distinct(subject: Subject, _: Thing) -> Answer:
    called = [parse(event.call.builtin) for event in flow_of(subject).calls]
    forms = {(one.accumulator, one.operand) for one in called if one is not None}
    if not forms:
        return None
    if len(forms) == 1:
        return "one"
    results, inputs = {result for result, _ in forms}, {operand for _, operand in forms}
    found = {"three-or-more"} if len(forms) > 2 else set()
    if "i32" in results and len(results) > 1:
        found.add("float-and-integer")
    elif len(forms) == 2:
        found.add("same-inputs" if len(inputs) == 1 else "same-result")
    return found


LOOKS: dict[str, Look] = {
    "wave-size": lambda subject, _: f"wave{subject.program.wave_size}",
    "distinct-builtins": _distinct,
    "fragment-element": lambda _, thing: str(thing.of.element),
}
