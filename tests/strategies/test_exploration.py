"""Explored cases: as many as the tier says, the same for the same seed, from all of the grammar, none listed."""

from __future__ import annotations

import dataclasses
from types import MappingProxyType

import pytest
from msgspec.structs import replace

from mmaspec.oracle.expect import resolve
from mmaspec.oracle.spec import spec_named
from mmaspec.programs.specifications import ours
from mmaspec.strategies import enumerate as lister
from mmaspec.strategies import exploration
from mmaspec.strategies.enumerate import DEFAULT_SEED, TIERS, Tier, arrays_of, grammar_of
from mmaspec.strategies.exploration import explored_cases
from mmaspec.strategies.grammar import EXPLORATION, Template, flaws
from mmaspec.strategies.recipe import Recipe

COUNT = 60


@pytest.fixture(autouse=True)
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lister, "TIERS", MappingProxyType({**TIERS, "standard": Tier(8, 4, explored=COUNT)}))


def drawn(spec: str, seed: int = DEFAULT_SEED) -> tuple[Recipe, ...]:
    return explored_cases(spec, spec_named(spec).default_caps, "standard", seed)


def as_listed(recipe: Recipe) -> Recipe:
    """The case under the name of its own template."""
    return replace(recipe, template=recipe.labels[-1], labels=recipe.labels[:-1])


def test_bounds() -> None:
    assert {name: tier.explored for name, tier in TIERS.items()} == {
        "quick": 0,
        "smoke": 0,
        "standard": 200,
        "thorough": 2000,
    }
    spec = spec_named("amd-rdna3-wmma")
    assert explored_cases(spec.name, spec.default_caps, "smoke", DEFAULT_SEED) == ()


@pytest.mark.parametrize("name", ours())
def test_they_are_valid_and_defined_and_from_all_of_the_grammar(name: str) -> None:
    spec, recipes = spec_named(name), drawn(name)
    assert len({recipe.id for recipe in recipes}) == len(recipes) == COUNT  # so no draw was left out
    assert {recipe.template for recipe in recipes} == {EXPLORATION}
    for recipe in recipes:
        program = resolve(recipe.program, recipe.words)
        assert not spec.rejected(program, recipe.caps)
        assert not spec.undefined(program, recipe.caps)
    origins = {recipe.labels[-1] for recipe in recipes}
    assert "free" in origins
    assert origins & set(arrays_of(name))
    assert origins & {template.name for template in grammar_of(name).templates}
    assert any("framed" in recipe.labels for recipe in recipes)
    assert len({recipe.row for recipe in recipes}) > 1


def test_equal_seeds_give_equal_cases_and_others_give_others() -> None:
    first = drawn("amd-rdna3-wmma")
    assert drawn("amd-rdna3-wmma") == first
    assert not {recipe.id for recipe in first} & {recipe.id for recipe in drawn("amd-rdna3-wmma", 7)}


def test_a_smaller_bound_gives_the_first_of_them(monkeypatch: pytest.MonkeyPatch) -> None:
    first = drawn("amd-rdna3-wmma")
    monkeypatch.setattr(lister, "TIERS", MappingProxyType({"standard": Tier(8, 4, explored=5)}))
    assert drawn("amd-rdna3-wmma") == first[:5]


def test_what_is_listed_is_left_out() -> None:
    spec, every = spec_named("amd-rdna3-wmma"), drawn("amd-rdna3-wmma")
    listed = {as_listed(every[3]).id}
    left = explored_cases(spec.name, spec.default_caps, "standard", DEFAULT_SEED, listed)
    assert left == (*every[:3], *every[4:])


def test_a_case_that_would_not_be_valid_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """Not under the caps of some device, say: it is drawn anew, and the others stay, since each is drawn by itself."""
    every = drawn("amd-rdna3-wmma")
    bad = as_listed(every[0])
    breaks = exploration._breaks
    monkeypatch.setattr(exploration, "_breaks", lambda spec, one: {"RDNA3-SHAPE"} if one == bad else breaks(spec, one))
    left = drawn("amd-rdna3-wmma")
    assert every[0] not in left
    assert left[1:] == every[1:]
    monkeypatch.setattr(exploration, "_breaks", lambda *_: {"RDNA3-SHAPE"})
    assert drawn("amd-rdna3-wmma") == ()


def test_no_template_may_have_the_name() -> None:
    spec = spec_named("amd-rdna3-wmma")
    grammar = grammar_of(spec.name)
    renamed = Template(EXPLORATION, (), grammar.templates[0].build)
    told = list(flaws(dataclasses.replace(grammar, templates=(*grammar.templates, renamed)), spec.catalogue))
    assert told == [": a template or array is named 'exploration', as explored cases are"]
