"""What a text leaves a device free to do anew in each operation: an expectation for every combination of it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from mmaspec.oracle.expectation import Defined
from mmaspec.oracle.readings import Readings
from mmaspec.programs.errors import BadInput

MAX_ALTERNATIVES = 64
"""Combinations of free choices besides the first that a program may leave a device."""


def with_alternatives(readings: Readings, executed: Callable[[Readings], Defined]) -> Defined:
    """What is demanded under the readings, with the other free choices as alternatives.

    ``executed`` works it out for one combination of choices, which it records in the readings that it is given.
    Raises ``BadInput`` for a program that leaves too many.
    """
    first = executed(readings)
    if not readings.offered:
        return first
    found: list[Defined] = []
    known = {frozenset(readings.decided.items())}
    waiting = list(_neighbours(readings))
    while waiting:
        freely = waiting.pop(0)
        if frozenset(freely.items()) in known:
            continue
        chosen = readings.choosing(freely)
        other = executed(chosen)
        decided = frozenset(chosen.decided.items())
        if decided not in known:
            found.append(other)
        known |= {decided, frozenset(freely.items())}
        if len(found) > MAX_ALTERNATIVES:
            raise BadInput(f"program: leaves a device more than {MAX_ALTERNATIVES} combinations of free choices")
        waiting += _neighbours(chosen)
    consulted = first.consulted.union(*(other.consulted for other in found))
    return replace(first, consulted=consulted, others=tuple(found))


def _neighbours(chosen: Readings) -> Iterator[dict[str, str]]:
    """The choices of a run with any one of them made otherwise."""
    decided = chosen.decided
    for what, options in chosen.offered.items():
        for option in options:
            if option != decided[what]:
                yield {**decided, what: option}
