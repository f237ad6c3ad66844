"""Explored cases within a run: where they are answered, and what is told of them on which authority."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

import msgspec
import pytest
from msgspec.structs import replace

from mmaspec.backends.resolve import resolve
from mmaspec.oracle.spec import spec_named
from mmaspec.programs.profile import PRACTICE
from mmaspec.strategies.enumerate import DEFAULT_SEED
from mmaspec.strategies.grammar import EXPLORATION
from mmaspec.strategies.recipe import Recipe, encode_recipe
from mmaspec.suites.judging.kind import EVIDENCE
from mmaspec.suites.judging.record import Finding, Result
from mmaspec.suites.planning import plan as planning
from mmaspec.suites.planning.plan import Plan, Planned, case_list_hash, pending_here
from mmaspec.suites.planning.prepare import Wanted, prepare
from mmaspec.suites.planning.unchanged import check_unchanged
from mmaspec.suites.running.deaths import listed_deaths
from mmaspec.suites.score.matrix import listed
from mmaspec.suites.vectors import request
from mmaspec.suites.verdict.assemble import assemble

SPEC = "amd-rdna3-wmma"
WANTED = Wanted(specs=(SPEC,), tier="standard")


@cache
def some() -> tuple[Recipe, ...]:
    """Cases of the list; who explores here finds the last two of them, under another name."""
    return tuple(recipe for recipe in listed(spec_named(SPEC), "quick") if not recipe.target)[:6]


def beyond() -> tuple[Recipe, ...]:
    return tuple(replace(recipe, template=EXPLORATION) for recipe in some()[4:])


def planned(**options: bool) -> tuple[Plan, tuple[Recipe, ...]]:
    asked = Wanted(specs=(SPEC,), tier="standard", **options)
    return prepare(asked, resolve("numpy"), lambda *_: some()[:4], lambda *_: beyond())


def lines(recipes: Sequence[Recipe]) -> list[Planned]:
    return [Planned(recipe.id, planning.test_key(recipe), msgspec.Raw(encode_recipe(recipe))) for recipe in recipes]


def test_the_plan_has_both_and_its_hash_is_that_of_the_list() -> None:
    plan, recipes = planned()
    assert plan.explore
    assert recipes == (*some()[:4], *beyond())
    assert plan.case_list == case_list_hash(recipe.id for recipe in some()[:4])
    without, alone = planned(explore=False)
    assert alone == some()[:4]
    assert without == replace(plan, explore=False)
    assert not prepare(
        Wanted(specs=(SPEC,), tier="quick"), resolve("numpy"), lambda *_: some()[:4], lambda *_: beyond()
    )[0].explore


def test_who_explores_is_told_what_is_listed() -> None:
    asked = []
    prepare(WANTED, resolve("numpy"), lambda *_: some()[:4], lambda *given: asked.append(given) or ())
    ((spec, caps, tier, seed, known),) = asked
    assert (spec, caps, tier, seed) == (SPEC, spec_named(SPEC).default_caps, "standard", DEFAULT_SEED)
    assert known == {recipe.id for recipe in some()[:4]}


@pytest.mark.parametrize("count", [1, 2, 7])
def test_they_are_answered_in_the_first_shard_alone(count: int) -> None:
    plan, recipes = planned()
    shares = [pending_here(replace(plan, shard=f"{n}/{count}"), lines(recipes)) for n in range(1, count + 1)]
    assert [sum(one.explored for one in share) for share in shares] == [2] + [0] * (count - 1)
    assert sorted(one.id for share in shares for one in share) == sorted(recipe.id for recipe in recipes)


def test_a_run_that_goes_on_plans_the_same() -> None:
    plan, recipes = planned()
    check_unchanged(plan, lines(recipes), WANTED, resolve("numpy"), "here")


def test_vectors_have_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(request, "prepare", lambda wanted, *_: (wanted, ()))
    wanted, _ = request.planned(WANTED, None)
    assert wanted == Wanted(specs=(SPEC,), tier="standard", explore=False)


def failing(recipe: Recipe, **finding: object) -> Result:
    found = Finding(**{"symptom": "value", "blamed": ("RDNA3-FP-ACC",), "how": "base", "says": "wrong", **finding})  # type: ignore[arg-type]
    return Result(
        case=recipe.id, spec=SPEC, row=recipe.row, template=recipe.template, outcome="illegal", clauses=("RDNA3-MMA",),
        finding=found, example=f"{recipe.id}.json",
    )  # fmt: skip


def legal(recipe: Recipe) -> Result:
    return Result(
        case=recipe.id, spec=SPEC, row=recipe.row, template=recipe.template, outcome="legal", clauses=("RDNA3-MMA",),
        judged=9, share=0.1, sensitive=("rdna3-c-dropped",), accepted=((("RDNA3-AMB-04", "wrap"),),),
    )  # fmt: skip


def test_a_legal_one_proves_nothing_and_rules_out_no_reading() -> None:
    plan, recipes = planned()
    run = assemble(plan, [legal(recipe) for recipe in beyond()], {}, lines(recipes))
    assert run.totals.cases == run.totals.elements == 0
    assert "pass" not in {clause.status for clause in run.specs[SPEC].clauses.values()}
    assert len(run.readings["RDNA3-AMB-04"]) > 1
    assert not run.specs[SPEC].sharpness
    assert run.verdict == "inconclusive"
    assert run.exploration[SPEC].outcomes == {"legal": 2}
    assert "explored" not in run.headline


def test_what_breaks_practice_alone_is_told_and_fails_no_run_on_the_documents() -> None:
    plan, recipes = planned()
    results = [failing(beyond()[0], practice_only=True), legal(beyond()[1])]
    found = assemble(plan, results, {}, lines(recipes))
    assert found.verdict == "not conformant"
    assert "; 1 of 2 explored cases fails" in found.headline
    assert found.specs[SPEC].clauses["RDNA3-FP-ACC"].status != "fail"
    narrow = assemble(replace(plan, authority="document", profile=PRACTICE), results, {}, lines(recipes))
    assert narrow.verdict == "inconclusive"
    assert narrow.exploration[SPEC].failed == 0
    (group,) = narrow.exploration[SPEC].findings
    assert group.says.startswith("it does not count: ")


def test_findings_of_list_and_exploration_stay_apart() -> None:
    plan, recipes = planned()
    run = assemble(plan, [failing(recipe) for recipe in recipes], {}, lines(recipes))
    assert [group.cases for group in run.findings] == [4]
    assert [group.cases for group in run.explored_findings] == [2]
    assert run.every_finding == [*run.findings, *run.explored_findings]


def test_deaths_in_exploration_cost_the_list_no_small_case() -> None:
    many = [
        replace(failing(some()[0], symptom="died", blamed=()), outcome="died", case=f"{n:016x}", template=template)
        for n, template in enumerate([EXPLORATION] * 20 + ["tiles"] * 20)
    ]
    assert sum(not result.explored for result in listed_deaths(many)) == 1 + EVIDENCE
