"""A case is judged to an outcome whatever the backend does while its failure is explained."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from mmaspec.backends.failures import Unasked
from mmaspec.backends.numpy.backend import NumpyBackend
from mmaspec.backends.numpy.devices import DEVICES
from mmaspec.backends.numpy.units.exact import ExactUnit
from mmaspec.backends.protocol import Images, Refused
from mmaspec.oracle.judge import expect_by_reading
from mmaspec.oracle.spec import spec_named
from mmaspec.programs.profile import PRACTICE
from mmaspec.strategies.recipe import materialise
from mmaspec.suites.judging.judge_case import CaseJudge
from mmaspec.suites.judging.plain import refused
from mmaspec.suites.judging.record import Begin
from mmaspec.suites.running.local import local_plan
from mmaspec.suites.score.matrix import listed

from .test_harness import SPEC, Numpy


class WrongUntil(Numpy):
    """Wrong bytes in the first runs, then nothing but exceptions."""

    def __init__(self, runs: int) -> None:
        super().__init__()
        self.left = runs

    def run(self, spec: str, program: Any, inputs: Images) -> Images:
        self.left -= 1
        if self.left < 0:
            raise Refused("out of memory")
        return {name: image ^ (image != inputs[name]) for name, image in super().run(spec, program, inputs).items()}


@pytest.mark.parametrize("runs", [2, 4, 9, 25, 100])
def test_failure_stands_though_it_cannot_be_explained(runs: int) -> None:
    recipe = next(recipe for recipe in listed(spec_named(SPEC), "quick") if not recipe.target)
    backend = WrongUntil(runs)
    result, example = CaseJudge(backend, backend.describe(), PRACTICE, {recipe.id: ()}).judge_listed(recipe)
    assert result.outcome == "illegal"
    assert result.finding is not None
    assert result.finding.blamed
    assert example


def test_nothing_is_blamed_on_the_strength_of_a_question_that_was_never_put() -> None:
    class Lost(WrongUntil):
        def run(self, spec: str, program: Any, inputs: Images) -> Images:
            if self.left <= 0:
                raise Unasked("too many open files")
            return super().run(spec, program, inputs)

    recipe = next(recipe for recipe in listed(spec_named(SPEC), "quick") if not recipe.target)
    backend = Lost(2)
    result, _ = CaseJudge(backend, backend.describe(), PRACTICE, {recipe.id: ()}).judge_listed(recipe)
    assert result.outcome == "illegal"
    assert result.finding is not None
    assert "could not be explained: Unasked: too many open files" in result.finding.says


def test_the_rules_are_not_asked_again_about_a_listed_program(monkeypatch: pytest.MonkeyPatch) -> None:
    recipe = next(recipe for recipe in listed(spec_named(SPEC), "quick") if not recipe.target)
    judge = CaseJudge(Numpy(), Numpy().describe(), PRACTICE, {recipe.id: ()}, limit=0)

    def asked(*_: object) -> bool:
        raise AssertionError

    rules = import_module(f"mmaspec.oracle.{SPEC.replace('-', '_')}.undefined")
    monkeypatch.setattr(rules, "RULES", {"any": asked})
    assert judge.judge_listed(recipe)[0].outcome == "legal"
    with pytest.raises(AssertionError):
        expect_by_reading(materialise(recipe), PRACTICE)


@pytest.mark.parametrize("clauses", [None, [], "RDNA3-MMA", ("RDNA3-MMA",), [3]])
def test_refusal_with_any_clauses_is_a_refusal(clauses: Any) -> None:
    named = ("RDNA3-MMA",) if clauses in ("RDNA3-MMA", ("RDNA3-MMA",)) else ()
    assert refused(SPEC, Refused("no", clauses)).blamed == named, "a refusal that names no clause blames none"


class OfOneSpecification(NumpyBackend):
    """Whose list is drawn in a moment."""

    def __init__(self) -> None:
        super().__init__(ExactUnit(), {SPEC: DEVICES[SPEC]})


def test_local_session_asks_again_what_an_earlier_one_answered(tmp_path: Path) -> None:
    options = {"--mmaspec-backend": f"{__name__}:OfOneSpecification", "--mmaspec-out": str(tmp_path)}
    ends: list[Callable[[], None]] = []
    config: Any = SimpleNamespace(getoption=options.__getitem__, add_cleanup=ends.append)
    folder = local_plan(config)
    recorder = folder.recorder("earlier")
    recorder.append(Begin("a"))
    recorder.close()
    with pytest.raises(pytest.UsageError, match="a run is going on there"):
        local_plan(config)
    ends[0]()
    again = local_plan(config)
    ends[1]()
    assert again.path == folder.path
    assert not again.recorded().begun
