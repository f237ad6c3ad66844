"""Sizes as whole numbers: their lengths, and what is left of them without low bits, against Python's integers."""

from __future__ import annotations

import numpy as np
import pytest

from mmaspec.backends.numpy.hlsl_linalg import conversions
from mmaspec.oracle.numerics import exact_values
from mmaspec.oracle.numerics.exact_values import Placed

LENGTHS = {"oracle": exact_values.bit_lengths, "device": conversions.lengths}


def sizes(rng, count, shortest):
    """Numbers of every length up to 64 bits: anything, powers of two and their neighbours, and zeros."""
    anything = rng.integers(0, 1 << 64, count, np.uint64, endpoint=False) >> rng.integers(
        shortest, 64, count, np.uint64
    )
    power = np.uint64(1) << rng.integers(0, 64 - shortest, count, np.uint64)
    return np.select(
        [rng.random(count) < share for share in (0.5, 0.7, 0.8, 0.95)],
        [anything, power, power - np.uint64(1), power + np.uint64(1)],
        np.uint64(0),
    )


def batches():
    """Batches in which all numbers are short, or moved by few places, and others."""
    for seed in range(60):
        rng = np.random.default_rng(seed)
        yield sizes(rng, 64, 11 * (seed % 2)), rng.integers(0, (54, 64, 67, 70)[seed % 4], 64)


def wrong_lengths(lengths):
    return sum(
        found != size.bit_length()
        for each, _ in batches()
        for found, size in zip(lengths(each), each.tolist(), strict=True)
    )


def as_it_should(size, down):
    whole, lost = size >> down, size & (1 << down) - 1
    against = 2 * lost - (1 << down)
    return whole, 0 if lost == 0 else 1 if against < 0 else 2 if against == 0 else 3


def wrong_places(placed):
    wrong = 0
    for each, down in batches():
        found = placed(each, down)
        pairs = zip(found.whole.tolist(), found.rest.tolist(), strict=True)
        wanted = [as_it_should(*one) for one in zip(each.tolist(), down.tolist(), strict=True)]
        wrong += sum(one != other for one, other in zip(pairs, wanted, strict=True))
    return wrong


@pytest.mark.parametrize("whose", LENGTHS)
def test_lengths(whose):
    assert wrong_lengths(LENGTHS[whose]) == 0


def test_places():
    assert wrong_places(exact_values._placed) == 0


def test_wrong_twins_are_found():
    def rounded(each):
        """The exponent of what float64 made of a number that it does not hold."""
        return np.maximum((each.astype(np.float64).view(np.int64) >> 52) - 1022, 0)

    def no_ties(each, down):
        found = exact_values._placed(each, down)
        return Placed(found.whole, np.where(found.rest == 2, 3, found.rest))

    def near_only(each, down):
        """As if no place were beyond the first word."""
        return exact_values._placed(each, np.minimum(down, 63))

    assert wrong_lengths(rounded) > 0
    assert wrong_places(no_ties) > 0
    assert wrong_places(near_only) > 0
