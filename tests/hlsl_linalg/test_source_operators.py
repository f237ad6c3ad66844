"""Operators and functions of the text of 2025-09-19 against definitions in fractions, for random bits of every type."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import numpy as np
import pytest

from mmaspec.oracle.demands import operation_rules
from mmaspec.oracle.hlsl_linalg.execution.arithmetic import Arithmetic
from mmaspec.oracle.hlsl_linalg.execution.operators import operated
from mmaspec.oracle.hlsl_linalg.execution.unary import SLACK, applied
from mmaspec.oracle.hlsl_linalg.practice import PRACTICE_RULES
from mmaspec.oracle.numerics.codec import value
from mmaspec.oracle.numerics.legal import Legal, Reason
from mmaspec.oracle.numerics.ordinals import is_inf, is_nan, is_subnormal, to_ordinal
from mmaspec.oracle.numerics.rounding import floor_ordinal
from mmaspec.oracle.readings import Readings
from mmaspec.programs.formats import FORMATS
from mmaspec.programs.profile import DOCUMENT, PRACTICE, Profile

from .by_hand import ambiguities

COUNT = 400
RULES = operation_rules(PRACTICE, PRACTICE_RULES)
NEAR_ONE = {"f16": 15, "f32": 127, "f64": 1023}


def codes(fmt, seed, count=COUNT):
    """Bits of a format: of floats half of them near one, and some at every end."""
    rng = np.random.default_rng(seed)
    found = rng.integers(0, 1 << 63, count, np.uint64) * np.uint64(2) + rng.integers(0, 2, count, np.uint64)
    found &= np.uint64(fmt.mask)
    if fmt.is_float:
        exponents = rng.integers(-3, 4, count) + NEAR_ONE[fmt.name]
        tame = (exponents.astype(np.uint64) << np.uint64(fmt.fraction_bits)) | (
            found & np.uint64((1 << fmt.fraction_bits) - 1 | fmt.sign_bit)
        )
        found = np.where(rng.random(count) < 0.5, tame, found)
        inf = fmt.infinity_magnitude
        ends = [0, fmt.sign_bit, inf, inf | fmt.sign_bit, inf + 1, inf - 1, 1, fmt.sign_bit | 1, 1 << fmt.fraction_bits]
    else:
        ends = [0, 1, fmt.mask, fmt.mask >> 1, (fmt.mask >> 1) + 1]
        small = rng.integers(0, 30, count).astype(np.uint64)
        found = np.where(rng.random(count) < 0.3, small, found)
    found[: len(ends)] = ends
    rng.shuffle(found)
    return found


def whole(fmt, code):
    """The number that an integer code is."""
    return code - (1 << fmt.bits) if fmt.signed and code >> (fmt.bits - 1) else code


def pairs(fmt, seed):
    return codes(fmt, seed), codes(fmt, seed + 100)


def arithmetic(profile=PRACTICE, **readings):
    return Arithmetic(
        profile, Readings(ambiguities() | {name.replace("_", "-"): one for name, one in readings.items()})
    )


def may_be(fmt, code):
    """The values of a code: its own, and 0 where it may be flushed."""
    own = value(fmt, code)
    return {own, Fraction(0)} if is_subnormal(fmt, np.array([code], np.uint64))[0] else {own}


def unit(fmt, x):
    exponent = fmt.emin
    while x and abs(x) >= Fraction(2) ** (exponent + 1):
        exponent += 1
    return Fraction(2) ** (exponent - fmt.fraction_bits)


def floored(fmt, x):
    try:
        return floor_ordinal(fmt, x)
    except ValueError:
        return -fmt.infinity_magnitude


def around(fmt, x, reach):
    """Ordinals below and above an exact result, or of those so far from it."""
    return floored(fmt, x - reach), -floored(fmt, -(x + reach))


def with_flush(fmt, low, high):
    least = 1 << fmt.fraction_bits
    return (0 if 0 < low < least else low), (0 if -least < high < 0 else high)


@pytest.mark.parametrize("op", ["add", "sub", "mul"])
@pytest.mark.parametrize("name", ["f16", "f32"])
def test_float_operators_give_a_neighbour_of_the_exact_result(name, op):
    fmt = FORMATS[name]
    left, right = pairs(fmt, 7)
    found = operated(arithmetic(), op, Legal.from_bits(fmt, left), Legal.from_bits(fmt, right))
    assert not found.why.any()
    compute = {"add": lambda x, y: x + y, "sub": lambda x, y: x - y, "mul": lambda x, y: x * y}[op]
    special = is_nan(fmt, left) | is_nan(fmt, right) | is_inf(fmt, left) | is_inf(fmt, right)
    assert special.any()
    for number in np.flatnonzero(~special):
        results = [compute(x, y) for x, y in product(may_be(fmt, int(left[number])), may_be(fmt, int(right[number])))]
        ends = [around(fmt, x, 0) for x in results]
        low, high = with_flush(fmt, min(low for low, _ in ends), max(high for _, high in ends))
        assert (found.lo[number], found.hi[number]) == (low, high)
        assert not found.nan[number]
    for at in np.flatnonzero(special):
        with np.errstate(all="ignore"):
            x, y = (_double(fmt, int(one[at])) for one in (left, right))
            exact = {"add": x + y, "sub": x - y, "mul": x * y}[op]
        if np.isnan(exact):
            assert found.lo[at] > found.hi[at]
            assert found.nan[at]
        else:
            assert np.isinf(exact)
            sign = 1 if exact > 0 else -1
            assert sign * fmt.infinity_magnitude in (found.lo[at], found.hi[at])


def _double(fmt, code):
    magnitude = code & (fmt.sign_bit - 1)
    sign = -1.0 if code & fmt.sign_bit else 1.0
    if magnitude >= fmt.infinity_magnitude:
        return sign * np.float64(np.inf if magnitude == fmt.infinity_magnitude else np.nan)
    return np.float64(float(value(fmt, code)))


@pytest.mark.parametrize("name", ["f16", "f32"])
def test_float_quotients_are_near_where_the_language_says_how_near(name):
    fmt = FORMATS[name]
    left, right = pairs(fmt, 9)
    found = operated(arithmetic(), "div", Legal.from_bits(fmt, left), Legal.from_bits(fmt, right))
    judged = 0
    for at in range(COUNT):
        both = np.array([left[at], right[at]])
        if is_nan(fmt, both).any() or is_inf(fmt, both).any():
            continue
        x, y = value(fmt, int(left[at])), value(fmt, int(right[at]))
        if not Fraction(2) ** fmt.emin <= abs(y) <= Fraction(2) ** -fmt.emin:
            assert found.why[at]
            continue
        judged += 1
        ends = []
        for some in may_be(fmt, int(left[at])):
            exact = some / y
            ends.append(
                (-floored(fmt, -(exact - unit(fmt, exact) * 5 / 2)), floored(fmt, exact + unit(fmt, exact) * 5 / 2))
            )
        low, high = with_flush(fmt, min(low for low, _ in ends), max(high for _, high in ends))
        if abs(x / y) < Fraction(2) ** fmt.emax:
            assert (found.lo[at], found.hi[at]) == (low, high)
    assert judged > COUNT // 3


@pytest.mark.parametrize("op", ["add", "sub", "mul", "div"])
@pytest.mark.parametrize("name", ["s16", "u16", "s32", "u32", "s64", "u64"])
@pytest.mark.parametrize("reading", ["wrap", "saturate", "saturate-steps", "undefined"])
def test_integer_operators_are_exact(name, op, reading):
    fmt = FORMATS[name]
    left, right = pairs(fmt, 11)
    readings = arithmetic(LINALG_AMB_17=reading)
    found = operated(readings, op, Legal.from_bits(fmt, left), Legal.from_bits(fmt, right))
    beyond = 0
    for at in range(COUNT):
        x, y = whole(fmt, int(left[at])), whole(fmt, int(right[at]))
        if op == "div":
            if y == 0:
                assert found.why[at] == Reason.SPEC_SILENT
                continue
            exact = abs(x) // abs(y) * (1 if (x < 0) == (y < 0) else -1)
        else:
            exact = {"add": x + y, "sub": x - y, "mul": x * y}[op]
        if not fmt.min_value <= exact <= fmt.max_value:
            beyond += 1
            if reading == "undefined":
                assert found.why[at] == Reason.SPEC_SILENT
                continue
            clamped = min(max(exact, fmt.min_value), fmt.max_value)
            exact = whole(fmt, exact & fmt.mask) if reading == "wrap" else clamped
        assert not found.why[at]
        assert found.lo[at] == found.hi[at] == exact - fmt.ordinal_shift
    assert beyond or op == "div"


def test_quotients_that_are_not_exact_are_judged_where_the_profile_does():
    fmt = FORMATS["s32"]
    seven, two = (Legal.from_bits(fmt, np.array([n], np.uint64)) for n in (7, 2))
    found = operated(arithmetic(Profile(integer_quotients="reported")), "div", seven, two)
    assert found.why[0] == Reason.SPEC_SILENT
    assert operated(arithmetic(), "div", seven, two).lo[0] == 3


@pytest.mark.parametrize("op", ["add", "sub", "mul"])
def test_operators_on_doubles_hold_the_exact_result(op):
    fmt = FORMATS["f64"]
    rng = np.random.default_rng(5)
    x, y = rng.standard_normal((2, 60))
    found = operated(arithmetic(), op, *(Legal.from_bits(fmt, one.view(np.uint64)) for one in (x, y)))
    for at in range(60):
        exact = {"add": Fraction(x[at]) + Fraction(y[at]), "sub": Fraction(x[at]) - Fraction(y[at])}.get(
            op, Fraction(x[at]) * Fraction(y[at])
        )
        low, high = around(fmt, exact, 0)
        assert found.lo[at] <= low <= high <= found.hi[at]
        assert found.hi[at] - found.lo[at] < 1 << 12
    assert operated(arithmetic(), "div", *(Legal.from_bits(fmt, x.view(np.uint64)),) * 2).why.all()


@pytest.mark.parametrize("op", ["nop", "negate", "abs"])
@pytest.mark.parametrize("name", ["f16", "f32", "f64", "s16", "s32", "s64", "u16", "u32", "u64"])
def test_signs_change_exactly(name, op):
    fmt = FORMATS[name]
    given = codes(fmt, 13)
    found = applied(op, Legal.from_bits(fmt, given), RULES)
    for at in range(COUNT):
        code = int(given[at])
        if op == "nop":
            assert not found.why[at]
            assert found.moved[at]
            assert found.bits[at] == code
            tiny = is_subnormal(fmt, given[at : at + 1])[0]
            assert bool(found.flushable[at]) == bool(tiny)
            continue
        if not fmt.is_float:
            number = whole(fmt, code)
            if not fmt.signed or number == fmt.min_value:
                assert found.why[at] == Reason.SPEC_SILENT
            else:
                assert not found.why[at]
                assert found.lo[at] == found.hi[at] == (-number if op == "negate" else abs(number))
            continue
        assert not found.why[at]
        if is_nan(fmt, given[at : at + 1])[0]:
            assert found.nan[at]
            assert found.lo[at] > found.hi[at]
            continue
        own = int(to_ordinal(fmt, given[at : at + 1])[0])
        wanted = -own if op == "negate" else abs(own)
        assert (found.lo[at], found.hi[at]) == with_flush(fmt, wanted, wanted)
        assert not found.nan[at]


POINT = 700
"""Bits behind the point of the sums of the series below: sums of terms of up to e^320 lose none of the first 200."""


def sine_and_cosine(x):
    """Sine and cosine of a fraction up to 320, by their series, far more exactly than any bound."""
    scaled = (x.numerator << POINT) // x.denominator
    sums, term, n = [0, 0], 1 << POINT, 0
    while term or n < 8:
        sums[n % 2] += -term if n % 4 > 1 else term
        n += 1
        term = (term * scaled >> POINT) // n
        if term == -1:
            term = 0
    return Fraction(sums[1], 1 << POINT), Fraction(sums[0], 1 << POINT)


def test_the_series_is_right():
    for x in (0.5, -3.0, 2.25, 100.0, -314.0):
        s, c = sine_and_cosine(Fraction(x))
        assert float(s) == pytest.approx(np.sin(x), abs=1e-14)
        assert float(c) == pytest.approx(np.cos(x), abs=1e-14)
        assert abs(s * s + c * c - 1) < Fraction(1, 1 << 100)


ERRORS = {"f16": (Fraction(1, 128), 3.1415), "f32": (Fraction(8, 10000), 314.1)}


@pytest.mark.parametrize("op", ["sin", "cos", "tan"])
@pytest.mark.parametrize("name", ["f16", "f32"])
def test_sines_are_as_near_as_practice_has_them(name, op):
    """LINALG-UNARY-NEAR, against sums of the series in fractions."""
    fmt = FORMATS[name]
    error, reach = ERRORS[name]
    rng = np.random.default_rng(17)
    dtype = np.float16 if name == "f16" else np.float32
    x = np.concatenate([rng.uniform(-reach, reach, 60), rng.uniform(-3, 3, 30), rng.uniform(-1e-3, 1e-3, 10)]).astype(
        dtype
    )
    bits = x.view(np.uint16 if name == "f16" else np.uint32).astype(np.uint64)
    found = applied(op, Legal.from_bits(fmt, bits), RULES)
    slack = 4 * Fraction(SLACK)
    judged = 0
    for at in range(len(x)):
        s, c = sine_and_cosine(Fraction(float(x[at])))
        if op == "tan":
            low, high = max(c - error, -1), min(c + error, 1)
            if low <= slack and high >= -slack:
                assert found.why[at] in (0, Reason.OUTSIDE_PROMISE)
                continue
            ends = [a / b for a in (max(s - error, -1), min(s + error, 1)) for b in (low, high)]
            inner = min(ends), max(ends)
            rounded = max(abs(one) for one in ends) / (1 << (fmt.fraction_bits - 3))
            room = rounded + slack * 2 / min(abs(low), abs(high)) ** 2
        else:
            exact = s if op == "sin" else c
            inner, room = (max(exact - error, Fraction(-1)), min(exact + error, Fraction(1))), slack
        judged += 1
        assert not found.why[at]
        assert not found.nan[at]
        assert found.lo[at] <= floored(fmt, inner[0])
        assert found.hi[at] >= -floored(fmt, -inner[1])
        assert found.lo[at] >= floored(fmt, inner[0] - room)
        assert found.hi[at] <= -floored(fmt, -(inner[1] + room))
    assert judged > 60


@pytest.mark.parametrize("op", ["sin", "cos", "tan"])
@pytest.mark.parametrize("name", ["f16", "f32"])
@pytest.mark.parametrize("profile", [PRACTICE, DOCUMENT], ids=["practice", "documents"])
def test_special_values_of_sines(name, op, profile):
    """LINALG-UNARY-TRIG: NaN of what is no number, of a zero itself or 1, and never beyond the range."""
    fmt = FORMATS[name]
    inf = fmt.infinity_magnitude
    given = np.array([inf, inf | fmt.sign_bit, inf + 1, 0, fmt.sign_bit, inf - 1], np.uint64)
    found = applied(op, Legal.from_bits(fmt, given), RULES, near=profile is PRACTICE)
    assert found.nan[:3].all()
    assert (found.lo > found.hi)[:3].all()
    one = fmt.bias << fmt.fraction_bits
    if op == "cos":
        assert (found.lo == found.hi)[3:5].all()
        assert (found.lo[3:5] == one).all()
    else:
        assert found.moved[3:5].all()
        assert found.bits[3:5].tolist() == [0, fmt.sign_bit]
    if op == "tan":
        assert found.why[5] == Reason.OUTSIDE_PROMISE
    else:
        assert (found.lo[5], found.hi[5]) == (-one, one)
        assert not found.nan[5]


def test_documents_alone_say_no_more_than_the_range():
    fmt = FORMATS["f32"]
    half = Legal.from_bits(fmt, np.array([0x3F000000], np.uint64))
    one = fmt.bias << fmt.fraction_bits
    found = applied("sin", half, RULES, near=False)
    assert (found.lo[0], found.hi[0]) == (-one, one)
    assert applied("tan", half, RULES, near=False).why[0] == Reason.OUTSIDE_PROMISE
    near = applied("sin", half, RULES)
    assert (near.lo[0], near.hi[0]) != (-one, one)


@pytest.mark.parametrize("name", ["f64", "s32", "u16"])
def test_sines_of_other_types_are_not_judged(name):
    fmt = FORMATS[name]
    assert applied("sin", Legal.from_bits(fmt, codes(fmt, 3)), RULES).why.all()
