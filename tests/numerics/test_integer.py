"""The integer contract against Python integers, and against brute force over orders of clamped additions."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from mmaspec.oracle.numerics.integer import Overflow, multiply_add_int
from mmaspec.oracle.numerics.integer_dot import integer_dot, product_type
from mmaspec.oracle.numerics.legal import Legal, Reason, illegal, unjudged
from mmaspec.oracle.numerics.ordinals import from_ordinal, to_ordinal
from mmaspec.programs.formats import FORMATS

PAIRS = [("s8", "s8", "s32"), ("u8", "s8", "s32"), ("s8", "u8", "s32"), ("u8", "u8", "u32"), ("s4", "u4", "s32")]
WIDE = [
    ("s32", "s32", "s32"),
    ("u32", "u32", "u32"),
    ("s32", "u32", "s32"),
    ("u32", "s8", "u32"),
    ("s16", "s32", "s32"),
]


def draw(rng, fmt, shape):
    return rng.integers(0, fmt.mask, shape, np.uint64, endpoint=True)


@pytest.mark.parametrize("names", [*PAIRS, *WIDE], ids="-".join)
def test_exact_sums(names):
    a_fmt, b_fmt, c_fmt = (FORMATS[name] for name in names)
    rng = np.random.default_rng(1)
    a, b, c = draw(rng, a_fmt, (2, 3, 40)), draw(rng, b_fmt, (2, 40, 4)), draw(rng, c_fmt, (2, 3, 4))
    # both ends of the accumulator's range
    c[0, 0, :2] = from_ordinal(c_fmt, np.array([c_fmt.min_ordinal, c_fmt.max_ordinal]))
    left, right, start = to_ordinal(a_fmt, a).tolist(), to_ordinal(b_fmt, b).tolist(), to_ordinal(c_fmt, c).tolist()
    for overflow in (Overflow.WRAP, Overflow.SATURATE, Overflow.UNDEFINED):
        got = multiply_add_int(a_fmt=a_fmt, a=a, b_fmt=b_fmt, b=b, c=Legal.from_bits(c_fmt, c), overflow=overflow)
        for t, i, j in np.ndindex(2, 3, 4):
            x = start[t][i][j] + sum(left[t][i][k] * right[t][k][j] for k in range(40))
            outside = not c_fmt.min_value <= x <= c_fmt.max_value
            assert got.overflowed[t, i, j] == outside
            if overflow is Overflow.UNDEFINED and outside:
                assert got.legal.why[t, i, j] == Reason.SPEC_SILENT
                continue
            want = (x - c_fmt.min_value) % 2**32 + c_fmt.min_value
            if overflow is Overflow.SATURATE:
                want = min(max(x, c_fmt.min_value), c_fmt.max_value)
            assert got.legal.lo[t, i, j] == got.legal.hi[t, i, j] == want


@pytest.mark.parametrize("names", [("s32", "s32", "s32"), ("u32", "u32", "u32"), ("s32", "u32", "s32")], ids="-".join)
def test_sums_of_wide_factors_at_their_ends(names):
    """Modulo 2^32 and clamped, for as many of the largest products as there may be, and for a few small ones beside."""
    a_fmt, b_fmt, c_fmt = (FORMATS[name] for name in names)
    for k in (1, 2, 4096):
        for left, right, odd in itertools.product(
            (a_fmt.min_value, a_fmt.max_value, 1), (b_fmt.min_value, b_fmt.max_value, 65537), (0, 3)
        ):
            values = [left] * k
            values[0] = odd or left
            a = from_ordinal(a_fmt, np.array(values, np.int64)).reshape(1, k)
            b = from_ordinal(b_fmt, np.full((k, 1), right, np.int64))
            x = sum(value * right for value in values) + 5
            c = Legal.from_bits(c_fmt, np.full((1, 1), 5, np.uint64))
            got = {
                how: multiply_add_int(a_fmt=a_fmt, a=a, b_fmt=b_fmt, b=b, c=c, overflow=how)
                for how in (Overflow.WRAP, Overflow.SATURATE, Overflow.SATURATE_STEP)
            }
            wrapped = (x - c_fmt.min_value) % 2**32 + c_fmt.min_value
            assert got[Overflow.WRAP].legal.lo[0, 0] == got[Overflow.WRAP].legal.hi[0, 0] == wrapped
            clamped = min(max(x, c_fmt.min_value), c_fmt.max_value)
            assert got[Overflow.SATURATE].legal.lo[0, 0] == got[Overflow.SATURATE].legal.hi[0, 0] == clamped
            positive = sum(max(value * right, 0) for value in values) + 5
            negative = sum(min(value * right, 0) for value in values)
            outside = positive > c_fmt.max_value or negative < c_fmt.min_value
            assert got[Overflow.SATURATE_STEP].overflowed[0, 0] == outside


def all_orders(terms, least, most):
    """Every result of adding the terms by clamped additions, over all trees (by subsets)."""
    full = (1 << len(terms)) - 1
    results = {1 << i: {term} for i, term in enumerate(terms)}
    for mask in range(1, full + 1):
        if mask in results:
            continue
        found = set()
        part = (mask - 1) & mask
        while part:
            if part >= mask ^ part:
                pairs = itertools.product(results[part], results[mask ^ part])
                found |= {min(max(x + y, least), most) for x, y in pairs}
            part = (part - 1) & mask
        results[mask] = found
    return results[full]


def test_saturation_at_unknown_steps_holds_every_tree():
    """s4 x s4 into s8: every tree of clamped additions, C a leaf like any other, lies in the interval."""
    s4, s8 = FORMATS["s4"], FORMATS["s8"]
    rng = np.random.default_rng(2)
    overflowed = tight = 0
    for _ in range(250):
        a, b = draw(rng, s4, (1, 1, 4)), draw(rng, s4, (1, 4, 1))
        lo = int(rng.integers(-128, 128))
        hi = min(127, lo + int(rng.choice([0, 0, 3, 40])))
        c = Legal.interval(s8, np.array([[[lo]]]), np.array([[[hi]]]))
        got = multiply_add_int(a_fmt=s4, a=a, b_fmt=s4, b=b, c=c, overflow=Overflow.SATURATE_STEP)
        low, high = int(got.legal.lo[0, 0, 0]), int(got.legal.hi[0, 0, 0])
        products = (to_ordinal(s4, a)[0, 0] * to_ordinal(s4, b)[0, :, 0]).tolist()
        seen = set()
        for start in range(lo, hi + 1, max(1, (hi - lo) // 3)):
            seen |= all_orders([start, *products], -128, 127)
        assert low <= min(seen)
        assert max(seen) <= high
        if not got.overflowed[0, 0, 0]:
            assert (low, high) == (sum(products) + lo, sum(products) + hi)
        overflowed += bool(got.overflowed[0, 0, 0])
        tight += lo == hi and (low, high) == (min(seen), max(seen))
    assert overflowed > 30
    assert tight > 60


def test_sets_through_the_seam_and_sticky_reasons():
    s8, s32 = FORMATS["s8"], FORMATS["s32"]
    a, b = np.array([[[1]]], np.uint64), np.array([[[1]]], np.uint64)
    top = s32.max_value
    c = Legal.interval(s32, np.array([[[top - 2]]]), np.array([[[top]]]))

    def add(c, overflow):
        return multiply_add_int(a_fmt=s8, a=a, b_fmt=s8, b=b, c=c, overflow=overflow)

    wrapped = add(c, Overflow.WRAP)
    assert wrapped.overflowed.all()
    assert wrapped.legal.why.all()
    assert not illegal(wrapped.legal, np.array([[[5]]], np.uint64)).any()
    clamped = add(c, Overflow.SATURATE)
    assert (clamped.legal.lo.item(), clamped.legal.hi.item()) == (top - 1, top)
    silent = add(unjudged(s32, (1, 1, 1), Reason.UNINITIALISED), Overflow.UNDEFINED)
    assert silent.legal.why.item() == Reason.UNINITIALISED


def test_preconditions():
    s8, f16 = FORMATS["s8"], FORMATS["f16"]
    one = np.ones((1, 1, 1), np.uint64)
    with pytest.raises(ValueError, match="no integer contract"):
        multiply_add_int(a_fmt=f16, a=one, b_fmt=s8, b=one, c=Legal.from_bits(s8, one), overflow=Overflow.WRAP)
    with pytest.raises(ValueError, match="do not fit"):
        multiply_add_int(
            a_fmt=s8,
            a=np.ones((1, 2, 3), np.uint64),
            b_fmt=s8,
            b=one,
            c=Legal.from_bits(s8, one),
            overflow=Overflow.WRAP,
        )


@pytest.mark.parametrize(
    "names", [*PAIRS, ("u4", "u4", "s32"), ("s16", "s16", "s32"), ("u16", "s8", "s32")], ids="-".join
)
@pytest.mark.parametrize("overflow", ["wrap", "saturate"])
def test_dot_against_python_integers(names, overflow):
    a_fmt, b_fmt, c_fmt = (FORMATS[name] for name in names)
    rng = np.random.default_rng(3)
    k = 33
    a, b, c = draw(rng, a_fmt, (2, 3, k)), draw(rng, b_fmt, (2, k, 4)), draw(rng, c_fmt, (2, 3, 4))
    c[0, :, :2] = from_ordinal(c_fmt, np.array([c_fmt.min_ordinal, c_fmt.max_ordinal]))
    small = [bits.astype(f"u{fmt.nbytes}") for fmt, bits in ((a_fmt, a), (b_fmt, b), (c_fmt, c))]
    left, right, start = to_ordinal(a_fmt, a).tolist(), to_ordinal(b_fmt, b).tolist(), to_ordinal(c_fmt, c).tolist()
    data = {"a_fmt": a_fmt, "b_fmt": b_fmt, "c_fmt": c_fmt, "overflow": overflow}
    got = integer_dot(a=a, b=b, c=c, **data)
    assert (got == integer_dot(a=small[0], b=small[1], c=small[2], **data)).all()
    for t, i, j in np.ndindex(2, 3, 4):
        x = start[t][i][j] + sum(left[t][i][n] * right[t][n][j] for n in range(k))
        if overflow == "saturate":
            x = min(max(x, c_fmt.min_value), c_fmt.max_value)
        assert got[t, i, j] == x % 2**c_fmt.bits


@pytest.mark.parametrize(("a", "b", "k", "dtype"), [
    ("s8", "s8", 1024, np.float32), ("s8", "s8", 1025, np.float64), ("u8", "s8", 512, np.float32),
    ("u8", "u8", 258, np.float32), ("u8", "u8", 259, np.float64), ("u16", "u16", 4096, np.float64),
])  # fmt: skip
def test_the_largest_sums_are_exact(a, b, k, dtype):
    """The lemma of the float product at its edge: every product at its largest size, and one more term decides."""
    a_fmt, b_fmt = FORMATS[a], FORMATS[b]
    assert product_type(a_fmt, b_fmt, k) is dtype

    def extreme(fmt):
        return fmt.min_value if fmt.signed else fmt.max_value

    left = np.full((1, k), extreme(a_fmt) & a_fmt.mask, np.uint64)
    right = np.full((k, 1), extreme(b_fmt) & b_fmt.mask, np.uint64)
    left[0, -1], right[-1, 0] = 1, 1
    want = extreme(a_fmt) * extreme(b_fmt) * (k - 1) + 1
    zero = np.zeros((1, 1), np.uint64)
    got = integer_dot(a_fmt=a_fmt, a=left, b_fmt=b_fmt, b=right, c_fmt=FORMATS["s32"], c=zero)
    assert got.item() == want % 2**32


def test_sums_that_no_float_holds_are_refused():
    with pytest.raises(ValueError, match="do not fit float64"):
        product_type(FORMATS["u32"], FORMATS["u32"], 1)


@pytest.mark.parametrize("order", ["<", ">"])
def test_dot_of_bytes_in_any_order(order):
    one, zero = np.array([[1]], f"{order}u2"), np.zeros((1, 1), f"{order}u4")
    s16, s32 = FORMATS["s16"], FORMATS["s32"]
    assert integer_dot(a_fmt=s16, a=one, b_fmt=s16, b=one, c_fmt=s32, c=zero).item() == 1
