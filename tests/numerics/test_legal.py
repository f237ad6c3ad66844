"""Legal sets: judging, joining, and how wide a set is."""

from __future__ import annotations

import numpy as np
import pytest

from mmaspec.oracle.numerics import legal as legal_sets
from mmaspec.oracle.numerics.legal import Legal, Reason, certain_bits, distance, full, illegal, share, width
from mmaspec.programs.formats import FORMATS

F32, F16, U64, S64 = (FORMATS[name] for name in ("f32", "f16", "u64", "s64"))
NAN, INF, ONE, MINUS_ZERO = 0x7FC00000, 0x7F800000, 0x3F800000, 0x80000000


def bits(*codes):
    return np.array(codes, np.uint64)


def interval(fmt, *pairs, **more):
    lo, hi = np.array(pairs, np.int64).T
    return Legal.interval(fmt, lo, hi, **more)


def test_moved_values_keep_their_bits():
    moved = Legal.from_bits(F32, bits(ONE, MINUS_ZERO, 0, NAN, INF))
    assert illegal(moved, bits(ONE, MINUS_ZERO, 0, NAN | 1, INF)).tolist() == [False] * 5
    assert illegal(moved, bits(ONE + 1, 0, MINUS_ZERO, ONE, NAN)).tolist() == [True] * 5
    assert moved.exact.tolist() == [True, True, True, False, True]
    got, sure = certain_bits(moved)
    assert sure.all()
    assert got.tolist() == [ONE, MINUS_ZERO, 0, NAN, INF]


def test_computed_zero_has_no_sign():
    zero = interval(F32, (0, 0))
    assert not illegal(zero, bits(0)).any()
    assert not illegal(zero, bits(MINUS_ZERO)).any()
    assert zero.exact.all()


def test_nan_both_ways():
    number = interval(F32, (5, 9))
    either = interval(F32, (5, 9), nan=np.array([True]))
    required = interval(F32, (1, 0), nan=np.array([True]))
    negative_nan = NAN | MINUS_ZERO
    for nan in (NAN, negative_nan, 0x7F800001):
        assert illegal(number, bits(nan)).all()
        assert not illegal(either, bits(nan)).any()
        assert not illegal(required, bits(nan)).any()
    for code in (0, 1, 6, INF):
        assert illegal(required, bits(code)).all()
    assert not illegal(either, bits(6)).any()
    assert illegal(either, bits(4)).all()
    assert distance(number, bits(NAN))[0] == 2**63 - 1
    assert distance(required, bits(6))[0] == 2**63 - 1


def test_unjudged_accepts_all_and_says_why():
    free = legal_sets.unjudged(F32, (1,), Reason.SPEC_SILENT)
    assert not illegal(free, bits(NAN)).any()
    assert share(free)[0] == 1.0
    assert not certain_bits(free)[1].any()
    assert Reason(int(free.why[0])).text
    assert all(reason.text for reason in Reason)
    later = free.not_judged(np.array([True]), Reason.OVERFLOW_HAZARD)
    assert later.why.tolist() == [Reason.SPEC_SILENT]


def test_no_device_could_answer():
    with pytest.raises(ValueError, match="without any"):
        interval(F32, (1, 0))


def test_width_share_distance():
    some = interval(F16, (-3, 6), (4, 4), (1, 0), nan=np.array([False, False, True]))
    assert width(some).tolist() == [10, 1, 0]
    assert share(some)[0] == pytest.approx(10 / (2 * 0x7C00 + 2))
    assert distance(some, bits(9, 0x8004, 0x7E00)).tolist() == [3, 8, 0]
    assert distance(full(F16, (1,), 0x8000), bits(0)).tolist() == [1]
    for fmt in (U64, S64, FORMATS["f64"]):  # differences beyond int64 saturate
        whole = interval(fmt, (fmt.min_ordinal, fmt.max_ordinal), (fmt.max_ordinal, fmt.max_ordinal))
        assert width(whole).tolist() == [2**63 - 1, 1]
        lowest = legal_sets.from_ordinal(fmt, np.array([fmt.min_ordinal] * 2))
        assert distance(whole, lowest).tolist() == [0, 2**63 - 1]


def test_shapes_and_joins():
    a = Legal.from_bits(F32, np.arange(12, dtype=np.uint64).reshape(3, 4))
    assert a.transpose().shape == (4, 3)
    assert a.reshape(2, 6).shape == (2, 6)
    assert a.index((slice(None), 1)).bits.tolist() == [1, 5, 9]
    assert legal_sets.concatenate([a, a], 1).shape == (3, 8)
    assert legal_sets.stack([a, a]).shape == (2, 3, 4)
    picked = legal_sets.where(np.eye(3, 4, dtype=bool), a, full(F32, (3, 4), ONE))
    assert picked.bits[1, 1] == 5
    assert picked.bits[0, 1] == ONE
    with pytest.raises(ValueError, match="one format"):
        legal_sets.stack([a, full(F16, (3, 4), 0)])


def test_a_moved_subnormal_that_may_be_flushed() -> None:
    fmt = FORMATS["f16"]
    codes = np.array([0x0003, 0x8003, 0x3C00, 0x0000, 0x8000, 0x7E00], np.uint64)
    legal = Legal.from_bits(fmt, codes).may_flush()
    assert legal.flushable.tolist() == [True, True, False, False, False, False]
    for got, wrong in (
        (codes, [False] * 6),
        ([0x0000, 0x0000, 0x3C00, 0x0000, 0x8000, 0x7FFF], [False] * 6),
        ([0x8000, 0x8000, 0x3C00, 0x8000, 0x0000, 0x0000], [False, False, False, True, True, True]),
        ([0x0001, 0x8002, 0x3C01, 0x0000, 0x8000, 0x7E00], [True, True, True, False, False, False]),
        ([0x8003, 0x0003, 0x0000, 0x0001, 0x8001, 0x3C00], [True] * 6),
    ):
        assert legal.illegal(np.array(got, np.uint64)).tolist() == wrong
    assert legal.certain_bits()[1].tolist() == [False, False, True, True, True, True]
    assert width(legal).tolist() == [2, 2, 1, 1, 1, 0]
    kept = legal.kept()
    assert kept.hi.tolist() == [3, -3, *kept.lo.tolist()[2:5], 0]
    assert not kept.flushable.any()
