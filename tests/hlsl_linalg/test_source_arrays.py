"""Arrays under the text of 2025-09-19: each case has the classes it was made for, and the device leaves what is due."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

import pytest

from mmaspec.oracle.spec import spec_named
from mmaspec.programs.hlsl_linalg import SOURCE_CAPS
from mmaspec.strategies.array import ROW, tuples
from mmaspec.strategies.axes.observation import observer_of, seen
from mmaspec.strategies.axes.reached import contradictions
from mmaspec.strategies.axes.space import space_of
from mmaspec.strategies.enumerate import DEFAULT_SEED, Lister, arrays_of, grammar_of
from mmaspec.strategies.grammar import Chosen
from mmaspec.strategies.hlsl_linalg.arrays import PACKED
from mmaspec.strategies.hlsl_linalg.arrays.packed import PART, Packed
from mmaspec.strategies.hlsl_linalg.revisions import EARLIER, LATER
from mmaspec.strategies.recipe import Recipe, materialise
from tests.hlsl_linalg.drawing import device, held
from tests.hlsl_linalg.test_arrays import absent

SPEC = spec_named("hlsl-linalg")
SPACE, OBSERVER = space_of(SPEC.name), observer_of(SPEC.name)
ROWS = {row.name: row for row in SPEC.rows(SOURCE_CAPS)}
OWN = [packed for packed in PACKED if packed.under == EARLIER]
BOTH = [packed for packed in PACKED if packed.under != LATER]
EVERY = 5
"""Without --long one case of so many is looked at."""


@cache
def made(name: str) -> tuple[tuple[Chosen, Recipe | None], ...]:
    array = arrays_of(SPEC.name)[name]
    lister = Lister(SPEC, grammar_of(SPEC.name), SOURCE_CAPS, DEFAULT_SEED)
    return tuple(
        (chosen, lister.met(ROWS[chosen[ROW]], array, chosen))
        for chosen in tuples(array, SOURCE_CAPS, [*ROWS.values()], 2)
    )


def looked_at(name: str, times: int) -> Sequence[tuple[Chosen, Recipe]]:
    cases = [(chosen, recipe) for chosen, recipe in made(name) if recipe is not None]
    return cases if times > 1 else cases[::EVERY]


@pytest.mark.parametrize("packed", BOTH, ids=lambda packed: packed.name)
def test_every_part_is_a_case(packed: Packed) -> None:
    assert made(packed.name)
    assert not [chosen for chosen, recipe in made(packed.name) if recipe is None]


@pytest.mark.parametrize("packed", [one for one in PACKED if one.under == LATER], ids=lambda packed: packed.name)
def test_those_of_the_later_text_have_none(packed: Packed) -> None:
    assert not made(packed.name)


@pytest.mark.parametrize("packed", OWN, ids=lambda packed: packed.name)
def test_the_chosen_classes_are_seen_together(packed: Packed, times: int) -> None:
    for chosen, recipe in looked_at(packed.name, times):
        found = list(seen(materialise(recipe), OBSERVER, SPACE))
        assert not [(rule.together, one.thing.group) for rule, one in contradictions(SPACE, found)], chosen
        for thing in packed.parts(SOURCE_CAPS, chosen[ROW])[int(chosen[PART]) - 1]:
            assert not list(absent(packed, thing, found)), (chosen, thing)


@pytest.mark.parametrize("packed", BOTH, ids=lambda packed: packed.name)
def test_the_device_leaves_what_is_demanded(packed: Packed, times: int) -> None:
    array = arrays_of(SPEC.name)[packed.name]
    lister = Lister(SPEC, grammar_of(SPEC.name), SOURCE_CAPS, DEFAULT_SEED)
    for number, (chosen, _) in enumerate(looked_at(packed.name, times)):
        row = ROWS[chosen[ROW]]
        draft = array.build(lister.context(lister.choices(row, "device", number), row), chosen)
        if draft is None:
            continue
        one = held(draft, row, number, revision=SOURCE_CAPS.revision)
        assert one.judged(), chosen
        assert not one.left(device(SOURCE_CAPS)), chosen
