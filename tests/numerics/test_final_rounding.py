"""A declared final rounding: sound for units that round so, sharp against those that do not (rule R)."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from mmaspec.oracle.numerics.contract import multiply_add
from mmaspec.oracle.numerics.definition import dot
from mmaspec.oracle.numerics.definition.dot import LegalElement
from mmaspec.oracle.numerics.legal import Legal, Reason, illegal
from mmaspec.oracle.numerics.ordinals import exact_float64
from mmaspec.oracle.numerics.rules import FloatRules
from mmaspec.programs.formats import FORMATS
from mmaspec.programs.rounding_mode import Mode

F16 = FORMATS["f16"]
WIDE = FloatRules(accumulator_precision=24, final_rounding=Mode.NEAREST_EVEN)
MODES = [Mode.NEAREST_EVEN, Mode.NEAREST_AWAY, Mode.TOWARD_ZERO, Mode.DOWN, Mode.UP]


def judged(a, b, c, rules):
    return multiply_add(a_fmt=F16, a=a, b_fmt=F16, b=b, c=c, rules=rules)


@pytest.mark.exhaustive(every=3)
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(("t", "f"), [(24, None), (11, 8), (9, 20)])
def test_it_equals_the_definition(regimes, types, mode, t, f):
    rng = np.random.default_rng(31)
    for flush in (False, True):
        rules = FloatRules(
            accumulator_precision=t, kept_fraction_bits=f, final_rounding=mode, flush_inputs=flush, flush_results=flush
        )
        for name in ("normal", "subnormal", "window", "near_tie", "overflow", "sets", "edges"):
            a, b, c = regimes.draw(name, rng, *types, (1, 2, 2, 5))
            got = multiply_add(a_fmt=types[0], a=a, b_fmt=types[1], b=b, c=c, rules=rules)
            for at in np.ndindex(*c.shape):
                given = LegalElement(int(c.lo[at]), int(c.hi[at]), bool(c.nan[at]), Reason(int(c.why[at])))
                row, column = a[at[0], at[1]].tolist(), b[at[0], :, at[2]].tolist()
                want = dot.legal(types[0], row, types[1], column, types[2], given, rules)
                found = LegalElement(int(got.lo[at]), int(got.hi[at]), bool(got.nan[at]), Reason(int(got.why[at])))
                assert found == want, (name, at)


def in_single(a, b, c):
    """The plain float32 loop."""
    left, right = (exact_float64(F16, v).astype(np.float32) for v in (a, b))
    total = exact_float64(F16, c.bits).astype(np.float32)
    for k in range(a.shape[-1]):
        total = total + left[:, :, k, None] * right[:, None, k, :]
    return total


def nearest(total):
    """Float32 to f16, to nearest even: numpy rounds this pair of types once."""
    with np.errstate(over="ignore"):
        return total.astype(np.float16).view(np.uint16).astype(np.uint64)


def toward_zero(total):
    bits = nearest(total)
    back = exact_float64(F16, bits)
    return np.where(np.abs(back) > np.abs(total), bits - np.uint64(1), bits)


@pytest.mark.parametrize("regime", ["normal", "subnormal", "cancel", "window", "overflow"])
def test_a_wide_sum_rounded_as_declared_never_fails(regimes, regime):
    a, b, c = regimes.draw(regime, np.random.default_rng(7), F16, F16, F16, (2, 8, 8, 16))
    assert not illegal(judged(a, b, c, WIDE), nearest(in_single(a, b, c))).any()
    cut = replace(WIDE, final_rounding=Mode.TOWARD_ZERO)
    assert not illegal(judged(a, b, c, cut), toward_zero(in_single(a, b, c))).any()


def test_another_final_rounding_is_caught(regimes):
    a, b, c = regimes.draw("normal", np.random.default_rng(8), F16, F16, F16, (2, 8, 8, 16))
    cut = toward_zero(in_single(a, b, c))
    open_end = judged(a, b, c, replace(WIDE, final_rounding=None))
    assert not illegal(open_end, cut).any()
    assert illegal(judged(a, b, c, WIDE), cut).mean() > 0.2


@pytest.mark.exhaustive(every=2)
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("field", ["rounding", "final_rounding"])
def test_beyond_the_range_a_directed_mode_may_stay_or_go_on(regimes, types, field, mode):
    """IEEE 754 keeps Omega there, tensor cores that cut give Inf; all engines say the same."""
    rng = np.random.default_rng(17)
    rules = FloatRules(**{field: mode})
    a, b, c = regimes.draw("overflow", rng, *types, (2, 4, 4, 5))
    got = multiply_add(a_fmt=types[0], a=a, b_fmt=types[1], b=b, c=c, rules=rules)
    for at in np.ndindex(*c.shape):
        given = LegalElement(int(c.lo[at]), int(c.hi[at]), bool(c.nan[at]), Reason(int(c.why[at])))
        row, column = a[at[0], at[1]].tolist(), b[at[0], :, at[2]].tolist()
        want = dot.legal(types[0], row, types[1], column, types[2], given, rules)
        assert LegalElement(int(got.lo[at]), int(got.hi[at]), bool(got.nan[at]), Reason(int(got.why[at]))) == want, at
    huge = np.full((1, 1, 1), 0x7BFF, np.uint64)
    beyond = judged(huge, huge, Legal.from_bits(F16, np.zeros((1, 1, 1), np.uint64)), rules)
    stays = field == "final_rounding" or mode in (Mode.TOWARD_ZERO, Mode.DOWN)
    assert (beyond.lo.item(), beyond.hi.item()) == (0x7BFF if stays else 0x7C00, 0x7C00)


def test_a_sum_that_is_exact_until_the_end_has_one_result():
    """1 + 2^-11 is half way between two values of f16, and exact in 24 bits."""
    a, b = np.full((1, 1, 1), 0x3C00, np.uint64), np.full((1, 1, 1), 0x1000, np.uint64)
    c = Legal.from_bits(F16, np.full((1, 1, 1), 0x3C00, np.uint64))
    ends = {mode: judged(a, b, c, replace(WIDE, final_rounding=mode)) for mode in MODES}
    assert all(found.exact.all() for found in ends.values())
    assert {mode: int(found.lo.item()) - 0x3C00 for mode, found in ends.items()} == {
        Mode.NEAREST_EVEN: 0, Mode.NEAREST_AWAY: 1, Mode.TOWARD_ZERO: 0, Mode.DOWN: 0, Mode.UP: 1,
    }  # fmt: skip
    narrow = judged(a, b, c, replace(WIDE, accumulator_precision=11))  # 12 bits are needed
    assert (narrow.lo < narrow.hi).all()
