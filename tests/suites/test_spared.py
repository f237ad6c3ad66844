"""On what a larger list adds, counterfactuals are not tried whose clauses the stored part of the list proves."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec
import platformdirs
import pytest

from mmaspec.backends.faults import faults_of
from mmaspec.backends.protocol import Images
from mmaspec.oracle.judge import expect_by_reading
from mmaspec.oracle.spec import spec_named
from mmaspec.programs.profile import PRACTICE
from mmaspec.strategies.recipe import Recipe, encode_recipe, materialise
from mmaspec.suites.judging.cache import sensitivity_path
from mmaspec.suites.judging.judge_case import CaseJudge
from mmaspec.suites.judging.record import Result
from mmaspec.suites.judging.sensitivity import sensitive_to
from mmaspec.suites.planning import plan as planning
from mmaspec.suites.planning.plan import Plan, Planned, case_list_hash
from mmaspec.suites.running.run_folder import RunFolder
from mmaspec.suites.running.supervisor import supervise
from mmaspec.suites.score import shipped
from mmaspec.suites.score.matrix import listed
from mmaspec.suites.score.spared import ENOUGH, spared

from .test_harness import SPEC, Numpy

RECIPES = [recipe for recipe in listed(spec_named(SPEC), "quick") if not recipe.target]
ROW = RECIPES[0].row
HERE = [recipe for recipe in RECIPES if recipe.row == ROW]
FAULT = faults_of(SPEC)[0]
OF_CLAUSE = {fault.name for fault in faults_of(SPEC) if fault.clause == FAULT.clause}


def planned(recipes: Sequence[Recipe]) -> list[Planned]:
    """The lines of a case list."""
    return [Planned(one.id, planning.test_key(one), msgspec.Raw(encode_recipe(one))) for one in recipes]


def store(monkeypatch: pytest.MonkeyPatch, names: dict[str, tuple[str, ...]]) -> None:
    monkeypatch.setattr(shipped, "known", lambda spec: names if spec == SPEC else {})


@pytest.mark.parametrize("proving", [0, ENOUGH - 1, ENOUGH, ENOUGH + 1])
def test_what_enough_stored_cases_prove_is_spared_in_their_row_alone(
    proving: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    store(monkeypatch, {recipe.id: (FAULT.name,) * (n < proving) for n, recipe in enumerate(HERE[:-1])})
    found = spared(SPEC, planned(RECIPES))
    assert found == ({(SPEC, ROW): OF_CLAUSE} if proving >= ENOUGH else {})


def test_nothing_is_spared_where_all_of_the_list_is_stored(monkeypatch: pytest.MonkeyPatch) -> None:
    store(monkeypatch, {recipe.id: (FAULT.name,) for recipe in RECIPES})
    assert spared(SPEC, planned(RECIPES)) == {}


def test_what_is_stored_of_cases_that_the_list_lacks_counts_for_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    store(monkeypatch, {recipe.id: (FAULT.name,) for recipe in HERE[:ENOUGH]})
    assert spared(SPEC, planned(HERE[ENOUGH - 1 :])) == {}


class Wrong(Numpy):
    """Wrong in every byte."""

    def run(self, spec: str, program: Any, inputs: Images) -> Images:
        return {name: image ^ (image != inputs[name]) for name, image in super().run(spec, program, inputs).items()}


def judged(backend: Numpy, recipe: Recipe, names: frozenset[str]) -> Result:
    cells = {(SPEC, recipe.row): names}
    return CaseJudge(backend, backend.describe(), PRACTICE, {}, limit=0, spared=cells).judge_listed(recipe)[0]


def test_a_legal_case_is_not_tried_with_them_and_a_failing_one_with_all() -> None:
    recipe = HERE[0]
    case = materialise(recipe)
    every = sensitive_to(case, expect_by_reading(case, PRACTICE))
    assert len(every) > 1
    without = frozenset(every[1:])
    legal = judged(Numpy(), recipe, without)
    assert (legal.outcome, legal.sensitive) == ("legal", every[:1])
    failing = judged(Wrong(), recipe, without)
    assert (failing.outcome, failing.sensitive) == ("illegal", every)


def test_a_near_miss_is_tried_with_all() -> None:
    recipe = next(recipe for recipe in listed(spec_named(SPEC), "quick") if recipe.target)
    result = judged(Numpy(), recipe, frozenset(fault.name for fault in faults_of(SPEC)))
    assert result.sensitive


@pytest.mark.parametrize("known", [(), HERE[:ENOUGH]])
def test_what_was_not_tried_whole_is_not_kept(
    known: Sequence[Recipe], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It would be taken for all that fails these cases."""
    monkeypatch.setattr(platformdirs, "user_cache_dir", lambda *_, **__: str(tmp_path / "cache"))
    store(monkeypatch, {recipe.id: (FAULT.name,) for recipe in known})
    recipes = HERE[: ENOUGH + 1]
    plan = Plan(
        backend="numpy", isolate=False, time_limit=60.0, description=Numpy().describe(), profile=PRACTICE,
        authority="profile", tier="standard", seed=1, specs=(SPEC,), caps={SPEC: spec_named(SPEC).default_caps},
        case_list=case_list_hash(recipe.id for recipe in recipes),
    )  # fmt: skip
    folder = RunFolder(tmp_path / "run")
    folder.write_plan(plan, recipes)
    supervise(folder, 1, lambda *_: None)
    assert sensitivity_path(recipe.id for recipe in recipes).exists() is not bool(known)
