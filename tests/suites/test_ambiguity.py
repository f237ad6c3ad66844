"""Two clauses left ambiguous end with the right readings for consistent backends, and with none for others."""

from __future__ import annotations

from typing import Literal

import numpy as np
import pytest

from mmaspec.backends.numpy.amd_rdna3_wmma.device import GROUP
from mmaspec.backends.numpy.backend import NumpyBackend
from mmaspec.backends.numpy.devices import DEVICES
from mmaspec.backends.numpy.units.leniences import SaturatingUnit
from mmaspec.backends.numpy.units.sequential import SequentialUnit
from mmaspec.backends.numpy.units.unit import Bits
from mmaspec.oracle.judge import expect_by_reading
from mmaspec.oracle.spec import spec_named
from mmaspec.programs.profile import PRACTICE, Pin, Profile
from mmaspec.reports.reading_view import clause_lines
from mmaspec.suites.judging.judge_case import CaseJudge
from mmaspec.suites.planning.plan import Plan
from mmaspec.suites.verdict.assemble import assemble
from mmaspec.suites.verdict.model import ClauseResult, Run

from .conftest import every_recipe, smoke_case

Overflow = Literal["wrap", "saturate"]


class WrappingUnit(SequentialUnit):
    """Wraps, whatever is asked."""

    settled = "wrap"


class StepwiseUnit(SequentialUnit):
    """Clamps the running sum after every product, C first."""

    settled = "saturate"

    def multiply_add(
        self, a_fmt: str, a: Bits, b_fmt: str, b: Bits, c_fmt: str, c: Bits, overflow: Overflow = "wrap"
    ) -> Bits:
        for k in range(a.shape[-1]):
            c = super().multiply_add(a_fmt, a[..., k : k + 1], b_fmt, b[..., k : k + 1, :], c_fmt, c, overflow)
        return c


class UndecidedUnit(SequentialUnit):
    """Wraps in even columns and saturates in odd ones, where the device asks for ``asked``."""

    def __init__(self, asked: Overflow) -> None:
        super().__init__()
        self.asked = asked

    def multiply_add(
        self, a_fmt: str, a: Bits, b_fmt: str, b: Bits, c_fmt: str, c: Bits, overflow: Overflow = "wrap"
    ) -> Bits:
        if overflow != self.asked:
            return super().multiply_add(a_fmt, a, b_fmt, b, c_fmt, c, overflow)
        wrapped = super().multiply_add(a_fmt, a, b_fmt, b, c_fmt, c, "wrap")
        clamped = super().multiply_add(a_fmt, a, b_fmt, b, c_fmt, c, "saturate")
        return np.where(np.arange(wrapped.shape[-1]) % 2 == 0, wrapped, clamped)


class FickleUnit(SequentialUnit):
    """Wraps in waves of 32 lanes and saturates in those of 64: each alone has a reading, together they have none."""

    def multiply_add(
        self, a_fmt: str, a: Bits, b_fmt: str, b: Bits, c_fmt: str, c: Bits, overflow: Overflow = "wrap"
    ) -> Bits:
        if overflow == "saturate":
            overflow = "saturate" if c.shape[2] == 64 // GROUP else "wrap"
        return super().multiply_add(a_fmt, a, b_fmt, b, c_fmt, c, overflow)


def run_of(spec: str, unit: SequentialUnit, profile: Profile = PRACTICE, catches: tuple[str, ...] = ()) -> Run:
    """The verdict over the smoke cases whose sums overflow, each said to catch these counterfactuals."""
    backend = NumpyBackend(unit, DEVICES, name="test", profile=profile)
    description = backend.describe()
    chosen = [
        recipe for recipe in every_recipe() if recipe.spec == spec and recipe.regime == "overflow" and not recipe.target
    ]
    # Sums, additions and scalar operations are the device's own work: a unit decides on products only.
    elsewhere = ("WM-SCALAR-", "WM-SUMACC-", "WM-ADD-")
    chosen = [
        recipe
        for recipe in chosen
        if not any(clause.startswith(elsewhere) for clause in smoke_case(recipe.id).expected.first.clauses)
    ]
    assert len(chosen) > 3
    results = []
    for recipe in chosen:
        listed = smoke_case(recipe.id)
        expected = listed.expected if profile == PRACTICE else expect_by_reading(listed.case, profile)
        case_judge = CaseJudge(backend, description, profile, {recipe.id: catches})
        results.append(case_judge.judge(listed.case, recipe.id, expected)[0])
    plan = Plan(
        backend="test",
        isolate=False,
        time_limit=60.0,
        description=description,
        profile=profile,
        authority="profile",
        tier="smoke",
        seed=0,
        specs=(spec,),
        caps={spec: spec_named(spec).default_caps},
        case_list="",
    )
    return assemble(plan, results, {})


@pytest.mark.parametrize(
    ("unit", "left"),
    [
        (WrappingUnit(), ["undefined", "wrap"]),
        (SaturatingUnit(), ["saturate", "saturate-steps", "undefined"]),
        (StepwiseUnit(), ["saturate-steps", "undefined"]),
        (UndecidedUnit("wrap"), ["undefined"]),
    ],
    ids=["wrapping", "saturating", "stepwise", "inconsistent"],
)
def test_int32_overflow_of_wave_matrix(unit: SequentialUnit, left: list[str]) -> None:
    run = run_of("hlsl-wave-matrix", unit)
    assert run.readings["WM-AMB-07"] == left
    assert run.verdict != "not conformant", "the document leaves overflow open"


def test_clamp_of_rdna3_wrapping() -> None:
    run = run_of("amd-rdna3-wmma", WrappingUnit())
    assert run.readings["RDNA3-AMB-04"] == ["wrap"]
    assert run.verdict != "not conformant"


def test_clamp_of_rdna3_saturating() -> None:
    run = run_of("amd-rdna3-wmma", SequentialUnit())
    assert run.readings["RDNA3-AMB-04"] == ["final-saturate", "stepwise-saturate"]
    assert run.verdict != "not conformant"


def test_clamp_of_rdna3_inconsistent() -> None:
    run = run_of("amd-rdna3-wmma", UndecidedUnit("saturate"))
    assert run.verdict == "not conformant"
    assert run.specs["amd-rdna3-wmma"].clauses["RDNA3-IU-CLAMP"].status == "fail"


def test_clamp_of_rdna3_that_changes_between_cases() -> None:
    run = run_of("amd-rdna3-wmma", FickleUnit())
    assert run.readings["RDNA3-AMB-04"] == []
    assert run.specs["amd-rdna3-wmma"].clauses["RDNA3-IU-CLAMP"].status == "fail"


CLAMPS = ("rdna3-clamps-upper-end-only",)


def clamp_clause(run: Run) -> ClauseResult:
    return run.specs["amd-rdna3-wmma"].clauses["RDNA3-IU-CLAMP"]


def test_a_clause_says_by_which_reading_it_passes() -> None:
    run = run_of("amd-rdna3-wmma", WrappingUnit(), catches=CLAMPS)
    found = {row: cell.status for row, cell in clamp_clause(run).rows.items() if row.startswith("i32")}
    assert set(found.values()) == {"pass"}
    assert clamp_clause(run).readings == {"RDNA3-AMB-04": ["wrap"]}
    assert clause_lines(run, {"amd-rdna3-wmma": spec_named("amd-rdna3-wmma").catalogue}) == [
        "RDNA3-IU-CLAMP passes: flag ignored, RDNA3-AMB-04 wrap"
    ]
    several = run_of("amd-rdna3-wmma", SequentialUnit(), catches=CLAMPS)
    assert clamp_clause(several).readings == {"RDNA3-AMB-04": ["final-saturate", "stepwise-saturate"]}
    assert not clause_lines(several, {})


def test_a_pinned_reading_is_one_that_a_device_can_break() -> None:
    pinned = Profile(name="saturating", pins=(Pin("RDNA3-AMB-04", "final-saturate"),))
    kept = run_of("amd-rdna3-wmma", SequentialUnit(), pinned, CLAMPS)
    assert clamp_clause(kept).status == "pass"
    assert clamp_clause(kept).readings == {"RDNA3-AMB-04": ["final-saturate"]}
    broken = run_of("amd-rdna3-wmma", WrappingUnit(), pinned, CLAMPS)
    assert broken.verdict == "not conformant"
    assert clamp_clause(broken).status == "fail"
    assert clamp_clause(broken).readings == {}


def test_what_breaks_a_pinned_reading_alone_breaks_the_declared_profile() -> None:
    pinned = Profile(name="saturating", pins=(Pin("RDNA3-AMB-04", "final-saturate"),))
    recipe = next(
        recipe
        for recipe in every_recipe()
        if recipe.spec == "amd-rdna3-wmma" and recipe.template == "sums-clamp" and not recipe.target
    )
    listed = smoke_case(recipe.id)
    backend = NumpyBackend(WrappingUnit(), DEVICES, name="test", profile=pinned)
    case_judge = CaseJudge(backend, backend.describe(), pinned, {recipe.id: CLAMPS})
    result, _ = case_judge.judge(listed.case, recipe.id, expect_by_reading(listed.case, pinned))
    assert result.outcome == "illegal"
    assert result.finding is not None
    assert result.finding.blamed[0] == "RDNA3-IU-CLAMP"
    assert result.finding.profile_only
