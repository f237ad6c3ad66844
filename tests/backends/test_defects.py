"""Defects: what there is, that each is one, and that each differs from the sum only where it should."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from mmaspec.backends.faults import all_defects, all_faults, defects_of, fault_named, faults_of
from mmaspec.backends.faults.defects.defect import Defect
from mmaspec.backends.faults.defects.defective_unit import DefectiveUnit
from mmaspec.backends.faults.defects.integers import DEFECTS as INTEGER
from mmaspec.backends.faults.defects.memory import MEMORY, MemoryDefect
from mmaspec.backends.faults.defects.values import DEFECTS as VALUES
from mmaspec.backends.faults.defects.width import DEFECTS as WIDTHS
from mmaspec.backends.faults.defects.wiring import DEFECTS as WIRING
from mmaspec.backends.numpy.units.sequential import SequentialUnit
from mmaspec.backends.numpy.units.unit import Bits
from mmaspec.oracle.spec import SPECS, spec_named

FLOAT = (*WIDTHS, *WIRING, *VALUES)


def test_there_are_enough_of_every_family() -> None:
    assert len({defect.name for defect in FLOAT}) >= 50
    for spec in SPECS:
        families = Counter(defect.family for defect in defects_of(spec))
        assert families["arithmetic"] >= 50
        assert families["integer"] >= 20
        assert families["state"] >= 10


def test_every_defect_has_a_name_a_clause_and_a_model() -> None:
    names = [fault.name for fault in (*all_faults(), *all_defects())]
    assert len(set(names)) == len(names)
    for defect in all_defects():
        assert defect.clause in spec_named(defect.spec).catalogue.clause
        assert spec_named(defect.spec).catalogue.clause[defect.clause].testable
        assert defect.imitates
        assert fault_named(defect.name) is defect
        assert defect.make().describe().name == f"fault:{defect.name}"


def test_sensitivity_does_not_pay_for_them() -> None:
    for spec in SPECS:
        assert {fault.family for fault in faults_of(spec)} == {"clause"}


def test_an_unknown_specification_has_none() -> None:
    assert defects_of("no-such-spec") == ()


def floats(count: int) -> tuple[Bits, Bits, Bits]:
    """Every kind of f16 and f32: ordinary ones, specials, subnormals, zeros, and exact sums with a large C."""
    rng = np.random.default_rng(51)
    a, b = (rng.integers(0, 1 << 16, (count, 8, 16), np.uint64), rng.integers(0, 1 << 16, (count, 16, 8), np.uint64))
    c = rng.integers(0, 1 << 32, (count, 8, 8), np.uint64)
    half = count // 2
    for operand in (a, b):
        shape = operand[half:].shape
        small = rng.integers(-8, 9, shape) * (rng.random(shape) > 0.25)
        operand[half:] = small.astype(np.float16).view(np.uint16).astype(np.uint64)
    whole = rng.integers(-(1 << 23), 1 << 23, c[half:].shape) * (rng.random(c[half:].shape) > 0.1)
    c[half:] = whole.astype(np.float32).view(np.uint32).astype(np.uint64)
    # Items of ones with a single infinity on each side.
    a[:2], b[:2], c[:2] = 0x3C00, 0x3C00, 0x3F800000
    a[0, 0, 0], b[1, 0, 0], c[0, 2, 2] = 0x7C00, 0x7C00, 0x7F800000
    return a, b, c


@pytest.mark.exhaustive(every=3)
@pytest.mark.parametrize("defect", FLOAT, ids=lambda defect: defect.name)
def test_a_float_defect_is_one(defect: Defect) -> None:
    a, b, c = floats(40)
    left = "f32" if defect.rows == ("f32",) else "f16"
    if left == "f32":
        a, b = (x << np.uint64(16) | np.uint64(0x1235) for x in (a, b))
    unit = DefectiveUnit(defect.deviation, floats=True)
    assert (
        unit.multiply_add(left, a, left, b, "f32", c) != SequentialUnit().multiply_add(left, a, left, b, "f32", c)
    ).any()


@pytest.mark.exhaustive(every=3)
@pytest.mark.parametrize("defect", INTEGER, ids=lambda defect: defect.name)
def test_an_integer_defect_is_one(defect: Defect) -> None:
    rng = np.random.default_rng(52)
    a, b = rng.integers(0, 256, (30, 8, 32), np.uint64), rng.integers(0, 256, (30, 32, 8), np.uint64)
    a[rng.random(a.shape) < 0.2] = 128
    b[rng.random(b.shape) < 0.2] = 128
    c = rng.integers(0, 1 << 32, (30, 8, 8), np.uint64)
    c[::3] = np.uint64(0x7FFFFFF0)
    unit, plain = DefectiveUnit(defect.deviation, floats=False), SequentialUnit()
    pairs = [("s8", "s8"), ("u8", "u8"), ("s8", "u8"), ("u8", "s8")]
    assert any(
        (unit.multiply_add(x, a, y, b, "s32", c) != plain.multiply_add(x, a, y, b, "s32", c)).any() for x, y in pairs
    )


def test_a_defect_of_one_kind_leaves_the_other_alone() -> None:
    a, b, c = floats(4)
    byte = a & np.uint64(0xFF), b & np.uint64(0xFF)
    plain = SequentialUnit()
    for defect, is_float in ((FLOAT[0], True), (INTEGER[0], False)):
        unit = DefectiveUnit(defect.deviation, floats=is_float)
        operands = ("s8", byte[0], "s8", byte[1], "s32", c) if is_float else ("f16", a, "f16", b, "f32", c)
        assert np.array_equal(unit.multiply_add(*operands), plain.multiply_add(*operands))


@pytest.mark.parametrize("defect", [one for one in MEMORY if one.verb in {"load", "store"}], ids=lambda one: one.name)
def test_a_change_of_elements_is_one(defect: MemoryDefect) -> None:
    bits = np.arange(2 * 16 * 8, dtype=np.uint64).reshape(1, 2, 16, 8)
    before = bits.copy()
    assert (defect.change(bits) != bits).any()
    assert np.array_equal(bits, before)


def test_the_smallest_matrices_pass_through() -> None:
    for defect in MEMORY:
        for shape in ((1, 1, 16, 1), (1, 1, 1, 16)):
            assert defect.change(np.ones(shape, np.uint64)).shape == shape


@pytest.mark.parametrize("name", ["last-product-missing", "c-lost", "rows-exchanged"])
def test_what_a_deviation_does(name: str) -> None:
    rng = np.random.default_rng(53)
    a, b = rng.integers(-3, 4, (1, 4, 4)), rng.integers(-3, 4, (1, 4, 4))
    c = rng.integers(1, 9, (1, 4, 4))
    expected = {
        "last-product-missing": a[..., :-1] @ b[:, :-1] + c,
        "c-lost": a @ b,
        "rows-exchanged": (a @ b + c)[:, [1, 0, 3, 2]],
    }[name]
    defect = next(one for one in FLOAT if one.name == name)
    halves = (x.astype(np.float16).view(np.uint16).astype(np.uint64) for x in (a, b))
    single = c.astype(np.float32).view(np.uint32).astype(np.uint64)
    left, right = halves
    got = DefectiveUnit(defect.deviation, floats=True).multiply_add("f16", left, "f16", right, "f32", single)
    assert np.array_equal(got.astype(np.uint32).view(np.float32), expected)
