"""What an unstable device fails: the run, and nothing else."""

from __future__ import annotations

from datetime import date
from typing import Any

import pytest

from mmaspec.programs.errors import BadInput
from mmaspec.reports.junit import render_junit
from mmaspec.reports.markdown import summary
from mmaspec.suites.gate.baseline import baseline_of, decode_baseline, encode_baseline
from mmaspec.suites.gate.decide import decide
from mmaspec.suites.gate.model import WaiverState
from mmaspec.suites.gate.waivers import Waiver, decode_waivers
from mmaspec.suites.judging.record import Finding, Result
from mmaspec.suites.verdict.compare import compare

from .test_verdicts import CLAUSE, ROWS, SPEC, result, run_of

VARIES = "; 5 of 5 wrong, with different bytes: chance, or what ran before, decides"
BY_ORDER = "; 3 of 5 wrong, by the order of the batch"
SAYS = "unstable: 1 of 5 wrong: element (3, 4) of wave 0 in d was 1.5 and 2.5"


def unstable(case: str = "b", row: int = 0, **changes: Any) -> Result:
    finding = Finding(
        symptom="unstable", blamed=(), how="repeat", says=SAYS, repeats=5, wrong_repeats=1, varies=True, **changes
    )
    return result(case=case, outcome="illegal", row=ROWS[row].name, clauses=(CLAUSE,), finding=finding)


def passing() -> list[Result]:
    return [result(case=row.name, row=row.name) for row in ROWS]


def test_it_fails_the_run_and_no_clause() -> None:
    run = run_of([*passing(), unstable("b"), unstable("c", 1), unstable("d", 1)])
    assert run.verdict == "not conformant"
    assert run.specs[SPEC.name].clauses[CLAUSE].status == "pass"
    assert "; 3 cases unstable; " in run.headline
    assert run.totals.unstable == 3
    assert [(group.title, group.cases, group.says) for group in run.findings] == [
        ("unstable", 3, SAYS.removeprefix("unstable: "))
    ]


def test_it_proves_nothing() -> None:
    cell = run_of([unstable()]).specs[SPEC.name].clauses[CLAUSE].rows[ROWS[0].name]
    assert (cell.status, cell.failed, cell.why) == ("not judged", 0, "the sensitive cases are unstable")


def test_it_rules_out_no_reading() -> None:
    legal = result(accepted=((("WM-AMB-18", "kept"),),))
    assert run_of([legal]).readings == run_of([legal, unstable()]).readings
    assert run_of([unstable()]).readings == run_of([]).readings


@pytest.mark.parametrize(("authority", "verdict"), [("document", "inconclusive"), ("practice", "not conformant")])
def test_what_only_practice_forbids_does_not_count_by_the_documents(authority: str, verdict: str) -> None:
    run = run_of([unstable(practice_only=True)], authority=authority)
    assert run.verdict == verdict
    assert ("it does not count" in run.findings[0].says) is (authority == "document")
    assert ("<failure" in render_junit(run, [unstable(practice_only=True)])) is (authority == "practice")


def test_a_baseline_accepts_it_in_whatever_row_it_shows() -> None:
    first, later = [*passing(), unstable("b")], [*passing(), unstable("c", 1)]
    baseline = decode_baseline(encode_baseline(baseline_of(run_of(first), first)), "baseline")
    assert list(baseline.failures()) == [(SPEC.name, "", "*", "unstable")]
    gate = decide(run_of(later), later, (), baseline)
    assert [(one.symptom, one.row, one.by) for one in gate.accepted] == [("unstable", "*", "baseline")]
    assert not gate.new
    assert not gate.fixed
    assert "1 failure known from the baseline" in gate.headline
    assert [one.symptom for one in decide(run_of(passing()), passing(), (), baseline).fixed] == ["unstable"]
    calm = decide(run_of(later), later, (), baseline_of(run_of(passing()), passing()))
    assert [(one.clause, one.symptom, one.row) for one in calm.new] == [("", "unstable", "*")]
    assert 'name="unstable"' in render_junit(run_of(later), later, gate)
    assert render_junit(run_of(later), later, calm).count("new failure: unstable") == 1


def test_no_waiver_explains_it() -> None:
    """Neither one of a clause that acts in the case, nor several together."""
    results = [unstable(), *passing()]
    states = [
        WaiverState(
            waiver=Waiver(clause=clause, reason="r", link="l", owner="o", expires=date(9999, 1, 1), case="case.json"),
            spec=SPEC.name,
            state="holds",
            says="",
        )
        for clause in (CLAUSE, "WM-ADDR-ROW")
    ]
    assert [one.symptom for one in decide(run_of(results), results, states).new] == ["unstable"]
    text = f"""
[[waiver]]
clause = "{CLAUSE}"
reason = "r"
link = "l"
owner = "o"
expires = 9999-01-01
case = "case.json"
symptom = "unstable"
"""
    with pytest.raises(BadInput, match="a baseline accepts them"):
        decode_waivers(text.encode(), "waivers")


def test_two_runs_are_compared_by_it() -> None:
    calm, shaky = run_of(passing()), run_of([*passing(), unstable()])
    assert [(one.clause, one.row) for one in compare(calm, shaky)["broken"]] == [("unstable", "*")]
    assert [(one.clause, one.row) for one in compare(shaky, calm)["fixed"]] == [("unstable", "*")]
    assert not any(compare(shaky, shaky).values())


def test_reports_call_it_what_it_is() -> None:
    results = [*passing(), unstable()]
    run = run_of(results)
    assert "- `unstable` (1 case): 1 of 5 wrong: element" in summary(run, results)
    junit = render_junit(run, results)
    assert junit.count("<failure") == 1
    assert 'name="unstable"' in junit
    assert "1 case unstable: some answers are legal and some are not" in junit


def test_an_ordinary_failure_says_that_it_varies() -> None:
    bad = Finding(symptom="value", blamed=(CLAUSE,), how="base", says="wrong", repeats=5, wrong_repeats=5, varies=True)
    by_order = Finding(symptom="value", blamed=(CLAUSE,), how="batch", says="wrong", repeats=5, wrong_repeats=3)
    steady = Finding(symptom="value", blamed=(CLAUSE,), how="base", says="wrong", repeats=5, wrong_repeats=5)
    told = [run_of([result(outcome="illegal", finding=one)]).findings[0].says for one in (bad, by_order, steady)]
    assert told == [f"wrong{how}" for how in (VARIES, BY_ORDER, "")]


def test_passing_cases_that_were_run_again_are_counted() -> None:
    again = result("b", sampled=True), result("c", sampled=True, varied=True), result("d")
    totals = run_of(again).totals
    assert (totals.sampled, totals.varied, totals.unstable) == (2, 1, 0)
