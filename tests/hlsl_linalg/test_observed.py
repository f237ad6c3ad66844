"""Axes are seen or have a reason why not, and no case has what a rule calls impossible."""

from __future__ import annotations

from mmaspec.strategies.axes.observation import observer_of, seen
from mmaspec.strategies.axes.reached import contradictions
from mmaspec.strategies.axes.space import space_of
from mmaspec.strategies.enumerate import DEFAULT_SEED
from mmaspec.strategies.recipe import materialise
from mmaspec.suites.planning.lists import listed_whole
from tests.unseen_classes import every_axis_is_seen_or_unseen, exists_and_has_a_reason, not_all_classes_are_unseen

SPEC = "hlsl-linalg"
SPACE, OBSERVER = space_of(SPEC), observer_of(SPEC)
EVERY = 120
"""Without --long one case of so many is looked at."""


def test_every_axis_is_seen_or_has_a_reason() -> None:
    every_axis_is_seen_or_unseen(SPACE, OBSERVER)
    not_all_classes_are_unseen(SPACE, OBSERVER)


def test_reasons_are_about_classes_that_there_are() -> None:
    for name in OBSERVER.unseen:
        exists_and_has_a_reason(SPACE, OBSERVER, name)


def test_what_is_impossible_is_in_no_case(times: int) -> None:
    """Nor what is said of no case: a rule, a reason or a look would be wrong."""
    for recipe in listed_whole(SPEC, "smoke", DEFAULT_SEED)[:: 1 if times > 1 else EVERY]:
        found = list(seen(materialise(recipe), OBSERVER, SPACE))
        assert not [(rule.together, one.thing.group) for rule, one in contradictions(SPACE, found)], recipe.id
        for one in found:
            for axis, classes in one.classes.items():
                unseen = {f"{axis}={name}" for name in classes} | {f"{one.thing.group}/{axis}={n}" for n in classes}
                assert not unseen & OBSERVER.unseen.keys(), recipe.id
