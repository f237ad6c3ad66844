"""Counterfactuals: each breaks its own clause, is caught in every row, and is blamed on that clause."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

import pytest

from mmaspec.backends.faults.fault import Fault
from mmaspec.backends.faults.nv_coopmat2.catalogue import FAULTS
from mmaspec.backends.numpy.nv_coopmat2.variants import DOUBLES
from mmaspec.oracle.case import Case
from mmaspec.oracle.expectation import Defined, Rejected
from mmaspec.oracle.judge import ByReading, expect_by_reading
from mmaspec.oracle.nv_coopmat2 import SPEC
from mmaspec.programs.nv_coopmat2.caps import DEFAULT_CAPS
from mmaspec.programs.profile import PRACTICE
from mmaspec.strategies.enumerate import DEFAULT_SEED, row_cases
from mmaspec.strategies.nv_coopmat2 import GRAMMAR
from mmaspec.strategies.recipe import Recipe, materialise
from mmaspec.suites.judging.ask import ask, hold
from mmaspec.suites.judging.blaming.blame import blame
from mmaspec.suites.judging.blaming.trial import Trial
from mmaspec.suites.judging.reported import sensitive_rows
from mmaspec.suites.judging.sensitivity import accepts, escapes, sensitive_to
from tests.case_lists import case_list

from .doubles import WITH_DOUBLES

CLAUSE_OF = {fault.name: fault.clause for fault in FAULTS}
SHOWN_ROWS = ("f16-f32-multiples-32x32x16-workgroup-of-128", "s8-s32-16x16x32")
"""One row of each kind; the suites look at all of them."""


ALIKE = {"cm-clamp-value-converted": "NVCM2-CLAMPVALUE", "cm-reduce-short-sums": "NVCM2-REDUCE-ROW"}
"""Faults that look like another clause's from the outside: zero, converted, is zero; and where sums of small whole
numbers are wrong, no order of theirs explains it."""

ROWS = {row.name: row for caps in (DEFAULT_CAPS, DOUBLES) for row in SPEC.rows(caps)}


@cache
def listed() -> tuple[Recipe, ...]:
    return (*case_list("nv-coopmat2", DEFAULT_CAPS, "quick"), *case_list("nv-coopmat2", DOUBLES, "quick"))


@cache
def made(number: int) -> tuple[Case, ByReading]:
    case = materialise(listed()[number])
    return case, expect_by_reading(case, PRACTICE)


def applies(fault: Fault, row: str) -> bool:
    tags = ROWS[row].tags
    return SPEC.catalogue.applies(fault.clause, tags) and (not fault.rows or not tags.isdisjoint(fault.rows))


def made_for(fault: Fault, row: str) -> Iterator[tuple[Case, ByReading]]:
    """The cases of a row that are about a fault's clause, near misses included."""
    templates = {template.name for template in GRAMMAR.templates if fault.clause in template.focus}
    for number, recipe in enumerate(listed()):
        if recipe.row != row:
            continue
        if recipe.target == fault.clause:
            yield made(number)
        elif recipe.template in templates and not recipe.target:
            case, expected = made(number)
            if isinstance(expected.first, Defined) and fault.clause in expected.first.clauses:
                yield case, expected


def test_every_testable_clause_has_a_counterfactual_and_no_other() -> None:
    testable = {name for name, clause in SPEC.catalogue.clause.items() if clause.testable}
    assert {fault.clause for fault in FAULTS} == testable


def shown(fault: Fault) -> list[str]:
    """The shown rows in which a fault differs; the first row in which it does, where it does in none of them."""
    found = [row for row in SHOWN_ROWS if applies(fault, row)]
    return found or [next(row for row in ROWS if applies(fault, row))]


SHOWN = [(fault, row) for fault in FAULTS if fault.misreports is None for row in shown(fault)]


@pytest.mark.exhaustive(every=12)
@pytest.mark.parametrize(("fault", "row"), SHOWN, ids=[f"{fault.name}-{row}" for fault, row in SHOWN])
def test_fault_is_caught_and_blamed(fault: Fault, row: str) -> None:
    """From the outside: without asking whether a counterfactual reproduces the bytes."""
    backend = fault.make()
    for case, expected in made_for(fault, row):
        backend.report("nv-coopmat2", case.caps)
        if isinstance(expected.first, Rejected):
            assert accepts(backend, case)
            return
        if escapes(backend, case, expected):
            assert isinstance(expected.first, Defined)
            held = hold(case, expected, ask(backend, case, expected.first))
            named = blame(Trial(backend, PRACTICE, case), held).clauses
            assert named[:1] == (ALIKE.get(fault.name, fault.clause),)
            return
    pytest.fail("no case of this row catches it")


def test_every_clause_of_the_row_of_doubles_has_a_case_that_its_counterfactual_fails() -> None:
    """The default caps have no such row, so `mmaspec clauses --matrix` shows nothing of it."""
    (row,) = (row for row in SPEC.rows(WITH_DOUBLES) if "f64" in row.tags)
    found = set[str]()
    for recipe in row_cases("nv-coopmat2", WITH_DOUBLES, "quick", DEFAULT_SEED, row.name):
        case = materialise(recipe)
        found |= {CLAUSE_OF[name] for name in sensitive_to(case, expect_by_reading(case, PRACTICE))}
    found |= {clause for clause, _ in sensitive_rows(SPEC, WITH_DOUBLES)}
    wanted = {name for name, clause in SPEC.catalogue.clause.items() if clause.testable}
    wanted = {name for name in wanted if SPEC.catalogue.applies(name, row.tags)}
    assert {"KHRCM-F64", "NVCM2-CLAMP-CONST"} <= wanted
    assert wanted <= found
