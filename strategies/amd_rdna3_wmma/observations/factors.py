"""A and B, whose vectors are alike: one fragment as both, and two with the same matrix."""

from __future__ import annotations

import numpy as np

from mmaspec.programs.register_kernels import products
from mmaspec.strategies.axes.observation import Answer, Look, Subject, Thing
from mmaspec.strategies.register_kernels.observations.contents import operand_of
from mmaspec.strategies.register_kernels.observations.flow import Event
from mmaspec.strategies.register_kernels.observations.matrices import every, some


def _both_roles(subject: Subject, thing: Thing) -> Answer:
    """Of a fragment over all products; of a product for its A and B."""
    calls = [step for _, step, _ in products(subject.program)]
    names = [thing.of.name] if thing.group == "fragment" else [thing.of.step.a, thing.of.step.b]
    found = set()
    for name in names:
        if any(step.a == name == step.b for step in calls):
            found.add("same-product")
        if any(step.a == name and step.b != name for step in calls) and any(
            step.b == name and step.a != name for step in calls
        ):
            found.add("other-product")
        if any(name in (step.a, step.b) for step in calls) and any(name == step.c for step in calls):
            found.add("also-c")
    return found or "no"


def _same_operands(_: Subject, thing: Thing) -> Answer:
    step = thing.of.step
    if step.a == step.b:
        return "all-one" if step.b == step.c else "a-is-b"
    return "a-is-c" if step.a == step.c else "b-is-c" if step.b == step.c else "all-apart"


def _equal_contents(subject: Subject, thing: Thing) -> Answer:
    """Of one fragment as both there is nothing to compare but itself; else in some item and wave."""
    event: Event = thing.of
    a, b = operand_of(subject, event, "a"), operand_of(subject, event, "b")
    if event.call.a == event.call.b:
        return "same-data"
    if not (a.known.all() and b.known.all()):
        return None
    lines = np.swapaxes(b.bits, -1, -2)
    if a.fmt.is_float:
        negative = lines ^ np.uint64(a.fmt.sign_bit)
        opposite = every(a.bits == negative)
    else:
        opposite = every(a.values == -np.swapaxes(b.values, -1, -2)) & some(a.bits != 0)
    same = every(a.bits == lines)
    transposed = every(a.bits == b.bits)
    found = {
        name
        for name, here in {"same-data": same, "transposed": transposed & ~same, "negated": opposite & ~same}.items()
        if here.any()
    }
    return found if (same | transposed | opposite).all() else {*found, "different"}


LOOKS: dict[str, Look] = {
    "fragment-both-roles": _both_roles,
    "same-operands": _same_operands,
    "equal-contents": _equal_contents,
}
