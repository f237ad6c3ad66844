"""Counterfactuals: each breaks its own clause, is caught in every row, and is blamed on that clause."""

from __future__ import annotations

from functools import cache

import pytest

from mmaspec.backends.faults.fault import Fault
from mmaspec.backends.faults.nv_coopmat2.catalogue import FAULTS
from mmaspec.oracle.case import Case
from mmaspec.oracle.expectation import Defined, Rejected
from mmaspec.oracle.judge import Expected, expectations
from mmaspec.oracle.nv_coopmat2 import SPEC
from mmaspec.programs.nv_coopmat2.caps import DEFAULT_CAPS
from mmaspec.programs.profile import PRACTICE
from mmaspec.strategies.enumerate import case_list
from mmaspec.strategies.nv_coopmat2 import GRAMMAR
from mmaspec.strategies.recipe import materialise
from mmaspec.suites.judging.ask import ask, hold
from mmaspec.suites.judging.blame import blame
from mmaspec.suites.judging.sensitivity import accepts, escapes

SHOWN_ROWS = ("f16-f32-multiples-32x32x16-workgroup-of-128", "s8-s32-16x16x32")
"""One row of each kind; the suites look at all of them."""


ALIKE = {"cm-clamp-value-converted": "NVCM2-CLAMPVALUE"}
"""Faults that go away with another clause too: zero, converted, is zero."""


@cache
def cases(row: str) -> tuple[tuple[Case, Expected], ...]:
    recipes = [recipe for recipe in case_list("nv-coopmat2", DEFAULT_CAPS, "smoke") if recipe.row == row]
    found = [materialise(recipe) for recipe in recipes]
    return tuple((case, expectations(case, PRACTICE)) for case in found)


def applies(fault: Fault, row: str) -> bool:
    tags = SPEC.row(DEFAULT_CAPS, row).tags
    return SPEC.catalogue.applies(fault.clause, tags) and (not fault.rows or not tags.isdisjoint(fault.rows))


def made_for(fault: Fault, row: str) -> list[tuple[Case, Expected]]:
    """The cases of a row that are about a fault's clause, near misses included."""
    templates = {template.name for template in GRAMMAR.templates if fault.clause in template.focus}
    return [
        (case, expected)
        for case, expected in cases(row)
        if case.target == fault.clause
        or (
            case.template in templates
            and isinstance(expected.first, Defined)
            and fault.clause in expected.first.clauses
        )
    ]


def test_every_testable_clause_has_a_counterfactual_and_no_other() -> None:
    testable = {name for name, clause in SPEC.catalogue.clause.items() if clause.testable}
    assert {fault.clause for fault in FAULTS} == testable


@pytest.mark.parametrize("row", SHOWN_ROWS)
@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.name)
def test_fault_is_caught_and_blamed(fault: Fault, row: str) -> None:
    """From the outside: without asking whether a counterfactual reproduces the bytes."""
    if not applies(fault, row):
        pytest.skip("the clause has no meaning in this row")
    backend = fault.make()
    for case, expected in made_for(fault, row):
        if isinstance(expected.first, Rejected):
            assert accepts(backend, case)
            return
        if escapes(backend, case, expected):
            assert isinstance(expected.first, Defined)
            held = hold(case, expected, ask(backend, case, expected.first))
            assert blame(backend, case, held, PRACTICE).clauses == (ALIKE.get(fault.name, fault.clause),)
            return
    pytest.fail("no case of this row catches it")
