"""A profile that allows more than practice does buys no pass."""

from __future__ import annotations

from mmaspec.backends.faults import fault_named
from mmaspec.oracle.profile import PRACTICE, Profile
from mmaspec.suites.assemble import assemble
from mmaspec.suites.examine import Examiner
from mmaspec.suites.prepare import Wanted, prepare
from mmaspec.suites.run import ClauseResult

SPEC = "amd-rdna3-wmma"


def verdict(fault: str, clause: str, profile: Profile) -> ClauseResult:
    """What the smoke tier says of a clause on its own counterfactual."""
    backend = fault_named(fault).make()
    plan, recipes = prepare(Wanted(backend="test", specs=(SPEC,), profile=profile), backend)
    chosen = [recipe for recipe in recipes if "float" in recipe.row or recipe.row.startswith("f32")]
    chosen = [recipe for recipe in chosen if not recipe.target and recipe.template.startswith("product")]
    examiner = Examiner(backend, plan.description, profile, {}, limit=0)
    return assemble(plan, [examiner.examine(recipe)[0] for recipe in chosen], {}).specs[SPEC].clauses[clause]


def test_a_counterfactual_does_not_pass_its_own_clause() -> None:
    fault, clause = "rdna3-nan-becomes-zero", "RDNA3-FP-NAN"
    assert verdict(fault, clause, PRACTICE).status == "fail"
    assert verdict(fault, clause, Profile(name="wide", nan="reported")).status == "not judged"


def test_what_a_profile_leaves_demanded_is_still_judged() -> None:
    wide = Profile(name="wide", accumulator_precision=14)
    assert verdict("rdna3-nan-becomes-zero", "RDNA3-FP-NAN", wide).status == "fail"
