"""Counterfactuals: every testable clause has one, some smoke case of each row catches it, and blame finds it."""

from __future__ import annotations

from functools import cache

import pytest

from mmaspec.backends.faults.fault import Fault
from mmaspec.backends.faults.hlsl_wave_matrix.catalogue import FAULTS
from mmaspec.oracle.case import Case
from mmaspec.oracle.expectation import Defined, Rejected
from mmaspec.oracle.hlsl_wave_matrix import SPEC
from mmaspec.oracle.judge import Expected, expectations
from mmaspec.programs.hlsl_wave_matrix.caps import DEFAULT_CAPS
from mmaspec.programs.profile import PRACTICE
from mmaspec.strategies.enumerate import case_list
from mmaspec.strategies.recipe import materialise
from mmaspec.suites.judging.ask import ask, hold
from mmaspec.suites.judging.blame import blame
from mmaspec.suites.judging.sensitivity import accepts, escapes

SHOWN_ROWS = ("byte-16x64-s32", "f16-16x16-f16")
"""One row of each arithmetic; the suites look at all of them."""


@cache
def cases(row: str) -> tuple[tuple[Case, Expected], ...]:
    recipes = [recipe for recipe in case_list("hlsl-wave-matrix", DEFAULT_CAPS, "smoke") if recipe.row == row]
    made = [materialise(recipe) for recipe in recipes]
    return tuple((case, expectations(case, PRACTICE)) for case in made)


def caught_by(fault: Fault, row: str) -> tuple[Case, Expected] | None:
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


@pytest.mark.parametrize("row", SHOWN_ROWS)
@pytest.mark.parametrize("clause", [name for name, clause in SPEC.catalogue.clause.items() if clause.testable])
def test_a_smoke_case_catches_a_counterfactual(clause: str, row: str) -> None:
    if not SPEC.catalogue.applies(clause, SPEC.row(DEFAULT_CAPS, row).tags):
        pytest.skip("no meaning in this row")
    faults = [fault for fault in FAULTS if fault.clause == clause]
    assert any(caught_by(fault, row) for fault in faults)


@pytest.mark.parametrize("fault", [fault for fault in FAULTS if "takes" not in fault.name][::3], ids=lambda f: f.name)
def test_blame_names_the_clause(fault: Fault) -> None:
    """A third of them; `mmaspec score` tries all."""
    for row in SHOWN_ROWS:
        found = caught_by(fault, row)
        if found is None or not isinstance(found[1].first, Defined):
            continue
        case, expected = found
        assert isinstance(expected.first, Defined)
        backend = fault.make()
        held = hold(case, expected, ask(backend, case, expected.first))
        assert fault.clause in blame(backend, case, held, PRACTICE).clauses
