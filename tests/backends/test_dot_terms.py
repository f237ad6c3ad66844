"""The terms of a dot product add up to it without any error."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from mmaspec.backends.numpy.units.dot_terms import extracted_terms
from mmaspec.backends.numpy.units.encoding import Doubles, doubles_of
from mmaspec.backends.numpy.units.expansion import sum_to_odd
from mmaspec.programs.formats import FORMATS

from . import operands


def _exact(left: Doubles, right: Doubles) -> Fraction:
    return sum((Fraction(float(x)) * Fraction(float(y)) for x, y in zip(left, right, strict=True)), Fraction(0))


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
