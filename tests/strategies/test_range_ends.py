"""Sums where a range ends: each is what it is there for, by exact fractions, in both signs."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from mmaspec.oracle.numerics.codec import Special, decode, value
from mmaspec.oracle.numerics.rounding import round_to
from mmaspec.programs.formats import Format, format_named
from mmaspec.programs.rounding_mode import Mode
from mmaspec.strategies.regimes.catalogue import draw
from mmaspec.strategies.regimes.extremes.range_ends import ITEMS

FORMS = (("bf16", "f32"), ("f16", "f16"), ("bf16", "bf16"))
HALVES = FORMS[1:]
NEAREST = Mode("nearest-even")


def terms(triple: Any, form: tuple[str, str], item: int, column: int) -> list[Fraction | Special]:
    """The products of one element, and C."""
    factor, addend = map(format_named, form)
    drawn = draw("range-ends", 5, triple(*form, 16, 1), ITEMS)
    a, b, c = (drawn[name][item, 0, 0] for name in "ABC")
    products = [times(factor, int(x), int(y)) for x, y in zip(a[3], b[:, column], strict=True)]
    return [*products, number(addend, int(c[3, column]))]


def number(fmt: Format, bits: int) -> Fraction | Special:
    found = decode(fmt, bits)
    return found if isinstance(found, Special) else value(fmt, bits)


def times(fmt: Format, x: int, y: int) -> Fraction | Special:
    left, right = number(fmt, x), number(fmt, y)
    if isinstance(left, Special) or isinstance(right, Special):
        assert left != 0, "zero times infinity"
        assert right != 0, "infinity times zero"
        return Special("inf", int((x ^ y) & fmt.sign_bit != 0))
    return left * right


def largest(fmt: Format) -> tuple[Fraction, Fraction]:
    """The largest finite number, and half of its last place."""
    significand, exponent = fmt.largest
    return significand * Fraction(2) ** exponent, Fraction(2) ** (exponent - 1)


@pytest.mark.parametrize("column", [0, 1])
@pytest.mark.parametrize("form", FORMS)
def test_sums_end_half_a_unit_beyond_the_largest_or_more(triple: Any, form: tuple[str, str], column: int) -> None:
    top, half = largest(format_named(form[1]))
    sign = -1 if column else 1
    sums = [sum(terms(triple, form, item, column)) for item in (0, 1, 2)]  # type: ignore[arg-type]
    assert sums[0] == sign * (top + half)
    assert top + half < sign * sums[1] < top + 2 * half
    assert sign * sums[2] > 2 * top


@pytest.mark.parametrize("column", [0, 1])
@pytest.mark.parametrize("item", [3, 4])
@pytest.mark.parametrize("form", FORMS)
def test_a_product_overflows_against_an_infinity(triple: Any, form: tuple[str, str], item: int, column: int) -> None:
    found = terms(triple, form, item, column)
    sign = -1 if column else 1
    assert [one.sign for one in found if isinstance(one, Special)] == [1 - column]
    finite = sum(one for one in found if not isinstance(one, Special))
    assert sign * finite > 2 * largest(format_named(form[1]))[0]


@pytest.mark.parametrize("column", [0, 1])
@pytest.mark.parametrize("item", [5, 6])
@pytest.mark.parametrize("form", HALVES)
def test_single_first_makes_another_subnormal(triple: Any, form: tuple[str, str], item: int, column: int) -> None:
    fmt, single = format_named(form[1]), format_named("f32")
    exact = Fraction(sum(terms(triple, form, item, column)))  # type: ignore[arg-type]
    once = round_to(fmt, exact, NEAREST)
    twice = round_to(fmt, value(single, round_to(single, exact, NEAREST)), NEAREST)
    assert once != twice
    assert abs(value(fmt, once)) < Fraction(2) ** fmt.emin


@pytest.mark.parametrize("form", HALVES)
def test_no_product_alone_moves_an_addend_that_all_move(triple: Any, form: tuple[str, str]) -> None:
    fmt = format_named(form[1])
    *products, c = terms(triple, form, 7, 1)
    assert isinstance(c, Fraction)
    bits = round_to(fmt, c, NEAREST)
    assert all(round_to(fmt, c + one, NEAREST) == bits for one in products)  # type: ignore[operator]
    assert round_to(fmt, c + sum(products), NEAREST) != bits  # type: ignore[arg-type]


def test_where_no_product_leaves_the_range_numbers_are_ordinary(triple: Any) -> None:
    drawn = draw("range-ends", 5, triple("f16", "f32", 16, 1), ITEMS)
    assert all(np.unique(bits).size > ITEMS for bits in drawn.values())
