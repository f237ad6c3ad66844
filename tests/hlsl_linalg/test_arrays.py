"""Arrays: every case has the classes that it was made for, together, is judged, and is legal on the device."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache

import pytest

from mmaspec.backends.resolve import resolve
from mmaspec.oracle.spec import spec_named
from mmaspec.programs.profile import PRACTICE
from mmaspec.strategies.array import ROW, tuples
from mmaspec.strategies.axes.observation import Seen, observer_of, seen
from mmaspec.strategies.axes.reached import contradictions
from mmaspec.strategies.axes.space import space_of
from mmaspec.strategies.enumerate import DEFAULT_SEED, Lister, arrays_of, grammar_of
from mmaspec.strategies.grammar import Chosen
from mmaspec.strategies.hlsl_linalg.arrays import ARRAYS, PACKED
from mmaspec.strategies.hlsl_linalg.arrays.packed import PART, Packed
from mmaspec.strategies.hlsl_linalg.revisions import EARLIER
from mmaspec.strategies.recipe import Recipe, materialise
from mmaspec.suites.judging.judge_case import CaseJudge

SPEC = spec_named("hlsl-linalg")
SPACE, OBSERVER = space_of(SPEC.name), observer_of(SPEC.name)
ROWS = {row.name: row for row in SPEC.rows(SPEC.default_caps)}
OWN = [packed for packed in PACKED if packed.under != EARLIER]
"""Those that have cases under the default caps."""
EVERY = 8
"""Without --long one case of so many is looked at, which takes most of the time."""
BEYOND = frozenset({"store/places=same"})
"""What only stores have of which no element is inside their buffer (LINALG-ORDER): those of ``outside-buffers``."""
MOST = 500
"""Cases of all arrays together for the default caps."""


@cache
def made(name: str) -> tuple[tuple[Chosen, Recipe | None], ...]:
    array = arrays_of(SPEC.name)[name]
    lister = Lister(SPEC, grammar_of(SPEC.name), SPEC.default_caps, DEFAULT_SEED)
    found = tuples(array, SPEC.default_caps, [*ROWS.values()], 2)
    return tuple((chosen, lister.met(ROWS[chosen[ROW]], array, chosen)) for chosen in found)


def looked_at(name: str, times: int) -> Sequence[tuple[Chosen, Recipe]]:
    cases = [(chosen, recipe) for chosen, recipe in made(name) if recipe is not None]
    return cases if times > 1 else cases[::EVERY]


def absent(packed: Packed, thing: Chosen, found: Sequence[Seen]) -> Iterator[str]:
    """The groups in which no one thing has all classes that were chosen together and that the group can have."""
    for group in packed.groups:
        wanted = {
            name: one
            for name, one in thing.items()
            if name in SPACE.axis
            and group in SPACE.axis[name].groups
            and f"{group}/{name}={one}" not in BEYOND.union(OBSERVER.unseen)
        }
        own = [one for one in found if one.thing.group == group]
        if not any(all(name in one.classes.get(on, ()) for on, name in wanted.items()) for one in own):
            yield f"{group}: {wanted}"


@pytest.mark.exhaustive(every=3)
@pytest.mark.parametrize("packed", OWN, ids=lambda packed: packed.name)
def test_the_chosen_classes_are_seen_together(packed: Packed, times: int) -> None:
    for chosen, recipe in looked_at(packed.name, times):
        found = list(seen(materialise(recipe), OBSERVER, SPACE))
        assert not [(rule.together, one.thing.group) for rule, one in contradictions(SPACE, found)], chosen
        for thing in packed.parts(SPEC.default_caps, chosen[ROW])[int(chosen[PART]) - 1]:
            assert not list(absent(packed, thing, found)), (chosen, thing)


@pytest.mark.parametrize("packed", OWN, ids=lambda packed: packed.name)
def test_every_part_is_a_case(packed: Packed) -> None:
    assert made(packed.name)
    assert not [chosen for chosen, recipe in made(packed.name) if recipe is None]
    cases = {(chosen[ROW], chosen[PART]) for chosen, _ in made(packed.name)}
    assert cases == {(row, f"{n + 1}") for row in ROWS for n in range(len(packed.parts(SPEC.default_caps, row)))}


@pytest.mark.parametrize("packed", PACKED, ids=lambda packed: packed.name)
def test_classes_are_those_of_the_space(packed: Packed) -> None:
    """But for axes that only say how a case is made."""
    for name, classes in packed.axes.items():
        assert name not in SPACE.axis or set(classes) <= SPACE.axis[name].classes.keys(), name


def test_cases_are_few() -> None:
    assert sum(len(made(array.name)) for array in ARRAYS) <= MOST


@pytest.mark.parametrize("packed", OWN, ids=lambda packed: packed.name)
def test_something_is_judged_and_legal(packed: Packed, times: int) -> None:
    backend = resolve("numpy")
    for chosen, recipe in looked_at(packed.name, times):
        judge = CaseJudge(backend, backend.describe(), PRACTICE, {recipe.id: ()}, limit=0)
        result = judge.judge_listed(recipe)[0]
        assert result.outcome == "legal", (chosen, result)
        assert result.judged, chosen
