"""From results to verdicts, on results made by hand."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from msgspec.structs import replace

from mmaspec.backends.faults import faults_of
from mmaspec.backends.protocol import Description
from mmaspec.oracle.spec import spec_named
from mmaspec.programs.hlsl_linalg.caps import Construction, LinalgCaps, MatrixProduct
from mmaspec.programs.profile import PRACTICE
from mmaspec.suites.judging.record import Finding, Result
from mmaspec.suites.planning.plan import Plan
from mmaspec.suites.verdict.assemble import assemble
from mmaspec.suites.verdict.model import Run

SPEC = spec_named("hlsl-wave-matrix")
ROWS = SPEC.rows(SPEC.default_caps)
EVERYTHING = Description(name="test", version="1", roles=("executes", "validates"), enforces="all")
CLAUSE = "WM-ADDR-COL"
FAULT = next(fault.name for fault in faults_of(SPEC.name) if fault.clause == CLAUSE)


def run_of(results: Sequence[Result], description: Description = EVERYTHING, **changes: Any) -> Run:
    plan = Plan(
        backend="test",
        isolate=False,
        time_limit=1.0,
        description=description,
        profile=PRACTICE,
        authority="profile",
        tier="smoke",
        seed=1,
        specs=(SPEC.name,),
        caps={SPEC.name: SPEC.default_caps},
        case_list="0" * 16,
    )
    return assemble(replace(plan, **changes), results, {})


def result(case: str = "a", **changes: Any) -> Result:
    plain = Result(
        case=case, spec=SPEC.name, row=ROWS[0].name, template="t", outcome="legal", judged=4, sensitive=(FAULT,)
    )
    return replace(plain, **changes)


def finding(*blamed: str, profile_only: bool = False) -> Finding:
    return Finding(symptom="value", blamed=blamed, how="toggle", says="wrong", profile_only=profile_only)


def test_empty_run_is_inconclusive() -> None:
    assert run_of(()).verdict == "inconclusive"


def test_sensitive_legal_case_makes_a_cell_pass() -> None:
    cell = run_of([result()]).specs[SPEC.name].clauses[CLAUSE].rows[ROWS[0].name]
    assert (cell.status, cell.judged) == ("pass", 4)


def test_case_that_no_counterfactual_fails_proves_nothing() -> None:
    run = run_of([result(sensitive=(), clauses=(CLAUSE,))])
    assert run.specs[SPEC.name].clauses[CLAUSE].rows[ROWS[0].name].status == "not judged"


def test_weak_case_proves_nothing() -> None:
    cell = run_of([result(weak=True)]).specs[SPEC.name].clauses[CLAUSE].rows[ROWS[0].name]
    assert (cell.status, cell.weak) == ("not judged", 1)


def test_pass_in_one_row_only_leaves_the_clause_not_judged() -> None:
    assert run_of([result()]).specs[SPEC.name].clauses[CLAUSE].status == "not judged"


def test_pass_in_every_row_makes_the_clause_pass() -> None:
    run = run_of([result(case=row.name, row=row.name) for row in ROWS])
    assert run.specs[SPEC.name].clauses[CLAUSE].status == "pass"


def test_blamed_failure_beats_passes() -> None:
    bad = result(case="b", outcome="illegal", finding=finding(CLAUSE))
    run = run_of([result(), bad])
    assert run.verdict == "not conformant"
    assert run.specs[SPEC.name].clauses[CLAUSE].rows[ROWS[0].name].status == "fail"
    assert [(group.clause, group.cases) for group in run.findings] == [(CLAUSE, 1)]


def test_other_suspects_of_a_failure_do_not_pass() -> None:
    bad = result(case="b", outcome="illegal", finding=finding("WM-ADDR-ROW", CLAUSE))
    cell = run_of([result(), bad]).specs[SPEC.name].clauses[CLAUSE].rows[ROWS[0].name]
    assert cell.status == "not judged"


@pytest.mark.parametrize("outcome", ["illegal", "refused", "died"])
def test_failure_without_a_blamed_clause_still_fails_the_run(outcome: Any) -> None:
    assert run_of([result(), result(case="b", outcome=outcome, finding=finding())]).verdict == "not conformant"


def test_died_once_is_inconclusive() -> None:
    run = run_of([result(case="b", outcome="inconclusive", why="died once")])
    assert run.verdict == "inconclusive"
    assert run.specs[SPEC.name].clauses[CLAUSE].rows[ROWS[0].name].why == "died once"
    assert "; 1 case without an answer that counts; " in run.headline


def test_validity_clause_is_not_applicable_to_a_backend_that_does_not_validate() -> None:
    run = run_of([], Description(name="test", version="1"))
    assert run.specs[SPEC.name].clauses["WM-LOAD-STRIDE-MIN"].status == "not applicable"
    assert "not validate" in run.specs[SPEC.name].clauses["WM-LOAD-STRIDE-MIN"].why


def test_run_time_rule_is_not_applicable_to_a_compiler() -> None:
    compiler = replace(EVERYTHING, enforces="compile")
    assert run_of([], compiler).specs[SPEC.name].clauses["WM-LOAD-STRIDE-MIN"].status == "not applicable"


def test_borrowed_clause_is_not_applicable_and_counted() -> None:
    run = run_of([], replace(EVERYTHING, borrowed=(CLAUSE,)))
    assert run.specs[SPEC.name].clauses[CLAUSE].status == "not applicable"
    assert run.headline.endswith(", 1 borrowed; backend trusted (in-process)")


def test_borrowed_clause_that_is_blamed_still_fails_the_run() -> None:
    run = run_of([result(outcome="illegal", finding=finding(CLAUSE))], replace(EVERYTHING, borrowed=(CLAUSE,)))
    assert run.specs[SPEC.name].clauses[CLAUSE].status == "not applicable"
    assert run.verdict == "not conformant"
    assert "1 failing case blamed on clauses that are not applicable" in run.headline


def test_unsupported_specification_is_not_applicable() -> None:
    run = run_of([], caps={})
    assert {clause.status for clause in run.specs[SPEC.name].clauses.values()} == {"not applicable", "not testable"}
    assert run.verdict == "inconclusive"


def test_declared_profile_counts_only_under_its_authority() -> None:
    results = [result(), result(case="b", outcome="illegal", finding=finding(CLAUSE, profile_only=True))]
    assert run_of(results).verdict == "not conformant"
    assert run_of(results, authority="practice").totals.illegal == 0


def test_clauses_of_practice_are_left_out_under_the_document_authority() -> None:
    clauses = run_of([], authority="document").specs[SPEC.name].clauses
    assert {clause.status for clause in clauses.values() if clause.basis == "practice"} <= {
        "not applicable",
        "not testable",
    }


def test_breach_of_practice_alone_does_not_fail_a_run_under_the_document_authority() -> None:
    results = [result(case="b", outcome="illegal", finding=finding("WM-FP-SUM"))]
    assert run_of(results, authority="practice").verdict == "not conformant"
    assert run_of(results, authority="document").verdict == "inconclusive"
    (counted,), (left_out,) = (run_of(results, authority=how).findings for how in ("practice", "document"))
    assert counted.says == "wrong"
    assert left_out.says == "it does not count: its basis is practice, which was not asked for; wrong"
    raised = [result(case="b", outcome="illegal", finding=replace(finding("WM-FP-SUM"), symptom="raised"))]
    assert run_of(raised, authority="document").verdict == "not conformant"
    assert [group.says for group in run_of(raised, authority="document").findings] == ["wrong"]


@pytest.mark.parametrize(
    ("results", "why"),
    [
        ([], "no sensitive case ran"),
        (
            [result(case=case, outcome="illegal", clauses=(CLAUSE,), finding=finding("WM-MUL")) for case in "ab"],
            "its 2 sensitive cases failed for another reason (WM-MUL)",
        ),
        (
            [
                result(
                    outcome="illegal", clauses=(CLAUSE,), finding=replace(finding(), symptom="raised"), sensitive=sens
                )
                for sens in ((FAULT,), ())
            ],
            "its only sensitive case had no answer",
        ),
        (
            [
                result(
                    case=case,
                    outcome="died",
                    clauses=(CLAUSE,),
                    finding=replace(finding(), symptom="died"),
                    sensitive=(),
                )
                for case in "ab"
            ],
            "its 2 cases had no answer",
        ),
        (
            [
                result(outcome="illegal", clauses=(CLAUSE,), finding=finding("WM-MUL")),
                result(case="b", outcome="illegal", clauses=(CLAUSE,), finding=replace(finding(), symptom="raised")),
                result(case="c", weak=True),
            ],
            "of its 3 sensitive cases 1 failed for another reason (WM-MUL), 1 had no answer, 1 accepted too much",
        ),
    ],
    ids=["none", "other-reason", "one-raised", "died", "mixed"],
)
def test_a_clause_that_no_case_proves_says_what_became_of_its_cases(results: list[Result], why: str) -> None:
    cell = run_of(results).specs[SPEC.name].clauses[CLAUSE].rows[ROWS[0].name]
    assert (cell.status, cell.why) == ("not judged", why)


def test_one_reading_has_to_explain_the_run() -> None:
    wrap, saturate = ((("WM-AMB-07", "wrap"),),), ((("WM-AMB-07", "saturate"),),)
    assert run_of([result(accepted=wrap)]).readings["WM-AMB-07"] == ["wrap"]
    assert run_of([result(accepted=wrap), result(case="b", accepted=saturate)]).readings["WM-AMB-07"] == []


def test_untested_ambiguity_stays_open() -> None:
    assert run_of([]).readings["WM-AMB-07"] == ["saturate", "saturate-steps", "undefined", "wrap"]


def test_by_the_documents_what_breaks_practice_alone_accepts_too_much() -> None:
    broken = result(outcome="illegal", clauses=(CLAUSE,), finding=replace(finding("WM-FP-SUM"), practice_only=True))
    cell = run_of([broken], authority="document").specs[SPEC.name].clauses[CLAUSE].rows[ROWS[0].name]
    assert (cell.status, cell.why) == ("not judged", "only cases whose legal sets accept too much")
    both = run_of([broken, result("b")], authority="document").specs[SPEC.name].clauses[CLAUSE].rows[ROWS[0].name]
    assert both.status == "pass"


FLOATS = LinalgCaps(
    revision="2025-09-19",
    construction=(Construction("F16", 16, 16, 16), Construction("F32", 16, 16, 16)),
    products=(MatrixProduct("F16", "F16", "F32", ((16, 16, 16),)),),
)
"""A device without matrices of integers, whose fills convert integers all the same."""


@pytest.mark.parametrize(
    ("changes", "status"),
    [
        ({}, "pass"),
        ({"weak": True}, "not applicable"),
        ({"sensitive": ()}, "not applicable"),
        ({"outcome": "illegal", "finding": finding("LINALG-CONV-INT-FLOAT")}, "fail"),
        ({"outcome": "illegal", "finding": finding("LINALG-SPLAT")}, "not judged"),
    ],
)
def test_a_clause_without_rows_of_its_own_has_those_with_sensitive_cases(changes: dict[str, Any], status: str) -> None:
    spec, clause = spec_named("hlsl-linalg").of(FLOATS), "LINALG-CONV-INT-FLOAT"
    rows = spec.rows(FLOATS)
    assert not any(spec.catalogue.applies(clause, row.tags) for row in rows)
    fault = next(fault.name for fault in faults_of(spec.name) if fault.clause == clause)
    case = result(spec=spec.name, row=rows[0].name, clauses=(clause,), sensitive=(fault,))
    run = run_of([replace(case, **changes)], specs=(spec.name,), caps={spec.name: FLOATS})
    assert run.specs[spec.name].clauses[clause].status == status
