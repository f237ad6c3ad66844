"""Correctly rounded dot products: equal to the definition where it is hard, and broken engines are seen."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from mmaspec.oracle.numerics.bulk import exact_sum, fixed_point, rounded, single, undecided
from mmaspec.oracle.numerics.bulk.certificate import CERTIFICATE, relative_error
from mmaspec.oracle.numerics.ordinals import exact_float64, from_ordinal
from mmaspec.oracle.numerics.rounding import round_to
from mmaspec.programs.formats import FORMATS
from mmaspec.programs.rounding_mode import Mode

F16, BF16, F32 = FORMATS["f16"], FORMATS["bf16"], FORMATS["f32"]
FINITE = ("normal", "wild", "subnormal", "cancel", "near_tie", "window", "overflow", "zero_times_huge")


def finite_codes(fmt, bits):
    """Specials become finite by clearing a bit of the exponent."""
    special = (bits & np.uint64(fmt.sign_bit - 1)) > np.uint64(fmt.largest_magnitude)
    return np.where(special, bits & ~np.uint64(1 << fmt.fraction_bits), bits)


def draw(regimes, name, seed, types, shape):
    a, b, c = regimes.draw(name, np.random.default_rng(seed), *types, shape)
    return [finite_codes(fmt, bits) for fmt, bits in zip(types, (a, b, c.bits), strict=True)]


def exact_sums(types, a, b, c):
    values = [exact_float64(fmt, bits) for fmt, bits in zip(types, (a, b, c), strict=True)]
    return [rounded.exact(*values, at) for at in np.ndindex(*c.shape)]


def dot(types, a, b, c, **more):
    return rounded.dot(a_fmt=types[0], a=a, b_fmt=types[1], b=b, c_fmt=types[2], c=c, **more)


@pytest.mark.exhaustive(every=2)
@pytest.mark.parametrize("regime", FINITE)
def test_equals_the_definition(regimes, types, regime):
    for k in (1, 16, 33):
        a, b, c = draw(regimes, regime, k, types, (1, 5, 4, k))
        xs = exact_sums(types, a, b, c)
        for name in ("f32", "f16", "bf16", "e5m2"):
            fmt = FORMATS[name]
            for mode in Mode:
                want = [round_to(fmt, x, mode) for x in xs]
                assert dot(types, a, b, c, d_fmt=fmt, mode=mode).ravel().tolist() == want, (k, name, mode)


def test_operands_of_any_unsigned_type(regimes):
    types = (F16, F16, F32)
    a, b, c = draw(regimes, "wild", 1, types, (3, 4, 5, 6))
    narrow = dot(types, a.astype(np.uint16), b.astype(np.uint16), c.astype(np.uint32))
    assert (narrow == dot(types, a, b, c)).all()
    assert narrow.dtype == np.uint64


def test_hard_data_stays_out_of_the_fractions(regimes, types, monkeypatch):
    """What keeps ties, near ties and cancellation cheap: the second stage places nearly all of them."""
    slow = []
    monkeypatch.setattr(rounded, "exact", lambda *where: slow.append(where) or Fraction(0))
    elements = 0
    for regime in FINITE:
        a, b, c = draw(regimes, regime, 3, types, (4, 16, 16, 16))
        dot(types, a, b, c)
        elements += c.size
    assert len(slow) <= elements / 200


def swallowed(tiles=16):
    """1 + 2^-24 and a crumb of 2^-28, between two products of 2^30 that cancel: a tie decided by what float64 loses."""
    rng = np.random.default_rng(9)
    a, b = np.zeros((tiles, 2, 16), np.uint64), np.zeros((tiles, 16, 2), np.uint64)
    big, tie, crumb = 30 << 10, 3 << 10, 1 << 10  # 2^15, 2^-12, 2^-14 in f16
    for tile in range(tiles):
        places = rng.permutation(16)[:4]
        a[tile, :, places] = np.array([big, big | F16.sign_bit, tie, crumb | F16.sign_bit * (tile % 2)])[:, None]
        b[tile, places, :] = np.array([big, big, tie, crumb])[:, None]
    return a, b, np.full((tiles, 2, 2), 0x3F800000, np.uint64)


def wrong_answers(regimes, engine=dot):
    """How many of the answers of an engine are wrong, by regime."""
    a, b, c = swallowed()
    want = [round_to(F32, x, Mode.NEAREST_EVEN) for x in exact_sums((F16, F16, F32), a, b, c)]
    wrong = np.count_nonzero(engine((F16, F16, F32), a, b, c).ravel() != np.array(want, np.uint64))
    found = {"swallowed": int(wrong)}
    for regime in ("normal", "near_tie", "cancel"):
        for types in ((F16, F16, F32), (BF16, BF16, F32)):
            a, b, c = draw(regimes, regime, 4, types, (2, 6, 6, 16))
            want = [round_to(F32, x, Mode.NEAREST_EVEN) for x in exact_sums(types, a, b, c)]
            wrong = int(np.count_nonzero(engine(types, a, b, c).ravel() != np.array(want, np.uint64)))
            found[regime] = found.get(regime, 0) + wrong
    return found


def product_then_cast(types, a, b, c):
    values = [exact_float64(fmt, bits) for fmt, bits in zip(types, (a, b, c), strict=True)]
    return (values[0] @ values[1] + values[2] + 0.0).astype(np.float32).view(np.uint32).astype(np.uint64)


def test_the_engine_itself_is_right(regimes):
    assert sum(wrong_answers(regimes).values()) == 0


def test_a_cast_of_the_float64_product_is_caught(regimes):
    assert wrong_answers(regimes, product_then_cast)["near_tie"] > 5


@pytest.mark.parametrize("factor", [2.0**-60, 2.0**-20])
def test_a_certificate_removed_or_too_generous_is_caught(regimes, monkeypatch, factor):
    monkeypatch.setattr(CERTIFICATE, "factor", factor)
    assert wrong_answers(regimes)["swallowed"] > 5


def test_a_proposal_that_is_taken_without_proof_is_caught(regimes, monkeypatch):
    real = single.proposed
    monkeypatch.setattr(single, "proposed", lambda v, error: (real(v, error)[0], np.ones(v.shape, np.bool_)))
    found = wrong_answers(regimes)
    assert found["near_tie"] > 5
    assert found["swallowed"] > 5


def test_a_wrong_proposal_is_never_proved():
    """The conversion is not trusted: neighbours of the nearest value do not pass, whatever proposed them."""
    rng = np.random.default_rng(12)
    values = np.concatenate([rng.standard_normal(4000), 2.0 ** rng.integers(-149, 127, 4000) * (1 + rng.random(4000))])
    right = fixed_point.round_ordinals(F32, values, Mode.NEAREST_EVEN)
    for step in (0, -1, 1):
        codes = from_ordinal(F32, right + step).astype(np.uint32)
        proved = single.proved(codes, values, np.zeros(values.shape))
        assert proved[:4000].all() if step == 0 else not proved.any()


def test_sums_called_exact_are_exact(regimes):
    for name in FINITE:
        a, b, c = draw(regimes, name, 5, (F16, F16, F32), (3, 5, 5, 16))
        values = [exact_float64(fmt, bits) for fmt, bits in zip((F16, F16, F32), (a, b, c), strict=True)]
        total, size = values[0] @ values[1] + values[2], np.abs(values[0]) @ np.abs(values[1]) + np.abs(values[2])
        every = np.arange(c.size)
        exact = single.exact_sums(tuple(values), every, size.ravel(), relative_error(16))
        truth = exact_sums((F16, F16, F32), a, b, c)
        assert all(Fraction(v) == x for v, x, sure in zip(total.ravel().tolist(), truth, exact, strict=True) if sure)
        assert name != "window" or exact.mean() > 0.9


def test_rounding_to_odd_dropped_is_caught(regimes, monkeypatch):
    monkeypatch.setattr(exact_sum, "_odd", lambda head, _: head + 0.0)
    assert wrong_answers(regimes)["near_tie"] > 5


def test_a_skipped_fallback_is_caught(regimes, monkeypatch):
    none = np.empty(0, np.intp)
    monkeypatch.setattr(undecided, "settle", lambda *_: undecided.Settled(False, none, none))
    assert wrong_answers(regimes)["near_tie"] > 5


def test_a_second_stage_without_its_last_parts_is_caught(regimes, monkeypatch):
    """Crumbs beyond two extractions decide near ties too."""
    whole = undecided.slices.product

    def cut_short(a, b):
        return exact_sum.Parts(whole(a, b).parts[:1])

    monkeypatch.setattr(undecided.slices, "product", cut_short)
    assert sum(wrong_answers(regimes).values()) > 5


def test_the_bound_holds_in_any_order():
    """Lemma: K + 1 exact terms added in float64, in whatever order, stay within the bound."""
    rng = np.random.default_rng(5)
    largest = 0.0
    for k in (1, 7, 200):
        terms = rng.standard_normal((40, k + 1)) * 2.0 ** rng.integers(-40, 40, (40, k + 1))
        terms[:, -1] = -terms[:, :-1].sum(axis=1)  # cancelling
        for _ in range(2):
            order = rng.permutation(k + 1)
            total = np.zeros(40)
            for at in order:
                total = total + terms[:, at]
            for got, row in zip(total.tolist(), terms, strict=True):
                size = sum(map(Fraction, np.abs(row).tolist()))
                error = abs(Fraction(got) - sum(map(Fraction, row.tolist())))
                assert error < Fraction(relative_error(k)) * size
                largest = max(largest, float(error / size) / relative_error(k))
    assert largest > 0.001


def test_specials_and_signs_of_zero():
    inf, nan, one, minus = 0x7C00, 0x7E01, 0x3C00, 0x8000

    def single(a, b, c, fmt=F32):
        codes = [np.array(each, np.uint64) for each in ([a], [[each] for each in b], [[c]])]
        return int(dot((F16, F16, F32), *codes, d_fmt=fmt)[0, 0])

    assert single([nan], [one], 0) == F32.nan_bits
    assert single([inf], [0], 0) == F32.nan_bits
    assert single([inf, inf | minus], [one, one], 0) == F32.nan_bits
    assert single([inf], [one], 0xFF800000) == F32.nan_bits
    assert single([one], [one], 0x7FC00001) == F32.nan_bits
    assert single([inf | minus], [one], 0x7F7FFFFF) == 0xFF800000
    assert single([one], [0], 0xFF800000, F16) == 0xFC00
    assert single([minus], [one], 0x80000000) == 0  # an exact zero is +0
    assert single([0x0001], [0x8001], 0, F16) == minus  # a negative number that underflows keeps its sign
    assert single([0x7BFF], [0x7BFF], 0, F16) == inf
    assert single([one], [one], 0x477FEFFF, F16) == inf  # 1 + (65520 - crumb) lies beyond the last tie


def test_fp8_without_infinities():
    """E4M3 has one special, NaN; its largest code is a number."""
    e4m3 = FORMATS["e4m3"]
    types = (e4m3, e4m3, F32)
    codes = [np.array([[[each]]], np.uint64) for each in (0x7E, 0x7F)]
    zero = np.zeros((1, 1, 1), np.uint64)
    assert exact_float64(F32, dot(types, codes[0], codes[0], zero)).item() == 448.0 * 448.0
    assert dot(types, codes[1], codes[0], zero).item() == F32.nan_bits
    with pytest.raises(ValueError, match="no rounded dot product"):
        dot((F16, F16, F32), codes[0], codes[0], zero, d_fmt=e4m3)


def test_shapes_chunks_and_preconditions():
    rng = np.random.default_rng(6)
    a = rng.integers(0, 0x7C00, (3, 1, 40, 16), np.uint64)
    b = rng.integers(0, 0x7C00, (50, 16, 24), np.uint64)
    c = np.full((1, 1, 40, 24), 0x3F800000, np.uint64)
    types = (F16, F16, F32)
    whole = dot(types, a, b, c)
    assert whole.shape == (3, 50, 40, 24)
    assert (whole[2, 49] == dot(types, a[2, 0], b[49], c[0, 0])).all()
    assert dot(types, a[:0], b[:0], c[:, :0]).shape == (0, 0, 40, 24)
    with pytest.raises(ValueError, match="do not fit"):
        dot(types, a, b[:, :5], c)
    with pytest.raises(ValueError, match="beyond"):
        dot(types, np.zeros((1, 5000), np.uint64), np.zeros((5000, 1), np.uint64), np.zeros((1, 1), np.uint64))
    with pytest.raises(ValueError, match="no rounded"):
        dot((F16, F16, FORMATS["f64"]), a, b, c)


@pytest.mark.parametrize("order", ["<", ">"])
def test_bytes_in_any_order(order):
    one, zero = np.array([[0x3C00]], f"{order}u2"), np.zeros((1, 1), f"{order}u4")
    assert dot((F16, F16, F32), one, one, zero).item() == 0x3F800000


def test_nothing_to_add():
    empty, addend = np.zeros((2, 0), np.uint64), np.full((2, 2), 0x3F800001, np.uint64)
    assert (dot((F16, F16, F32), empty, empty.T, addend) == addend).all()
    assert dot((F16, F16, F32), empty.T, np.zeros((2, 3), np.uint64), np.zeros((0, 3), np.uint64)).shape == (0, 3)


def test_memory_does_not_grow_with_the_batch():
    """Temporaries are those of a chunk: beyond the answer itself, far less than the operands as float64."""
    import tracemalloc

    rng = np.random.default_rng(7)
    a, b = (rng.integers(0, 0x7C00, (4000, 16, 16)).astype(np.uint16) for _ in range(2))
    c = np.zeros((4000, 16, 16), np.uint32)
    tracemalloc.start()
    answer = dot((F16, F16, F32), a, b, c)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak - answer.nbytes < 8 << 20
