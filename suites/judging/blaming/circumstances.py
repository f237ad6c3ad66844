"""Circumstances of a whole program, whatever the specification: several waves, a loop, where arguments come from."""

from __future__ import annotations

import types
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Union, get_args, get_origin, get_type_hints

import msgspec

from mmaspec.oracle.case import Bits, Case
from mmaspec.oracle.expect import resolve
from mmaspec.oracle.spec import spec_named
from mmaspec.programs.base import Buffer, Place, Program, RunTime, Word
from mmaspec.programs.errors import BadInput
from mmaspec.programs.tree import nested

ARGUMENTS = "blame-arguments"
"""The buffer from which arguments are loaded that the program has as literals."""


@dataclass(frozen=True, slots=True)
class Variation:
    """A program, and the data that it loads."""

    program: Program
    values: Mapping[str, Bits]


def one_wave(case: Case, program: Program, wave: int) -> Variation | None:
    """One wave alone, which loads what ``wave`` loaded; None where there is one already."""
    return None if program.waves == 1 else _cut(case, msgspec.structs.replace(_any(program), waves=1), wave, None)


def one_pass(case: Case, program: Program, place: Place) -> Variation | None:
    """The loop around a place gone, its body left with the data of that pass; None outside of loops."""
    if len(place.path) < 2:
        return None
    outer = place.path[0]
    body = nested(program.body[outer])
    assert body is not None
    flat = msgspec.structs.replace(_any(program), body=(*program.body[:outer], *body, *program.body[outer + 1 :]))
    return _cut(case, flat, None, place.loop)


def _cut(case: Case, program: Any, wave: int | None, loop: int | None) -> Variation | None:
    """The values that a program with fewer waves or passes loads: those of one of them, wherever it loads fewer."""
    try:
        sources = spec_named(case.spec).sources(resolve(program, case.words))
    except BadInput:
        return None
    values = {}
    for source in sources:
        bits = case.values.get(source.name)
        if bits is None or bits.ndim != len(source.shape) + 1:
            return None
        for axis, chosen in ((1, wave), (2, loop)):
            have, want = bits.shape[axis], source.shape[axis - 1]
            if want < have:
                start = min(chosen or 0, have - want)
                bits = bits[(slice(None),) * axis + (slice(start, start + want),)]
        if bits.shape[1:] != source.shape:
            return None
        values[source.name] = bits
    return Variation(program, values)


def at_run_time(case: Case) -> Case | None:
    """The case with every literal argument loaded at run time instead; None where there is none."""
    found = _Arguments()
    program: Any = found.visit(case.program)
    if not found.values:
        return None
    buffer = Buffer(ARGUMENTS, 4 * len(found.values))
    words = tuple(Word(ARGUMENTS, 4 * number, value) for number, value in enumerate(found.values))
    changed = msgspec.structs.replace(program, buffers=(*program.buffers, buffer))
    return replace(case, program=changed, words=(*case.words, *words))


class _Arguments:
    """Replaces literal arguments by ones that are loaded at run time, and keeps their values in order."""

    def __init__(self) -> None:
        self.values: list[int] = []

    def visit(self, node: Any) -> Any:
        """The same node with its arguments replaced."""
        if isinstance(node, tuple):
            return tuple(self.visit(item) for item in node)
        if not isinstance(node, msgspec.Struct):
            return node
        free = run_time_fields(type(node))
        changed = {}
        for name in node.__struct_fields__:
            value = getattr(node, name)
            if name in free:
                several = isinstance(value, tuple)
                new = tuple(self._loaded(one) for one in (value if several else (value,)))
                changed[name] = new if several else new[0]
            else:
                changed[name] = self.visit(value)
        return msgspec.structs.replace(node, **changed)

    def _loaded(self, value: Any) -> Any:
        if type(value) is not int or not 0 <= value < 1 << 32:
            return value
        self.values.append(value)
        return RunTime(ARGUMENTS, 4 * (len(self.values) - 1))


def run_time_fields(kind: type[msgspec.Struct]) -> frozenset[str]:
    """The fields of a struct that may hold an argument loaded at run time."""
    return frozenset(name for name, hint in get_type_hints(kind).items() if RunTime in set(_members(hint)))


def _members(hint: Any) -> Iterator[Any]:
    if get_origin(hint) in (Union, types.UnionType, tuple):
        for member in get_args(hint):
            yield from _members(member)
    else:
        yield hint


def loaded_arguments(program: Program) -> tuple[RunTime, ...]:
    """Every argument of a program that is loaded at run time, each once, in the order of the text."""
    found: dict[RunTime, None] = {}

    def visit(node: Any) -> None:
        if isinstance(node, RunTime):
            found[node] = None
        elif isinstance(node, msgspec.Struct):
            for name in node.__struct_fields__:
                visit(getattr(node, name))
        elif isinstance(node, tuple):
            for item in node:
                visit(item)

    visit(program)
    return tuple(found)


def _any(program: Program) -> Any:
    return program
