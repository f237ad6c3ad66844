"""Causes that the rest of a run refutes are not claimed, in results or in case files; what many cases show stays."""

from __future__ import annotations

from msgspec.structs import replace

from mmaspec.backends.faults import faults_of
from mmaspec.suites.judging.record import Finding, Result
from mmaspec.suites.verdict.refuted import FEW, SOMETIMES, without_refuted

SPEC, ROW, OTHER = "amd-rdna3-wmma", "i32_16x16x16_iu8_w32", "i32_16x16x16_iu8_w64"
FAULT, SECOND = faults_of(SPEC)[:2]
CAUSE = FAULT.behaves_as_if


def failing(case: str, row: str = ROW, *, cause: str = CAUSE, candidates: tuple[str, ...] = ()) -> Result:
    finding = Finding(
        symptom="value", blamed=("IT",), how="toggle", says="wrong", cause=cause, candidates=candidates,
        otherwise=("ANOTHER",),
    )  # fmt: skip
    return Result(case=case, spec=SPEC, row=row, template="t", outcome="illegal", finding=finding)


def legal(case: str = "z", row: str = ROW, *sensitive: str) -> Result:
    return Result(case=case, spec=SPEC, row=row, template="t", outcome="legal", sensitive=sensitive or (FAULT.name,))


def claimed(*results: Result) -> list[tuple[tuple[str, ...], str, tuple[str, ...]]]:
    found = without_refuted(results)
    assert [one.case for one in found] == [one.case for one in results]
    return [
        (one.finding.blamed, one.finding.cause, one.finding.candidates) for one in found if one.finding is not None
    ]  # fmt: skip


AS_BLAMED = ("IT",), CAUSE, ()
PLAINLY = ("ANOTHER",), "", ()


def test_a_case_that_the_counterfactual_fails_and_the_device_does_not_refutes_it() -> None:
    assert claimed(failing("a"), legal()) == [PLAINLY]
    assert claimed(failing("a"), failing("b"), legal()) == [PLAINLY, PLAINLY]


def test_nothing_else_does() -> None:
    near_miss = replace(legal(), target="RDNA3-SHAPE")
    wrong = replace(legal(), outcome="illegal")
    for other in (legal("z", OTHER), legal("z", ROW, SECOND.name), near_miss, wrong):
        assert claimed(failing("a"), other) == [AS_BLAMED]


def test_what_more_than_a_few_cases_show_may_be_there_under_some_circumstance() -> None:
    """The clause stays; in a row that refutes it the cause is only one that might be."""
    many = [failing(f"{number}") for number in range(3)]
    assert len(many) > FEW
    assert claimed(*many, legal()) == [(("IT",), "", (f"{CAUSE}{SOMETIMES}",))] * len(many)
    assert claimed(*many, legal("z", OTHER)) == [AS_BLAMED] * len(many)


def test_of_several_candidates_those_that_nothing_refutes_are_left() -> None:
    both = (CAUSE, SECOND.behaves_as_if)
    found = claimed(failing("a", cause="", candidates=both), legal())
    assert found == [(("IT",), "", both[1:])]
    found = claimed(failing("a", cause="", candidates=both), legal("z", ROW, FAULT.name, SECOND.name))
    assert found == [PLAINLY]


def test_without_another_blame_the_clause_stays() -> None:
    only = failing("a")
    assert only.finding is not None
    only = replace(only, finding=replace(only.finding, otherwise=()))
    assert claimed(only, legal()) == [(("IT",), "", ())]
