"""How much the sets of a case accept is kept from run to run: the next one says the same and computes no sets."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import platformdirs
import pytest
from msgspec.structs import replace

from mmaspec.backends.faults import fault_named
from mmaspec.backends.numpy.backend import NumpyBackend
from mmaspec.backends.numpy.devices import DEVICES
from mmaspec.backends.numpy.units.sequential import SequentialUnit
from mmaspec.backends.protocol import Backend
from mmaspec.oracle.acceptance import Acceptance, acceptance
from mmaspec.oracle.expectation import Defined
from mmaspec.oracle.numerics import deferred, verdict
from mmaspec.programs.amd_rdna3_wmma.program import Wmma
from mmaspec.programs.hlsl_wave_matrix.program import Multiply, MultiplyAccumulate
from mmaspec.programs.intel_subgroup_mma.program import Mad
from mmaspec.programs.nv_coopmat2.program import MulAdd
from mmaspec.programs.profile import PRACTICE, Profile
from mmaspec.programs.tree import unrolled
from mmaspec.strategies.enumerate import grammar_of
from mmaspec.strategies.recipe import Recipe
from mmaspec.suites.judging.ask import ask, hold
from mmaspec.suites.judging.cache import sensitivity_path
from mmaspec.suites.judging.judge_case import CaseJudge
from mmaspec.suites.judging.record import Result
from mmaspec.suites.judging.remembered.acceptance import (
    Accepted,
    acceptance_path,
    judged_under,
    keep_acceptance,
    read_acceptance,
)
from mmaspec.suites.planning.prepare import Wanted, prepare
from mmaspec.suites.running import supervisor
from tests.case_lists import case_list

from .conftest import every_recipe, smoke_case
from .test_ambiguity import WrappingUnit

KEPT = Acceptance(2.0**-20, 0.25, 3, 40, weak=True)


def sample() -> tuple[Recipe, ...]:
    """Some of every list."""
    return every_recipe()[::54]


def plain(unit: SequentialUnit | None = None) -> Backend:
    return NumpyBackend(unit or SequentialUnit(), DEVICES, name="test", profile=PRACTICE)


def examined(backend: Backend, recipes: tuple[Recipe, ...], accepted: Accepted) -> list[Result]:
    found = []
    for recipe in recipes:
        listed = smoke_case(recipe.id)
        known = {recipe.id: ()}
        case_judge = CaseJudge(backend, backend.describe(), PRACTICE, known, limit=0, accepted=accepted)
        found.append(case_judge.judge(listed.case, recipe.id, listed.expected)[0])
    return found


def kept(path: Path, results: list[Result]) -> Accepted:
    keep_acceptance(path, PRACTICE, results)
    return read_acceptance(path)


def test_what_is_kept_is_what_the_sets_say(tmp_path: Path) -> None:
    found = kept(tmp_path / "a.json", examined(plain(), sample(), {}))
    for recipe in sample():
        expected = smoke_case(recipe.id).expected
        if isinstance(expected.first, Defined) and acceptance(expected.first).judged:
            ((reading, told),) = found[recipe.id].items()
            under = dict(expected.variants)[reading] if reading else expected.first
            assert told == acceptance(under)
        else:
            assert recipe.id not in found
    assert len(found) > 10


def test_failures_leave_no_trace(tmp_path: Path) -> None:
    """What is nearest to wrong bytes may be under a reading that is not the default one."""
    moved = tuple(one for one in every_recipe() if one.template == "move-subnormals" and one.spec == "hlsl-wave-matrix")
    wrong = examined(fault_named("wm-row-stride-ignored").make(), moved, {})
    assert any(result.finding is not None and result.share for result in wrong)
    assert examined(plain(), moved, kept(tmp_path / "a.json", wrong)) == examined(plain(), moved, {})


@pytest.mark.exhaustive(every=2)
@pytest.mark.parametrize("fault", ["", "wm-row-stride-ignored", "rdna3-c-dropped", "cm-c-dropped"])
def test_results_are_the_same_with_it(tmp_path: Path, fault: str) -> None:
    backend = fault_named(fault).make() if fault else plain()
    mine = tuple(recipe for recipe in sample() if not fault or recipe.spec == fault_named(fault).spec)
    chosen = mine if fault else mine[::2]
    cold = examined(backend, chosen, {})
    assert examined(backend, chosen, kept(tmp_path / "a.json", cold)) == cold
    assert (not fault) == all(result.outcome == "legal" for result in cold)


def test_results_say_what_is_kept() -> None:
    recipe = next(recipe for recipe in sample() if not recipe.target)
    (result,) = examined(plain(), (recipe,), {recipe.id: {(): KEPT}})
    assert (result.share, result.widest, result.unjudged) == (KEPT.median, KEPT.widest, KEPT.unjudged)
    assert (result.judged, result.weak) == (KEPT.judged, KEPT.weak)
    (other,) = examined(plain(), (recipe,), {recipe.id: {(("RDNA3-AMB-04", "wrap"),): KEPT}})
    assert other == examined(plain(), (recipe,), {})[0]


def test_results_say_what_is_kept_of_the_reading_that_explains_them() -> None:
    wraps = (("RDNA3-AMB-04", "wrap"),)
    plain_sums = plain(WrappingUnit())
    clamped = tuple(r for r in every_recipe() if r.spec == "amd-rdna3-wmma" and r.regime == "overflow")
    found = examined(plain_sums, clamped, {r.id: {(): Acceptance(0.5, 0.5, 1, 1), wraps: KEPT} for r in clamped})
    shares = {result.share for result in found if judged_under(result, PRACTICE) == wraps}
    assert shares == {KEPT.median}


@pytest.fixture
def sets(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Every computation of legal sets of a product that may be judged without."""
    computed: list[str] = []
    for module in (deferred, verdict):
        real = module.multiply_add

        def counted(real: Any = real, **given: Any) -> Any:
            computed.append("set")
            return real(**given)

        monkeypatch.setattr(module, "multiply_add", counted)
    return computed


def asks_for_sets(sets: list[str], recipe: Recipe, accepted: Accepted) -> bool:
    """Whether a set is computed while a case is judged from the start."""
    before = len(sets)
    smoke_case.cache_clear()  # what was computed before would not be computed again
    examined(plain(), (recipe,), accepted)
    return len(sets) > before


def products(recipe: Recipe) -> int:
    """How many products of matrices a program carries out."""
    return sum(
        isinstance(step, Wmma | Mad | Multiply | MultiplyAccumulate | MulAdd) for _, step in unrolled(recipe.program)
    )


@pytest.mark.exhaustive(every=2)
@pytest.mark.parametrize("spec", ["amd-rdna3-wmma", "hlsl-wave-matrix", "intel-subgroup-mma", "nv-coopmat2"])
def test_a_product_that_is_only_stored_is_judged_without_its_set(tmp_path: Path, sets: list[str], spec: str) -> None:
    ordinary = (recipe for recipe in every_recipe() if recipe.spec == spec and recipe.regime in ("normal", "window"))
    drawn = {template.name for template in grammar_of(spec).templates}
    alone = [one for one in ordinary if products(one) == 1 and one.template in drawn and "f64" not in one.row]
    chosen = [recipe for recipe in alone if asks_for_sets(sets, recipe, {})][:8]
    accepted = kept(tmp_path / "a.json", examined(plain(), tuple(chosen), {}))
    assert len(chosen) > 4
    assert [recipe.template for recipe in chosen if asks_for_sets(sets, recipe, accepted)] == []


def test_wrong_bytes_ask_for_the_set(sets: list[str]) -> None:
    """The finding says what would have been legal."""
    recipe = next(r for r in every_recipe() if r.template.startswith("product") and r.regime == "normal")
    backend = fault_named("rdna3-c-dropped").make()
    smoke_case.cache_clear()
    (result,) = examined(backend, (recipe,), {recipe.id: {(): KEPT}})
    assert result.outcome == "illegal"
    assert sets


def test_a_reading_that_explains_the_bytes_is_found_in_the_result(tmp_path: Path) -> None:
    """Sums that wrap where the default says that they saturate: the sets of that reading are those that were judged."""
    backend = plain(WrappingUnit())
    clamped = [recipe for recipe in every_recipe() if recipe.spec == "amd-rdna3-wmma" and recipe.regime == "overflow"]
    readings = set()
    for recipe in clamped:
        listed = smoke_case(recipe.id)
        if not isinstance(listed.expected.first, Defined):
            continue
        held = hold(listed.case, listed.expected, ask(backend, listed.case, listed.expected.first))
        (result,) = examined(backend, (recipe,), {})
        assert judged_under(result, PRACTICE) == held.reading
        readings.add(held.reading)
        assert kept(tmp_path / f"{recipe.id}.json", [result]) == {recipe.id: {held.reading: acceptance(held.expected)}}
    assert readings == {(), (("RDNA3-AMB-04", "wrap"),)}


def result(case: str, **facts: Any) -> Result:
    return Result(case=case, spec="amd-rdna3-wmma", row="r", template="t", outcome="legal", **facts)


def test_runs_add_what_was_not_known(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    one = kept(path, [result("1", judged=4, share=0.5, widest=0.75), result("2", judged=1)])
    assert one == {"1": {(): Acceptance(0.5, 0.75, 0, 4)}}
    both = kept(path, [result("3", unjudged=7)])
    assert both == {**one, "3": {(): Acceptance(0.0, 0.0, 7)}}
    path.chmod(0o400)
    stamp = path.stat()
    assert kept(path, [result("3", unjudged=7)]) == both
    assert path.stat().st_ino == stamp.st_ino


@pytest.mark.parametrize("text", [None, b"", b"[]", b'{"1": 7}', b'{"1": [[[], {"median": "x"}]]}', b"\xff"], ids=repr)
def test_a_missing_or_damaged_file_is_as_none(tmp_path: Path, text: bytes | None) -> None:
    if text is not None:
        (tmp_path / "a.json").write_bytes(text)
    assert read_acceptance(tmp_path / "a.json") == {}
    assert kept(tmp_path / "a.json", [result("1", judged=4, share=0.5)]) != {}


def test_each_profile_and_each_list_has_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(platformdirs, "user_cache_dir", lambda *_, **__: str(tmp_path / "cache"))
    backend = plain()
    paths = set()
    for seed in (1, 2):
        plan, recipes = prepare(
            Wanted(backend="test", specs=("amd-rdna3-wmma",), tier="quick", seed=seed), backend, case_list
        )
        found = result(recipes[0].id, judged=1, share=0.5)
        for profile in (PRACTICE, Profile(name="wide", accumulator_precision=14), Profile(name="wide", nan="reported")):
            path = sensitivity_path([found.case])
            supervisor._keep_acceptance(replace(plan, profile=profile), [found])
            paths.add(acceptance_path(path, profile))
            assert read_acceptance(acceptance_path(path, profile)) == {found.case: {(): Acceptance(0.5, 0.0, 0, 1)}}
    assert len(paths) == 6
