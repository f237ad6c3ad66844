"""Sums without error and slices, against fractions; and the preconditions that the proofs state."""

from __future__ import annotations

import ctypes
import platform
import sys
from fractions import Fraction

import numpy as np
import pytest

from mmaspec.oracle.numerics.bulk import environment, exact_sum, single, slices
from mmaspec.oracle.numerics.bulk.exact_sum import Parts, anchor, split_terms, to_odd, two_sum
from mmaspec.oracle.numerics.rounding import round_to
from mmaspec.programs.formats import FORMATS
from mmaspec.programs.rounding_mode import Mode

F64 = FORMATS["f64"]


def odd(x: Fraction) -> float:
    return float(np.array(round_to(F64, x, Mode.TO_ODD), np.uint64).view(np.float64))


def wide_terms(rng, count, elements, spread):
    """Products of 24-bit significands over 2^spread binades; columns that cancel, that tie, and crumbs."""
    significands = rng.integers(-(2**24), 2**24, (2, count, elements)).astype(np.float64)
    terms = significands[0] * significands[1] * 2.0 ** rng.integers(-spread, 1, (count, elements))
    if count > 3:
        terms[1, ::3] = -terms[0, ::3]
        terms[:, 1::7] = np.where(np.arange(count)[:, None] < 3, terms[:, 1::7], 0)
        terms[0, 2::5], terms[1, 2::5], terms[2, 2::5] = 2.0**40, 2.0**-13, -(2.0**-90)
    return terms


def test_two_sum():
    rng = np.random.default_rng(1)
    x, y = rng.standard_normal((2, 500)) * 2.0 ** rng.integers(-60, 60, (2, 500))
    total, error = two_sum(x, y)
    assert (total == x + y).all()
    for each in zip(x.tolist(), y.tolist(), total.tolist(), error.tolist(), strict=True):
        a, b, s, e = map(Fraction, each)
        assert a + b == s + e


@pytest.mark.parametrize("spread", [0, 30, 120, 400])
@pytest.mark.parametrize("count", [1, 2, 17, 100])
def test_gathered_sums_round_to_odd(count, spread):
    terms = wide_terms(np.random.default_rng([count, spread]), count, 120, spread)
    sums = split_terms(terms.copy())
    values, known = to_odd(sums)
    certain = np.ones(120, np.bool_) if known is None else known
    for n in np.flatnonzero(certain):
        assert values[n] == odd(sum(map(Fraction, terms[:, n].tolist()))), n
    assert certain.mean() > (0.999 if spread < 40 else 0.9)


def test_parts_of_an_extraction_are_exact():
    """Lemma: heads are integers below 2^53 of one power of two, so their sum has no error."""
    terms = wide_terms(np.random.default_rng(3), 64, 60, 20)
    terms[:, 2::5] = 1.0  # no crumbs
    sums = split_terms(terms)
    assert sums.error is None
    for n in range(60):
        assert sum(Fraction(part[n]) for part in sums.parts) == sum(map(Fraction, terms[:, n].tolist()))


def test_anchor_rounds_to_its_multiple():
    top = np.array([1.0, 1.5, 2.0**-140, 3.9e30, 0.0])
    for bits in (10, 24, 50):
        at = anchor(top, bits)
        head = top + at - at
        step = 2.0 ** (np.where(top > 0, np.floor(np.log2(np.where(top > 0, top, 1))), 0) + 1 - bits)
        assert (np.abs(head - top) <= step / 2).all()
        assert (np.mod(head, step) == 0).all()


@pytest.mark.parametrize("k", [1, 16, 100])
@pytest.mark.parametrize("spread", [0, 12, 60])
def test_slices_are_exact(k, spread):
    rng = np.random.default_rng([k, spread])
    a, b = (
        rng.integers(-(2**24), 2**24, shape) * 2.0 ** rng.integers(-spread, 1, shape)
        for shape in ((2, 3, k), (2, k, 4))
    )
    found = slices.product(a, b)
    for t, i, j in np.ndindex(2, 3, 4):
        x = sum((Fraction(p) * Fraction(q) for p, q in zip(a[t, i], b[t, :, j], strict=True)), Fraction(0))
        parts = sum(Fraction(part[t, i, j]) for part in found.parts)
        if found.rest is None or found.error is None:
            assert parts == x
        else:
            assert abs(x - parts - Fraction(found.rest[t, i, j])) <= Fraction(found.error[t, i, j])
    assert (found.rest is None) == (spread < 13 or k == 1)


def test_an_odd_value_needs_a_certain_direction():
    one, crumb = np.ones(3), np.array([2.0**-80, -(2.0**-80), 0.0])
    values, known = to_odd(Parts((one,), crumb, np.full(3, 2.0**-100)))
    assert known is not None
    assert known.tolist() == [True, True, False]
    assert values[:2].tolist() == [1 + 2.0**-52, 1 - 2.0**-53]
    assert to_odd(Parts((one, crumb)))[1] is None


def test_odd_mutants_are_seen(monkeypatch):
    terms = np.array([[1.0], [2.0**-54], [2.0**-90]])
    right = odd(1 + Fraction(2) ** -54 + Fraction(2) ** -90)
    assert to_odd(split_terms(terms))[0].item() == right
    monkeypatch.setattr(exact_sum, "_odd", lambda head, _: head)
    assert to_odd(split_terms(terms))[0].item() != right


@pytest.mark.skipif(
    sys.platform != "linux" or platform.machine() != "x86_64",
    reason="sets the processor's mode through glibc on x86-64",
)
class TestProcessorMode:
    """The precondition of every proof: IEEE arithmetic, asked each time."""

    @staticmethod
    def with_mode(change):
        libm = ctypes.CDLL("libm.so.6")
        state = (ctypes.c_uint32 * 8)()
        libm.fegetenv(state)
        kept = list(state)
        state[7] = change(state[7])  # the last word of glibc's fenv_t is MXCSR
        libm.fesetenv(state)
        try:
            environment.require_ieee()
        finally:
            for n, word in enumerate(kept):
                state[n] = word
            libm.fesetenv(state)

    def test_flushed_subnormals_are_refused(self):
        with pytest.raises(RuntimeError, match="flushes subnormals"):
            self.with_mode(lambda mode: mode | 0x8040)

    @pytest.mark.parametrize("direction", [0x2000, 0x4000, 0x6000])
    def test_directed_rounding_is_refused(self, direction):
        with pytest.raises(RuntimeError, match="round to nearest"):
            self.with_mode(lambda mode: mode & ~0x6000 | direction)

    def test_the_usual_mode_is_accepted(self):
        self.with_mode(lambda mode: mode)


def test_products_that_skip_zero_factors_are_noticed(monkeypatch):
    """As the reference BLAS does: NaN times 0 would be 0."""

    def skipping(left, right):
        clean = np.where(right[..., None, :, :] == 0, 0.0, left[..., :, :, None] * right[..., None, :, :])
        return clean.sum(axis=-2)

    assert environment.specials_spread()
    assert not environment.specials_spread(skipping)
    monkeypatch.setattr(environment, "specials_spread", lambda: False)
    with pytest.raises(RuntimeError, match="skips NaN"):
        environment.require_ieee()


def test_sums_are_called_exact_by_the_lowest_bits_that_surely_divide():
    """The quick lowest bits of two are four: 2 * 2 + 2^56 has 2^54 quanta, which float64 does not hold in any order."""
    two, c = np.full((1, 1, 1), 2.0), np.full((1, 1, 1), 2.0**56)
    at, size = np.zeros(1, np.intp), np.full(1, 2.0**56 + 4)
    assert not single.exact_sums((two, two, c), at, size, 0.0).any()
    assert single.exact_sums((two, two, c / 4), at, size / 4, 0.0).all()
