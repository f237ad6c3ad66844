"""Which of several suspected clauses is blamed: one that explains other failing cases of the run as well."""

from __future__ import annotations

from msgspec.structs import replace

from mmaspec.suites.judging.blaming.blame import NAN_DUE
from mmaspec.suites.judging.record import Finding, Result
from mmaspec.suites.verdict.fewest import by_fewest

SPEC = "amd-rdna3-wmma"
LINES, RESULTS, PRODUCT, RANGE = "RDNA3-AB-ROWCOL", "RDNA3-CD-W32", "RDNA3-MMA", "RDNA3-IU-DOT-RANGE"


def failing(*blamed: str, times: int = 1) -> list[Result]:
    finding = Finding(symptom="value", blamed=blamed, how="pattern", says="wrong")
    one = Result(case="c", spec=SPEC, row="r", template="t", outcome="illegal", finding=finding)
    return [replace(one, case=f"{'-'.join(blamed)} {number}") for number in range(times)]


def blamed(results: list[Result]) -> list[tuple[str, ...]]:
    found = by_fewest(results)
    assert [one.case for one in found] == [one.case for one in results]
    return [one.finding.blamed for one in found if one.finding is not None]


def test_a_suspect_that_more_cases_blame_explains_the_others() -> None:
    assert blamed([*failing(LINES, times=2), *failing(RESULTS, PRODUCT, LINES)]) == [
        (LINES,), (LINES,), (LINES, RESULTS, PRODUCT)
    ]  # fmt: skip


def test_one_that_is_not_suspected_in_every_case_explains_none_of_them() -> None:
    results = [*failing(LINES, times=3), *failing(RESULTS, LINES), *failing(RESULTS, PRODUCT)]
    assert blamed(results)[3:] == [(RESULTS, LINES), (RESULTS, PRODUCT)]


def test_it_has_to_be_blamed_in_more_cases() -> None:
    results = [*failing(LINES, RESULTS), *failing(RESULTS, LINES)]
    assert blamed(results) == [(LINES, RESULTS), (RESULTS, LINES)]


def test_a_wider_clause_does_not_take_the_place_of_one_that_says_more() -> None:
    results = [*failing(PRODUCT, times=3), *failing(RANGE, PRODUCT)]
    assert blamed(results)[3:] == [(RANGE, PRODUCT)]
    assert blamed([*failing(RANGE, times=3), *failing(PRODUCT, RANGE)])[3:] == [(RANGE, PRODUCT)]


def test_what_a_counterfactual_or_a_missing_nan_says_stays() -> None:
    (one,) = failing(RESULTS, LINES)
    assert one.finding is not None
    for finding in (replace(one.finding, cause="it were so"), replace(one.finding, how=NAN_DUE)):
        results = [*failing(LINES, times=2), replace(one, finding=finding)]
        assert blamed(results)[2:] == [(RESULTS, LINES)]


def test_another_specification_explains_nothing() -> None:
    elsewhere = [replace(one, spec="intel-subgroup-mma") for one in failing(LINES, times=3)]
    assert blamed([*elsewhere, *failing(RESULTS, LINES)])[3:] == [(RESULTS, LINES)]


def test_several_are_explained_one_after_the_other() -> None:
    results = [*failing(LINES, times=4), *failing(RESULTS, LINES, times=2), *failing(PRODUCT, RESULTS, LINES)]
    assert {names[0] for names in blamed(results)} == {LINES}


def test_nothing_depends_on_the_order_of_cases() -> None:
    results = [*failing(LINES, times=4), *failing(RESULTS, LINES, times=2), *failing(PRODUCT, LINES)]
    assert sorted(blamed(results)) == sorted(blamed(results[::-1]))


def test_cases_without_a_wrong_value_are_left_alone() -> None:
    (one,) = failing(RESULTS, LINES)
    assert one.finding is not None
    legal = replace(one, outcome="legal", finding=None)
    died = replace(one, finding=replace(one.finding, symptom="died"))
    results = [*failing(LINES, times=3), legal, died]
    assert by_fewest(results) == results
