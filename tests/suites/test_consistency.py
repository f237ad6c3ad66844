"""One choice of readings for a run: which ambiguities no single reading explains, and which cases only seem so."""

from __future__ import annotations

import pytest

from mmaspec.oracle.ambiguity import Ambiguity
from mmaspec.suites.judging.record import Finding, Result
from mmaspec.suites.verdict.consistency import Consistency, consistency

from .test_verdicts import CLAUSE, ROWS, SPEC, finding, result, run_of

A, B, C = "AMB-1", "AMB-2", "AMB-3"
POINTS = {
    name: Ambiguity(statement="", readings={"x": "", "y": "", "z": ""}, default="x", clause=clause)
    for name, clause in ((A, "OF-A"), (B, "OF-B"), (C, ""))
}
WRONG = Finding(symptom="value", blamed=("OF-SUMS",), how="base", says="")


def legal(case: str, *accepted: tuple[tuple[str, str], ...], clauses: tuple[str, ...] = ()) -> Result:
    return result(case, accepted=accepted, clauses=clauses)


def failing(case: str = "wrong") -> Result:
    return result(case, outcome="illegal", clauses=("OF-SUMS",), finding=WRONG)


def told(*results: Result, **pinned: str) -> Consistency:
    return consistency(POINTS, {name.replace("_", "-"): reading for name, reading in pinned.items()}, results)


def test_without_cases_everything_is_possible() -> None:
    found = told()
    assert found.readings == {name: ["x", "y", "z"] for name in POINTS}
    assert (found.broken, found.odd) == ({}, set())


def test_what_is_pinned_is_left() -> None:
    assert told(AMB_1="y").readings[A] == ["y"]


def test_cases_rule_readings_out_in_combination() -> None:
    found = told(legal("a", ((A, "x"), (B, "y")), ((A, "y"), (B, "z"))), legal("b", ((B, "z"),)))
    assert found.readings == {A: ["y"], B: ["z"], C: ["x", "y", "z"]}


def test_a_case_may_link_what_was_apart() -> None:
    found = told(legal("a", ((A, "x"),)), legal("b", ((B, "y"),)), legal("c", ((A, "x"), (B, "y"), (C, "z"))))
    assert found.readings == {A: ["x"], B: ["y"], C: ["z"]}
    assert not found.broken


def test_only_what_the_odd_case_reads_otherwise_is_unexplained() -> None:
    """It is linked with others, which all cases agree about."""
    many = [legal(f"a{number}", ((A, "x"), (B, "y"))) for number in range(5)]
    found = told(*many, legal("odd", ((A, "y"), (B, "y")), ((A, "y"), (B, "z"))))
    assert found.readings[A] == []
    assert found.readings[B] == ["y"]
    assert found.broken == {
        "OF-A": f"no single reading of {A} explains all 6 cases that depend on it: x does not explain odd"
    }
    assert not found.odd


def test_two_halves_that_contradict_each_other() -> None:
    found = told(*(legal(f"{reading}{number}", ((A, reading),)) for reading in "xy" for number in range(3)))
    assert found.readings[A] == []
    assert "explains all 6 cases" in found.broken["OF-A"]


def test_an_ambiguity_that_fails_no_clause() -> None:
    found = told(legal("a", ((C, "x"),)), legal("b", ((C, "y"),)))
    assert (found.readings[C], found.broken) == ([], {})


def test_what_is_wrong_by_a_failing_clause_may_fit_a_reading_by_chance() -> None:
    many = [legal(f"a{number}", ((A, "x"),), clauses=("OF-A",)) for number in range(3)]
    odd = legal("odd", ((A, "z"),), clauses=("OF-A", "OF-SUMS"))
    found = told(*many, odd, failing())
    assert (found.readings[A], found.broken, found.odd) == (["x"], {}, {"odd"})
    assert told(*many, odd).odd == set()
    assert told(*many, odd).readings[A] == [], "nothing fails that could be the reason"


def test_a_clause_that_fails_elsewhere_excuses_no_other_case() -> None:
    many = [legal(f"a{number}", ((A, "x"),), clauses=("OF-A",)) for number in range(3)]
    some = [legal("b", ((A, "z"),), clauses=("OF-A", "OF-SUMS")), legal("c", ((A, "z"),), clauses=("OF-A",))]
    found = told(*many, *some, failing())
    assert found.readings[A] == []
    assert found.broken["OF-A"].endswith("x does not explain b and 1 more")
    assert not found.odd


@pytest.mark.parametrize("turned", [False, True])
def test_the_order_of_cases_decides_nothing(*, turned: bool) -> None:
    cases = [legal("a", ((A, "x"),), ((A, "y"),)), legal("b", ((A, "y"),)), legal("c", ((B, "z"),)), failing()]
    assert told(*(cases[::-1] if turned else cases)).readings == {A: ["y"], B: ["z"], C: ["x", "y", "z"]}


def test_in_a_run_such_a_case_proves_nothing() -> None:
    """Neither does its clause fail, nor does it pass by it."""
    point = next(name for name, entry in SPEC.catalogue.open_points.items() if entry.clause and len(entry.readings) > 1)
    one, other = sorted(SPEC.catalogue.open_points[point].readings)[:2]
    clause = SPEC.catalogue.ambiguity[point].clause
    wrong = result("w", outcome="illegal", clauses=(CLAUSE,), finding=finding(CLAUSE), row=ROWS[1].name)
    same = [result(f"a{number}", accepted=(((point, one),),), clauses=(clause,), sensitive=()) for number in range(3)]
    odd = result("odd", accepted=(((point, other),),), clauses=(clause, CLAUSE))
    run = run_of([*same, odd, wrong])
    assert run.readings[point] == [one]
    assert run.specs[SPEC.name].clauses[clause].status != "fail"
    assert run.specs[SPEC.name].clauses[CLAUSE].rows[ROWS[0].name].status == "not judged"
    alone = run_of([*same, odd])
    assert alone.readings[point] == []
    assert alone.specs[SPEC.name].clauses[clause].status == "fail"
