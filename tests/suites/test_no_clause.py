"""Failures that blame no clause, and failures where a clause should have no meaning: what the run says of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from types import SimpleNamespace
from typing import Any
from xml.etree import ElementTree as ET

import pytest
from msgspec.structs import replace

from mmaspec.backends.failures import Died
from mmaspec.backends.protocol import Images, Refused
from mmaspec.oracle.judge import expect_by_reading
from mmaspec.oracle.spec import spec_named
from mmaspec.reports.junit import render_junit
from mmaspec.reports.markdown import summary
from mmaspec.strategies.recipe import Recipe, materialise
from mmaspec.suites.gate.baseline import baseline_of
from mmaspec.suites.gate.decide import decide
from mmaspec.suites.judging.judge_case import CaseJudge
from mmaspec.suites.judging.kind import alike, kind_of
from mmaspec.suites.judging.record import Finding, Result
from mmaspec.suites.judging.single import steadily
from mmaspec.suites.planning.plan import Plan
from mmaspec.suites.verdict import verdicts
from mmaspec.suites.verdict.model import Cell, Run
from mmaspec.suites.verdict.verdicts import BESIDE, DISAGREE, ELSEWHERE

from .ten_failures import SPEC, planned, run_of
from .test_harness import Numpy

CLAUSE = "RDNA3-IU-CLAMP"


class Breaks(Numpy):
    """Breaks down over every program with a clamp, in one way of several."""

    def __init__(self, how: Callable[[], Any]) -> None:
        super().__init__()
        self.how = how

    def run(self, spec: str, program: Any, inputs: Images) -> Images:
        if any(getattr(instruction, "clamp", None) is True for instruction in program.body):
            return self.how()  # type: ignore[no-any-return]
        return super().run(spec, program, inputs)


def crash() -> None:
    raise Died("crash", "killed by SIGSEGV over run", "at 0x7f12")


def fault() -> None:
    raise IndexError("index 17 is out of bounds")


def refusal() -> None:
    raise Refused("no clamp here")


def nothing() -> None:
    return None


BREAKDOWNS = {crash: "died", fault: "raised", refusal: "refused", nothing: "bad reply"}


def judged(how: Callable[[], Any], number: int = 4) -> tuple[Plan, list[Result]]:
    """The results of a few programs with a clamp and as many without."""
    backend = Breaks(how)
    plan, recipes = planned(backend, 1)
    valid = [recipe for recipe in recipes if not recipe.target]
    with_clamp = [recipe for recipe in valid if clamps(recipe)][:number]
    without = [recipe for recipe in valid if not clamps(recipe)][:number]
    results = []
    for recipe in (*with_clamp, *without):
        case = materialise(recipe)
        case_judge = CaseJudge(backend, plan.description, plan.profile, {recipe.id: ()}, limit=0)
        results.append(steadily(case_judge, case, recipe.id, expect_by_reading(case, plan.profile))[0])
    return plan, sorted(results, key=lambda result: result.case)


def clamps(recipe: Recipe) -> bool:
    return any(getattr(instruction, "clamp", None) is True for instruction in recipe.program.body)


@pytest.mark.exhaustive(every=2)
@pytest.mark.parametrize(("how", "symptom"), BREAKDOWNS.items())
def test_what_leaves_no_answer_blames_no_clause_and_fails_the_run(how: Any, symptom: str) -> None:
    plan, results = judged(how)
    failed = [result for result in results if result.finding is not None]
    assert len(failed) == 4
    assert {(result.finding.symptom, result.finding.blamed) for result in failed if result.finding} == {(symptom, ())}
    run = run_of(plan, results)
    assert run.verdict == "not conformant"
    assert not any(clause.status == "fail" for clause in run.specs[SPEC].clauses.values())
    (group,) = run.findings
    assert (group.clause, group.cases, group.case) == ("", 4, failed[0].case)
    told = {"died": "died over 4 cases", "refused": "4 valid programs refused"}
    assert told.get(symptom, "4 failing cases blamed on no clause") in run.headline


def test_every_report_has_what_blames_no_clause() -> None:
    plan, results = judged(crash)
    run = run_of(plan, results)
    assert "- `no clause` (4 cases): the backend died twice" in summary(run, results)
    cases = list(ET.fromstring(render_junit(run, results)).iter("testcase"))  # noqa: S314 - our own
    rows = {f"no clause [{result.row}]" for result in results if result.finding}
    assert {case.get("name") for case in cases if case.find("failure") is not None} == rows


def test_a_baseline_accepts_it_and_tells_when_it_is_mended() -> None:
    plan, results = judged(crash)
    run = run_of(plan, results)
    accepted = baseline_of(run, results)
    assert {symptom for _, clause, _, symptom in accepted.failures() if not clause} == {"died"}
    gate = decide(run, results, baseline=accepted)
    assert not gate.new
    assert {failure.by for failure in gate.accepted} == {"baseline"}
    mended = [replace(result, outcome="legal", finding=None) for result in results]
    gate = decide(run_of(plan, mended), mended, baseline=accepted)
    assert {(failure.clause, failure.symptom) for failure in gate.fixed} == {("", "died")}


def finding(symptom: Any, says: str, *blamed: str, cause: str = "") -> Finding:
    return Finding(symptom=symptom, blamed=blamed, how="symptom", says=says, cause=cause)


def test_failures_of_one_kind_differ_in_numbers_and_names_only() -> None:
    first = finding("died", "the backend died twice: crash: killed by SIGSEGV over run; it last said: at 0x7f12")
    again = finding("died", "the backend died twice: crash: killed by SIGSEGV over run; it last said: bye")
    assert kind_of(first) == kind_of(again)
    other = finding("died", "the backend died twice: hang: no answer to run in 60 s")
    assert kind_of(first) != kind_of(other)
    assert alike("KeyError: 'out-own' at 17") == alike("KeyError: 'in' at 0x3")
    assert kind_of(finding("value", "3 is wrong")) == kind_of(finding("value", "4 are wrong"))
    assert kind_of(finding("raised", "no", CLAUSE, cause="it were")) == (CLAUSE, "it were")


def elsewhere() -> tuple[Run, Result]:
    """A run in which a clause is blamed in a row where the catalogue gives it no meaning."""
    plan, results = judged(crash)
    victim = next(result for result in results if result.row.startswith("f32"))
    wrong = finding("value", "wrong", CLAUSE)
    legal = [replace(result, outcome="legal", finding=None) for result in results if result is not victim]
    failed = replace(victim, outcome="illegal", finding=wrong)
    return run_of(plan, sorted([*legal, failed], key=lambda result: result.case)), failed


def test_a_failure_where_a_clause_has_no_meaning_fails_the_clause() -> None:
    run, failed = elsewhere()
    clause = run.specs[SPEC].clauses[CLAUSE]
    assert (clause.status, clause.why) == ("fail", DISAGREE)
    assert (clause.rows[failed.row].status, clause.rows[failed.row].failed) == ("fail", 1)
    assert ", 1 fail" in run.headline


def test_no_headline_contradicts_itself() -> None:
    """A run that fails says of at least one clause, or of at least one case, that it does."""
    runs: Sequence[Run] = [*(run_of(*judged(how, 1)) for how in (crash, refusal)), elsewhere()[0]]
    for run in runs:
        assert run.verdict == "not conformant"
        assert any(word in run.headline for word in (" fail", "died over", "refused")), run.headline


def test_the_reason_of_a_clause_is_that_of_the_rows_that_it_concerns() -> None:
    beside, plain = Cell(status="fail", failed=1, why=BESIDE), Cell(status="fail", failed=2)
    assert verdicts._clause_status({"a": beside, "b": plain}, "") == ("fail", "fails in 2 of 2 rows")
    assert verdicts._clause_status({"a": beside}, "") == ("fail", BESIDE)
    assert verdicts._clause_status({"a": beside, "b": Cell(status="fail", why=DISAGREE)}, "") == ("fail", DISAGREE)


@pytest.mark.parametrize(
    ("name", "reached", "why"),
    [
        ("NVCM2-CLIP-SKIP", False, ELSEWHERE),
        ("NVCM2-CLIP-SKIP", True, ELSEWHERE),
        ("KHRCM-SAT-ADD", False, DISAGREE),
        ("KHRCM-SAT-ADD", True, BESIDE),
    ],
)
def test_a_clause_that_is_shown_in_some_rows_and_holds_in_all_is_told_apart(name: str, reached: bool, why: str) -> None:
    spec = spec_named("nv-coopmat2")
    evidence: Any = SimpleNamespace(failed=[SimpleNamespace(target="", clauses=(name,) if reached else ())])
    cell = verdicts._cell(spec.catalogue, name, "", evidence, "", concerned=False)
    assert (cell.status, cell.failed, cell.why) == ("fail", 1, why)
