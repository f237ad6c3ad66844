"""The Hypothesis driver: it finds what is planted, and draws the same for equal seeds."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import pytest
from hypothesis import Phase, find, given, seed, settings
from hypothesis import strategies as st
from hypothesis.strategies import DrawFn

import mmaspec.strategies
from mmaspec.oracle.case import Case
from mmaspec.oracle.expect import resolve
from mmaspec.oracle.spec import spec_named
from mmaspec.programs.errors import BadInput
from mmaspec.programs.specifications import ours
from mmaspec.strategies.hypothesis_driver import Drawn, caps, cases, programs

GENERATE = settings(phases=[Phase.generate], database=None, deadline=None)


def drawn_cases(spec: str, number: int, examples: int) -> list[Case]:
    found: list[Case] = []

    @seed(number)
    @settings(GENERATE, max_examples=examples)
    @given(cases(spec))
    def collect(case: Case) -> None:
        found.append(case)

    collect()
    return found


def identity(case: Case) -> tuple[Any, ...]:
    return case.row, case.template, case.origin, case.labels


def test_equal_seeds_draw_equal_cases(toy: SimpleNamespace) -> None:
    first, second = (drawn_cases(toy.NAME, 5, 25) for _ in range(2))
    assert [identity(case) for case in first] == [identity(case) for case in second]
    assert [identity(case) for case in drawn_cases(toy.NAME, 6, 25)] != [identity(case) for case in first]
    assert {case.row for case in first} == {"half", "byte"}
    assert {label for case in first for label in case.labels} >= {"window", "framed"}


def test_a_planted_failure_is_found(toy: SimpleNamespace) -> None:
    def planted(case: Case) -> bool:
        return case.row == "byte" and case.words[0].value > 100

    case = find(cases(toy.NAME), planted, settings=settings(GENERATE, max_examples=300))
    assert planted(case)
    assert case.values["A"].shape == (4, 1, 1, 8, 8)


def test_drawn_answers_like_any_driver() -> None:
    def simplest(strategy: st.SearchStrategy[Any]) -> Any:
        return find(strategy, lambda _: True, settings=settings(database=None))

    choices = Drawn(cast("DrawFn", simplest))
    assert (choices.integer(3, 9), choices.one_of("xyz"), choices.weighted(((2, "p"), (1, "q")))) == (3, "x", "p")
    assert choices.chance(25) is False
    assert choices.chance(100) is True
    with pytest.raises(ValueError, match="no integer"):
        choices.integer(2, 1)


@pytest.mark.usefixtures("toy")
def test_public_face() -> None:
    assert mmaspec.strategies.cases is cases
    assert mmaspec.strategies.caps is caps
    assert mmaspec.strategies.programs is programs
    with pytest.raises(AttributeError, match="nothing"):
        _ = mmaspec.strategies.nothing
    with pytest.raises(BadInput, match="no specification named"):
        cases("no-such-spec")


@pytest.mark.parametrize("spec", ours())
def test_drawn_caps_are_those_of_the_specification_and_equal_for_equal_seeds(spec: str) -> None:
    def tables(number: int) -> list[Any]:
        found: list[Any] = []

        @seed(number)
        @settings(GENERATE, max_examples=12)
        @given(caps(spec))
        def collect(table: Any) -> None:
            found.append(table)

        collect()
        return found

    first = tables(3)
    assert first == tables(3)
    assert len(set(first)) > 6
    for table in first:
        assert isinstance(table, spec_named(spec).caps_type)
        assert spec_named(spec).rows(table)


def test_a_grammar_without_random_caps_says_so(toy: SimpleNamespace) -> None:
    with pytest.raises(BadInput, match=f"^specification '{toy.NAME}' has no random caps$"):
        caps(toy.NAME)


def test_caps_of_another_specification_are_bad_input_at_once() -> None:
    other = spec_named("hlsl-wave-matrix").default_caps
    with pytest.raises(BadInput, match=r"^caps are WaveMmaCaps; expected Caps, the caps of amd-rdna3-wmma$"):
        cases("amd-rdna3-wmma", other)
    cases("hlsl-wave-matrix", other)


@pytest.mark.parametrize("spec", ours())
def test_programs_are_those_of_the_cases_without_anything_to_load(spec: str) -> None:
    """Equal seeds draw a case, and its program with the words in it: valid, defined, and of the specification."""

    def listed(strategy: st.SearchStrategy[Any]) -> list[Any]:
        found: list[Any] = []

        @seed(7)
        @settings(GENERATE, max_examples=15)
        @given(strategy)
        def collect(one: Any) -> None:
            found.append(one)

        collect()
        return found

    drawn, alone = listed(cases(spec)), listed(programs(spec))
    assert alone == [resolve(case.program, case.words) for case in drawn]
    assert all(isinstance(program, spec_named(spec).program_type) for program in alone)
    assert any(case.words for case in drawn)  # else nothing was told
    found = spec_named(spec)
    assert not [clause for program in alone for clause in found.rejected(program, found.default_caps)]


def test_programs_of_a_specification_or_caps_that_are_not_there() -> None:
    with pytest.raises(BadInput, match="no specification named"):
        programs("no-such-spec")
    with pytest.raises(BadInput, match="expected Caps, the caps of amd-rdna3-wmma"):
        programs("amd-rdna3-wmma", spec_named("hlsl-wave-matrix").default_caps)
