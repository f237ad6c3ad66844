"""Blame in the light of counterfactuals that leave the same bytes."""

from __future__ import annotations

from mmaspec.suites.judging.blaming.blame import agreed
from mmaspec.suites.judging.blaming.blamed import Blame

OWN = ("OP", "A", "B", "C")


def test_one_that_explains_everything_decides() -> None:
    assert agreed(Blame(OWN, "base"), {"B"}, OWN).clauses == ("B", "OP", "A", "C")
    assert agreed(Blame(("A",), "toggle", own=OWN), {"B"}, OWN).clauses == ("B",)


def test_against_an_ablation_it_must_be_of_the_step() -> None:
    told = Blame(("A",), "toggle", own=("A", "OP"))
    assert agreed(told, {"B"}, OWN) == told
    assert agreed(Blame(OWN, "base"), {"none of the case"}, OWN) == Blame(OWN, "base")


def test_several_that_explain_everything_come_first_where_nothing_else_tells() -> None:
    told = agreed(Blame(OWN, "base"), {"B", "A", "none of the case"}, OWN)
    assert told.clauses == ("A", "B", "OP", "C")


def test_several_say_nothing_against_what_variations_show() -> None:
    for how in ("toggle", "pattern"):
        told = Blame(OWN, how, own=OWN)
        assert agreed(told, {"B", "A"}, OWN) == told


def test_nothing_that_explains_it_changes_nothing() -> None:
    assert agreed(Blame(OWN, "base"), frozenset(), OWN) == Blame(OWN, "base")
