"""What follows from a program alone is asked of the rules once, and never of another program's."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from functools import cache
from typing import Any

import msgspec
import pytest

from mmaspec.backends.resolve import resolve
from mmaspec.oracle import program_facts
from mmaspec.oracle.case import Case
from mmaspec.oracle.expect import expect
from mmaspec.oracle.judge import expect_by_reading
from mmaspec.oracle.program_facts import KEPT, facts_of
from mmaspec.oracle.spec import spec_named
from mmaspec.programs.profile import DOCUMENT, PRACTICE
from mmaspec.strategies.recipe import Recipe, materialise
from mmaspec.suites.judging.parts import Parts
from mmaspec.suites.score.matrix import listed

SPEC = spec_named("amd-rdna3-wmma")


@cache
def recipes() -> list[Recipe]:
    """Some valid ones."""
    return [recipe for recipe in listed(SPEC, "quick") if not recipe.target]


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """How often each question was put to the specification; nothing is remembered from before."""
    counted: Counter[str] = Counter()

    def counting(name: str) -> Any:
        def question(*arguments: Any) -> Any:
            counted[name] += 1
            return getattr(SPEC, name)(*arguments)

        return question

    spec = replace(SPEC, **{name: counting(name) for name in ("rejected", "undefined", "sources")})
    program_facts._latest.clear()
    monkeypatch.setattr("mmaspec.oracle.expect.spec_named", lambda _: spec)
    return counted


def case_of(number: int = 0) -> Case:
    return materialise(recipes()[number]).head(8)


def test_items_data_and_profiles_change_nothing_of_a_program(asked: Counter[str]) -> None:
    case = case_of()
    expect_by_reading(case, PRACTICE)
    expect_by_reading(case, DOCUMENT)
    expect_by_reading(case.item(3), PRACTICE)
    expect_by_reading(replace(case, values={name: bits * 0 for name, bits in case.values.items()}), PRACTICE)
    assert asked == {"rejected": 1, "undefined": 1, "sources": 1}


def test_a_long_batch_asks_once(asked: Counter[str]) -> None:
    parts = Parts(resolve("numpy"), case_of(), PRACTICE, 2)
    assert len(parts.starts) == 4
    assert parts.verdict().accepted
    assert asked["rejected"] == asked["undefined"] == 1


def test_another_program_is_asked_about_by_itself() -> None:
    program, words, caps = recipes()[0].program, recipes()[0].words, recipes()[0].caps
    known = facts_of(SPEC, program, words, caps)
    assert facts_of(SPEC, program, words, caps) is known
    copied: Any = msgspec.structs.replace(program)  # type: ignore[type-var]
    others = [
        facts_of(SPEC, copied, words, caps),
        facts_of(SPEC, program, (*words, *recipes()[0].words[:1], *()), list(words) or object()),
        facts_of(SPEC, program, words, object()),
        facts_of(replace(SPEC), program, words, caps),
    ]
    assert all(other is not known for other in others)


def test_few_programs_are_remembered() -> None:
    first = facts_of(SPEC, recipes()[0].program, recipes()[0].words, recipes()[0].caps)
    for recipe in recipes()[1 : KEPT + 1]:
        facts_of(SPEC, recipe.program, recipe.words, recipe.caps)
    assert len(program_facts._latest) == KEPT
    assert facts_of(SPEC, recipes()[0].program, recipes()[0].words, recipes()[0].caps) is not first


def test_words_belong_to_a_program() -> None:
    """The same program with another argument is another one."""
    recipe = next(one for one in listed(spec_named("hlsl-wave-matrix"), "quick") if one.words and not one.target)
    case = materialise(recipe).head(2)
    changed = tuple(msgspec.structs.replace(word, value=word.value + 1) for word in case.words)
    assert expect(case).clauses
    assert type(expect(replace(case, words=changed))) is not type(expect(case))
