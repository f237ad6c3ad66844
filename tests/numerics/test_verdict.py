"""Verdicts without sets are those of the sets, on right answers and on wrong ones; and sets seldom need the referee."""

from __future__ import annotations

import numpy as np
import pytest

from mmaspec.oracle.numerics import verdict
from mmaspec.oracle.numerics.bulk import products, rounded
from mmaspec.oracle.numerics.contract import multiply_add
from mmaspec.oracle.numerics.legal import illegal
from mmaspec.oracle.numerics.ordinals import from_ordinal
from mmaspec.oracle.numerics.rules import FloatRules
from mmaspec.programs.formats import FORMATS
from mmaspec.programs.models import Chain
from mmaspec.programs.rounding_mode import Mode

F16, F32 = FORMATS["f16"], FORMATS["f32"]
ORDINARY = ("normal", "wild", "specials", "subnormal", "cancel", "near_tie", "window", "overflow", "zero_times_huge")
POINTS = (*ORDINARY, "edges")


def outputs(rng, types, a, b, c, legal):
    """Correct answers, answers at and just beyond the ends of the legal sets, and answers with bits flipped.

    The last two have one wrong element a tile: beside others the set of the whole tile would be asked anyway.
    """
    fmt = types[2]
    right = rounded.dot(a_fmt=types[0], a=a, b_fmt=types[1], b=b, c_fmt=fmt, c=c)
    yield right
    ends = [legal.lo, legal.hi, legal.lo - 1, legal.hi + 1]
    codes = [from_ordinal(fmt, np.clip(ordinals, fmt.min_ordinal, fmt.max_ordinal)) for ordinals in ends]
    yield from codes
    yield right ^ (np.uint64(1) << rng.integers(0, fmt.bits, right.shape, np.uint64))
    one = np.arange(right[0].size).reshape(right[0].shape) == rng.integers(0, right[0].size, (len(right), 1, 1))
    for beyond in codes[2:]:
        yield np.where(one, beyond, right)


@pytest.mark.exhaustive(every=4)
def test_equals_the_judgement_of_the_sets(regimes, types, rules):
    rng = np.random.default_rng(1)
    accepted = refused = 0
    for name in POINTS:
        a, b, c = regimes.draw(name, rng, *types, (2, 5, 4, 16))
        legal = multiply_add(a_fmt=types[0], a=a, b_fmt=types[1], b=b, c=c, rules=rules)
        for got in outputs(rng, types, a, b, c.bits, legal):
            want = illegal(legal, got)
            found = verdict.illegal_sums(
                a_fmt=types[0], a=a, b_fmt=types[1], b=b, c_fmt=types[2], c=c.bits, got=got, rules=rules
            )
            assert (found == want).all(), name
            accepted += int((~want).sum())
            refused += int(want.sum())
    assert min(accepted, refused) > 100


def test_ordinary_batches_need_no_set(regimes, monkeypatch):
    monkeypatch.setattr(products, "multiply_add", lambda *_: pytest.fail("a set was computed"))
    for name in ("normal", "subnormal", "cancel", "near_tie", "window"):
        a, b, c = regimes.draw(name, np.random.default_rng(2), F16, F16, F32, (20, 16, 16, 16))
        data = {"a_fmt": F16, "a": a, "b_fmt": F16, "b": b, "c_fmt": F32, "c": c.bits}
        got = rounded.dot(**data)
        assert not verdict.illegal_sums(**data, got=got, rules=FloatRules()).any()


@pytest.mark.parametrize("part", ["_inside_window", "_fits"])
def test_broken_verdicts_are_seen(regimes, monkeypatch, part):
    """The window forgotten by either of the two that look for it."""
    rng = np.random.default_rng(3)
    a, b, c = regimes.draw("window", rng, F16, F16, F32, (4, 8, 8, 16))
    data = {"a_fmt": F16, "a": a, "b_fmt": F16, "b": b, "c_fmt": F32, "c": c.bits, "rules": FloatRules()}
    wrong = rounded.dot(a_fmt=F16, a=a, b_fmt=F16, b=b, c_fmt=F32, c=c.bits) ^ np.uint64(1)
    assert verdict.illegal_sums(**data, got=wrong).mean() > 0.9
    monkeypatch.setattr(verdict, part, lambda _, x, *__: np.zeros(x.shape, np.bool_))
    assert verdict.illegal_sums(**data, got=wrong).mean() < 0.9


@pytest.mark.parametrize("bits", [8, 11, 14, 24])
def test_numbers_of_so_many_bits_are_found_and_others_are_not(bits):
    rng = np.random.default_rng(bits)
    whole = rng.integers(1, 1 << bits, 4096) * 2.0 ** rng.integers(-200, 200, 4096) * rng.choice([-1.0, 1.0], 4096)
    slack = np.abs(whole) * 2.0**-50
    # on either side, the ends of a binade included; not the whole slack, as the sum itself is rounded
    for x in (whole, whole + slack / 2, whole - slack / 2):
        assert verdict._fits(x, slack, bits).all()
    odd = (rng.integers(1 << bits - 1, 1 << bits, 4096) + 0.5) * 2.0 ** rng.integers(-200, 200, 4096)
    assert not verdict._fits(odd, np.abs(odd) * 2.0 ** -(bits + 3), bits).any()
    assert verdict._fits(odd, np.abs(odd) * 2.0**-bits, bits).all()


@pytest.mark.exhaustive(every=6)
def test_sets_seldom_need_the_referee(regimes, types, rules, monkeypatch):
    asked = []
    real = products.refer
    monkeypatch.setattr(products, "refer", lambda *given: asked.append(len(given[-1])) or real(*given))
    elements = 0
    for name in ORDINARY:
        a, b, c = regimes.draw(name, np.random.default_rng(4), *types, (2, 16, 16, 16))
        multiply_add(a_fmt=types[0], a=a, b_fmt=types[1], b=b, c=c, rules=rules)
        elements += c.lo.size
    limit = 20 if rules.flush_inputs and rules.rounding else 200
    assert sum(asked) <= elements / limit


def test_preconditions():
    zero, one = np.zeros((1, 1, 1), np.uint64), np.ones((1, 1, 1), np.uint64)
    data = {"a_fmt": F16, "a": zero, "b_fmt": F16, "b": one, "c_fmt": F32, "c": one}
    rules = FloatRules(rounding=Mode.NEAREST_EVEN)
    assert not verdict.illegal_sums(**data, got=one, rules=rules).any()
    assert verdict.illegal_sums(**data, got=np.full((3, 1, 1), 0x3F800000, np.uint64), rules=rules).all()
    with pytest.raises(ValueError, match="do not fit"):
        verdict.illegal_sums(**data, got=np.ones((1, 2, 1), np.uint64), rules=rules)
    with pytest.raises(ValueError, match="no verdict"):
        verdict.illegal_sums(**{**data, "c_fmt": FORMATS["s32"]}, got=one, rules=rules)


def test_bytes_in_any_order():
    one, zero = np.array([[0x3C00]], ">u2"), np.zeros((1, 1), ">u4")
    data = {"a_fmt": F16, "a": one, "b_fmt": F16, "b": one, "c_fmt": F32, "c": zero, "rules": FloatRules()}
    assert not verdict.illegal_sums(**data, got=np.array([[0x3F800000]], ">u4")).any()
    assert verdict.illegal_sums(**data, got=np.array([[0x0000803F]], ">u4")).all()


def test_nothing_to_add():
    """Without products D is C, and a neighbour of it is not."""
    data = {"a_fmt": F16, "a": np.zeros((2, 0), np.uint64), "b_fmt": F16, "b": np.zeros((0, 2), np.uint64)}
    addend = np.full((2, 2), 0x3F800001, np.uint64)
    for got, wrong in ((addend, False), (addend + np.uint64(1), True)):
        found = verdict.illegal_sums(**data, c_fmt=F32, c=addend, got=got, rules=FloatRules())
        assert (found == wrong).all()


@pytest.mark.parametrize("declared", [{"model": Chain(fused=False)}, {"final_rounding": Mode.TOWARD_ZERO}], ids=str)
def test_declared_arithmetic_is_judged_as_its_legal_set(regimes, declared):
    rng = np.random.default_rng(5)
    a, b, c = regimes.draw("normal", rng, F16, F16, F32, (2, 4, 4, 16))
    data = {"a_fmt": F16, "a": a, "b_fmt": F16, "b": b}
    rules = FloatRules(**declared)
    legal = multiply_add(**data, c=c, rules=rules)
    got = from_ordinal(F32, legal.hi + rng.integers(0, 2, c.shape))
    found = verdict.illegal_sums(**data, c_fmt=F32, c=c.bits, got=got, rules=rules)
    assert (found == illegal(legal, got)).all()
    assert found.any()
