"""Counterfactuals: every testable clause has one, some smoke case of each row catches it, and blame finds it."""

from __future__ import annotations

from functools import cache

import pytest

from mmaspec.backends.faults.fault import Fault
from mmaspec.backends.faults.hlsl_wave_matrix.catalogue import FAULTS
from mmaspec.backends.numpy.backend import NumpyBackend
from mmaspec.backends.protocol import Refused
from mmaspec.oracle.case import Case
from mmaspec.oracle.expectation import Defined, Rejected
from mmaspec.oracle.hlsl_wave_matrix import SPEC
from mmaspec.oracle.judge import ByReading, expect_by_reading
from mmaspec.programs.hlsl_wave_matrix.caps import DEFAULT_CAPS
from mmaspec.programs.profile import PRACTICE
from mmaspec.strategies.enumerate import DEFAULT_SEED, row_cases
from mmaspec.strategies.recipe import materialise
from mmaspec.suites.judging.ask import ask, hold
from mmaspec.suites.judging.blaming.blame import blame
from mmaspec.suites.judging.blaming.trial import Trial
from mmaspec.suites.judging.invalid import outline
from mmaspec.suites.judging.reported import sensitive_rows
from mmaspec.suites.judging.sensitivity import accepts, escapes

SHOWN_ROWS = ("byte-16x64-s32", "f16-16x16-f16")
"""One row of each arithmetic; the suites look at all of them."""


@cache
def cases(row: str) -> tuple[tuple[Case, ByReading], ...]:
    made = [materialise(one) for one in row_cases(SPEC.name, DEFAULT_CAPS, "quick", DEFAULT_SEED, row)]
    return tuple((case, expect_by_reading(case, PRACTICE)) for case in made)


def caught_by(fault: Fault, row: str) -> tuple[Case, ByReading] | None:
    backend = fault.make()
    for case, expected in cases(row):
        if isinstance(expected.first, Rejected):
            if case.target == fault.clause and accepts(backend, case):
                return case, expected
            continue
        acted = isinstance(expected.first, Defined) and fault.clause in expected.first.clauses
        if acted and escapes(backend, case, expected):
            return case, expected
    return None


def test_every_testable_clause_has_a_counterfactual_and_no_other() -> None:
    testable = {name for name, clause in SPEC.catalogue.clause.items() if clause.testable}
    assert {fault.clause for fault in FAULTS} == testable


CELLS = [
    (clause, row)
    for clause, entry in SPEC.catalogue.clause.items()
    for row in SHOWN_ROWS
    if entry.testable and SPEC.catalogue.applies(clause, SPEC.row(DEFAULT_CAPS, row).tags)
]
"""Testable clauses and the rows in which they have a meaning."""


def test_every_testable_clause_has_a_meaning_in_a_shown_row() -> None:
    run = {fault.clause for fault in FAULTS if fault.misreports is None}  # what is reported needs no row to be shown in
    assert run <= {name for name, _ in CELLS}


@pytest.mark.exhaustive(every=8)
@pytest.mark.parametrize(("clause", "row"), CELLS)
def test_a_smoke_case_or_the_report_catches_a_counterfactual(clause: str, row: str) -> None:
    faults = [fault for fault in FAULTS if fault.clause == clause and fault.misreports is None]
    assert (clause, row) in sensitive_rows(SPEC, DEFAULT_CAPS) or any(caught_by(fault, row) for fault in faults)


def differs(fault: Fault, row: str) -> bool:
    """Whether a fault breaks its clause in a row at all."""
    tags = SPEC.row(DEFAULT_CAPS, row).tags
    return SPEC.catalogue.applies(fault.clause, tags) and (not fault.rows or not tags.isdisjoint(fault.rows))


THIRD = [fault for fault in FAULTS if "takes" not in fault.name and fault.misreports is None][::3]
"""A third of the faults that compute something else, and two that accept too much; `mmaspec score` tries all."""


@pytest.mark.exhaustive(every=4)
@pytest.mark.parametrize("fault", THIRD, ids=lambda fault: fault.name)
def test_blame_names_the_clause(fault: Fault, device: NumpyBackend) -> None:
    found = [caught for row in SHOWN_ROWS if differs(fault, row) and (caught := caught_by(fault, row)) is not None]
    assert found, "no case of the shown rows catches it"
    for case, expected in found:
        look_for_the_clause(fault, case, expected, device)


def look_for_the_clause(fault: Fault, case: Case, expected: ByReading, device: NumpyBackend) -> None:
    backend = fault.make()
    if isinstance(expected.first, Rejected):
        # A near miss blames the clause that it aims at: the one for which the device without the fault refuses it.
        with pytest.raises(Refused) as refused:
            device.run(case.spec, case.program, outline(case))
        assert fault.clause in refused.value.clauses
        assert case.target == fault.clause
        assert accepts(backend, case)
        return
    assert isinstance(expected.first, Defined)
    held = hold(case, expected, ask(backend, case, expected.first))
    assert fault.clause in blame(Trial(backend, PRACTICE, case), held).clauses
