"""NVCM2-AMB-15: a device refuses reductions of integers or gets them right; nobody may get them wrong, or do both."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from msgspec.structs import replace

from mmaspec.backends.faults import fault_named
from mmaspec.backends.numpy.backend import NumpyBackend, Submitted
from mmaspec.backends.numpy.nv_coopmat2.device import CoopMat2Device
from mmaspec.backends.numpy.units.catalogue import SequentialUnit
from mmaspec.backends.protocol import Backend, Description
from mmaspec.oracle.case import Case
from mmaspec.oracle.expectation import Defined, Rejected
from mmaspec.oracle.judge import expect_by_reading
from mmaspec.oracle.nv_coopmat2 import SPEC
from mmaspec.oracle.nv_coopmat2.text import text
from mmaspec.programs.base import Buffer
from mmaspec.programs.nv_coopmat2.caps import DEFAULT_CAPS, CoopMatCaps, FixedSize
from mmaspec.programs.nv_coopmat2.program import (
    REDUCE_ROW,
    Combine,
    Component,
    CoopMatProgram,
    Load,
    Matrix,
    Reduce,
    Store,
)
from mmaspec.programs.profile import PRACTICE, Pin
from mmaspec.strategies.recipe import Recipe
from mmaspec.suites.judging.judge_case import CaseJudge
from mmaspec.suites.judging.record import Result
from mmaspec.suites.planning.plan import Plan
from mmaspec.suites.verdict.assemble import assemble
from mmaspec.suites.verdict.model import Run
from tests.case_lists import case_list

INTEGERS = ("s8-s32-16x16x32", "u8-u32-16x16x32", "s8-s32-multiples-32x32x32-workgroup-of-128")
ALLOWED = "refused, as NVCM2-AMB-15 (floats) allows"


class Refusing(CoopMat2Device):
    """Refuses reductions of these component types, as the document would have it."""

    refused: tuple[str, ...] = ("s32", "u32")

    def broken(self, submitted: Submitted) -> tuple[str, ...]:
        program = submitted.program
        kinds = {
            program.matrix(instruction.matrix).component
            for instruction, _ in program.written()
            if isinstance(instruction, Reduce)
        }
        return super().broken(submitted) or (("NVCM2-REDUCE-FLOAT",) if kinds & {*self.refused} else ())


class RefusingSome(Refusing):
    """Refuses what has no sign only."""

    refused = ("u32",)


def backend(device: type[CoopMat2Device]) -> NumpyBackend:
    return NumpyBackend(SequentialUnit(), {"nv-coopmat2": device})


@cache
def listed() -> tuple[Recipe, ...]:
    """The listed reductions, all of them of integers but one."""
    found = [one for one in case_list(SPEC.name, DEFAULT_CAPS, "quick") if one.template == "reductions"]
    whole = {one.row: one for one in found if one.row in INTEGERS}
    assert set(whole) == {*INTEGERS}
    return (*whole.values(), next(one for one in found if one.row == "f16-f32-16x16x16"))


def judged(subject: Backend, *, caught: bool = True) -> list[Result]:
    """The results, with what would have caught a mistake in rows."""
    known = {one.id: ("cm-reduce-row-next", "cm-reduce-all-first-row") if caught else () for one in listed()}
    case_judge = CaseJudge(subject, subject.describe(), PRACTICE, known, limit=0)
    return [case_judge.judge_listed(one)[0] for one in listed()]


def run_of(description: Description, results: list[Result]) -> Run:
    plan = Plan(
        backend="test",
        isolate=False,
        time_limit=60.0,
        description=description,
        profile=PRACTICE,
        authority="profile",
        tier="smoke",
        seed=0,
        specs=(SPEC.name,),
        caps={SPEC.name: DEFAULT_CAPS},
        case_list="",
    )
    return assemble(plan, results, {})


def test_right_results_follow_one_reading() -> None:
    subject = backend(CoopMat2Device)
    results = judged(subject)
    assert [one.outcome for one in results] == ["legal"] * len(results)
    run = run_of(subject.describe(), results)
    assert run.readings["NVCM2-AMB-15"] == ["any"]
    assert {run.specs[SPEC.name].clauses["NVCM2-REDUCE-ROW"].rows[row].status for row in INTEGERS} == {"pass"}


def test_a_refusal_follows_the_other() -> None:
    subject = backend(Refusing)
    results = judged(subject)
    assert [(one.outcome, one.why) for one in results] == [("not applicable", ALLOWED)] * 3 + [("legal", "")]
    run = run_of(subject.describe(), results)
    assert run.readings["NVCM2-AMB-15"] == ["floats"]
    clause = run.specs[SPEC.name].clauses["NVCM2-REDUCE-ROW"]
    assert {(clause.rows[row].status, clause.rows[row].why) for row in INTEGERS} == {("not applicable", ALLOWED)}
    assert clause.rows["f16-f32-16x16x16"].status == "pass"
    assert run.verdict != "not conformant"


def test_nobody_follows_both() -> None:
    subject = backend(RefusingSome)
    run = run_of(subject.describe(), judged(subject))
    assert run.readings["NVCM2-AMB-15"] == []
    clause = run.specs[SPEC.name].clauses["NVCM2-REDUCE-ALL"]
    assert clause.status == "fail"
    assert "no single reading of NVCM2-AMB-15" in clause.why
    assert run.verdict == "not conformant"


def test_a_wrong_result_fails_whatever_the_reading() -> None:
    results = judged(fault_named("cm-reduce-integers-saturate").make())
    assert "illegal" in [one.outcome for one in results]
    assert {one.finding.blamed for one in results if one.finding} <= {("NVCM2-REDUCE-ROW",), ("NVCM2-REDUCE-ALL",)}


def test_a_profile_that_pins_the_reading_decides() -> None:
    recipe = listed()[0]
    refuses, runs = (replace(PRACTICE, name="own", pins=(Pin("NVCM2-AMB-15", name),)) for name in ("floats", "any"))
    outcomes = []
    for device in (CoopMat2Device, Refusing):
        for profile in (refuses, runs):
            subject = backend(device)
            case_judge = CaseJudge(subject, subject.describe(), profile, {recipe.id: ()}, limit=0)
            outcomes.append(case_judge.judge_listed(recipe)[0].outcome)
    assert outcomes == ["illegal", "legal", "legal", "refused"]


def reduction(component: Component, name: str, bits: list[int], caps: CoopMatCaps = DEFAULT_CAPS) -> Case:
    """The first row of a matrix of 16 x 16, the rest of which is zero, reduced."""
    program = CoopMatProgram(
        (Buffer("in", 2048), Buffer("out", 2048)),
        tuple(Matrix(called, component, 16, 16, 2) for called in "cd"),
        (
            Load("c", "in", 0, 16, data="C"),
            Reduce("d", "c", REDUCE_ROW, Combine(name)),
            Store("d", "out", 0, 16),
        ),
    )
    values = np.zeros((1, 1, 1, 16, 16), np.uint64)
    values[0, 0, 0, 0, : len(bits)] = bits
    return Case(SPEC.name, SPEC.rows(caps)[0].name, "reduction", program, caps, 1, {"C": values})


SUMS = [
    ("s32", "add", [0x7FFF_FFFF, 2], -(1 << 31) + 1),
    ("s32", "add", [0xFFFF_FFFF] * 16, -16),
    ("u32", "add", [0xFFFF_FFFF, 3], 2),
    ("s32", "min", [5, 0x8000_0000], -(1 << 31)),
    ("u32", "max", [5, 0x8000_0000], 1 << 31),
    ("s32", "max", [5, 0x8000_0000], 5),
]


@pytest.mark.parametrize(("component", "name", "bits", "wanted"), SUMS)
def test_integers_are_combined_to_the_bit(component: Component, name: str, bits: list[int], wanted: int) -> None:
    case = reduction(component, name, bits)
    found = expect_by_reading(case, PRACTICE)
    assert isinstance(found.first, Defined)
    assert found.refusals == ((("NVCM2-AMB-15", "floats"),),)
    (region,) = found.first.regions
    assert (region.legal.lo[0, 0, 0] == wanted).all()
    assert (region.legal.hi[0, 0, 0] == wanted).all()
    assert region.same is not None


def test_floats_depend_on_no_reading() -> None:
    found = expect_by_reading(reduction("f32", "add", [0x3F80_0000]), PRACTICE)
    assert not found.refusals
    assert not isinstance(found.first, Rejected)


BF16_CAPS = CoopMatCaps((FixedSize(16, 16, 16, "bf16", "bf16", "bf16", "bf16"),))


def bf16(value: float) -> int:
    return int(np.float32(value).view(np.uint32)) >> 16


@pytest.mark.parametrize(
    ("name", "numbers", "low", "high"),
    [
        ("add", [1.5, 2.25, -8.0], -4.25, -4.25),
        ("add", [256.0, 1.0], 256.0, 258.0),
        ("min", [1.5, -3.0], -3.0, -3.0),
        ("max", [1.5, -3.0], 1.5, 1.5),
    ],
)
def test_bf16_is_combined_in_f32_and_converted(name: str, numbers: list[float], low: float, high: float) -> None:
    """256 + 1 lies between two numbers of bf16 and becomes one of them; an envelope may hold some more."""
    case = reduction("bf16", name, [bf16(number) for number in numbers], BF16_CAPS)
    assert not SPEC.rejected(case.program, BF16_CAPS)
    found = expect_by_reading(case, PRACTICE)
    assert isinstance(found.first, Defined)
    legal = found.first.regions[0].legal
    ends = sorted(-(bits & 0x7FFF) if bits >> 15 else bits for bits in (bf16(low), bf16(high)))
    assert (legal.lo[0, 0, 0] <= ends[0]).all()
    assert (legal.hi[0, 0, 0] >= ends[1]).all()
    if low == high:
        assert (legal.lo[0, 0, 0] == legal.hi[0, 0, 0]).all()
    subject = NumpyBackend(SequentialUnit(), {"nv-coopmat2": CoopMat2Device})
    subject.report(SPEC.name, BF16_CAPS)
    case_judge = CaseJudge(subject, subject.describe(), PRACTICE, {"case": ()}, limit=0)
    assert case_judge.judge(case, "case", found)[0].outcome == "legal"


def test_printed_bf16_functions_convert() -> None:
    shader = text(reduction("bf16", "add", [], BF16_CAPS).program, BF16_CAPS)
    assert "return bfloat16_t(float(x) + float(y));" in shader


def test_rows_with_bf16_accumulators_are_reduced() -> None:
    (row,) = SPEC.rows(BF16_CAPS)
    assert "reduces" in row.tags
    assert "sums" not in row.tags
    recipes = [one for one in case_list(SPEC.name, BF16_CAPS, "quick") if one.template == "reductions"]
    assert recipes
    subject = NumpyBackend(SequentialUnit(), {"nv-coopmat2": CoopMat2Device})
    subject.report(SPEC.name, BF16_CAPS)
    known: dict[str, tuple[str, ...]] = {recipe.id: () for recipe in recipes}
    case_judge = CaseJudge(subject, subject.describe(), PRACTICE, known, limit=0)
    assert {case_judge.judge_listed(recipe)[0].outcome for recipe in recipes} == {"legal"}
