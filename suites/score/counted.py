"""Which things of a case count for its reach: those that an instruction carries out which matters."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from numpy.typing import NDArray

from mmaspec.backends.faults.spoiling import Deviation, deviating
from mmaspec.oracle.case import Case
from mmaspec.oracle.expectation import Defined
from mmaspec.oracle.judge import ByReading, expect_by_reading
from mmaspec.programs import tree
from mmaspec.programs.base import Place
from mmaspec.programs.profile import PRACTICE
from mmaspec.strategies.axes.observation import Seen, Subject, observer_of
from mmaspec.suites.judging.ask import ask, lawful
from mmaspec.suites.score.classes.uses import places_of
from mmaspec.suites.score.depends import shown_under


def judged_things(subject: Subject, found: Sequence[Seen]) -> list[bool]:
    """Of everything seen in a case that has classes, whether an instruction that carries it out matters."""
    case = subject.case
    by_reading = expect_by_reading(case, PRACTICE)
    paths = shown_under(case, by_reading)
    slight: dict[tree.Path, bool] = {}

    def matters(place: Place) -> bool:
        if place.path in paths:
            return True
        if place.path not in slight:
            slight[place.path] = _shows_slightly(case, by_reading, place)
        return slight[place.path]

    return [any(matters(place) for place in places_of(subject, one.thing)) for one in found]


def _shows_slightly(case: Case, by_reading: ByReading, place: Place) -> bool:
    """Whether a small mistake shows, where to spoil what an instruction changes does not.

    So it is of one that writes what is there already, or keeps everything: the lowest bit of each element is wrong. Of
    a store that writes nothing, as all of it lies out of bounds, a byte is written. Numbers of which the text bounds
    but one side, such as lengths, may be legal if they are far off to the other.
    """
    if not isinstance(by_reading.first, Defined):
        return False
    instruction = tree.at(case.program, place)
    dependence = observer_of(case.spec).dependence(case.program, instruction)
    written = next((step.writes for step in by_reading.first.steps if step.place == place), None)
    matrix = dependence.result if dependence.stored or dependence.result == written else ""
    name = str(getattr(instruction, "buffer", getattr(instruction, "memory", "")))
    base = next((buffer.base for buffer in case.program.buffers if buffer.name == name), 0)
    turn = Deviation(case.program, place, matrix, _other, stored=dependence.stored, stray=(name, base))
    try:
        return not lawful(case, by_reading, ask(deviating(case.spec, turn, case.caps), case, by_reading.first, runs=1))
    except Exception:  # noqa: BLE001 - whatever breaks down over it shows it as well
        return True


def _other(held: NDArray[Any]) -> NDArray[Any]:
    """Elements of which the lowest bit is another."""
    found: NDArray[Any] = held ^ held.dtype.type(1)
    return found
