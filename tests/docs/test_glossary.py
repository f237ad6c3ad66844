"""The glossary has each word once, and names in the code keep to its words."""

from __future__ import annotations

import io
import re
import tokenize
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
ROOMS = ("backends", "front", "generators", "oracle", "programs", "reports", "strategies", "suites")
LINE = 180

RETIRED = {
    "ablation": r"toggl",
    "coverage point": r"(?<![a-z])atoms?(?![a-z])",
    "near miss": r"breaker|bending",
    "undefined behaviour": r"(?<![a-z])boundar(y|ies)(?![a-z])",
    "recorded run": r"hindsight",
    "program builder": r"(?<![a-z])(sheet|sketch)(?![a-z])",
    "reading": r"(?<![a-z])meanings?(?![a-z])",
    "reference device": r"(?<![a-z])machines?(?![a-z])",
    "acceptance": r"vacu(ous|ity)",
    "instrumented program": r"(?<![a-z])observ(e|ed|ing)(?![a-z])",
}
"""Word of the glossary -> what it was called before, in names of the code."""

ELSEWHERE = {
    "front/commands/catalogue.py": {"meaning"},
    "generators/sweeps.py": {"_boundaries"},  # of a number format
    "benchmarks/engine.py": {"machine"},
}
"""Names in which such a word means something else."""


def words() -> list[str]:
    rows = (ROOT / "docs" / "glossary.md").read_text(encoding="utf-8").splitlines()
    return [row.split("|")[1].strip() for row in rows if row.startswith("| ") and "| ---" not in row][1:]


def old_words(source: str) -> set[str]:
    """The names in a module that have a retired word in them."""
    names = {
        token.string for token in tokenize.generate_tokens(io.StringIO(source).readline) if token.type == tokenize.NAME
    }
    old = re.compile("|".join(RETIRED.values()))
    return {name for name in names if old.search(re.sub(r"([a-z])([A-Z])", r"\1_\2", name).lower().replace("_", " "))}


def test_each_word_has_one_line_in_order() -> None:
    found = words()
    assert len(found) > 40
    assert found == sorted(found)
    assert len(set(found)) == len(found)
    assert all(len(line) <= LINE for line in (ROOT / "docs" / "glossary.md").read_text(encoding="utf-8").splitlines())


def test_every_word_that_replaced_another_is_explained() -> None:
    assert set(RETIRED) <= set(words())


@pytest.mark.parametrize("room", ROOMS)
def test_names_keep_to_the_glossary(room: str) -> None:
    found = {}
    for path in sorted((ROOT / room).rglob("*.py")):
        name = path.relative_to(ROOT).as_posix()
        if old := old_words(path.read_text(encoding="utf-8")) - ELSEWHERE.get(name, set()):
            found[name] = old
    assert not found


@pytest.mark.parametrize(
    ("source", "old"),
    [
        ("def toggles(): pass", {"toggles"}),
        ("class WaveMachine: atoms: int", {"WaveMachine", "atoms"}),
        ("x = boundary_of(meaning)", {"boundary_of", "meaning"}),
        ("atomic = machinery = observation = 1  # a machine", set()),
    ],
)
def test_an_old_word_would_be_seen(source: str, old: set[str]) -> None:
    assert old_words(source) == old
