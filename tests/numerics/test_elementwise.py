"""Element-wise operations and casts against their definition in fractions."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

import numpy as np
import pytest

from mmaspec.oracle.numerics.conversion import convert
from mmaspec.oracle.numerics.elementwise import QUOTIENT_HALF_ULPS, Operation, combine
from mmaspec.oracle.numerics.elementwise_integer import combine_int
from mmaspec.oracle.numerics.integer import Overflow
from mmaspec.oracle.numerics.legal import Legal, Reason
from mmaspec.oracle.numerics.ordinals import is_inf, is_nan, ordinal_value, to_ordinal
from mmaspec.oracle.numerics.rounding import ceil_ordinal, floor_ordinal, round_to, round_to_ordinal
from mmaspec.oracle.numerics.rules import FloatRules
from mmaspec.programs.formats import Format, format_named
from mmaspec.programs.rounding_mode import Mode

STRICT = FloatRules()
FLUSHING = FloatRules(flush_inputs=True, flush_results=True)
ROUNDED = FloatRules(rounding=Mode.NEAREST_EVEN)


def exact(op: Operation, x: Fraction, y: Fraction) -> Fraction:
    return {"add": x + y, "subtract": x - y, "multiply": x * y, "divide": x / y if y else Fraction(0)}[op]


def unit(fmt: Format, x: Fraction) -> Fraction:
    exponent = fmt.emin
    while abs(x) >= Fraction(2) ** (exponent + 1):
        exponent += 1
    return Fraction(2) ** (exponent - fmt.fraction_bits)


def around(fmt: Format, op: Operation, x: Fraction) -> tuple[int, int]:
    """Both neighbours of the exact result, a quotient's within its tolerance; Omega and Inf beyond."""
    if op is not Operation.DIVIDE:
        return floor_ordinal(fmt, x), ceil_ordinal(fmt, x)
    reach = Fraction(QUOTIENT_HALF_ULPS, 2) * unit(fmt, x)
    top = Fraction(2) ** (fmt.emax + 1)
    lo, hi = ceil_ordinal(fmt, x - reach), floor_ordinal(fmt, x + reach)
    if x + reach >= top:
        hi = fmt.infinity_magnitude
    if x - reach <= -top:
        lo = -fmt.infinity_magnitude
    return min(lo, fmt.largest_magnitude), max(hi, -fmt.largest_magnitude)


def codes(fmt: Format, seed: int, count: int) -> np.ndarray[tuple[int, ...], np.dtype[np.uint64]]:
    """Random codes and the corners of the format."""
    rng = np.random.default_rng(seed)
    top, least = fmt.largest_magnitude, 1 << fmt.fraction_bits
    corners = [0, 1, 2, 3, least - 1, least, least + 1, 2 * least - 1, 2 * least, 2 * least + 1, top - 1, top]
    one = fmt.bias << fmt.fraction_bits
    corners += [one - 2, one - 1, one, one + 1, one + 3, one + least, one + least - 1]
    found = np.array(corners + [code | fmt.sign_bit for code in corners], np.uint64)
    wild = rng.integers(0, fmt.mask + 1, count, np.uint64)
    near = np.uint64(one) + rng.integers(0, 4 * least, count, np.uint64)
    return np.concatenate([found, wild[~is_nan(fmt, wild) & ((wild & np.uint64(fmt.sign_bit - 1)) <= top)], near])


@pytest.mark.parametrize("name", ["f16", "f32"])
@pytest.mark.parametrize("op", list(Operation))
def test_one_value_with_one_value(name: str, op: Operation) -> None:
    fmt = format_named(name)
    a = codes(fmt, 1, 150)
    b = np.random.default_rng(2).permutation(np.tile(codes(fmt, 3, 100), 2))[: len(a)]
    b[::7] = a[::7] ^ np.uint64(fmt.sign_bit)
    got = combine(op, Legal.from_bits(fmt, a), Legal.from_bits(fmt, b), STRICT)
    once = combine(op, Legal.from_bits(fmt, a), Legal.from_bits(fmt, b), ROUNDED)
    for i, (p, q) in enumerate(zip(to_ordinal(fmt, a).tolist(), to_ordinal(fmt, b).tolist(), strict=True)):
        x, y = ordinal_value(fmt, p), ordinal_value(fmt, q)
        assert isinstance(x, Fraction)
        assert isinstance(y, Fraction)
        if op is Operation.DIVIDE and not Fraction(2) ** fmt.emin <= abs(y) <= Fraction(2) ** -fmt.emin:
            assert got.why[i] == Reason.OUTSIDE_PROMISE
            continue
        assert not got.why[i]
        result = exact(op, x, y)
        assert (got.lo[i], got.hi[i]) == around(fmt, op, result), (x, y)
        if op is not Operation.DIVIDE:
            wanted = round_to_ordinal(fmt, result, Mode.NEAREST_EVEN)
            assert (once.lo[i], once.hi[i]) == (wanted, wanted)


@pytest.mark.parametrize("op", list(Operation))
def test_a_set_gives_the_hull_of_its_members(op: Operation) -> None:
    fmt = format_named("f16")
    rng = np.random.default_rng(5)
    edges = np.array([0, 1024, 2048, 15360, 16384, 17408, -1024, -15360, -17408])
    lo = rng.choice(edges, 60) + rng.integers(-9, 3, 60)
    hi = lo + rng.integers(1, 12, 60)
    v = to_ordinal(fmt, codes(fmt, 6, 60)[-60:])
    members = Legal.interval(fmt, lo, hi)
    for rules in (STRICT, FLUSHING):
        got = combine(op, members, Legal.interval(fmt, v, v), rules)
        for i in range(60):
            low, high = [], []
            for c in range(int(lo[i]), int(hi[i]) + 1):
                for flushed in {c, 0} if rules is FLUSHING and abs(c) < 1024 else {c}:
                    x, y = ordinal_value(fmt, flushed), ordinal_value(fmt, int(v[i]))
                    assert isinstance(x, Fraction)
                    assert isinstance(y, Fraction)
                    ends = around(fmt, op, exact(op, x, y))
                    low.append(ends[0])
                    high.append(ends[1])
            wanted = [min(low), max(high)]
            if rules is FLUSHING and 0 < wanted[0] < 1024:
                wanted[0] = 0
            if rules is FLUSHING and -1024 < wanted[1] < 0:
                wanted[1] = 0
            assert [got.lo[i], got.hi[i]] == wanted, (lo[i], hi[i], v[i])


@pytest.mark.parametrize(
    ("op", "c", "v", "may"),
    [
        ("subtract", (31743, 31744), (31743, 31744), True),
        ("subtract", (-31744, -31743), (-31744, -31743), True),
        ("subtract", (31743, 31744), (-31744, -31743), False),
        ("subtract", (31743, 31744), (31742, 31743), False),
        ("add", (31743, 31744), (-31744, -31743), True),
        ("add", (-31744, -31743), (31743, 31744), True),
        ("add", (-31744, 31743), (5, 31744), True),
        ("add", (-31744, 31743), (-31744, 5), False),
        ("add", (31743, 31744), (31743, 31744), False),
    ],
)
def test_two_sets_give_nan_where_some_pair_does(op: str, c: tuple[int, int], v: tuple[int, int], may: bool) -> None:
    """Above the largest number Omega and Inf are both legal, and Inf - Inf is NaN, though Omega - Inf is not."""
    fmt = format_named("f16")
    sets = [Legal.interval(fmt, np.array(ends[:1]), np.array(ends[1:])) for ends in (c, v)]
    got = combine(Operation(op), *sets, STRICT)
    assert got.nan[0] == may
    assert got.lo[0] <= got.hi[0]  # and numbers besides
    assert not got.why[0]


INF, NAN, ONE, ZERO, TINY = 0x7C00, 0x7E00, 0x3C00, 0, 1


@pytest.mark.parametrize(
    ("op", "c", "v", "wanted"),
    [
        ("add", NAN, ONE, "nan"),
        ("add", ONE, NAN, "nan"),
        ("add", INF, ONE, "inf"),
        ("add", INF, INF | 0x8000, "nan"),
        ("subtract", INF, INF, "nan"),
        ("subtract", ONE, INF | 0x8000, "inf"),
        ("multiply", INF, ZERO, "nan"),
        ("multiply", ZERO, INF, "nan"),
        ("multiply", INF, ONE, "inf"),
        ("multiply", INF, TINY, "inf or nan"),
        ("multiply", TINY, INF, "inf or nan"),
        ("divide", INF, ONE, "inf"),
        ("divide", NAN, ONE, "nan"),
        ("divide", ONE, NAN, "nan"),
    ],
)
def test_specials(op: str, c: int, v: int, wanted: str) -> None:
    fmt = format_named("f16")
    one = [Legal.from_bits(fmt, np.array([bits], np.uint64)) for bits in (c, v)]
    got = combine(Operation(op), one[0], one[1], FLUSHING)
    assert not got.why[0]
    if wanted == "nan":
        assert got.nan[0]
        assert got.lo[0] > got.hi[0]
    else:
        assert got.lo[0] == got.hi[0] == fmt.infinity_magnitude
        assert got.nan[0] == ("nan" in wanted)
    reported = combine(Operation(op), one[0], one[1], FloatRules(nan="reported"))
    assert bool(reported.why[0]) == (wanted == "nan")


def test_reasons_stick_and_sets_of_divisors_are_not_judged() -> None:
    fmt = format_named("f32")
    one = Legal.from_bits(fmt, np.array([0x3F800000], np.uint64))
    gone = one.not_judged(np.array([True]), Reason.UNINITIALISED)
    several = Legal.interval(fmt, one.lo, one.lo + 2)
    for op in Operation:
        assert combine(op, gone, one, STRICT).why[0] == Reason.UNINITIALISED
        assert combine(op, one, gone, STRICT).why[0] == Reason.UNINITIALISED
    assert combine(Operation.DIVIDE, one, several, STRICT).why[0] == Reason.INEXACT_OPERAND
    assert combine(Operation.MULTIPLY, one, several, STRICT).why[0] == Reason.INEXACT_OPERAND
    assert combine(Operation.ADD, one, several, STRICT).why[0] == 0
    with pytest.raises(ValueError, match="no element-wise"):
        combine(Operation.ADD, one, Legal.from_bits(format_named("f16"), np.array([0], np.uint64)), STRICT)


@pytest.mark.parametrize("op", list(Operation))
def test_integers(op: Operation, one_in: Callable[[int], int]) -> None:
    fmt = format_named("s8")
    values = np.arange(-128, 128)
    c, v = (Legal.interval(fmt, x.ravel(), x.ravel()) for x in np.meshgrid(values, values))
    for overflow in Overflow:
        total = combine_int(op, c, v, overflow)
        for i in range(0, len(c.lo), 7 * one_in(5)):
            x, y = int(c.lo[i]), int(v.lo[i])
            if op is Operation.DIVIDE:
                exact_only = combine_int(op, c.index([i]), v.index([i]), overflow, rounded=False).legal
                if y == 0 or not -128 <= int(x / y) <= 127:
                    assert total.legal.why[i] == exact_only.why[0] == Reason.SPEC_SILENT
                else:
                    assert total.legal.lo[i] == total.legal.hi[i] == int(x / y)
                    assert exact_only.why[0] == (Reason.SPEC_SILENT if x % y else 0)
                continue
            result = int(exact(op, Fraction(x), Fraction(y)))
            outside = not -128 <= result <= 127
            assert total.overflowed[i] == outside
            if outside and overflow is Overflow.UNDEFINED:
                assert total.legal.why[i] == Reason.SPEC_SILENT
                continue
            wrapped = (result + 128) % 256 - 128
            wanted = wrapped if overflow is Overflow.WRAP else min(max(result, -128), 127)
            assert total.legal.lo[i] == total.legal.hi[i] == wanted


@pytest.mark.parametrize("overflow", list(Overflow))
@pytest.mark.parametrize("op", list(Operation))
def test_what_is_not_judged_keeps_its_first_reason(op: Operation, overflow: Overflow) -> None:
    """Anything may be there, so a result may lie beyond the range: that says nothing new."""
    fmt = format_named("s8")
    free = np.array([True])
    unknown = Legal.interval(fmt, np.array([-128]), np.array([127]), why=np.array([Reason.UNINITIALISED], np.uint8))
    known = Legal.interval(fmt, np.array([100]), np.array([100]))
    for c, v in ((unknown, known), (known, unknown), (unknown, unknown.not_judged(free, Reason.SPEC_SILENT))):
        found = combine_int(op, c, v, overflow)
        assert found.legal.why.tolist() == [Reason.UNINITIALISED]
        assert (found.legal.lo[0], found.legal.hi[0]) == (-128, 127)
        assert not found.overflowed.any()


def test_casts_between_floats() -> None:
    wide, narrow = format_named("f32"), format_named("f16")
    bits = codes(narrow, 8, 200)
    up = convert(Legal.from_bits(narrow, bits), wide, STRICT)
    for i, ordinal in enumerate(to_ordinal(narrow, bits).tolist()):
        assert ordinal_value(wide, int(up.lo[i])) == ordinal_value(narrow, ordinal)
    assert (up.lo == up.hi).all()
    given = np.concatenate([codes(wide, 9, 300), np.uint64(0x38000000) + np.arange(0, 1 << 24, 9973, np.uint64)])
    down = convert(Legal.from_bits(wide, given), narrow, STRICT)
    for i, ordinal in enumerate(to_ordinal(wide, given).tolist()):
        value = ordinal_value(wide, ordinal)
        assert isinstance(value, Fraction)
        if abs(value) > 65504:
            assert down.why[i] == Reason.SPEC_SILENT
        else:
            assert (down.lo[i], down.hi[i]) == (floor_ordinal(narrow, value), ceil_ordinal(narrow, value))
    special = convert(Legal.from_bits(wide, np.array([0x7F800000, 0x7FC00000], np.uint64)), narrow, STRICT)
    assert special.lo[0] == special.hi[0] == narrow.infinity_magnitude
    assert special.nan[1]
    assert special.lo[1] > special.hi[1]


def test_casts_with_integers() -> None:
    whole, half, single = (format_named(name) for name in ("s32", "f16", "f32"))
    values = np.array([0, 1, -1, 2048, 2049, -2049, 65504, 65505, 70000, 1 << 24, (1 << 24) + 1, -(1 << 31)])
    for fmt in (half, single):
        found = convert(Legal.interval(whole, values, values), fmt, STRICT)
        for i, value in enumerate(values.tolist()):
            if fmt is half and abs(value) > 65504:
                assert found.why[i] == Reason.SPEC_SILENT
            else:
                x = Fraction(value)
                assert (found.lo[i], found.hi[i]) == (floor_ordinal(fmt, x), ceil_ordinal(fmt, x))
    bits = np.array([0x3F800000, 0x80000000, 0x3FC00000, 0xC2F60000, 0x4F000000, 0xCF000000, 0x7FC00000], np.uint64)
    back = convert(Legal.from_bits(single, bits), whole, STRICT)
    assert [None if why else int(lo) for lo, why in zip(back.lo, back.why, strict=True)] == [
        1, 0, None, -123, None, -(1 << 31), None,
    ]  # fmt: skip


def test_exact_results_are_demanded_exactly() -> None:
    """3 + 4 is 7, 0 * -1 and x - x are 0: a unit in the last place more is wrong."""
    for name in ("f16", "f32"):
        fmt = format_named(name)
        three, four, seven, minus = (to_code(fmt, x) for x in (3, 4, 7, -1))
        for op, c, v, wanted in (("add", three, four, seven), ("multiply", 0, minus, 0), ("subtract", four, four, 0)):
            pair = [Legal.from_bits(fmt, np.array([code], np.uint64)) for code in (c, v)]
            found = combine(Operation(op), *pair, FLUSHING)
            assert (found.lo[0], found.hi[0]) == (wanted, wanted)


def to_code(fmt: Format, x: int) -> int:
    return round_to(fmt, Fraction(x), Mode.NEAREST_EVEN)


@pytest.mark.parametrize("rules", [STRICT, FLUSHING], ids=["strict", "flushing"])
@pytest.mark.parametrize("name", ["f16", "f32"])
def test_a_contracted_multiply_and_add_is_legal(name: str, rules: FloatRules) -> None:
    """The product is not rounded before it is added; whatever the sum's rounding, and beyond the range too."""
    fmt = format_named(name)
    a = codes(fmt, 11, 400)
    rng = np.random.default_rng(12)
    b, c = (rng.permutation(np.tile(codes(fmt, seed, 400), 2))[: len(a)] for seed in (13, 14))
    product = combine(Operation.MULTIPLY, Legal.from_bits(fmt, a), Legal.from_bits(fmt, b), rules)
    exactly = [
        ordinal_value(fmt, p) * ordinal_value(fmt, q)
        for p, q in zip(to_ordinal(fmt, a).tolist(), to_ordinal(fmt, b).tolist(), strict=True)
    ]
    # addends that cancel most of the product, beside unrelated ones
    close = [abs(floor_ordinal(fmt, -x)) | (fmt.sign_bit if x > 0 else 0) for x in exactly]
    for third in (c, np.where(is_inf(fmt, np.array(close, np.uint64)), c, np.array(close, np.uint64))):
        total = combine(Operation.ADD, product, Legal.from_bits(fmt, third), rules)
        for i, at in enumerate(to_ordinal(fmt, third).tolist()):
            x = exactly[i] + ordinal_value(fmt, at)
            assert total.why[i] == 0
            assert total.lo[i] <= floor_ordinal(fmt, x)
            assert total.hi[i] >= ceil_ordinal(fmt, x)
