"""The Hypothesis driver: it finds what is planted, draws the same everywhere, and its private hook is still there."""

from __future__ import annotations

import inspect
from types import SimpleNamespace
from typing import Any, cast

import pytest
from hypothesis import find, given, seed, settings
from hypothesis import strategies as st
from hypothesis.internal.conjecture.providers import AVAILABLE_PROVIDERS, HypothesisProvider
from hypothesis.strategies import DrawFn

import mmaspec.strategies
from mmaspec.oracle.case import Case
from mmaspec.programs.errors import BadInput
from mmaspec.strategies import hypothesis_driver as driver
from mmaspec.strategies.hypothesis_driver import PROVIDER, SETTINGS, Drawn, NoMinedConstants, cases, seed_of


def drawn_cases(spec: str, number: int, examples: int) -> list[Case]:
    found: list[Case] = []

    @seed(number)
    @settings(SETTINGS, max_examples=examples)
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

    case = find(cases(toy.NAME), planted, settings=settings(SETTINGS, max_examples=300))
    assert planted(case)
    assert case.values["A"].shape == (4, 1, 1, 8, 8)


def test_the_private_hook_is_where_it_was() -> None:
    """Without it the provider would silently mine constants again."""
    assert "_maybe_draw_constant" in vars(HypothesisProvider)
    source = inspect.getsource(HypothesisProvider)
    assert source.count("self._maybe_draw_constant(") >= 4
    assert list(inspect.signature(HypothesisProvider._maybe_draw_constant).parameters)[:2] == ["self", "choice_type"]
    assert AVAILABLE_PROVIDERS[PROVIDER] == f"{driver.__name__}.NoMinedConstants"
    assert NoMinedConstants._maybe_draw_constant is not HypothesisProvider._maybe_draw_constant


def test_no_constants_are_mined(monkeypatch: pytest.MonkeyPatch) -> None:
    """Constants of local modules would show up as such; the provider must not even look for them."""

    def forbidden(_: object) -> None:
        raise AssertionError("constants were looked for")

    monkeypatch.setattr(HypothesisProvider, "_local_constants", property(forbidden))
    seen = []

    @seed(1)
    @settings(SETTINGS, max_examples=200)
    @given(st.tuples(st.integers(0, 1 << 40), st.text(max_size=3), st.floats(), st.binary(max_size=3)))
    def look(drawn: tuple[object, ...]) -> None:
        seen.append(drawn)

    look()
    assert len(seen) >= 200


def test_settings_keep_to_the_measures() -> None:
    assert [phase.name for phase in SETTINGS.phases] == ["generate"]
    assert SETTINGS.database is None
    assert SETTINGS.deadline is None
    assert SETTINGS.backend == PROVIDER
    assert seed_of(1, "a") != seed_of(1, "b") != seed_of(2, "b")
    assert seed_of(1, "suites/test_x::test_y") == 3403572947


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
    with pytest.raises(AttributeError, match="nothing"):
        _ = mmaspec.strategies.nothing
    with pytest.raises(BadInput, match="no specification named"):
        cases("no-such-spec")
