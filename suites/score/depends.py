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


def shown(case: Case) -> frozenset[Place]:
    """The places of a case whose corruption makes it illegal under every reading.

    None of a near miss, or of a case that the specification leaves undefined.
    """
    by_reading = expect_by_reading(case, PRACTICE)
    if not isinstance(by_reading.first, Defined):
        return frozenset()
    return frozenset(place for place, _ in tree.unrolled(case.program) if shows(case, by_reading, place))


def shows(case: Case, by_reading: ByReading, place: Place) -> bool:
    """Whether the corruption of what the instruction at a place writes is seen."""
    assert isinstance(by_reading.first, Defined)
    backend = spoiling(case.spec, case.program, place, case.caps)
    try:
        return not hold(case, by_reading, ask(backend, case, by_reading.first, runs=1)).legal
    except Exception:  # noqa: BLE001 - whatever breaks down over it shows it as well
        return True
