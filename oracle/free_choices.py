"""What a text leaves a device free to do anew in each operation: an expectation for every combination of it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace

from mmaspec.oracle.expectation import Defined
from mmaspec.oracle.readings import Readings
from mmaspec.programs.errors import BadInput

MAX_ALTERNATIVES = 64
"""Combinations of free choices besides the first that a part of a program may leave a device."""

Choices = dict[str, str]
"""What was done on each occasion."""


def with_alternatives(readings: Readings, executed: Callable[[Readings], Defined]) -> Defined:
    """What is demanded under the readings, with the other free choices as alternatives.

    ``executed`` works it out for one combination of choices, which it records in the readings that it is given. Parts
    of a program, in which alone some of its choices show, are judged by themselves: so each alternative has another
    combination in all parts at once, and there are as many as the part with most of them has.
    Raises ``BadInput`` for a program of which a part leaves too many.
    """
    first = executed(readings)
    if not readings.offered:
        return first
    found = _others(readings, executed)
    if found is None:
        readings = readings.with_fewer_choices()
        first, found = executed(readings), _others(readings, executed)
        if found is None:
            raise BadInput(f"program: leaves a device more than {MAX_ALTERNATIVES} combinations of free choices")
    consulted = first.consulted.union(*(other.consulted for other in found))
    return replace(first, consulted=consulted, others=tuple(found))


def _others(readings: Readings, executed: Callable[[Readings], Defined]) -> list[Defined] | None:
    """What is demanded besides the first; None where that is too much.

    A choice that may show anywhere makes one part of the program.
    """
    by_part = None not in readings.parts.values()
    parts: dict[int, _Part] = {}
    _note(parts, readings, by_part=by_part)
    found: list[Defined] = []
    while any(part.waiting for part in parts.values()):
        chosen = readings.choosing({what: how for part in parts.values() for what, how in part.next().items()})
        other = executed(chosen)
        if by_part and None in chosen.parts.values():  # it turns up where something else was chosen first
            by_part, parts, found = False, {}, []
            _note(parts, readings, by_part=by_part)
            continue
        if _note(parts, chosen, by_part=by_part):
            found.append(other)
        if len(found) > MAX_ALTERNATIVES:
            return None
    return found


@dataclass
class _Part:
    """The choices of one part: those of the first execution, what was tried and what came of it, and what waits."""

    first: Choices
    tried: set[frozenset[tuple[str, str]]] = field(default_factory=set)
    noted: set[frozenset[tuple[str, str]]] = field(default_factory=set)
    waiting: list[Choices] = field(default_factory=list)

    def next(self) -> Choices:
        """What is to be tried next; what was done first where nothing is."""
        if not self.waiting:
            return self.first
        taken = self.waiting.pop(0)
        self.tried.add(frozenset(taken.items()))
        return taken

    def note(self, decided: Choices, offered: Mapping[str, tuple[str, ...]]) -> bool:
        """Whether what was decided had not been tried; what differs from it in one choice waits from now on."""
        key = frozenset(decided.items())
        new = key not in self.noted
        self.noted.add(key)
        self.waiting = [one for one in self.waiting if frozenset(one.items()) != key]
        there = {frozenset(one.items()) for one in self.waiting} | self.tried | self.noted
        self.waiting += [one for one in _neighbours(decided, offered) if frozenset(one.items()) not in there]
        return new


def _note(parts: dict[int, _Part], chosen: Readings, *, by_part: bool) -> bool:
    """Take over the choices of an execution; whether they are new in some part."""
    decided = chosen.decided
    of = {what: part if by_part and part is not None else 0 for what, part in chosen.parts.items()}
    new = False
    for number in sorted(set(of.values())):
        mine = {what: choice for what, choice in decided.items() if of[what] == number}
        if number not in parts:
            parts[number] = _Part(mine)
        new |= parts[number].note(mine, {what: chosen.offered[what] for what in mine})
    return new


def _neighbours(decided: Choices, offered: Mapping[str, tuple[str, ...]]) -> Iterator[Choices]:
    """The choices with any one of them made otherwise."""
    for what, options in offered.items():
        for option in options:
            if option != decided[what]:
                yield {**decided, what: option}
