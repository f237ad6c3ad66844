"""Findings that may come of one mistake point at each other, and those that share nothing do not."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from msgspec.structs import replace

from mmaspec.suites.judging.record import Result
from mmaspec.suites.verdict.groups import findings_of
from mmaspec.suites.verdict.linked import PAIRED, Together, linked
from mmaspec.suites.verdict.model import FindingGroup

from .test_groups import failing

COMMON = "all 2 have a clamp; 0 of 9 others"


def nothing(_: Sequence[Result]) -> str:
    return ""


def blamed(case: str, *clauses: str, **changed: Any) -> Result:
    """A case that fails the first of these clauses, while the others are suspected."""
    result = failing(case)
    assert result.finding is not None
    return replace(result, finding=replace(result.finding, blamed=clauses), **changed)


def joined(together: Together, *members: Sequence[Result], **changed: Any) -> list[FindingGroup]:
    """Findings of these cases, as they are linked."""
    groups = []
    for own in members:
        (group,) = findings_of(own, {}, "practice")
        groups.append(replace(group, **changed))
    return linked(groups, members, together)


def test_a_clause_that_is_suspected_in_most_cases_of_another_finding_links_both() -> None:
    first = [blamed("a", "WM-MUL", "WM-ADDR-ROW"), blamed("b", "WM-MUL", "WM-ADDR-ROW"), blamed("c", "WM-MUL")]
    one, other = joined(nothing, first, [blamed("d", "WM-ADDR-ROW")])
    assert (one.related, other.related) == (("d",), ("a",))
    one, other = joined(nothing, [*first, blamed("e", "WM-MUL")], [blamed("d", "WM-ADDR-ROW")])
    assert (one.related, other.related) == ((), ())
    assert [group.clause for group in (one, other)] == ["WM-MUL", "WM-ADDR-ROW"], "blame is what it was"


def test_findings_that_share_something_are_linked_and_say_it_where_they_are_too_small_alone() -> None:
    def together(cases: Sequence[Result]) -> str:
        return COMMON if {case.case for case in cases} == {"a", "b"} else ""

    one, other, third = joined(together, [blamed("a", "WM-MUL")], [blamed("b", "WM-SHAPE")], [blamed("c", "WM-FILL")])
    assert (one.related, other.related, third.related) == (("b",), ("a",), ())
    assert (one.shares, third.shares) == (f"with the cases of WM-SHAPE, {COMMON}", "")
    same = joined(together, [blamed("a", "WM-MUL")], [blamed("b", "WM-MUL")])
    assert same[0].shares == f"with the cases of the other finding of WM-MUL, {COMMON}"


def test_what_each_of_two_findings_shares_may_be_the_same() -> None:
    members = [blamed("a", "WM-MUL")], [blamed("b", "WM-SHAPE")]
    groups = [findings_of(own, {}, "practice")[0] for own in members]
    groups = [replace(group, shares=f"all {n} have a clamp; 0 of 9 others") for n, group in enumerate(groups, 2)]
    one, other = linked(groups, members, nothing)
    assert (one.related, other.related) == (("b",), ("a",))
    assert other.shares == "all 3 have a clamp; 0 of 9 others"


@pytest.mark.parametrize(
    "changed", [{"spec": "hlsl-linalg"}, {"target": "WM-SHAPE"}], ids=["specification", "near miss"]
)
def test_only_what_can_be_compared_is_linked(changed: dict[str, str]) -> None:
    one, other = joined(lambda _: COMMON, [blamed("a", "WM-MUL")], [blamed("b", "WM-SHAPE", **changed)])
    assert (one.related, other.related, one.shares) == ((), (), "")
    unstable = joined(lambda _: COMMON, [blamed("a", "WM-MUL")], [blamed("b", "WM-SHAPE")], symptom="unstable")
    assert [group.related for group in unstable] == [(), ()]


def test_few_pairs_are_searched() -> None:
    asked: list[Sequence[Result]] = []

    def together(cases: Sequence[Result]) -> str:
        asked.append(cases)
        return ""

    joined(together, *([blamed(f"{n}", f"C-{n}")] for n in range(PAIRED + 4)))
    assert len(asked) == PAIRED * (PAIRED - 1) // 2
