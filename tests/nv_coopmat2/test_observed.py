"""Whether every axis can be seen, and that what is seen in listed cases contradicts no rule."""

from __future__ import annotations

import pytest

from mmaspec.oracle.nv_coopmat2 import SPEC
from mmaspec.strategies.axes.observation import seen
from mmaspec.strategies.axes.reached import contradictions
from mmaspec.strategies.recipe import materialise
from tests.case_lists import case_list

from .shown import OBSERVER, SPACE

EVERY = 12


def test_every_axis_is_seen_or_has_a_reason() -> None:
    unseen = {name for name in OBSERVER.unseen if "=" not in name}
    assert set(SPACE.axis) == set(OBSERVER.looks) | unseen
    assert not set(OBSERVER.looks) & unseen


def test_reasons_name_classes_that_there_are() -> None:
    for name, why in OBSERVER.unseen.items():
        assert why, name
        group, _, written = name.rpartition("/")
        assert written in SPACE.axis or ("=" in written and not list(SPACE.unknown(written))), name
        assert not group or group in SPACE.axis[written.partition("=")[0]].groups, name


@pytest.mark.exhaustive(every=2)
@pytest.mark.parametrize("start", range(0, EVERY, 4))
def test_what_is_seen_in_listed_cases_is_possible(start: int) -> None:
    groups = set()
    for recipe in case_list(SPEC.name, SPEC.default_caps, "quick")[start :: 3 * EVERY]:
        found = list(seen(materialise(recipe), OBSERVER, SPACE))
        groups |= {one.thing.group for one in found}
        assert [(rule.together, one.thing) for rule, one in contradictions(SPACE, found)] == []
        if recipe.target:  # what is never defined may be rejected
            continue
        classes = {
            (one.thing.group, f"{axis}={name}")
            for one in found
            for axis, names in one.classes.items()
            for name in names
        }
        assert not {written for _, written in classes} & set(OBSERVER.unseen)
        assert not {"/".join(one) for one in classes} & set(OBSERVER.unseen)
    assert {"program", "device", "matrix", "buffer", "argument", "tensor-load", "plain-store"} <= groups
