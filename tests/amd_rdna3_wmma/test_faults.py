"""Every counterfactual is caught in every row where it differs, and blamed where blame is possible."""

from __future__ import annotations

from collections import Counter

import pytest

from mmaspec.backends.faults.amd_rdna3_wmma.catalogue import FAULTS
from mmaspec.backends.faults.fault import Fault
from mmaspec.oracle.amd_rdna3_wmma import SPEC
from mmaspec.oracle.expectation import Defined
from mmaspec.programs.profile import PRACTICE
from mmaspec.suites.judging.ask import ask, hold
from mmaspec.suites.judging.blaming.blame import blame
from mmaspec.suites.judging.blaming.trial import Trial
from mmaspec.suites.judging.sensitivity import accepts, escapes, made

NAMED = {fault.name: fault for fault in FAULTS}


def test_every_testable_clause_has_a_counterfactual_and_no_other() -> None:
    testable = {name for name, clause in SPEC.catalogue.clause.items() if clause.testable}
    assert {fault.clause for fault in FAULTS} == testable


@pytest.mark.exhaustive(every=12)
@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.name)
def test_it_is_caught_in_every_row(smoke, fault: Fault) -> None:  # type: ignore[no-untyped-def]
    rows = [
        row
        for caps in SPEC.devices
        for row in SPEC.rows(caps)
        if SPEC.catalogue.applies(fault.clause, row.tags) and (not fault.rows or not row.tags.isdisjoint(fault.rows))
    ]
    assert rows, "it differs in no row"
    for row in rows:
        cases = [
            (case, expected)
            for case, expected in smoke
            if case.row == row.name and fault.clause in expected.first.clauses
        ]
        caught = (
            escapes(made(fault), case, expected) if isinstance(expected.first, Defined) else accepts(made(fault), case)
            for case, expected in cases
        )
        assert any(caught), row.name


ABLATED = ("c-dropped", "sign-flags-exchanged", "saturates-unasked", "clamps-unsigned", "in-place-reads-new-value")
ABLATED = (*ABLATED, "literal-zero-reads-destination", "passes-start-afresh", "block-base-ignored", "store-spills")
ABLATED = (*ABLATED, "opsel-ignored", "opsel-for-d-only", "false-reads-high", "tied-keeps-old-d", "tied-repeats-result")
ABLATED = (*ABLATED, "nibbles-of-a-exchanged", "nibbles-of-b-big-endian", "nibbles-of-a-never-signed")


@pytest.mark.exhaustive(every=3)
@pytest.mark.parametrize("name", ABLATED)
def test_a_circumstance_is_blamed_by_name(smoke, name: str, one_in) -> None:  # type: ignore[no-untyped-def]
    fault = NAMED[f"rdna3-{name}"]
    blamed: Counter[str] = Counter()
    for case, expected in smoke:
        if isinstance(expected.first, Defined) and fault.clause in expected.first.clauses:
            held = hold(case, expected, ask(made(fault), case, expected.first))
            if not held.legal:
                blamed[blame(Trial(made(fault), PRACTICE, case), held).clauses[0]] += 1
        if blamed.total() == 6 // one_in(2):
            break
    assert blamed.most_common(1)[0][0] == fault.clause


LAYOUT = ("operands-exchanged", "upper-lanes-hold-upper-k", "half-wave-holds-eight-rows", "results-replicated")


@pytest.mark.exhaustive(every=2)
@pytest.mark.parametrize("name", LAYOUT)
def test_layouts_are_told_apart_by_data_and_patterns(smoke, name: str) -> None:  # type: ignore[no-untyped-def]
    fault = NAMED[f"rdna3-{name}"]
    case, expected = next(
        (case, expected)
        for case, expected in smoke
        if case.template == "product" and case.row == "i32_16x16x16_iu8_w32" and isinstance(expected.first, Defined)
    )
    assert isinstance(expected.first, Defined)
    found = blame(Trial(made(fault), PRACTICE, case), hold(case, expected, ask(made(fault), case, expected.first)))
    assert found.clauses[0] == fault.clause
    assert "RDNA3-IU-SIGN" not in found.clauses
