"""Which instructions of a case matter: spoil what one of them writes, and see whether the case is still legal."""

from __future__ import annotations

from mmaspec.backends.faults.spoiling import spoiling
from mmaspec.oracle.case import Case
from mmaspec.oracle.expectation import Defined
from mmaspec.oracle.judge import ByReading, expect_by_reading
from mmaspec.programs import tree
from mmaspec.programs.base import Place
from mmaspec.programs.profile import PRACTICE
from mmaspec.suites.judging.ask import ask, hold


def shown(case: Case) -> frozenset[tree.Path]:
    """The instructions of a case whose corruption, in some pass, makes it illegal under every reading.

    None of a near miss, or of a case that the specification leaves undefined.
    """
    by_reading = expect_by_reading(case, PRACTICE)
    if not isinstance(by_reading.first, Defined):
        return frozenset()
    # What is wrong in one item of the batch is wrong, and mostly it is in the first.
    first = case.item(0)
    looks = [(first, expect_by_reading(first, PRACTICE))] if case.batch > 1 else []
    looks.append((case, by_reading))
    places = [place for place, _ in tree.unrolled(case.program)]
    found: set[tree.Path] = set()
    for look, expected in looks:
        for place in reversed(places):  # what a later pass writes is stored more often
            if place.path not in found and shows(look, expected, place):
                found.add(place.path)
    return frozenset(found)


def shows(case: Case, by_reading: ByReading, place: Place) -> bool:
    """Whether the corruption of what the instruction at a place writes is seen."""
    if not isinstance(by_reading.first, Defined):
        return False
    backend = spoiling(case.spec, case.program, place, case.caps)
    try:
        return not hold(case, by_reading, ask(backend, case, by_reading.first, runs=1)).legal
    except Exception:  # noqa: BLE001 - whatever breaks down over it shows it as well
        return True
