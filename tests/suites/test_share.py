"""What a worker records of a case that cannot be judged."""

from __future__ import annotations

import pytest

from mmaspec.backends.resolve import resolve
from mmaspec.suites.planning.prepare import Wanted, prepare
from mmaspec.suites.running import unjudged
from tests.case_lists import case_list


class Unprintable(BaseException):
    def __str__(self) -> str:
        raise ValueError("no text")


@pytest.mark.parametrize(("error", "why"), [(KeyError("rows"), "KeyError: 'rows'"), (TypeError(), "TypeError: ")])
def test_a_specification_that_raises_over_a_death_leaves_the_case_inconclusive(
    monkeypatch: pytest.MonkeyPatch, error: Exception, why: str
) -> None:
    def expect(*_: object) -> None:
        raise error

    plan, recipes = prepare(Wanted(specs=("amd-rdna3-wmma",), tier="quick"), resolve("numpy"), case_list)
    monkeypatch.setattr(unjudged, "expect_by_reading", expect)
    result, example = unjudged.died(recipes[0], plan, "it took its whole process down", set())
    assert (result.outcome, example) == ("inconclusive", b"")
    assert result.why == f"mmaspec could not judge it: {why}"


def test_what_cannot_be_printed_has_a_line_all_the_same() -> None:
    _, recipes = prepare(Wanted(specs=("amd-rdna3-wmma",), tier="quick"), resolve("numpy"), case_list)
    result = unjudged.failed_here(recipes[0], Unprintable())
    assert result.why == "mmaspec could not judge it: Unprintable: its text cannot be printed"
