"""Findings of a run: which failing cases are one, and what is claimed of them."""

from __future__ import annotations

import msgspec
import pytest

from mmaspec.oracle.spec import spec_named
from mmaspec.programs import tree
from mmaspec.strategies.recipe import materialise
from mmaspec.suites.judging.record import Finding, Result
from mmaspec.suites.score.matrix import listed
from mmaspec.suites.verdict.groups import findings_of
from mmaspec.suites.verdict.model import FindingGroup
from mmaspec.suites.verdict.refuted import SOMETIMES

PACKED, SHIFTED = "rows were packed", "rows were shifted"


def failing(case: str, cause: str = "", *suspects: str) -> Result:
    blamed = ("WM-ADDR-ROW", *suspects)
    finding = Finding(symptom="value", blamed=blamed, how="toggle", says=f"wrong in {case}", cause=cause)
    return Result(
        case=case, spec="hlsl-wave-matrix", row="row", template="move", target="", clauses=blamed, sensitive=(),
        outcome="illegal", finding=finding, example=f"{case}.json",
    )  # fmt: skip


def grouped(*results: Result) -> list[FindingGroup]:
    return findings_of(results, {}, "practice")


def test_a_cause_of_some_cases_alone_may_be_chance() -> None:
    (found,) = grouped(failing("a", PACKED), failing("b"), failing("c", PACKED, "WM-LOAD-ALL"))
    assert (found.cases, found.cause, found.candidates) == (3, "", (PACKED,))
    assert (found.case, found.example) == ("b", "b.json")


def test_a_cause_that_most_cases_rule_out_is_not_offered() -> None:
    (found,) = grouped(failing("a", PACKED), failing("b"), failing("c", SHIFTED, "WM-LOAD-ALL"), failing("d", PACKED))
    assert (found.cases, found.cause, found.candidates) == (4, "", ())


@pytest.mark.parametrize("second", [PACKED, SHIFTED])
def test_causes_of_all_cases_are_claimed_apart(second: str) -> None:
    found = grouped(failing("a", PACKED), failing("b", second))
    assert sorted((group.cause, group.cases) for group in found) == (
        [(PACKED, 2)] if second == PACKED else [(PACKED, 1), (SHIFTED, 1)]
    )


def test_a_cause_for_all_programs_is_not_told_for_some_as_well() -> None:
    sometimes = f"{PACKED}{SOMETIMES}"
    both, alone = (
        result if result.finding is None else msgspec.structs.replace(
            result, finding=msgspec.structs.replace(result.finding, candidates=given)
        )
        for result, given in ((failing("a", ""), (sometimes, PACKED)), (failing("b", ""), (sometimes, SHIFTED)))
    )  # fmt: skip
    assert [group.candidates for group in grouped(both)] == [(PACKED,)]
    assert [group.candidates for group in grouped(alone)] == [(sometimes, SHIFTED)]


def test_what_is_suspected_beside_the_clause_is_told() -> None:
    (found,) = grouped(failing("a", "", "WM-LOAD-ALL", "WM-SHAPE"))
    assert found.suspects == ("WM-LOAD-ALL", "WM-SHAPE")


def test_of_the_listed_cases_the_one_with_the_fewest_instructions_is_shown() -> None:
    long, *_, short = sorted(
        (materialise(one) for one in listed(spec_named("hlsl-wave-matrix"), "quick") if not one.target),
        key=lambda case: -sum(1 for _ in tree.walk(case.program)),
    )
    filed = {"a": long, "b": short, "c": long}
    members = [failing("a"), failing("b"), failing("c")]
    (found,) = findings_of(members, {}, "practice", filed=lambda result: filed[result.case])
    assert (found.case, found.example, found.evidence) == ("b", "b.json", ("a.json", "c.json"))
    assert found.says.startswith("wrong in b")
