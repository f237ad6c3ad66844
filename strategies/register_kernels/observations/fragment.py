"""Declared fragments: type, use, and how often they are read and written."""

from __future__ import annotations

from collections.abc import Iterator

from mmaspec.programs.register_kernels import Fragment, products, writes
from mmaspec.programs.tree import walk
from mmaspec.strategies.axes.observation import Answer, Look, Subject, Thing
from mmaspec.strategies.register_kernels.observations.flow import flow_of
from mmaspec.strategies.register_kernels.observations.touched import moved

_NUMBERS = {1: "one", 2: "two", 4: "four", 8: "eight", 16: "sixteen", 32: "thirty-two"}


def _vector_bytes(subject: Subject, thing: Thing) -> Answer:
    fragment: Fragment = thing.of if thing.group == "fragment" else moved(subject.program, thing.of.step)
    return _NUMBERS.get(fragment.vector_bytes)


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
    calls = [step for _, step, _ in products(subject.program)]
    return min(sum(name in (step.a, step.b, step.c) for step in calls), MOST)


def _writes(subject: Subject, thing: Thing) -> Answer:
    """Statements as they are written."""
    name: str = thing.of.name
    return min(sum(writes(step) == name for _, step, _ in walk(subject.program)), MOST)


def things(subject: Subject) -> Iterator[Thing]:
    """Every fragment."""
    for fragment in subject.program.fragments:
        yield Thing("fragment", fragment)


LOOKS: dict[str, Look] = {
    "fragment-use": lambda _, thing: thing.of.use,
    "fragment-count": lambda _, thing: _NUMBERS.get(thing.of.count),
    "fragment-fill": _fill,
    "fragment-reads": _reads,
    "fragment-writes": _writes,
    "vector-bytes": _vector_bytes,
}
