"""The case list: complete, unique, the same everywhere, and loud about grammars that break their promises."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from types import SimpleNamespace

import pytest

from mmaspec.oracle.spec import SPECS
from mmaspec.programs.errors import BadInput
from mmaspec.strategies.enumerate import TIERS, GrammarError, Lister, case_list, closure, grammar_of
from mmaspec.strategies.recipe import materialise
from tests import case_lists


def test_the_list_is_a_pure_function_with_unique_ids(toy: SimpleNamespace) -> None:
    first, second = (case_list(toy.NAME, toy.ToyCaps(), "smoke", 7) for _ in range(2))
    assert [recipe.id for recipe in first] == [recipe.id for recipe in second]
    assert len({recipe.id for recipe in first}) == len(first)
    assert not {recipe.id for recipe in first} & {r.id for r in case_list(toy.NAME, toy.ToyCaps(), "smoke", 8)}


def test_a_case_does_not_depend_on_the_other_rows(toy: SimpleNamespace) -> None:
    both = [r for r in case_list(toy.NAME, toy.ToyCaps(), "smoke") if r.row == "byte"]
    alone = case_list(toy.NAME, toy.ToyCaps(("byte",)), "smoke")
    assert [(r.program, r.seed, r.words) for r in both] == [(r.program, r.seed, r.words) for r in alone]


def test_shares_of_plain_framed_and_free_cases(toy: SimpleNamespace) -> None:
    positive = [r for r in case_list(toy.NAME, toy.ToyCaps(), "standard") if not r.target]
    kinds = Counter(next((x for x in ("framed", "free") if x in r.labels), "plain") for r in positive)
    assert kinds["plain"] == 8 * (12 + 12 + 2)
    assert 0.22 < kinds["framed"] / len(positive) < 0.28
    assert 0.03 < kinds["free"] / len(positive) < 0.08


def test_smoke_has_every_template_of_every_row_plain(toy: SimpleNamespace) -> None:
    plain = Counter((r.row, r.template) for r in case_list(toy.NAME, toy.ToyCaps(), "smoke") if len(r.labels) == 1)
    assert plain == {("half", "mac"): 12, ("byte", "mac"): 12, ("byte", "int-only"): 2}


def test_near_misses_break_their_closure_where_the_clause_applies(toy: SimpleNamespace) -> None:
    misses = [r for r in case_list(toy.NAME, toy.ToyCaps(), "smoke") if r.target]
    assert {(r.row, r.target) for r in misses} == {
        ("half", "T-ALIGN"), ("half", "T-EVEN"), ("byte", "T-ALIGN"), ("byte", "T-EVEN"), ("byte", "T-WAVES"),
    }  # fmt: skip
    assert closure(toy.CATALOGUE, "T-EVEN") == {"T-EVEN", "T-ALIGN"}


def test_a_template_that_builds_an_invalid_program_is_an_error_of_ours(toy: SimpleNamespace) -> None:
    odd = replace(
        toy.GRAMMAR.templates[0],
        build=lambda context: toy.shifted(2)(replace(context, choices=Always()), toy.mac(context)),
    )
    lister = Lister(toy.SPEC, toy.GRAMMAR, toy.ToyCaps(), 1)
    with pytest.raises(GrammarError, match="mac in row half breaks T-ALIGN"):
        lister.case(toy.ROWS["half"], odd, 0)


def test_a_near_miss_that_breaks_something_else_is_an_error_of_ours(toy: SimpleNamespace) -> None:
    grammar = replace(toy.GRAMMAR, near_misses={"T-ALIGN": toy.shifted(1)})
    lister = Lister(toy.SPEC, grammar, toy.ToyCaps(), 1)
    with pytest.raises(GrammarError, match=r"no near miss of T-ALIGN in row half .* broke T-ALIGN, T-EVEN"):
        lister.near_miss(toy.ROWS["half"], "T-ALIGN", 0)


def test_an_unknown_tier_is_bad_input(toy: SimpleNamespace) -> None:
    with pytest.raises(BadInput, match="no tier named 'huge'; there are quick, smoke, standard, thorough"):
        case_list(toy.NAME, toy.ToyCaps(), "huge")
    assert [tier.factor for tier in TIERS.values()] == sorted(tier.factor for tier in TIERS.values())


class Always:
    """Choices that never skip."""

    def chance(self, percent: int) -> bool:
        return percent > 99


@pytest.mark.parametrize("name", SPECS)
def test_every_specification_lists_its_smoke_tier(name: str) -> None:
    from mmaspec.oracle.spec import spec_named

    spec = spec_named(name)
    recipes = case_lists.case_list(name, spec.default_caps, "smoke")
    assert {recipe.row for recipe in recipes} == {row.name for row in spec.rows(spec.default_caps)}
    rows = spec.rows(spec.default_caps)
    breakable = {
        clause for clause in grammar_of(name).near_misses if any(spec.catalogue.applies(clause, r.tags) for r in rows)
    }
    assert {recipe.target for recipe in recipes if recipe.target} == breakable
    for recipe in recipes[:: max(len(recipes) // 20, 1)]:
        case = materialise(recipe)
        assert case.origin == recipe.id
