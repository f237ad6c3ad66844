"""Arrays: every case has the classes that were chosen for it, something to judge, and nothing that cannot be."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from itertools import combinations

import pytest

from mmaspec.backends.resolve import resolve
from mmaspec.oracle.nv_coopmat2 import SPEC
from mmaspec.programs.profile import PRACTICE
from mmaspec.strategies.array import classes_of, tuples, unknown
from mmaspec.strategies.axes.observation import seen
from mmaspec.strategies.axes.reached import contradictions
from mmaspec.strategies.enumerate import DEFAULT_SEED, Lister, arrays_of, grammar_of
from mmaspec.strategies.grammar import Array
from mmaspec.strategies.nv_coopmat2.arrays import ARRAYS
from mmaspec.strategies.nv_coopmat2.arrays.conversion_types import CONVERSIONS
from mmaspec.strategies.nv_coopmat2.arrays.magnitudes.cases import PER_CASE
from mmaspec.strategies.nv_coopmat2.arrays.magnitudes.tasks import parts
from mmaspec.strategies.recipe import Recipe, materialise
from mmaspec.suites.judging.judge_case import CaseJudge

from .shown import OBSERVER, SPACE

EVERY = 10
NAMES = [array.name for array in ARRAYS]
CAPS = SPEC.default_caps
LISTER = Lister(SPEC, grammar_of(SPEC.name), CAPS, DEFAULT_SEED)
NUMPY = resolve("numpy")

VIEWED = ("identity", "swap-inner", "swap-outer", "reversal", "cycle-left", "cycle-right")
ONLY = {
    "view-has-dimensions": ("view-order", VIEWED),
    "clip-rows": ("view-order", VIEWED),
    "clip-columns": ("view-order", VIEWED),
    "view-stride-kind": ("view-has-dimensions", ("with-set",)),
    "clamp-value": ("clamp-mode", ("constant",)),
}
"""An axis that only means something where another one has certain classes."""

LOST_SHARE = 4
"""One of so many tuples may be without a case of its own."""


NEAR = {
    "setter-repetition=copied": "the layout starts from another, which has the setters but the slice",
    "layout-evaluation=drawn": "of every argument it is drawn whether it is a literal",
    "decode-function=none": "there is no decode function to have a class",
}
"""Classes of axes of the space that arrays have and the space has not."""


def wanted(chosen: Mapping[str, str]) -> dict[str, str]:
    """The chosen classes that the parameter space has; a conversion names three."""
    found = {axis: name for axis, name in chosen.items() if axis in SPACE.axis and f"{axis}={name}" not in NEAR}
    without = {axis for axis, (other, names) in ONLY.items() if chosen.get(other, names[0]) not in names}
    found = {axis: name for axis, name in found.items() if axis not in without}
    clips = [axis for axis in ("clip-rows", "clip-columns") if axis in found]
    if {found[axis] for axis in clips} != {"default"}:
        # A clip has rows and columns: where one is set, the other is set to everything.
        found = {axis: name for axis, name in found.items() if axis not in clips or name != "default"}
    if "conversion" in chosen:
        one = CONVERSIONS[chosen["conversion"]]
        typed = "-type" if one.source != one.result and one.uses in {"accumulator-a", "accumulator-b"} else ""
        found |= {
            "conversion-source": one.source,
            "conversion-result": one.result,
            "conversion-uses": one.uses + typed,
        }
    return found


def sample(name: str, times: int) -> list[Mapping[str, str]]:
    """Every tenth tuple of an array, or all of them."""
    return list(every_tuple(name)[:: 1 if times > 1 else EVERY])


@cache
def every_tuple(name: str) -> tuple[Mapping[str, str], ...]:
    """All of them."""
    return tuples(arrays_of(SPEC.name)[name], CAPS, SPEC.rows(CAPS), 2)


def made(name: str, chosen: Mapping[str, str]) -> Recipe | None:
    """The case of a tuple."""
    return _made(name, tuple(chosen.items()))


@cache
def _made(name: str, chosen: tuple[tuple[str, str], ...]) -> Recipe | None:
    found = dict(chosen)
    return LISTER.met(SPEC.row(CAPS, found["row"]), arrays_of(SPEC.name)[name], found)


@pytest.mark.exhaustive(every=3)
@pytest.mark.parametrize("name", NAMES)
def test_cases_have_the_classes_that_are_chosen(name: str, times: int) -> None:
    space_axes = set(SPACE.axis)
    for chosen in sample(name, times):
        recipe = made(name, chosen)
        if recipe is None:
            continue
        found = list(seen(materialise(recipe), OBSERVER, SPACE))
        classes: dict[str, set[str]] = {axis: set() for axis in space_axes}
        for thing in found:
            for axis, names in thing.classes.items():
                classes[axis] |= names
        missing = {axis: one for axis, one in wanted(chosen).items() if one not in classes[axis]}
        assert not missing, chosen
        assert [(rule.together, one.thing) for rule, one in contradictions(SPACE, found)] == [], chosen


@pytest.mark.exhaustive(every=3)
@pytest.mark.parametrize("name", NAMES)
def test_cases_are_legal_and_have_something_to_judge(name: str, times: int) -> None:
    for chosen in sample(name, times):
        recipe = made(name, chosen)
        if recipe is not None:
            result = CaseJudge(NUMPY, NUMPY.describe(), PRACTICE, {recipe.id: ()}, limit=0).judge_listed(recipe)[0]
            assert result.outcome == "legal", (chosen, result.why)
            assert result.judged, chosen


@pytest.mark.exhaustive(every=6)
@pytest.mark.parametrize("name", NAMES)
def test_every_pair_is_in_some_case(name: str) -> None:
    """Also those of tuples for which no program was found: the list has them elsewhere."""
    every = every_tuple(name)
    lost = [chosen for chosen in every if made(name, chosen) is None]
    assert LOST_SHARE * len(lost) <= len(every)
    if name in REPLACED:
        return
    kept = [set(chosen.items()) for chosen in every if chosen not in lost]
    for chosen in lost:
        for pair in combinations(chosen.items(), 2):
            assert any(set(pair) <= other for other in kept), pair


REPLACED = ("plain-loads", "plain-stores", "tensor-loads", "tensor-stores", "element-places")
"""Arrays whose lister tries other tuples for pairs of those that have no program: the biggest are too large."""


def test_arrays_have_classes_of_the_space() -> None:
    """Where an axis is one of the space; the reviewed exceptions are few, and are there."""
    classes = {(axis, name) for array in ARRAYS for axis, names in array.axes.items() for name in names}
    others = {f"{a}={name}" for a, name in classes if a in SPACE.axis and name not in SPACE.axis[a].classes}
    assert others == set(NEAR)


@pytest.mark.parametrize("array", ARRAYS, ids=NAMES)
def test_rules_name_classes_that_there_are(array: Array) -> None:
    assert not list(unknown(array))
    assert all(list(classes_of(rule)) for rule in array.rules)


def test_every_conversion_has_at_most_one_row() -> None:
    array = arrays_of(SPEC.name)["conversion-types"]
    shown = [chosen["conversion"] for chosen in tuples(array, CAPS, SPEC.rows(CAPS), 2)]
    assert len(shown) == len(set(shown))
    assert {CONVERSIONS[name].uses for name in shown} >= {"a-a", "b-b", "accumulator-a", "accumulator-b"}


@pytest.mark.parametrize("row", list(parts(CAPS, PER_CASE)))
def test_some_access_has_each_number(row: str, times: int) -> None:
    every = parts(CAPS, PER_CASE)[row]
    for turn, numbers in enumerate(every if times > 1 else every[:1], 1):
        recipe = made("tensor-magnitudes", {"row": row, "part": str(turn)})
        assert recipe is not None
        found = list(seen(materialise(recipe), OBSERVER, SPACE))
        for number in numbers:
            group = "tensor-store" if number.store else "tensor-load"
            classes = [one.classes.get(number.axis, ()) for one in found if one.thing.group == group]
            assert any(number.name in names for names in classes), number
            offsets = [one.classes.get("element-offset-size", ()) for one in found if one.thing.group == group]
            assert not number.offset or any(number.offset in names for names in offsets), number
