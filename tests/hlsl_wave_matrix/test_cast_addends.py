"""WM-ADD-CAST: a sum with an addend that the cast rounds, against a definition in fractions, one element at a time."""

from __future__ import annotations

import re
from bisect import bisect_right
from fractions import Fraction
from functools import cache

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mmaspec.backends.faults.hlsl_wave_matrix.devices_sums import AddsInTheWiderType
from mmaspec.commands import cases
from mmaspec.oracle.expect import expect
from mmaspec.oracle.expectation import Defined
from mmaspec.oracle.hlsl_wave_matrix.arithmetic import Arithmetic
from mmaspec.oracle.numerics.legal import Legal, distance, illegal, width
from mmaspec.oracle.numerics.ordinals import from_ordinal
from mmaspec.oracle.readings import Readings
from mmaspec.programs.base import Literal
from mmaspec.programs.formats import FORMATS
from mmaspec.programs.hlsl_wave_matrix.program import ScalarMultiply
from mmaspec.programs.profile import PRACTICE
from mmaspec.reports import finding_view
from mmaspec.strategies.recipe import materialise
from tests.diagnosis.blamed import finding, listed, of_device

F16, F32 = FORMATS["f16"], FORMATS["f32"]
LARGEST = 65504


@cache
def halves() -> list[Fraction]:
    """Every finite half, in order. Integers over the least one: they are compared fast."""
    numbers = {sign * (m << e) for sign in (1, -1) for e in range(30) for m in range(2048)}
    return [Fraction(number, 1 << 24) for number in sorted(numbers)]


def neighbours(x: Fraction) -> set[Fraction]:
    """The half that x is, or the two around it; only inside the range."""
    every = halves()
    at = bisect_right(every, x) - 1
    return {every[at]} if every[at] == x else {every[at], every[at + 1]}


def half(value: Fraction) -> int:
    """Its bits; of zero, +0."""
    return int(np.array(float(value), np.float64).astype(np.float16).view(np.uint16))


def single(value: float) -> int:
    """The bits of a float that is one."""
    found = np.float32(value)
    assert float(found) == value
    return int(found.view(np.uint32))


def added(total: Fraction, addend: float) -> Legal:
    """What Add may leave, of the rules of practice."""
    arithmetic = Arithmetic(PRACTICE, Readings({"WM-AMB-18": "bits"}))
    mine = Legal.from_bits(F16, np.array([half(total)], np.uint64))
    return arithmetic.add(mine, Legal.from_bits(F32, np.array([single(addend)], np.uint64)))


def accepted(legal: Legal) -> set[Fraction]:
    """Every finite half that is legal."""
    codes = from_ordinal(F16, np.arange(-0x7BFF, 0x7C00, dtype=np.int64))
    fine = ~illegal(legal.index(np.zeros(codes.size, np.intp)), codes)
    return {Fraction(float(x)) for x in codes[fine].astype(np.uint16).view(np.float16).astype(np.float64)}


@pytest.mark.parametrize(
    ("total", "addend", "wanted"),
    [
        (-2048, 2049.5, {0, 2}),
        (-2047, 2048.5, {1, 3}),
        (-30000, 30001, {0, 16}),
        (-4096, 4099, {0, 4}),
        (-1, 2049.5, {2047, 2048, 2050}),  # 2048 + -1, or 2050 + -1 where that is rounded
        (1, 2.5, {3.5}),
    ],
)
def test_only_sums_with_a_half_are_legal(total: int, addend: float, wanted: set[float]) -> None:
    """The addend becomes a half first: what a wider addition would give is none of the two sums."""
    assert accepted(added(Fraction(total), addend)) == {Fraction(one) for one in wanted}


normal = st.tuples(st.sampled_from([0, 0x8000]), st.integers(1024, 0x7BFF)).map(
    lambda pair: Fraction(float(np.uint16(pair[0] | pair[1]).view(np.float16)))
)


@st.composite
def sums(draw: st.DrawFn) -> tuple[Fraction, float]:
    """A half, and a float that is mostly near the other end of it, so that what the cast loses shows."""
    total = draw(normal)
    size = draw(st.sampled_from([abs(total), abs(total) * 2, abs(total) / 2, Fraction(1)]))
    addend = np.float32(
        float(-total + draw(st.floats(-1, 1, width=32)) * float(size) / draw(st.sampled_from([1, 64, 1024])))
    )
    return total, float(addend)


@given(sums())
def test_legal_is_the_sum_with_either_neighbour(drawn: tuple[Fraction, float]) -> None:
    """All of them and nothing else, where nothing is subnormal or overflows."""
    total, addend = drawn
    tiny = Fraction(2) ** -14
    if not tiny <= abs(Fraction(addend)) <= LARGEST:
        return
    casts = neighbours(Fraction(addend))
    legal = added(total, addend)
    both = set().union(*(neighbours(total + cast) for cast in casts if abs(total + cast) < LARGEST))
    if any(0 < abs(one) < tiny for one in both | casts) or any(abs(total + cast) >= LARGEST for cast in casts):
        assert accepted(legal) >= both
    else:
        assert accepted(legal) == both
        assert width(legal)[0] == len(both)


def test_between_the_two_the_nearer_one_counts() -> None:
    """Distances are from the nearest legal content."""
    legal = added(Fraction(-2048), 2049.5)
    codes = np.array([half(Fraction(3, 2)), half(Fraction(1, 1024)), half(Fraction(2)), half(Fraction(4))], np.uint64)
    assert distance(legal.index(np.zeros(4, np.intp)), codes).tolist() == [512, half(Fraction(1, 1024)), 0, 1024]


def test_without_a_cast_a_product_may_stay_unrounded() -> None:
    """A product and a sum may be contracted, so that of an addend that is one of two what is between is legal."""
    arithmetic = Arithmetic(PRACTICE, Readings({"WM-AMB-18": "bits"}))
    total, product = (Legal.from_bits(F16, np.array([half(Fraction(one))], np.uint64)) for one in (-2048, 683))
    three = Legal.from_bits(F16, np.array([half(Fraction(3))], np.uint64))
    legal = arithmetic.add(total, arithmetic.scalar(ScalarMultiply("F", Literal(0)), product, three))
    assert accepted(legal) >= {Fraction(0), Fraction(1), Fraction(2)}


def test_of_two_contents_findings_reports_and_expectations_say_or() -> None:
    """A device that adds in the wider type lies between the two."""
    backend = of_device("hlsl-wave-matrix", AddsInTheWiderType)
    for recipe in listed(backend, "hlsl-wave-matrix", "cast"):
        found = finding(backend, recipe)
        if found is not None:
            break
    else:
        raise AssertionError("no case shows it")
    assert found.element is not None
    assert found.element.only_ends
    assert f"legal is {found.element.low_value} or {found.element.high_value}" in found.says
    assert re.fullmatch(r"0x\S+ .*\nor   0x\S+ .*", finding_view._legal(found.element))
    expected = expect(materialise(recipe).item(found.element.item), PRACTICE)
    assert isinstance(expected, Defined)
    region = next(one for one in expected.regions if one.legal.ends[0].any())
    ends = int(region.legal.ends[0].sum())
    assert sum(" or " in line for line in cases._region_lines(region, None)) == ends
