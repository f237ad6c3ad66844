"""Whatever is made of a failing case for its file fails as the case did, and is found again by a new process."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from msgspec.structs import replace

from mmaspec.backends.protocol import Images
from mmaspec.oracle.case import Case, decode_case
from mmaspec.oracle.spec import spec_named
from mmaspec.programs.amd_rdna3_wmma import Store, Wmma
from mmaspec.programs.profile import PRACTICE
from mmaspec.programs.tree import unrolled
from mmaspec.strategies.recipe import Recipe, materialise
from mmaspec.suites.judging.judge_case import CaseJudge
from mmaspec.suites.judging.record import Result
from mmaspec.suites.judging.single import replayed
from mmaspec.suites.judging.telling.found import found_in
from mmaspec.suites.score.matrix import listed

from .test_harness import SPEC, Numpy


def executed(program: Any) -> list[Any]:
    return [instruction for _, instruction in unrolled(program)]


def first(wanted: type[Any]) -> Recipe:
    """The first case of the quick list that executes such an instruction and loads something."""
    for recipe in listed(spec_named(SPEC), "quick"):
        if not recipe.target and any(isinstance(one, wanted) for one in executed(recipe.program)):
            return recipe
    raise AssertionError("no such case")


def filed(backend: Numpy, recipe: Recipe) -> tuple[Result, Case]:
    """The result of a case, and the case of its file."""
    judge = CaseJudge(backend, backend.describe(), PRACTICE, {recipe.id: ()})
    result, text = judge.judge_listed(recipe)
    return result, decode_case(text, "case.json")


class Raises(Numpy):
    """It raises over every product, and in another way over programs without one."""

    def run(self, _spec: str, program: Any, _inputs: Images) -> Images:
        if any(isinstance(one, Wmma) for one in executed(program)):
            raise IndexError("list index out of range")
        raise StopIteration


class RefusesTwice(Numpy):
    """The same with refusals by name."""

    def run(self, _spec: str, program: Any, _inputs: Images) -> Images:
        if any(isinstance(one, Wmma) for one in executed(program)):
            raise LookupError("no product")
        raise LookupError("no program without a product")


@pytest.mark.parametrize("device", [Raises, RefusesTwice])
def test_what_is_raised_stays_what_it_was(device: type[Numpy]) -> None:
    result, case = filed(device(), first(Wmma))
    found = found_in(case)
    assert found is not None
    assert result.finding is not None
    assert found.shown.says.partition(" (")[0] == result.finding.says.partition(" (")[0]
    assert any(isinstance(one, Wmma) for one in executed(case.program))
    assert len(executed(case.program)) < len(executed(first(Wmma).program)), "it is reduced all the same"


class Accumulates(Numpy):
    """It never clears its accumulator: to what is stored the bytes of what it stored before are added."""

    def __init__(self) -> None:
        super().__init__()
        self.last = 0

    def run(self, spec: str, program: Any, inputs: Images) -> Images:
        done = self.inner.run(spec, program, inputs)
        if not any(isinstance(one, Store) for one in executed(program)):
            return done
        name = next(one.buffer for one in executed(program) if isinstance(one, Store))
        changed = np.array(done[name])
        written = changed != inputs[name]
        changed[written] += np.uint8(self.last)
        self.last = (self.last + 1 + int(done[name].sum())) % 256
        return {**done, name: changed}


def test_what_depends_on_earlier_calls_is_found_again_by_a_new_process() -> None:
    recipe = first(Wmma)
    warm = Accumulates()
    warm.last = 77
    result, case = filed(warm, recipe)
    assert result.finding is not None
    assert result.finding.varies
    assert case.program == recipe.program, "a smaller one would show what ran before it"
    verdict = replayed(Accumulates(), case)
    assert verdict.failed
    assert verdict.says.startswith("confirmed: ")
    assert "no longer fails" in replayed(Numpy(), case).says


class WrongNowAndThen(Numpy):
    """Every second answer is wrong."""

    def __init__(self) -> None:
        super().__init__()
        self.calls = 0

    def run(self, spec: str, program: Any, inputs: Images) -> Images:
        self.calls += 1
        done = self.inner.run(spec, program, inputs)
        wrong = self.calls % 2 == 0
        return {name: image ^ (wrong & (image != inputs[name])) for name, image in done.items()}


def test_answers_that_were_all_wrong_and_are_now_partly_right_confirm_that_they_differ() -> None:
    _, case = filed(Accumulates(), first(Wmma))
    found = found_in(case)
    assert found is not None
    assert found.finding.varies
    verdict = replayed(WrongNowAndThen(), case)
    assert verdict.failed
    assert verdict.says.startswith("confirmed: unstable: ")
    assert f"; the run found {found.finding.blamed[0]}: " in verdict.says


class Negated(Numpy):
    """What it stores has the wrong sign, which no document grants."""

    def run(self, spec: str, program: Any, inputs: Images) -> Images:
        done = super().run(spec, program, inputs)
        return {name: image ^ ((image != inputs[name]) * np.uint8(0x80)) for name, image in done.items()}


@pytest.mark.parametrize("practice_only", [True, False])
def test_what_breaks_practice_alone_is_not_shown_by_what_breaks_documents(*, practice_only: bool) -> None:
    """A smaller case may fall outside what the documents grant, where the listed one does not."""
    recipe = first(Wmma)
    judge = CaseJudge(Negated(), Negated().describe(), PRACTICE, {recipe.id: ()}, limit=0)
    result, _ = judge.judge_listed(recipe)
    assert result.finding is not None
    assert not result.finding.practice_only
    listed_one = replace(result.finding, practice_only=practice_only)
    shown = judge._here(materialise(recipe), listed_one, result.finding.place, None)
    assert (shown is None) is practice_only
