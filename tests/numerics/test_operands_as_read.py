"""Operands that a device may read as another number: subnormals as zero, f32 rounded to fewer bits.

Where the exact sum is rounded once, the legal set is just what some choice of readings gives: nothing legal is missing,
and nothing else is inside.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import numpy as np
import pytest

from mmaspec.oracle.numerics import verdict
from mmaspec.oracle.numerics.codec import value
from mmaspec.oracle.numerics.contract import FloatRules, Mode, multiply_add
from mmaspec.oracle.numerics.definition import dot
from mmaspec.oracle.numerics.definition.dot import LegalElement
from mmaspec.oracle.numerics.legal import Legal, Reason, illegal
from mmaspec.oracle.numerics.ordinals import from_ordinal, to_ordinal
from mmaspec.oracle.numerics.rounding import ceil_ordinal, floor_ordinal, round_to_ordinal
from mmaspec.programs.formats import FORMATS

F16, BF16, F32 = FORMATS["f16"], FORMATS["bf16"], FORMATS["f32"]
TYPES = [(F16, F16, F32), (F16, F16, F16), (BF16, BF16, F32), (F32, F32, F32)]
FLUSHING = {"flush_inputs": True}
SHORT = {"f32_bits": 11}
K = 2


def codes(rng, fmt, count):
    """Subnormals, small normals and ones of either sign, and zeros."""
    one = fmt.bias << fmt.fraction_bits
    small, ones = rng.integers(0, 3 << fmt.fraction_bits, count), one + rng.integers(0, 1 << fmt.fraction_bits, count)
    picked = np.where(rng.random(count) < 0.6, small, np.where(rng.random(count) < 0.2, 0, ones))
    return [int(code) | fmt.sign_bit * int(rng.integers(2)) for code in picked]


def readings(fmt, code, rules, *, factor=True):
    """What an operand may be read as, by a device that flushes or rounds it, or does not."""
    v = value(fmt, code)
    found = {v}
    if rules.f32_bits is not None and factor and fmt is F32 and v:
        short = FORMATS["bf16"] if rules.f32_bits == 8 else None
        if short is not None:
            found |= {ordinal(short, floor_ordinal(short, v)), ordinal(short, ceil_ordinal(short, v))}
        else:  # cut the last 13 bits of the code, which are consecutive numbers
            magnitude = code & (F32.sign_bit - 1)
            sizes = {magnitude & ~0x1FFF, (magnitude + 0x1FFF) & ~0x1FFF}
            found |= {value(F32, size | code & F32.sign_bit) for size in sizes}
    if rules.flush_inputs and abs(v) < Fraction(2) ** fmt.emin:
        found.add(Fraction(0))
    return sorted(found)


def ordinal(fmt, at):
    return value(fmt, at) if at >= 0 else -value(fmt, -at)


def every_sum(formats, a, b, c, rules):
    """The exact sum for every choice of readings."""
    terms = []
    for a_k, b_k in zip(a, b, strict=True):
        pairs = product(readings(formats[0], a_k, rules), readings(formats[1], b_k, rules))
        terms.append(sorted({p * q for p, q in pairs}))
    terms.append(readings(formats[2], c, rules, factor=False))
    return [sum(choice, Fraction(0)) for choice in product(*terms)]


def point(fmt, code):
    at = int(to_ordinal(fmt, np.array([code], np.uint64))[0])
    return LegalElement(at, at)


@pytest.mark.exhaustive(every=2)
@pytest.mark.parametrize("reading", [FLUSHING, SHORT, FLUSHING | SHORT, {"f32_bits": 8}], ids=str)
@pytest.mark.parametrize("formats", TYPES, ids=lambda formats: "-".join(fmt.name for fmt in formats))
def test_the_legal_set_is_what_the_readings_give(formats, reading):
    rules = FloatRules(**reading, rounding=Mode.NEAREST_EVEN)
    envelope = FloatRules(**reading)
    rng = np.random.default_rng(1)
    opened = 0
    for _ in range(150):
        a, b, (c,) = codes(rng, formats[0], K), codes(rng, formats[1], K), codes(rng, formats[2], 1)
        sums = every_sum(formats, a, b, c, rules)
        rounded = [round_to_ordinal(formats[2], x, Mode.NEAREST_EVEN) for x in sums]
        found = dot.legal(formats[0], a, formats[1], b, formats[2], point(formats[2], c), rules)
        assert (found.lo, found.hi) == (min(rounded), max(rounded)), (a, b, c)
        opened += found.lo < found.hi
        # and rule E holds them all, with B to spare on either side
        wide = dot.legal(formats[0], a, formats[1], b, formats[2], point(formats[2], c), envelope)
        assert wide.lo <= min(rounded)
        assert wide.hi >= max(rounded)
    assert opened > 20 or (formats[0] is not F32 and "flush_inputs" not in reading)


@pytest.mark.parametrize("formats", TYPES, ids=lambda formats: "-".join(fmt.name for fmt in formats))
def test_a_subnormal_read_twice_as_large_is_outside(formats):
    """On the side to which it adds; the symmetric bound had room for it on both."""
    a_fmt, b_fmt, c_fmt = formats
    rules = FloatRules(flush_inputs=True, flush_results=True)
    big = 1 << a_fmt.fraction_bits - 1  # half of the smallest normal
    factor = (b_fmt.emax // 2 + b_fmt.bias) << b_fmt.fraction_bits
    for sign in (0, a_fmt.sign_bit):
        a = np.array([[[big | sign, 0]]], np.uint64)
        b = np.array([[[factor], [0]]], np.uint64)
        right = to_ordinal(c_fmt, from_value(c_fmt, value(a_fmt, big | sign) * value(b_fmt, factor)))
        c = Legal.from_bits(c_fmt, np.zeros((1, 1, 1), np.uint64))
        legal = multiply_add(a_fmt=a_fmt, a=a, b_fmt=b_fmt, b=b, c=c, rules=rules)
        data = {"a_fmt": a_fmt, "a": a, "b_fmt": b_fmt, "b": b, "c_fmt": c_fmt, "c": c.bits, "rules": rules}
        doubled = right + (1 << c_fmt.fraction_bits) * (-1 if sign else 1)
        for answer, wrong in ((right, False), (right * 0, False), (doubled, True)):
            got = from_ordinal(c_fmt, answer).reshape(1, 1, 1)
            assert illegal(legal, got).item() == wrong
            assert verdict.illegal_sums(**data, got=got).item() == wrong


def from_value(fmt, x):
    return from_ordinal(fmt, np.array([round_to_ordinal(fmt, x, Mode.NEAREST_EVEN)]))


@pytest.mark.parametrize("cut", [np.floor, np.ceil, np.round], ids=["down", "up", "nearest"])
def test_tf32_units_are_inside_and_others_are_not(cut):
    """A unit that rounds f32 operands to eleven bits; practice does not have it."""
    rng = np.random.default_rng(2)
    values = rng.uniform(1, 2, (2, 4, 8, 8)) * rng.choice([-1.0, 1.0], (2, 4, 8, 8))
    a, b = np.float32(values)
    short = [cut(np.abs(each.astype(np.float64)) * 2.0**10) * 2.0**-10 * np.sign(each) for each in (a, b)]
    got = np.float32(short[0] @ short[1]).view(np.uint32)
    data = {"a_fmt": F32, "a": a.view(np.uint32), "b_fmt": F32, "b": b.view(np.uint32), "c_fmt": F32}
    c = np.zeros((4, 8, 8), np.uint32)
    declared = FloatRules(f32_bits=11)
    assert not verdict.illegal_sums(**data, c=c, got=got, rules=declared).any()
    assert verdict.illegal_sums(**data, c=c, got=got, rules=FloatRules()).mean() > 0.9
    twice = np.float32(got.view(np.float32) * np.float32(1 + 2**-7)).view(np.uint32)
    assert verdict.illegal_sums(**data, c=c, got=twice, rules=declared).mean() > 0.5
    # numbers of eleven bits are read as they are: small integers stay exact (rule X)
    whole = np.float32(rng.integers(-9, 10, (2, 4, 8, 8)))
    exact = np.float32(whole[0].astype(np.float64) @ whole[1]).view(np.uint32)
    data |= {"a": whole[0].view(np.uint32), "b": whole[1].view(np.uint32), "c": c, "rules": declared}
    assert not verdict.illegal_sums(**data, got=exact).any()
    assert verdict.illegal_sums(**data, got=exact ^ np.uint32(1)).all()


def test_an_operand_that_may_become_infinite_leaves_its_sums_open():
    """The largest f32 rounds up to infinity in TF32, and infinity times zero is NaN."""
    top, one = F32.largest_magnitude, F32.bias << F32.fraction_bits
    rules = FloatRules(f32_bits=11)
    for b_k in (one, 0):
        found = dot.legal(F32, [top, one], F32, [b_k, one], F32, LegalElement(0, 0), rules)
        assert found.why is Reason.OVERFLOW_HAZARD
    legal = multiply_add(
        a_fmt=F32,
        a=np.array([[[top, one], [one, one]]], np.uint64),
        b_fmt=F32,
        b=np.array([[[0], [one]]], np.uint64),
        c=Legal.from_bits(F32, np.zeros((1, 2, 1), np.uint64)),
        rules=rules,
    )
    assert legal.why.ravel().tolist() == [Reason.OVERFLOW_HAZARD, 0]
    nan = dot.legal(F32, [top, F32.nan_bits], F32, [one, one], F32, LegalElement(0, 0), rules)
    assert nan == dot.MUST_BE_NAN


def test_what_may_be_read_as_zero_beside_an_infinity_may_give_nan():
    """Rule N3: a subnormal that may be flushed; a tiny one that eleven bits do not reach."""
    inf, tiny, least = F32.infinity_magnitude, 1, 1 << F32.fraction_bits
    for rules, small, either in (
        (FloatRules(flush_inputs=True), least - 1, True),
        (FloatRules(f32_bits=11), tiny, True),
        (FloatRules(f32_bits=11), least - 1, False),
        (FloatRules(), tiny, False),
    ):
        found = dot.legal(F32, [inf], F32, [small], F32, LegalElement(0, 0), rules)
        assert (found.lo, found.hi, found.nan) == (inf, inf, either)
