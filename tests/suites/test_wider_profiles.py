"""A profile that allows more than practice does buys no pass."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import cast

import platformdirs
import pytest

from mmaspec.backends.faults import fault_named
from mmaspec.programs.profile import PRACTICE, Profile
from mmaspec.suites.judging.cache import sensitivity_path
from mmaspec.suites.judging.judge_case import CaseJudge
from mmaspec.suites.judging.record import Result
from mmaspec.suites.planning.prepare import Wanted, prepare
from mmaspec.suites.running import supervisor
from mmaspec.suites.running.run_folder import RunFolder
from mmaspec.suites.verdict.assemble import assemble
from mmaspec.suites.verdict.model import ClauseResult
from tests.case_lists import case_list

SPEC = "amd-rdna3-wmma"


def verdict(fault: str, clause: str, profile: Profile) -> ClauseResult:
    """What products of one row say of a clause on its own counterfactual."""
    backend = fault_named(fault).make()
    plan, recipes = prepare(Wanted(backend="test", specs=(SPEC,), tier="quick", profile=profile), backend, case_list)
    chosen = [recipe for recipe in recipes if recipe.row == "f32_16x16x16_f16_w32"]
    chosen = [recipe for recipe in chosen if not recipe.target and recipe.template.startswith("product")]
    case_judge = CaseJudge(backend, plan.description, profile, {}, limit=0)
    return assemble(plan, [case_judge.judge_listed(recipe)[0] for recipe in chosen], {}).specs[SPEC].clauses[clause]


def test_a_counterfactual_does_not_pass_its_own_clause() -> None:
    fault, clause = "rdna3-nan-becomes-zero", "RDNA3-FP-NAN"
    assert verdict(fault, clause, PRACTICE).status == "fail"
    assert verdict(fault, clause, Profile(name="wide", nan="reported")).status == "not judged"


def test_what_a_profile_leaves_demanded_is_still_judged() -> None:
    wide = Profile(name="wide", accumulator_precision=14)
    assert verdict("rdna3-nan-becomes-zero", "RDNA3-FP-NAN", wide).status == "fail"


def test_what_was_sensitive_under_such_a_profile_is_not_cached(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It would count for every other profile."""
    backend = fault_named("rdna3-nan-becomes-zero").make()
    for profile, kept in ((PRACTICE, True), (Profile(name="wide", nan="reported"), False)):
        plan, recipes = prepare(
            Wanted(backend="test", specs=(SPEC,), tier="quick", profile=profile), backend, case_list
        )
        monkeypatch.setattr(platformdirs, "user_cache_dir", lambda *_, name=profile.name, **__: str(tmp_path / name))
        result = Result(
            case=recipes[0].id,
            spec=SPEC,
            row=recipes[0].row,
            template="t",
            outcome="legal",
            sensitive=(),
            clauses=("RDNA3-FP-NAN",),
        )
        supervisor._keep_sensitivity(cast(RunFolder, SimpleNamespace(plan=plan, listed_cases=[])), [result])
        assert sensitivity_path([result.case]).exists() == kept
