"""Least products: normal factors whose products their own format does not have; and numbers beside ties of floats."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from mmaspec.oracle.numerics.codec import value
from mmaspec.oracle.numerics.rounding import round_to
from mmaspec.programs.formats import format_named
from mmaspec.programs.rounding_mode import Mode
from mmaspec.strategies.regimes.catalogue import draw
from mmaspec.strategies.regimes.extremes.limits import patterns


@pytest.mark.parametrize(("factor", "addend"), [("f16", "f32"), ("bf16", "f32"), ("f16", "f16"), ("f32", "f32")])
def test_factors_are_normal_and_so_are_products_in_the_accumulator(triple: Any, factor: str, addend: str) -> None:
    drawn = draw("least-products", 3, triple(factor, addend, 16, 2), 4)
    inputs, sums = format_named(factor), format_named(addend)
    numbers = {name: [value(inputs, int(bits)) for bits in drawn[name].ravel()[:64]] for name in ("A", "B")}
    least = Fraction(2) ** inputs.emin
    assert all(abs(one) >= least for some in numbers.values() for one in some)
    products = [abs(a * b) for a, b in zip(numbers["A"], numbers["B"], strict=True)]
    assert min(products) >= Fraction(2) ** sums.emin
    if (factor, addend) == ("f16", "f32"):
        assert max(products) < least, "the factors' own format has them as subnormals at best"
    assert not drawn["C"][::2].any()
    assert drawn["C"][1::2].any()


def test_where_something_is_no_float_data_are_ordinary(triple: Any) -> None:
    assert np.array_equal(
        draw("least-products", 3, triple("s8", "s32"), 2)["A"], draw("small", 3, triple("s8", "s32"), 2)["A"]
    )


@pytest.mark.parametrize(
    ("name", "narrow", "wide"),
    [("s32", "bf16", "f32"), ("u32", "bf16", "f32"), ("s64", "f32", "f64"), ("u64", "bf16", "f64")],
)
def test_limits_have_integers_that_must_not_be_rounded_twice(name: str, narrow: str, wide: str) -> None:
    """Above a tie whose even side is below, and below one whose even side is above, nearer than a wide float shows."""
    fmt = format_named(name)
    numbers = [bits - (1 << fmt.bits) if fmt.signed and bits >> (fmt.bits - 1) else bits for bits in patterns(fmt)]

    def once(number: int, target: str) -> Fraction:
        return value(format_named(target), round_to(format_named(target), Fraction(number), Mode.NEAREST_EVEN))

    twice = {number for number in numbers if once(number, narrow) != once(int(once(number, wide)), narrow)}
    assert {once(abs(number), narrow) > abs(number) for number in twice} == {True, False}
