"""Exact sums of many elements at once, against Python's integers; rounding classes, against the definition."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from mmaspec.programs.formats import format_named
from mmaspec.strategies.axes.observation import Subject
from mmaspec.strategies.register_kernels.observations.elements.exact import UNIT, Exact
from mmaspec.strategies.register_kernels.observations.elements.float_sum import float_table
from mmaspec.strategies.register_kernels.observations.elements.float_terms import terms_of
from mmaspec.strategies.register_kernels.observations.elements.ranges import nearest, odd_sum
from mmaspec.strategies.register_kernels.observations.flow import flow_of

from .observed_cases import SAVE, A, B, C, call, case, program


def drawn(seed: int) -> tuple[np.ndarray[tuple[int, ...], np.dtype[np.int64]], ...]:
    draw = np.random.default_rng(seed)
    numbers = draw.integers(-(1 << 24), 1 << 24, (64, 17))
    exponents = draw.integers(UNIT, 104, (64, 17))
    numbers[::4, 1] = -numbers[::4, 0]
    exponents[::4, 1] = exponents[::4, 0]
    numbers[::8, 2:] = 0
    return numbers, exponents


@pytest.mark.parametrize("seed", range(4))
def test_sums_are_those_of_integers(seed: int) -> None:
    numbers, exponents = drawn(seed)
    sums = Exact.of_terms(numbers, exponents)
    sizes, tops, lows = sums.size(), sums.size().top(), sums.size().low()
    parts = sizes.bits(np.full(64, 100, np.int64), 20)
    rest = sizes.below(np.full(64, 70, np.int64)).top()
    for row in range(64):
        wanted = sum(int(n) << (int(e) - UNIT) for n, e in zip(numbers[row], exponents[row], strict=True))
        size = abs(wanted)
        assert sums.sign[row] == (wanted > 0) - (wanted < 0)
        assert tops[row] == size.bit_length() - 1
        assert lows[row] == (size & -size).bit_length() - 1
        assert parts[row] == size >> 100 & 0xFFFFF
        assert rest[row] == (size & (1 << 70) - 1).bit_length() - 1
    assert (sums.compare(sums) == 0).all()


def test_doubles_of_few_bits_are_held_exactly_up_to_the_ends() -> None:
    values = [s * n * 2.0**e for s in (1, -1) for n in (1, 0x81, 0xFFF) for e in (-236, -133, 0, 128, 260, 262)] + [0.0]
    sums = Exact.of_doubles(np.array(values))
    for column, value in enumerate(values):
        limbs = [int(limb) for limb in sums.limbs[:, column]]
        assert sum(limb << (32 * n) for n, limb in enumerate(limbs)) == Fraction(value) / Fraction(2) ** UNIT


def test_rounding_classes_are_those_of_the_definition() -> None:
    draw = np.random.default_rng(7)
    a, b = ((draw.integers(12, 17, (16, 16)) << 10).astype(np.uint64) for _ in range(2))  # 1/8 to 2
    c = draw.integers(0x4A000000, 0x4C000000, (16, 16)).astype(np.uint64)
    subject = Subject(case(program(A, B, C, call(), SAVE), {"A": a, "B": b, "C": c}))
    event = flow_of(subject).products[0]
    table, terms = float_table(subject, event), terms_of(subject, event)
    met: set[str] = set()
    for row in range(256):
        numbers, exponents = (one.reshape(-1, 17)[row] for one in (terms.numbers, terms.exponents))
        exact = sum(
            (Fraction(int(n)) * Fraction(2) ** int(e) for n, e in zip(numbers, exponents, strict=True)), Fraction()
        )
        found = set(table.classes("rounding", row))
        met |= found
        place = exact / Fraction(2) ** (exact.numerator.bit_length() - exact.denominator.bit_length() - 1 - 23)
        while place >= 1 << 24:
            place /= 2
        part = place - int(place)
        assert ("exact" in found) == (part == 0)
        assert bool(found & {"tie-to-even-down", "tie-to-even-up"}) == (part == Fraction(1, 2))
        assert ("quarter" in found) == (part in (Fraction(1, 4), Fraction(3, 4)))
    assert met >= {"exact", "quarter", "tie-to-even-down", "tie-to-even-up", "near-exact"}


@pytest.mark.parametrize("name", ["f16", "bf16"])
def test_sums_rounded_at_each_step_are_those_of_fractions(name: str) -> None:
    """Terms that cancel, that are far apart, and ties that something far below breaks."""
    fmt, draw = format_named(name), np.random.default_rng(11)
    ones = [1.0, 1.0 + 2.0**-fmt.fraction_bits, -1.0, 2.0 ** -(fmt.fraction_bits + 1), -(2.0**-60), 2.0**fmt.qmin / 2]
    sums = draw.choice(ones, 400)
    added = draw.choice([*ones, 2.0**fmt.emax, 2.0 ** (fmt.qmin - 20), 3 * 2.0 ** (fmt.qmin - 1)], 400)
    added *= 2.0 ** draw.integers(-3, 3, 400)
    ties = 0
    for one, other, found in zip(sums, added, nearest(odd_sum(sums, added), fmt), strict=True):
        exact = Fraction(float(one)) + Fraction(float(other))
        top = exact.numerator.bit_length() - exact.denominator.bit_length()
        top -= abs(exact) < Fraction(2) ** top
        unit = Fraction(2) ** max(top - fmt.fraction_bits, fmt.qmin)
        ties += (exact / unit).denominator == 2
        assert Fraction(float(found)) == round(exact / unit) * unit
    assert ties > 20
