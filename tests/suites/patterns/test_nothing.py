"""What is no pattern, or cannot be told from one, is not called one."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mmaspec.oracle.numerics.legal import Legal, Reason
from mmaspec.oracle.numerics.ordinals import from_ordinal, to_ordinal
from mmaspec.programs.formats import FORMATS

from .tiles import Array, Made, along, exactly, numbers, sums

SHAPE = (4, 2, 16, 16)
SMALL = 4


def noise(made: Made, seed: int) -> Array:
    """Other bits of the same magnitudes."""
    rng = np.random.default_rng(seed + 1000)
    return rng.permuted(made.bits.ravel()).reshape(made.bits.shape)


def beside(made: Made, seed: int) -> Array:
    """One step outside the legal set, above or below, in some elements."""
    rng = np.random.default_rng(seed)
    out = np.where(rng.random(made.bits.shape) < 0.5, made.legal.lo - 1, made.legal.hi + 1)
    wrong = rng.random(made.bits.shape) < rng.choice([0.01, 0.2, 1.0])
    return np.where(wrong, from_ordinal(made.legal.fmt, out), made.bits)


def negated(made: Made, _: int) -> Array:
    return from_ordinal(made.legal.fmt, -to_ordinal(made.legal.fmt, made.bits))


def zeros(made: Made, seed: int) -> Array:
    return np.where(np.arange(16) == seed % 16, np.uint64(0), made.bits)


def poison(made: Made, seed: int) -> Array:
    return np.where(np.arange(16)[:, None] > seed % 15, np.uint64(0x3DCDCDCD), made.bits)


def saturated(made: Made, seed: int) -> Array:
    ordinals = to_ordinal(made.legal.fmt, made.bits)
    most = int(np.quantile(ordinals, 0.5 + seed % 5 / 10))
    return from_ordinal(made.legal.fmt, np.clip(ordinals, -abs(most), abs(most)))


def one_bit(made: Made, seed: int) -> Array:
    rng = np.random.default_rng(seed)
    got = made.bits.copy()
    for _ in range(rng.integers(1, 6)):
        got[tuple(rng.integers(0, SHAPE))] ^= np.uint64(1 << int(rng.integers(0, 32)))
    return got


DEFECTS = [noise, beside, negated, zeros, poison, saturated, one_bit]
DATA = {
    "integers": numbers,
    "small integers": lambda shape, seed: numbers(shape, SMALL, seed),
    "float sums": sums,
    "wide float sums": lambda shape, seed: sums(shape, 1 << 22, seed),
    "very wide float sums": lambda shape, seed: sums(shape, 1 << 25, seed),
}


@pytest.mark.exhaustive(every=12)
@pytest.mark.parametrize("data", DATA)
@pytest.mark.parametrize("defect", DEFECTS)
@given(seed=st.integers(0, 1 << 16))
def test_values_that_are_wrong_otherwise(defect, data: str, seed: int) -> None:
    made = DATA[data](SHAPE, seed=seed)
    assert made.judged(defect(made, seed)) is None


def test_nothing_is_wrong() -> None:
    assert numbers(SHAPE).seen(lambda bits: bits) is None


def test_data_all_alike_tell_nothing() -> None:
    same = exactly(np.full(SHAPE, 7, np.uint64))
    assert same.seen(along(2, lambda rows: rows[::-1])) is None
    assert same.seen(lambda bits: bits * 0) is None
    two = np.zeros(SHAPE, np.uint64)
    two[:, :, ::2] = 9
    assert exactly(two).seen(along(2, lambda rows: rows ^ 1)) is None


def test_rows_all_alike_do_not_tell_which_row() -> None:
    alike = numbers(SHAPE).bits
    alike[:, :, 1:] = alike[:, :, 1:2]
    found = exactly(alike).seen(along(2, lambda rows: np.where(rows == 0, 5, rows)))
    assert found is None


def test_sets_that_hold_everything_explain_nothing() -> None:
    made = numbers(SHAPE)
    lo, hi = made.legal.lo.copy(), made.legal.hi.copy()
    lo[:, :, 7], hi[:, :, 7] = -(1 << 31), (1 << 31) - 1
    wide = Made(Legal.interval(FORMATS["s32"], lo, hi), made.bits)
    rng = np.random.default_rng(5)
    got = made.bits.copy()
    got[:, :, 3] = rng.integers(0, 1 << 32, got[:, :, 3].shape)
    assert wide.judged(got) is None


def test_elements_that_are_not_judged_explain_nothing() -> None:
    made = numbers(SHAPE)
    row_7 = np.broadcast_to(np.arange(16)[:, None] == 7, SHAPE)
    legal = made.legal.not_judged(row_7, Reason.OVERFLOW_HAZARD)
    got = made.bits.copy()
    got[:, :, 3] ^= np.uint64(0x155)
    assert Made(legal, made.bits).judged(got) is None


def test_a_pattern_that_leaves_something_unexplained_is_none() -> None:
    made = numbers(SHAPE)
    got = made.bits[:, :, ::-1].copy()
    got[2, 1, 4, 4] ^= np.uint64(64)
    assert made.judged(got) is None


def test_a_few_values_are_no_evidence() -> None:
    made = numbers((1, 1, 8, 8), high=2)
    got = made.bits.copy()
    got[0, 0, [2, 3]] = got[0, 0, [3, 2]]
    assert made.judged(got) is None


@pytest.mark.parametrize("items", [1, 5])
def test_one_value_everywhere_is_that_of_no_element(items: int) -> None:
    """A constant may be legal somewhere; what each item has there itself is a pattern."""
    bits = numbers((items, 1, 16, 16)).bits
    of_items = np.broadcast_to(bits[:, :, 3:4, 5:6], bits.shape)
    assert (exactly(bits).judged(of_items) is None) is (items == 1)
    constant = bits.copy()
    constant[:, :, 3, 5] = 7
    assert exactly(constant).judged(np.full(bits.shape, 7, np.uint64)) is None
