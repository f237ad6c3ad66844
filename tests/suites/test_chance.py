"""What cases share that were drawn blindly is not said; what an exact count of draws calls unlikely is."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations
from math import comb
from random import Random

import pytest

from mmaspec.oracle.spec import SPECS, spec_named
from mmaspec.suites.score.matrix import listed
from mmaspec.suites.verdict.attributes import Attribute
from mmaspec.suites.verdict.chance import UNLIKELY, Holders
from mmaspec.suites.verdict.features import Features, features
from mmaspec.suites.verdict.shared import shared

DRAWS = 30
"""Of each number of failing cases, from all."""
FEW = 8
"""The same, from the cases of one template."""


def made(*facts: str, **amounts: int) -> Features:
    numbers = {f"{{}} {name}": number for name, number in amounts.items()}
    return Features(frozenset(Attribute(1, text) for text in facts), frozenset(), numbers)


def told(cases: list[Features], failing: tuple[int, ...]) -> str:
    passing = [number for number in range(len(cases)) if number not in failing]
    return shared(Holders(cases), failing, passing)


@pytest.mark.exhaustive(every=4)
@pytest.mark.parametrize("spec", SPECS)
def test_cases_drawn_blindly_have_hardly_ever_something_in_common(spec: str) -> None:
    """Nor have cases of one template, of which most pairs and triples do without the rule."""
    named = spec_named(spec)
    rows = {row.name: row for row in named.rows(named.default_caps)}
    recipes = [recipe for recipe in listed(named, "quick") if not recipe.target]
    cases = [features(recipe, rows[recipe.row]) for recipe in recipes]
    alike: dict[str, list[int]] = {}
    for number, recipe in enumerate(recipes):
        alike.setdefault(recipe.template, []).append(number)
    holders = Holders(cases)
    draw = Random(11)  # noqa: S311 - the same cases every time

    def said(pool: Sequence[int], count: int, *, rule: bool = True) -> bool:
        failing = draw.sample(pool, count)
        passing = [other for other in range(len(cases)) if other not in failing]
        return bool(shared(holders, failing, passing, None if rule else range(1, count + 1)))

    blindly = [said(range(len(cases)), count) for count in (2, 3) for _ in range(DRAWS)]
    assert sum(blindly) <= 2 * DRAWS * 2 * UNLIKELY
    pools = [numbers for numbers in alike.values() if len(numbers) > 4]
    related = [(draw.choice(pools), count) for count in (2, 3) for _ in range(FEW)]
    kept = sum(said(*one) for one in related)
    assert kept <= FEW // 3
    # Of many rows and builtins few cases are alike by chance, so that more of them are drawn.
    many, few = (related, FEW)
    if spec == "amd-rdna3-wmma":
        many, few = [(draw.choice(pools), 2) for _ in range(8 * FEW)], FEW // 4
    assert sum(said(*one, rule=False) for one in many) > max(kept, few), "the rule keeps nothing back"


def test_the_chance_of_one_thing_is_counted_exactly() -> None:
    """Against every draw of as many cases: how many of them are exactly those that have something."""
    draw = Random(5)  # noqa: S311 - the same cases every time
    cases = [
        made(*(name for name in "abcdefghij" if draw.random() < 0.2), waves=draw.choice((1, 1, 2))) for _ in range(16)
    ]
    holders = Holders(cases)
    for count in (2, 3, 4):
        draws = list(combinations(range(16), count))
        others = [[number for number in range(16) if number not in some] for some in draws]
        lucky = sum(bool(shared(holders, some, rest, (1,))) for some, rest in zip(draws, others, strict=True))
        worth = holders.unlikely(range(count), range(count, 16))
        assert (1 in worth) == (Fraction(lucky, comb(16, count)) < UNLIKELY), (count, lucky)


def test_the_rule_is_neither_deaf_nor_talkative() -> None:
    """The same thing in common: of two cases beside few others it is chance, of three it is not."""
    few = [made("bad"), made("bad"), *(made(f"{number}", f"{number // 2}!") for number in range(12))]
    assert not told(few, (0, 1)), "six things are had by two cases each, of 91 pairs"
    assert told([*few, made("bad")], (0, 1, 14)) == "all 3 have bad; 0 of 12 others"


def test_more_things_at_once_take_more_cases() -> None:
    others = [made("a"), made("b")] * 10
    assert not told([made("a", "b")] * 2 + others, (0, 1)), "of 231 pairs"
    assert told([made("a", "b")] * 3 + others, (0, 1, 2)) == "all 3 have a and b; 0 of 20 others"
    loud = [made("b", *(f"{number} {other}" for other in range(30))) for number in range(20)]
    assert told([made("a", "b")] * 3 + [made("a")] * 3 + loud, (0, 1, 2)), "what one case alone has counts for nothing"
    loud = [made("b", *(f"{number // 10} {other}" for other in range(30))) for number in range(20)]
    assert told([made("a", "b")] * 3 + [made("a")] * 3 + loud, (0, 1, 2)), "the same cases count once"
    loud = [made("b", *(f"{number // other} {other}" for other in range(3, 16))) for number in range(20)]
    assert not told([made("a", "b")] * 3 + [made("a")] * 3 + loud, (0, 1, 2))


def test_cases_that_are_left_out_count_for_nothing() -> None:
    cases = [made("bad"), made("bad"), made("bad"), *(made("bad", "waived") for _ in range(5)), *([made()] * 30)]
    holders = Holders(cases)
    assert 1 in holders.unlikely([0, 1, 2], range(8, 38))
    assert not holders.unlikely([0, 1, 2], range(8, 10)), "two others say little"
