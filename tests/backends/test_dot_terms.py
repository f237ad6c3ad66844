"""The terms of a dot product add up to it without any error."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from mmaspec.backends.numpy.units.dot_terms import extracted_terms, fits_fixed_point, fixed_point_terms
from mmaspec.backends.numpy.units.encoding import Doubles, doubles_of
from mmaspec.backends.numpy.units.expansion import sum_to_odd
from mmaspec.programs.formats import FORMATS

from . import operands


def _exact(left: Doubles, right: Doubles) -> Fraction:
    return sum((Fraction(float(x)) * Fraction(float(y)) for x, y in zip(left, right, strict=True)), Fraction(0))


@pytest.mark.parametrize("depth", [1, 3, 64, 2048])
@pytest.mark.parametrize("sparse", [False, True], ids=["any", "largest"])
def test_fixed_point_loses_nothing(depth: int, *, sparse: bool) -> None:
    rng = np.random.default_rng(21)
    a, b = (doubles_of(FORMATS["f16"], operands.finite(rng, "f16", *shape)) for shape in ((2, depth), (depth, 2)))
    if sparse:
        # Integers of 40 bits do not occur in f16, sums of their halves at full height do.
        a, b = np.full_like(a, 2047 * 2.0**-24), np.full_like(b, 65504 - 32.0)
    terms = fixed_point_terms(a, b)
    for row, col in np.ndindex(2, 2):
        assert sum(Fraction(float(term[row, col])) for term in terms) == _exact(a[row], b[:, col])


@pytest.mark.parametrize("high", [2.0**40 - 1, 2.0**20 - 1, 2.0**39 + 2.0**19])
def test_fixed_point_bears_every_integer_of_40_bits(high: float) -> None:
    a = np.full((1, 2047), high * 2.0**-24)
    terms = fixed_point_terms(a, a.T.copy())
    assert sum(Fraction(float(term[0, 0])) for term in terms) == _exact(a[0], a[0])


def test_only_narrow_ranges_fit_the_fixed_point() -> None:
    fitting = {name for name, fmt in FORMATS.items() if fmt.is_float and fits_fixed_point(fmt, 16)}
    assert fitting == {"f16", "e4m3", "e5m2"}
    assert not fits_fixed_point(FORMATS["f16"], 2049)


@pytest.mark.parametrize("depth", [1, 2, 15, 16, 17, 255])
@pytest.mark.parametrize("regime", [operands.finite, operands.moderate], ids=["finite", "moderate"])
def test_extraction_loses_nothing(depth: int, regime: object) -> None:
    assert callable(regime)
    rng = np.random.default_rng(22)
    left, right = (doubles_of(FORMATS["f32"], regime(rng, "f32", depth, 12)) for _ in range(2))
    left[:, 0] = 0.0
    left[:, 1], right[:, 1] = abs(left[:, 1]), abs(right[:, 1])
    left[:, 2] = right[:, 2] = np.ldexp(2.0**24 - 1, -24)
    met = []
    for indices, terms in extracted_terms(left * right):
        for place, index in enumerate(indices):
            total = sum(Fraction(float(term[place])) for term in terms)
            assert total == _exact(left[:, index], right[:, index])
        met.extend(indices.tolist())
    assert sorted(met) == list(range(12))


def test_sums_are_rounded_to_odd() -> None:
    """Exact, or strictly between the result, which is odd, and its neighbour."""
    rng = np.random.default_rng(23)
    size = 400
    scales = np.ldexp(1.0, rng.integers(-120, 10, (4, size)))
    terms = [rng.integers(-9, 10, size) * scale for scale in scales]
    terms[3] = np.where(rng.integers(0, 2, size) == 0, -terms[0], terms[3])
    total = sum_to_odd(terms)
    for place in range(size):
        exact = sum(Fraction(float(term[place])) for term in terms)
        got = float(total[place])
        if Fraction(got) != exact:
            assert np.float64(got).view(np.int64) & 1
            toward = np.inf if exact > Fraction(got) else -np.inf
            assert abs(exact - Fraction(got)) < abs(Fraction(float(np.nextafter(got, toward))) - Fraction(got))
