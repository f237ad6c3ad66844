"""Sensitivity: the counterfactuals that a case catches. Only sensitive cases count for a pass.

Sensitivity is judged under the ``practice`` profile, whatever the backend declares, so it depends on the
case alone. A sharper profile's sets lie inside, so what escapes these escapes those. Under a profile that may
allow more, what practice catches has to be caught once again.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from functools import cache

from mmaspec.backends.faults import fault_named, faults_of
from mmaspec.backends.faults.fault import Fault
from mmaspec.backends.protocol import Backend, Refused, Runner
from mmaspec.oracle.case import Case
from mmaspec.oracle.expectation import Defined, Rejected
from mmaspec.oracle.judge import ByReading
from mmaspec.oracle.spec import spec_named
from mmaspec.suites.judging.ask import RUNS, Answer, ask_once, lawful
from mmaspec.suites.judging.invalid import outline


@cache
def made(fault: Fault, caps: object = None) -> Backend:
    """The counterfactual's backend on a device that reports ``caps`` (None: its own), made once per process.

    Under caps of its own it would refuse what only the other device supports, and every such case would
    look sensitive to it.
    """
    backend = fault.make()
    if caps is not None:
        backend.report(fault.spec, caps)
    return backend


def candidates(case: Case, by_reading: ByReading, among: Iterable[Fault] | None = None) -> tuple[Fault, ...]:
    """The counterfactuals whose clause acted in the case, and that differ in its row at all.

    ``among``: the counterfactuals or defects to choose from; all counterfactuals of the specification unless given.
    """
    clauses = by_reading.first.clauses if isinstance(by_reading.first, Defined) else {case.target}
    return _acting(case, clauses, among)


def passing(case: Case, clauses: Collection[str], sensitive: Collection[str]) -> frozenset[str]:
    """Names of the counterfactuals of clauses that acted in a case that do not fail it; none where that is not known.

    ``sensitive`` are all that do, or nothing.
    """
    if not sensitive:
        return frozenset()
    return frozenset(fault.name for fault in _acting(case, clauses)).difference(sensitive)


def _acting(case: Case, clauses: Collection[str], among: Iterable[Fault] | None = None) -> tuple[Fault, ...]:
    tags = spec_named(case.spec).row(case.caps, case.row).tags
    return tuple(
        fault
        for fault in (faults_of(case.spec) if among is None else among)
        if not {fault.clause, *fault.also}.isdisjoint(clauses)
        and fault.misreports is None
        and (not fault.rows or not tags.isdisjoint(fault.rows))
    )


def sensitive_to(case: Case, by_reading: ByReading, without: Collection[str] = ()) -> tuple[str, ...]:
    """Names of the counterfactuals that this case fails, sorted; those called ``without`` are not tried.

    ``by_reading`` must come from the ``practice`` profile.
    """
    among = [fault for fault in candidates(case, by_reading) if fault.name not in without]
    if isinstance(by_reading.first, Rejected):
        return tuple(sorted(fault.name for fault in among if accepts(made(fault, case.caps), case)))
    if not isinstance(by_reading.first, Defined):
        return ()
    return tuple(sorted(fault.name for fault in among if escapes(made(fault, case.caps), case, by_reading)))


def still_sensitive(case: Case, by_reading: ByReading, names: Iterable[str]) -> tuple[str, ...]:
    """Which of the counterfactuals called ``names`` a defined case fails under the profile of ``by_reading`` too."""
    return tuple(name for name in names if escapes(made(fault_named(name), case.caps), case, by_reading))


def accepts(backend: Runner, case: Case) -> bool:
    """Whether a backend accepts a near miss; raising an error counts as accepting."""
    try:
        backend.run(case.spec, case.program, outline(case))
    except Refused:
        return False
    except Exception:  # noqa: BLE001 - an invalid program may take a counterfactual anywhere
        return True
    return True


HEAD = 4
"""Items of the batch that are tried first: most counterfactuals are wrong in every one."""


def escapes(backend: Runner, case: Case, by_reading: ByReading) -> bool:
    """Whether a backend's results lie outside the legal set under every reading."""
    assert isinstance(by_reading.first, Defined)
    if case.batch > 2 * HEAD and wrong(backend, case.head(HEAD), by_reading.head(HEAD), 1):
        return True
    return wrong(backend, case, by_reading, RUNS)


def wrong(backend: Runner, case: Case, by_reading: ByReading, runs: int) -> bool:
    """The same after so many runs, each in memory poisoned with another pattern; `RUNS` are a whole judgement."""
    assert isinstance(by_reading.first, Defined)
    answers: list[Answer] = []
    for pattern in range(runs):
        try:
            answers.append(ask_once(backend, case, by_reading.first, pattern))
        except Refused:
            return not by_reading.refusals
        except Exception:  # noqa: BLE001 - refusing or breaking down over a valid program is a failure too
            return True
        if not lawful(case, by_reading, answers):
            return True
    return False
