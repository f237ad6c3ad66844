"""Covering arrays cover all that the rules allow, obey the rules, and are small."""

from __future__ import annotations

from itertools import product
from math import prod

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mmaspec.strategies.covering import Covering, Tangled, Tuple, covering, tuples

Axes = dict[str, tuple[str, ...]]


def allowed(row: dict[str, str], excluded: list[Tuple]) -> bool:
    return not any(all(row[axis] == name for axis, name in rule) for rule in excluded)


def every_row(axes: Axes, excluded: list[Tuple]) -> list[dict[str, str]]:
    """By definition: all rows, less those that break a rule."""
    rows = (dict(zip(axes, classes, strict=True)) for classes in product(*axes.values()))
    return [row for row in rows if allowed(row, excluded)]


def inside(some: Tuple, row: dict[str, str]) -> bool:
    return all(row[axis] == name for axis, name in some)


@st.composite
def problems(draw: st.DrawFn) -> tuple[Axes, list[Tuple], int]:
    axes = {f"x{n}": tuple("abcde"[: draw(st.integers(1, 4))]) for n in range(draw(st.integers(1, 5)))}
    every = [(axis, name) for axis, names in axes.items() for name in names]
    rules = draw(st.lists(st.sets(st.sampled_from(every), min_size=1, max_size=3).map(frozenset), max_size=6))
    return axes, rules, draw(st.integers(1, 3))


@given(problems())
def test_every_tuple_that_some_row_may_have_is_in_a_row_and_the_others_are_told(
    problem: tuple[Axes, list[Tuple], int],
) -> None:
    axes, excluded, strength = problem
    found = covering(axes, excluded, strength)
    possible = every_row(axes, excluded)
    rows = [dict(row) for row in found.rows]
    assert all(list(row) == list(axes) and allowed(row, excluded) for row in rows)
    for some in tuples(axes, strength):
        can = any(inside(some, row) for row in possible)
        assert can == any(inside(some, row) for row in rows)
        assert can == (some not in found.impossible)


@given(problems(), st.data())
def test_classes_wanted_once_are_in_some_row_and_all_other_tuples_too(
    problem: tuple[Axes, list[Tuple], int], data: st.DataObject
) -> None:
    axes, excluded, strength = problem
    every = [(axis, name) for axis, names in axes.items() for name in names]
    once = data.draw(st.sets(st.sampled_from(every), max_size=3))
    possible = every_row(axes, excluded)
    rows = [dict(row) for row in covering(axes, excluded, strength, once=once).rows]
    wanted = [some for some in tuples(axes, strength) if once.isdisjoint(some)]
    for some in (*wanted, *(frozenset((one,)) for one in once)):
        assert any(inside(some, row) for row in possible) == any(inside(some, row) for row in rows)


def test_a_class_wanted_once_is_in_few_rows() -> None:
    axes = {f"x{n}": ["a", "b", "c"] for n in range(6)}
    rows = covering(axes, (), 2, once=[("x0", "c")]).rows
    assert [row["x0"] for row in rows].count("c") == 1


@pytest.mark.parametrize(("axes", "classes", "most"), [(10, 4, 40), (25, 5, 90), (4, 9, 120)])
def test_pairs_need_few_rows(axes: int, classes: int, most: int) -> None:
    found = covering({f"x{n}": [str(c) for c in range(classes)] for n in range(axes)}, ())
    assert classes * classes <= len(found.rows) <= most
    assert not found.impossible


def test_triples_need_far_fewer_rows_than_there_are() -> None:
    axes = {f"x{n}": ["a", "b", "c"] for n in range(7)}
    found = covering(axes, (), 3)
    assert 27 <= len(found.rows) < prod(len(names) for names in axes.values()) // 30


def test_the_same_question_has_the_same_answer_and_another_key_another() -> None:
    axes = {f"x{n}": ["a", "b", "c"] for n in range(5)}
    first: Covering = covering(axes, (), 2, "one")
    assert covering(axes, (), 2, "one") == first
    assert covering(axes, (), 2, "two") != first


def test_rules_that_leave_nothing_are_no_row() -> None:
    found = covering({"x": ["a"], "y": ["b"]}, [frozenset({("x", "a"), ("y", "b")})])
    assert (found.rows, len(found.impossible)) == ((), 1)


def test_tangled_rules_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("mmaspec.strategies.covering.MOST_STEPS", 1)
    with pytest.raises(Tangled, match="after 1 steps"):
        covering({f"x{n}": ["a", "b"] for n in range(4)}, (), 2, "knot")
