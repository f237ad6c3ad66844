"""What is seen in cases of the RDNA3 builtins: every axis has its look or its reason, and nothing contradicts."""

from __future__ import annotations

import pytest

from mmaspec.oracle.case import Case
from mmaspec.oracle.judge import ByReading
from mmaspec.strategies.axes.observation import observer_of, seen
from mmaspec.strategies.axes.reached import contradictions
from mmaspec.strategies.axes.space import space_of
from tests.unseen_classes import every_axis_is_seen_or_unseen, exists_and_has_a_reason, not_all_classes_are_unseen

SPEC = "amd-rdna3-wmma"
SPACE = space_of(SPEC)
OBSERVER = observer_of(SPEC)

EVERY = 80
"""Of the smoke list this part is looked at."""


def test_every_axis_is_seen_or_unseen() -> None:
    every_axis_is_seen_or_unseen(SPACE, OBSERVER)


@pytest.mark.parametrize("name", OBSERVER.unseen)
def test_what_is_unseen_exists_and_has_a_reason(name: str) -> None:
    exists_and_has_a_reason(SPACE, OBSERVER, name)


def test_not_all_classes_of_an_axis_with_a_look_are_unseen() -> None:
    not_all_classes_are_unseen(SPACE, OBSERVER)


def test_the_smoke_list_shows_nothing_impossible_or_unseen(smoke: list[tuple[Case, ByReading]]) -> None:
    for case, _ in smoke[::EVERY]:
        found = list(seen(case, OBSERVER, SPACE))
        assert [rule.together for rule, _ in contradictions(SPACE, found)] == []
        shown = {f"{axis}={one}" for thing in found for axis, classes in thing.classes.items() for one in classes}
        assert not shown & OBSERVER.unseen.keys()
        assert all(thing.thing.group in SPACE.group for thing in found)


def test_of_a_rejected_program_nothing_is_seen(smoke: list[tuple[Case, ByReading]]) -> None:
    case = next(case for case, _ in smoke if case.target)
    assert list(seen(case, OBSERVER, SPACE)) == []
