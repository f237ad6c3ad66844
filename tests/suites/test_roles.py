"""A backend that only validates is judged by what it accepts and refuses, and by nothing else."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from mmaspec.backends.failures import Unasked
from mmaspec.backends.protocol import Description, Images, Refused
from mmaspec.oracle.spec import spec_named
from mmaspec.programs.errors import BadInput
from mmaspec.programs.profile import PRACTICE
from mmaspec.suites.judging.judge_case import CaseJudge
from mmaspec.suites.judging.record import Result
from mmaspec.suites.score.matrix import listed

from .test_harness import SPEC, Numpy
from .test_verdicts import run_of

VALIDATES = Description(name="front end", version="1", roles=("validates",), enforces="all")


class FrontEnd(Numpy):
    """Refuses what numpy refuses, and whatever else it is told to; returns nothing."""

    def __init__(self, strict: bool = False) -> None:
        super().__init__()
        self.strict = strict

    def describe(self) -> Description:
        return VALIDATES

    def run(self, spec: str, program: Any, inputs: Images) -> Images:
        self.inner.run(spec, program, inputs)
        if self.strict:
            raise Refused("too long")
        return {}


def examined(backend: FrontEnd, count: int = 6) -> list[Result]:
    recipes = listed(spec_named(SPEC), "quick")
    chosen = [r for r in recipes if not r.target][:count] + [r for r in recipes if r.target][:count]
    return [CaseJudge(backend, VALIDATES, PRACTICE, {r.id: ()}, limit=0).judge_listed(r)[0] for r in chosen]


def test_accepting_valid_programs_and_refusing_the_others_is_all_it_takes() -> None:
    assert {result.outcome for result in examined(FrontEnd())} == {"legal"}


def test_valid_program_refused_is_a_failure_that_names_no_clause_of_execution() -> None:
    failed = [result for result in examined(FrontEnd(strict=True)) if result.outcome != "legal"]
    assert len(failed) == 6
    assert all(result.outcome == "refused" and not result.finding.blamed for result in failed if result.finding)


@pytest.mark.parametrize("near_miss", [False, True])
def test_only_trouble_before_it_was_asked_is_not_its_own(near_miss: bool) -> None:
    recipe = next(r for r in listed(spec_named(SPEC), "quick") if bool(r.target) == near_miss)

    class Broken(FrontEnd):
        trouble: type[Exception] = Unasked

        def run(self, *_: Any) -> Images:
            raise self.trouble("no room")

    case_judge = CaseJudge(backend := Broken(), VALIDATES, PRACTICE, {recipe.id: ()}, limit=0)
    with pytest.raises(Unasked):
        case_judge.judge_listed(recipe)
    backend.trouble = BadInput
    assert case_judge.judge_listed(recipe)[0].outcome == "illegal"


def test_clauses_of_execution_are_not_applicable() -> None:
    run = run_of([], VALIDATES)
    by_kind = {
        clause.kind: run.specs["hlsl-wave-matrix"].clauses[name]
        for name, clause in spec_named("hlsl-wave-matrix").catalogue.clause.items()
        if clause.testable
    }
    assert by_kind["X"].why == "the backend does not execute"
    assert by_kind["V"].status == "not judged"


def test_refused_valid_program_fails_the_run() -> None:
    refused = next(result for result in examined(FrontEnd(strict=True)) if result.outcome == "refused")
    assert run_of([replace(refused, spec="hlsl-wave-matrix")], VALIDATES).verdict == "not conformant"
