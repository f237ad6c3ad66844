"""Declared fragments: type, use, and how often they are read and written."""

from __future__ import annotations

from collections.abc import Iterator

from mmaspec.programs.amd_rdna3_wmma.program import Fragment, Wmma
from mmaspec.programs.tree import walk
from mmaspec.strategies.amd_rdna3_wmma.observations.flow import flow_of, written_by
from mmaspec.strategies.amd_rdna3_wmma.observations.touched import moved
from mmaspec.strategies.axes.observation import Answer, Look, Subject, Thing

_COUNTS = {2: "two", 4: "four", 8: "eight", 16: "sixteen"}
_BYTES = {8: "eight", 16: "sixteen", 32: "thirty-two"}


def _vector_bytes(subject: Subject, thing: Thing) -> Answer:
    fragment = thing.of if isinstance(thing.of, Fragment) else moved(subject.program, thing.of.step)
    return _BYTES.get(fragment.vector_bytes)


MOST = 64
"""Reads and writes that are told apart."""


def _fill(subject: Subject, thing: Thing) -> Answer:
    fragment: Fragment = thing.of
    if fragment.fill is None:
        return "none"
    if not flow_of(subject).declared[fragment.name].readers:
        return "value-unused"
    return "value" if fragment.fill else "zero"


def _reads(subject: Subject, thing: Thing) -> Answer:
    """Products as they are written."""
    name = thing.of.name
    calls = [step for _, step, _ in walk(subject.program) if isinstance(step, Wmma)]
    return min(sum(name in (step.a, step.b, step.c) for step in calls), MOST)


def _writes(subject: Subject, thing: Thing) -> Answer:
    """Statements as they are written."""
    name: str = thing.of.name
    return min(sum(written_by(step) == name for _, step, _ in walk(subject.program)), MOST)


def _both_roles(subject: Subject, thing: Thing) -> Answer:
    """Of a fragment over all products; of a product for its A and B."""
    calls = [step for _, step, _ in walk(subject.program) if isinstance(step, Wmma)]
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


def things(subject: Subject) -> Iterator[Thing]:
    """Every fragment."""
    for fragment in subject.program.fragments:
        yield Thing("fragment", fragment)


LOOKS: dict[str, Look] = {
    "fragment-use": lambda _, thing: thing.of.use,
    "fragment-element": lambda _, thing: thing.of.element,
    "fragment-count": lambda _, thing: _COUNTS.get(thing.of.count),
    "fragment-fill": _fill,
    "fragment-reads": _reads,
    "fragment-writes": _writes,
    "fragment-both-roles": _both_roles,
    "vector-bytes": _vector_bytes,
}
