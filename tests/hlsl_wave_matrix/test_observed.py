"""The classes of HLSL WaveMatrix: every axis has its look or a reason, and what is drawn contradicts no rule."""

from __future__ import annotations

import pytest

from mmaspec.oracle.case import Case
from mmaspec.oracle.hlsl_wave_matrix import SPEC
from mmaspec.programs.hlsl_wave_matrix import DEFAULT_CAPS, Branch, MatrixDepth
from mmaspec.strategies.axes.observation import seen
from mmaspec.strategies.axes.reached import contradictions
from mmaspec.strategies.hlsl_wave_matrix.observations import OBSERVER
from mmaspec.strategies.recipe import materialise
from tests.case_lists import case_list

from .observing import LEFT, SPACE, case_of, load, program

EVERY = 12
"""Of the smoke list, one case in so many is looked at here."""
SHARES = 8


def test_every_axis_has_a_look_or_a_reason() -> None:
    whole = {name for name in OBSERVER.unseen if "=" not in name}
    assert OBSERVER.looks.keys() | whole == SPACE.axis.keys()
    assert not OBSERVER.looks.keys() & whole


def test_every_reason_is_about_a_class_that_there_is() -> None:
    for name, reason in OBSERVER.unseen.items():
        written, equals, one = name.partition("=")
        group, _, axis = written.rpartition("/")
        assert axis in SPACE.axis
        assert not group or group in SPACE.axis[axis].groups
        assert not equals or one in SPACE.axis[axis].classes
        assert reason.strip()


def test_no_axis_is_explained_away_class_by_class() -> None:
    for name, axis in SPACE.axis.items():
        assert not axis.classes.keys() <= {
            one.partition("=")[2] for one in OBSERVER.unseen if one.startswith(f"{name}=")
        }


@pytest.mark.exhaustive(every=2)
@pytest.mark.parametrize("start", range(SHARES))
def test_what_is_drawn_contradicts_no_rule(start: int) -> None:
    for recipe in case_list(SPEC.name, DEFAULT_CAPS, "quick")[::EVERY][start::SHARES]:
        case: Case = materialise(recipe)
        found = list(seen(case, OBSERVER, SPACE))
        assert not [(rule.together, one.thing.group) for rule, one in contradictions(SPACE, found)], recipe.id
        named = {f"{axis}={one}" for each in found for axis, classes in each.classes.items() for one in classes}
        assert not named & OBSERVER.unseen.keys(), recipe.id


def test_a_rejected_program_has_no_classes() -> None:
    made = program((LEFT,), load(LEFT, offset=2))
    assert SPEC.rejected(made, DEFAULT_CAPS) == {"WM-LOAD-OFFSET-DWORD", "WM-ALIGN-COMBINED"}
    assert not list(seen(case_of(made, {}), OBSERVER, SPACE))


def test_an_undefined_program_has_no_classes() -> None:
    made = program((LEFT,), load(LEFT), Branch(1, (MatrixDepth("A", "out", 0),)))
    assert SPEC.undefined(made, DEFAULT_CAPS) == {"WM-DIVERGENT"}
    assert not list(seen(case_of(made, {}), OBSERVER, SPACE))
