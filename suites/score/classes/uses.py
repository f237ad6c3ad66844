"""Which executed instructions carry out what has classes."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Iterator
from functools import cache
from importlib import resources
from typing import Any

from msgspec import Struct, structs

from mmaspec.programs import tree
from mmaspec.programs.base import Place
from mmaspec.strategies.axes.observation import Subject, Thing

Rule = Callable[[Subject, Thing], Iterator[Place]]


def places_of(subject: Subject, thing: Thing) -> Iterator[Place]:
    """Where a device is wrong that gets a thing wrong; nowhere, where no instruction has to do with it."""
    yield from RULES[table()[subject.case.spec].get(thing.group, "own")](subject, thing)


@cache
def table() -> dict[str, dict[str, str]]:
    """Specification -> group of things -> the rule that says which instructions carry them out."""
    return tomllib.loads(resources.files(__package__ or "").joinpath("uses.toml").read_text(encoding="utf-8"))


def _own(_: Subject, thing: Thing) -> Iterator[Place]:
    if thing.place is not None:
        yield thing.place


def _any(subject: Subject, _: Thing) -> Iterator[Place]:
    """The last first: what is stored there is hardly ever overwritten."""
    yield from reversed([place for place, _ in tree.unrolled(subject.program)])


MEMORY = frozenset({"buffer", "array", "memory"})
COPIED = frozenset({"source", "target"})
MATRIX = frozenset(
    {
        "matrix", "result", "a", "b", "c", "d", "left", "right", "operand", "extras", "into", "fragment", "source",
        "vector", "column", "row", "bias",
    }
)  # fmt: skip
LAYOUT = frozenset({"tensor", "view"})
"""Fields of instructions that name memory, what is copied (memory, a matrix), a matrix or vector, a layout or view."""


def _naming(subject: Subject, name: str, fields: frozenset[str]) -> Iterator[Place]:
    """Whatever names it, also as the memory in which one of its arguments lies."""
    for place, one in tree.unrolled(subject.case.program):
        if any(name == value for field, value in _fields(one) if field in fields):
            yield place


def _fields(one: Any, field: str = "") -> Iterator[tuple[str, Any]]:
    """All fields of a struct and those in it, with their values; of a tuple each of its parts."""
    if isinstance(one, Struct):
        for name, value in structs.asdict(one).items():
            yield from _fields(value, name)
    elif isinstance(one, tuple):
        for part in one:
            yield from _fields(part, field)
    yield field, one


def _named(subject: Subject, thing: Thing) -> Iterator[Place]:
    yield from _naming(subject, thing.of.name, MATRIX)


def _memory(subject: Subject, thing: Thing) -> Iterator[Place]:
    yield from _naming(subject, thing.of.name, MEMORY | COPIED)


def _given(subject: Subject, thing: Thing) -> Iterator[Place]:
    """Where something is taken as it is: a word that is loaded at run time."""
    for place, one in tree.unrolled(subject.case.program):
        if any(value == thing.of for _, value in _fields(one)):
            yield place


def _body(subject: Subject, thing: Thing) -> Iterator[Place]:
    """Of a loop that is given by its number, by its place, or as it is."""
    if isinstance(thing.of, int):
        outer = thing.of
    elif thing.place is not None:
        outer = thing.place.path[0]
    else:
        outer = next(number for number, one in enumerate(subject.program.body) if one is thing.of)
    yield from (place for place, _ in tree.unrolled(subject.program) if place.path[0] == outer)


def _fill(subject: Subject, thing: Thing) -> Iterator[Place]:
    yield from _own(subject, thing) if thing.place is not None else _naming(subject, thing.of.fragment, MATRIX)


def _argument(subject: Subject, thing: Thing) -> Iterator[Place]:
    yield from _own(subject, thing) if thing.place is not None else _naming(subject, thing.of.owner.name, LAYOUT)


def _after(subject: Subject, thing: Thing) -> Iterator[Place]:
    """The first access after a barrier."""
    every = list(tree.unrolled(subject.program))
    turn, barrier = next((number, type(one)) for number, (place, one) in enumerate(every) if place == thing.place)
    for place, one in every[turn + 1 :]:
        if type(one) is barrier:
            return
        if any(field in MEMORY for field, _ in _fields(one)):
            yield place
            return


RULES: dict[str, Rule] = {
    "own": _own,
    "any": _any,
    "memory": _memory,
    "named": _named,
    "given": _given,
    "tensor": lambda subject, thing: _naming(subject, thing.of.tensor, LAYOUT),
    "view": lambda subject, thing: _naming(subject, thing.of.view, LAYOUT),
    "body": _body,
    "products": lambda _, thing: (event.place for event in thing.of.products),
    "second": lambda _, thing: iter((thing.of.second.event.place,)),
    "after": _after,
    "fill": _fill,
    "argument": _argument,
}
"""What the table names."""
