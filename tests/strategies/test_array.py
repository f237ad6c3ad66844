"""Arrays list what meets: rules are obeyed, rows that do not fit left out, what cannot be made is made otherwise."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import pytest

from mmaspec.oracle.spec import Row, spec_named
from mmaspec.programs.specifications import ours
from mmaspec.strategies.array import ROW, classes_of, drawn, instead, tuples, unknown
from mmaspec.strategies.choices import Counted
from mmaspec.strategies.enumerate import DEFAULT_SEED, TIERS, arrays_of, row_cases
from mmaspec.strategies.grammar import Array
from tests.case_lists import case_list

ROWS = [
    Row(name, "x", frozenset(tags), None)
    for name, tags in (("r1", {"float"}), ("r2", {"float", "wide"}), ("r3", {"int"}))
]


def array(**changed: Any) -> Array:
    given: dict[str, Any] = {
        "name": "a", "focus": (), "axes": {"x": ("a", "b", "c"), "y": ("d", "e")}, "build": lambda *_: None,
        "rules": ("x=a|b with y=d",), "rows": ("float",),
    }  # fmt: skip
    return Array(**{**given, **changed})


def test_every_pair_that_the_rules_allow_is_there_with_every_row_that_fits() -> None:
    found = tuples(array(), None, ROWS, 2)
    assert {one[ROW] for one in found} == {"r1", "r2"}
    assert {(one["x"], one["y"]) for one in found} == {("a", "e"), ("b", "e"), ("c", "d"), ("c", "e")}
    assert {(one[ROW], one["x"]) for one in found} == {(row, x) for row in ("r1", "r2") for x in "abc"}


def test_a_row_may_lack_a_class() -> None:
    found = tuples(
        array(fits=lambda row, _, axis, name: (axis, name) != ("x", "c") or "wide" in row.tags), None, ROWS, 2
    )
    assert {one[ROW] for one in found if one["x"] == "c"} == {"r2"}


def test_no_row_is_no_case() -> None:
    assert tuples(array(rows=("none",)), None, ROWS, 2) == ()


def test_rules_stand_for_every_combination() -> None:
    assert set(classes_of("x=a|b with y=d")) == {frozenset({("x", name), ("y", "d")}) for name in "ab"}
    assert list(unknown(array(rules=("x=a|z with y=d",)))) == ["x=z"]


def test_a_sparing_list_has_each_costly_class_once() -> None:
    slow = array(rules=(), costly=("x=b|c",))
    found = tuples(slow, None, ROWS, 2, sparing=True)
    assert sorted(one["x"] for one in found if one["x"] != "a") == ["b", "c"]
    assert {(one[ROW], one["x"]) for one in tuples(slow, None, ROWS, 2)} > {(one[ROW], one["x"]) for one in found}
    assert list(unknown(array(costly=("x=z",)))) == ["x=z"]


def test_what_costly_classes_met_in_a_lost_case_is_not_made_up_for_where_the_list_is_sparing() -> None:
    slow = array(rules=(), costly=("x=c",))
    lost = {ROW: "r1", "x": "c", "y": "d"}
    assert len(list(instead(slow, None, ROWS[0], lost, [], 2, sparing=True))) == 2
    assert len(list(instead(slow, None, ROWS[0], lost, [], 2))) == 3


def test_what_cannot_be_made_is_made_with_other_classes() -> None:
    every = list(tuples(array(), None, ROWS, 2))
    lost = next(one for one in every if (one["x"], one["y"]) == ("c", "d"))
    left = [one for one in every if one is not lost]
    needed = [
        pair
        for pair in combinations(sorted(lost.items()), 2)
        if not any(all(one[axis] == name for axis, name in pair) for one in left)
    ]
    found = []
    row = next(row for row in ROWS if row.name == lost[ROW])
    for others in instead(array(), None, row, lost, every, 2):
        other = next(others, None)
        if other is not None:
            every.append(other)
            found.append(other)
    assert needed
    for one in found:
        assert one != lost
        assert any(all(one[axis] == name for axis, name in pair) for pair in needed)


def test_draws_obey_the_rules() -> None:
    found = [drawn(array(), Counted(str(n)), ROWS[0], None) for n in range(50)]
    assert all(one is not None and not (one["x"] in "ab" and one["y"] == "d") for one in found)
    assert drawn(array(rules=("x=a|b|c with y=d|e",)), Counted("n"), ROWS[0], None) is None


@pytest.mark.parametrize("spec", ours())
def test_rules_of_arrays_name_classes_that_they_have(spec: str) -> None:
    for one in arrays_of(spec).values():
        assert list(unknown(one)) == [], one.name


@pytest.mark.parametrize("spec", ours())
def test_the_list_has_nearly_every_combination_of_every_array(spec: str) -> None:
    """What was lost was made with other classes, so there are no fewer cases than combinations, by row."""
    found = spec_named(spec)
    listed = case_list(spec, found.default_caps, "smoke")
    for name, one in arrays_of(spec).items():
        sparing = TIERS["smoke"].sparing
        wanted = tuples(one, found.default_caps, found.rows(found.default_caps), 2, sparing=sparing)
        made = [recipe for recipe in listed if recipe.template == name]
        assert len(made) >= 0.9 * len(wanted), name
        assert {recipe.row for recipe in made} == {chosen[ROW] for chosen in wanted}


@pytest.mark.parametrize("spec", ours())
def test_one_row_lists_what_the_whole_list_has_of_it(spec: str) -> None:
    """Rows are drawn side by side, each by itself."""
    found = spec_named(spec)
    row = found.rows(found.default_caps)[-1].name
    whole = [recipe.id for recipe in case_list(spec, found.default_caps, "smoke") if recipe.row == row]
    assert {recipe.id for recipe in row_cases(spec, found.default_caps, "smoke", DEFAULT_SEED, row)} == set(whole)
