"""The score tells what is caught from what is not, and a false alarm from none."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest
from typer.testing import CliRunner

from mmaspec.backends.faults import defects_of, faults_of
from mmaspec.backends.legal import LEGAL, LegalVariant
from mmaspec.backends.numpy.units.fused import FusedBlockUnit, ShortAlignmentUnit
from mmaspec.cli import app
from mmaspec.strategies.enumerate import DEFAULT_SEED
from mmaspec.strategies.recipe import Recipe
from mmaspec.suites.judging.sensitivity import candidates
from mmaspec.suites.score import scoring as module
from mmaspec.suites.score.scoring import Score, score
from tests.case_lists import case_list

from .conftest import every_recipe

SPEC = "hlsl-wave-matrix"
FAULT = next(fault for fault in faults_of(SPEC) if fault.name == "wm-mac-drops-addend")
DEFECT = "wm-last-product-missing"
UNTOUCHED = "wm-fragment-stride-ignored"
"""Nothing in these programs touches a fragment."""


class Broken(FusedBlockUnit):
    """No legal variant at all: it drops C."""

    def multiply_add(self, *operands, **options):  # type: ignore[no-untyped-def]
        *factors, addend = operands
        return super().multiply_add(*factors, addend * 0, **options)


@pytest.fixture
def few(monkeypatch: pytest.MonkeyPatch) -> list[Recipe]:
    """A list of a few programs with products, and one near miss."""
    everything = [recipe for recipe in every_recipe() if recipe.spec == SPEC]
    chosen = [r for r in everything if r.template == "accumulate" and r.row == "f16-16x16-f32"]
    chosen += [r for r in everything if r.target == "WM-ALIGN-POW2"][:1]
    own = [f for f in faults_of(SPEC) if f.name in (FAULT.name, UNTOUCHED) or f.clause == "WM-ALIGN-POW2"]
    for lists in ("listed", "listed_whole"):
        monkeypatch.setattr(module, lists, lambda *_: tuple(chosen))
    monkeypatch.setattr(module, "faults_of", lambda _: own)
    monkeypatch.setattr(module, "defects_of", lambda spec: [d for d in defects_of(spec) if d.name == DEFECT])
    monkeypatch.setattr(
        module, "candidates", lambda *given: [f for f in candidates(*given) if f in own or f.name == DEFECT]
    )
    return chosen


def scored(workers: int = 1) -> Score:
    return score((SPEC,), "quick", 1, workers, lambda *_: None)


def test_fault_whose_cases_are_listed_is_caught_and_blamed(few: list[Recipe]) -> None:
    found = {fault.name: fault for fault in scored().faults}
    caught = found[FAULT.name]
    assert caught.killed
    assert caught.blamed
    assert caught.first_kill_s is not None
    assert 1 <= len(caught.named) <= len(few)
    assert not found[UNTOUCHED].killed
    assert not found[UNTOUCHED].blamed


@pytest.mark.usefixtures("few")
def test_a_defect_is_judged_once_as_it_is_unknown_anyway() -> None:
    (defect,) = (fault for fault in scored().faults if fault.name == DEFECT)
    assert (defect.family, defect.clause) == ("arithmetic", "WM-MUL")
    assert defect.killed
    assert defect.named == defect.named_unknown


@pytest.mark.parametrize(
    ("names", "right", "enough"),
    [
        ((), {"A"}, False),
        (("A",), {"A"}, True),
        (("A", "B"), {"A"}, False),
        (("A", "B"), {"A", "B"}, True),
        (("A", "B", "C"), {"A", "C"}, True),
        (("B", "A", "A"), {"B"}, False),
    ],
    ids=lambda value: "-".join(sorted(value)) or "none" if isinstance(value, (tuple, set)) else str(value),
)
def test_more_than_half_have_to_be_right(names: tuple[str, ...], right: set[str], enough: bool) -> None:
    assert module._mostly(names, right) == enough


@pytest.mark.usefixtures("few")
def test_halves_are_scored_apart() -> None:
    faults = score((SPEC,), "quick", 1, 1, lambda *_: None, ("faults",))
    assert faults.faults
    assert not faults.legal
    legal = score((SPEC,), "quick", 1, 1, lambda *_: None, ("legal",))
    assert legal.legal
    assert not legal.faults


def test_near_miss_catches_a_device_that_does_not_check(few: list[Recipe]) -> None:
    caught = [fault for fault in scored().faults if fault.clause == few[-1].target]
    assert caught
    assert all(fault.killed and fault.blamed for fault in caught)


def test_false_alarms_are_counted(few: list[Recipe], monkeypatch: pytest.MonkeyPatch) -> None:
    variants = {
        name: LegalVariant(name, unit, "test") for name, unit in {"sound": FusedBlockUnit, "broken": Broken}.items()
    }
    monkeypatch.setattr(module, "LEGAL", variants)
    found = {variant.name: variant for variant in scored().legal}
    assert found["sound"].failed == 0
    assert found["broken"].failed > 0
    assert found["sound"].cases == len(few) - 1
    assert found["sound"].judged > 0


def test_a_variant_with_caps_of_its_own_is_judged_on_a_list_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    """Waves of 64 lanes: no false alarm, and one for every program of a device that does not do what it reports."""
    variant = LEGAL["waves-of-64"]
    variants = {"waves-of-64": variant, "broken": dataclasses.replace(variant, name="broken", unit=Broken)}
    monkeypatch.setattr(module, "LEGAL", variants)
    real = case_list

    def of_floats(spec: str, caps: Any, tier: str, seed: int) -> tuple[Recipe, ...]:
        assert caps == variant.caps[SPEC]
        return tuple(r for r in real(spec, caps, tier, seed) if r.row == "f16-16x16-f32" and not r.target)

    monkeypatch.setattr(module, "listed", of_floats)
    monkeypatch.setattr(module, "listed_whole", lambda *_: ())
    legal = score((SPEC,), "quick", 1, 1, lambda *_: None, ("legal",))
    found = {one.name: one for one in legal.legal}
    assert found["waves-of-64"].failed == 0
    assert found["waves-of-64"].cases == found["broken"].cases > 20
    assert found["broken"].failed > 0


@pytest.mark.usefixtures("few")
def test_a_variant_is_judged_under_the_profile_that_it_declares(monkeypatch: pytest.MonkeyPatch) -> None:
    """The same arithmetic is a false alarm where nothing was declared."""
    variants = {
        name: LegalVariant(name, unit, "test")
        for name, unit in {"declared": ShortAlignmentUnit, "silent": partial(FusedBlockUnit, 4, 9)}.items()
    }
    monkeypatch.setattr(module, "LEGAL", variants)
    found = {variant.name: variant for variant in scored().legal}
    assert found["declared"].failed == 0
    assert found["silent"].failed > 0
    assert found["declared"].judged > 0


def test_a_sample_of_what_is_planted_is_caught_and_rightly_blamed(
    monkeypatch: pytest.MonkeyPatch, one_in: Callable[[int], int]
) -> None:
    """Of one specification; CI scores the legal variants of another whole."""
    spec = "amd-rdna3-wmma"
    some = module.planted(spec)[:: one_in(36)]
    monkeypatch.setattr(module, "planted", lambda _: some)
    for lists in ("listed", "listed_whole"):
        real = getattr(module, lists)
        monkeypatch.setattr(module, lists, lambda *given, real=real: real(*given)[:: one_in(3)])
    monkeypatch.setattr(module, "candidates", lambda *given: [one for one in candidates(*given) if one in some])
    found = score((spec,), "quick", DEFAULT_SEED, 1, lambda *_: None, ("faults",))
    assert [one.name for one in found.faults] == [one.name for one in some]
    assert [(one.name, one.named) for one in found.faults if not (one.killed and one.blamed)] == []


@pytest.mark.usefixtures("few")
def test_score_is_perfect_only_with_every_fault_caught_and_no_false_alarm() -> None:
    assert not scored().perfect


@pytest.mark.usefixtures("few")
def test_struck_counterfactual_is_not_what_decides(monkeypatch: pytest.MonkeyPatch) -> None:
    """With its likeness struck from the list, a fault is blamed by locating alone."""
    seen: list[tuple[str, ...]] = []
    real = module.CaseJudge

    def noted(*positional, unknown=(), **options):  # type: ignore[no-untyped-def]
        seen.append(tuple(unknown))
        return real(*positional, unknown=unknown, **options)

    monkeypatch.setattr(module, "CaseJudge", noted)
    scored()
    assert () in seen
    assert (FAULT.name,) in seen


@pytest.mark.usefixtures("few")
def test_command_prints_json_and_exits_1_unless_perfect() -> None:
    result = CliRunner().invoke(app, ["score", "--spec", SPEC, "-n", "1", "--json"])
    assert result.exit_code == 1
    found = json.loads(result.stdout)
    assert {"name", "clause", "killed", "blamed", "first_kill_s"} <= found["faults"][0].keys()
    assert {"name", "failed"} <= found["legal"][0].keys()


def test_unknown_tier_is_one_line() -> None:
    result = CliRunner().invoke(app, ["score", "--tier", "huge"])
    assert "no tier named 'huge'" in str(result.exception)
