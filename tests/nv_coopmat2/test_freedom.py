"""What devices may do differently without breaking anything."""

from __future__ import annotations

import numpy as np
import pytest
from msgspec.structs import replace

from mmaspec.backends.numpy.backend import NumpyBackend
from mmaspec.backends.numpy.nv_coopmat2.device import CoopMat2Device
from mmaspec.backends.numpy.units.catalogue import ExactUnit
from mmaspec.backends.protocol import Refused
from mmaspec.oracle.case import Case
from mmaspec.oracle.expect import resolve
from mmaspec.oracle.expectation import Defined
from mmaspec.oracle.judge import expect_by_reading
from mmaspec.oracle.numerics.legal import Legal, illegal
from mmaspec.oracle.nv_coopmat2 import SPEC
from mmaspec.oracle.nv_coopmat2.matrices.conversion import converted
from mmaspec.oracle.nv_coopmat2.matrices.element_functions import per_element
from mmaspec.oracle.nv_coopmat2.matrices.operations import operate
from mmaspec.oracle.nv_coopmat2.matrices.product import mul_add
from mmaspec.oracle.nv_coopmat2.matrices.reduction import reduced
from mmaspec.oracle.nv_coopmat2.practice import PRACTICE_RULES
from mmaspec.programs.formats import FORMATS
from mmaspec.programs.nv_coopmat2.caps import DEFAULT_CAPS, CoopMatCaps, FixedSize, FlexibleSize
from mmaspec.programs.nv_coopmat2.program import (
    REDUCE_ROW,
    REDUCE_ROW_AND_COLUMN,
    USE_ACCUMULATOR,
    Convert,
    CoopMatProgram,
    Matrix,
    Transpose,
)
from mmaspec.programs.profile import PRACTICE, PROFILES
from mmaspec.strategies.choices import Counted
from mmaspec.strategies.grammar import DrawContext
from mmaspec.strategies.nv_coopmat2.builder.program import ProgramBuilder
from mmaspec.strategies.nv_coopmat2.templates.operations import arithmetic
from mmaspec.strategies.regimes.catalogue import draw

F32 = FORMATS["f32"]


def floats(*values: float) -> Legal:
    """One row of f32 numbers."""
    bits = np.array(values, np.float32).view(np.uint32).astype(np.uint64)
    return Legal.from_bits(F32, bits.reshape(1, 1, 1, -1))


def accepts(legal: Legal, *values: float) -> bool:
    return not illegal(legal, floats(*values).bits).any()


@pytest.mark.parametrize("answer", [0.0, 1.0])
def test_three_terms_may_be_added_in_any_order(answer: float) -> None:
    found = per_element("add", floats(1e8), [floats(-1e8), floats(1.0)], PRACTICE_RULES)
    assert accepts(found, answer)
    assert not accepts(found, 1e9)


def test_integers_and_two_terms_have_one_sum() -> None:
    found = per_element("add", floats(1.0), [floats(2.0)], PRACTICE_RULES)
    assert accepts(found, 3.0)
    assert not accepts(found, 3.5)


def test_long_reductions_are_judged() -> None:
    ones = np.full((1, 1, 128, 64), 0x3F80_0000, np.uint64)
    found = reduced(Legal.from_bits(F32, ones), REDUCE_ROW_AND_COLUMN, "add", (1, 1), PRACTICE_RULES)
    assert accepts(found, 8192.0)
    assert not accepts(found, 8190.0)


def test_products_of_integers_of_32_bits_are_judged() -> None:
    one = Legal.from_bits(FORMATS["s32"], np.ones((1, 1, 4, 4), np.uint64))
    legal, _ = mul_add(one, one, one, PRACTICE_RULES, saturating=False)
    assert not legal.why.any()
    for value, wrong in ((5, False), (4, True), (6, True)):
        assert (legal.illegal(np.full((1, 1, 4, 4), value, np.uint64)) == wrong).all()


@pytest.mark.parametrize("through", ["convert", "transpose"])
def test_subnormals_may_be_lost_on_the_way(through: str) -> None:
    tiny = 3 * 2.0**-149
    matrix = Matrix("m", "f32", 1, 1, USE_ACCUMULATOR)
    program = CoopMatProgram((), (matrix, replace(matrix, name="r")), ())
    instruction = Convert("r", "m") if through == "convert" else Transpose("r", "m")
    found = operate(program, instruction, lambda _: floats(tiny), PRACTICE_RULES)
    assert accepts(found, tiny)
    assert accepts(found, 0.0)
    assert not accepts(found, 2.0**-126)
    normal = floats(1.5, -0.0)
    assert converted(normal, F32, PRACTICE_RULES) is normal


@pytest.mark.parametrize(("combine", "others"), [("min", (1, 3)), ("max", (-3, -1))])
def test_subnormals_may_compare_as_equal(combine: str, others: tuple[int, int]) -> None:
    group = floats(*(other * 2.0**-149 for other in others))
    found = reduced(group, REDUCE_ROW, combine, (1, 2), PRACTICE_RULES)
    for other in (*others, 0):
        assert accepts(found, other * 2.0**-149, other * 2.0**-149)
    assert not accepts(found, 4 * 2.0**-149, 4 * 2.0**-149)
    assert not accepts(found, -4 * 2.0**-149, -4 * 2.0**-149)


GROUPS = CoopMatCaps(
    (),
    (
        FlexibleSize(32, 32, 16, "f16", "f16", "f32", "f32", invocations=128),
        FlexibleSize(64, 64, 32, "s8", "s8", "s32", "s32", invocations=256),
    ),
)
"""Floats in workgroups of one size, integers in those of another."""


def test_matrices_of_a_program_share_one_workgroup() -> None:
    real = Matrix("x", "f32", 64, 64, USE_ACCUMULATOR, "workgroup")
    whole = replace(real, name="y", component="s32")
    device = NumpyBackend(ExactUnit(), {"nv-coopmat2": CoopMat2Device})
    device.report("nv-coopmat2", GROUPS)
    for matrices, broken in (((real,), set()), ((whole,), set()), ((real, whole), {"KHRCM-CAPS-MATCH"})):
        program = CoopMatProgram((), matrices, ())
        assert SPEC.rejected(program, GROUPS) == broken
        refused: set[str] = set()
        try:
            device.run("nv-coopmat2", program, {})
        except Refused as refusal:
            refused = set(refusal.clauses)
        assert refused == broken
    assert "local_size_x = 256" in SPEC.text(CoopMatProgram((), (whole,), ()), GROUPS)


def test_no_row_asks_for_what_is_not_modelled() -> None:
    """There is no arithmetic on scalars of bf16."""
    caps = CoopMatCaps(
        (
            FixedSize(16, 16, 16, "bf16", "bf16", "bf16", "bf16"),
            FixedSize(16, 16, 16, "s32", "s32", "s32", "s32"),
            FixedSize(16, 16, 16, "f16", "f16", "f32", "f32"),
        )
    )
    rows = SPEC.rows(caps)
    assert [row.datatype for row in rows] == ["bf16-bf16", "s32-s32", "f16-f32"]
    assert ["arithmetic" in row.tags for row in rows] == [False, True, True]
    assert ["sums" in row.tags for row in rows] == [False, False, True]


def test_what_is_declared_of_products_is_not_demanded_of_other_instructions() -> None:
    """A single rounding to nearest of every product sum says nothing of a quotient's or a sum's."""
    row = next(row for row in SPEC.rows(DEFAULT_CAPS) if {"arithmetic", "acc-f32"} <= row.tags)
    builder = ProgramBuilder(DrawContext(Counted("declared"), row, DEFAULT_CAPS), waves=1)
    arithmetic(builder)
    draft = builder.draft("normal", 2)
    data = draw("normal", 1, SPEC.sources(resolve(draft.program, draft.words)), 2, accumulator="f32")
    case = Case("nv-coopmat2", row.name, "test", draft.program, DEFAULT_CAPS, 2, data, draft.words)
    steps = {}
    for profile in (PRACTICE, PROFILES["correctly-rounded"]):
        found = expect_by_reading(case, profile).first
        assert isinstance(found, Defined)
        steps[profile.name] = [step.legal for step in found.steps if "KHRCM-ARITH" in str(step.points)]
    assert len(steps["practice"]) == 4
    for one, other in zip(*steps.values(), strict=True):
        assert np.array_equal(one.lo, other.lo)
        assert np.array_equal(one.hi, other.hi)
