"""Classes that one case of the smoke list alone has: who shortens a scene or a regime sees which."""

from __future__ import annotations

import pytest

from mmaspec.oracle.spec import spec_named
from mmaspec.strategies.axes.observation import observer_of, seen
from mmaspec.strategies.axes.space import space_of
from mmaspec.strategies.enumerate import DEFAULT_SEED, row_cases
from mmaspec.strategies.recipe import materialise

NAME = "intel-subgroup-mma"


@pytest.mark.parametrize(
    ("row", "template", "group", "axis", "name"),
    [
        ("n8_f16_f16_f32", "extremes", "float-sum", "chain-length", "long"),
        ("n8_bf16_bf16_f32", "extremes", "float-sum", "overflow-place", "half-ulp"),
        ("n8_u8_u8_i32", "extremes", "tiling", "shared-operands", "a-and-b"),
        ("n8_u8_u8_i32", "integer-data", "integer-sum", "dot", "only-unsigned"),
    ],
)
def test_some_case_of_the_row_has_the_class(row: str, template: str, group: str, axis: str, name: str) -> None:
    caps = spec_named(NAME).default_caps
    for recipe in row_cases(NAME, caps, "smoke", DEFAULT_SEED, row):
        if recipe.template == template:
            for one in seen(materialise(recipe), observer_of(NAME), space_of(NAME)):
                if one.thing.group == group and name in one.classes.get(axis, ()):
                    return
    raise AssertionError(name)
