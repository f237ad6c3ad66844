"""Rounding: against numpy's single-step casts on boundaries, and against its own definition."""

from __future__ import annotations

from fractions import Fraction

import ml_dtypes
import numpy as np
import pytest

from mmaspec.oracle.numerics.bulk import fixed_point
from mmaspec.oracle.numerics.definition.referee import Referee
from mmaspec.oracle.numerics.ordinals import ordinal_value, to_ordinal
from mmaspec.oracle.numerics.rounding import ceil_ordinal, floor_ordinal, round_to, round_to_ordinal
from mmaspec.oracle.numerics.rules import FloatRules
from mmaspec.programs.formats import FORMATS
from mmaspec.programs.rounding_mode import Mode


def boundaries(fmt, count=300):
    """Fractions at, halfway between, and a crumb beside neighbouring values of `fmt`, the range's edges included."""
    rng = np.random.default_rng(2)
    normal, top = 1 << fmt.fraction_bits, fmt.largest_magnitude
    picks = {0, 1, 2, 3, normal - 2, normal - 1, normal, normal + 1, 2 * normal - 1, top - 2, top - 1}
    picks |= set(rng.integers(0, top, count).tolist())
    out = []
    for ordinal in sorted(picks):
        low, high = ordinal_value(fmt, ordinal), ordinal_value(fmt, ordinal + 1)
        gap = high - low
        out += [
            low,
            low + gap / 4,
            low + gap / 2,
            low + 3 * gap / 4,
            low + gap / 2 + gap / 64,
            low + gap / 2 - gap / 64,
        ]
    omega = ordinal_value(fmt, top)
    step = omega - ordinal_value(fmt, top - 1)
    out += [omega + step / 4, omega + step / 2, omega + 3 * step / 4, omega + step, omega * 3]
    return out + [-x for x in out]


@pytest.mark.parametrize(
    ("name", "wide", "narrow"),
    [("f16", np.float32, np.float16), ("bf16", np.float32, ml_dtypes.bfloat16), ("f32", np.float64, np.float32)],
)
def test_nearest_even_against_single_step_casts(name, wide, narrow):
    fmt = FORMATS[name]
    xs = [x for x in boundaries(fmt) if abs(x) < Fraction(2) ** 127 and Fraction(float(wide(float(x)))) == x]
    assert len(xs) > 1000
    with np.errstate(over="ignore"):
        want = np.array([float(x) for x in xs], wide).astype(narrow).view(f"u{fmt.nbytes}")
    got = [round_to(fmt, x, Mode.NEAREST_EVEN) for x in xs]
    zero = [x == 0 for x in xs]  # a Fraction has no sign of zero
    assert all(g == w or z for g, w, z in zip(got, want.tolist(), zero, strict=True))


@pytest.mark.parametrize("name", ["f16", "bf16", "f32", "e5m2"])
@pytest.mark.parametrize("mode", Mode)
def test_every_mode_against_its_words(name, mode):
    fmt = FORMATS[name]
    inf = fmt.infinity_magnitude

    def size(ordinal):  # values with 2^(emax + 1) at infinity
        if abs(ordinal) == inf:
            return Fraction(2) ** (fmt.emax + 1) * (1 if ordinal > 0 else -1)
        return ordinal_value(fmt, ordinal)

    for x in boundaries(fmt, 60):
        lo, hi = floor_ordinal(fmt, x), ceil_ordinal(fmt, x)
        assert size(lo) <= x or lo == -inf
        assert hi - lo <= 1
        got = round_to_ordinal(fmt, x, mode)
        assert to_ordinal(fmt, np.array([round_to(fmt, x, mode)], np.uint64))[0] == got
        inner, outer = (lo, hi) if x >= 0 else (hi, lo)
        if mode is Mode.DOWN:
            assert got == lo
        elif mode is Mode.UP:
            assert got == hi
        elif mode is Mode.TOWARD_ZERO or lo == hi:
            assert got == inner
        elif mode is Mode.TO_ODD:
            assert got == (inner if inner % 2 or abs(outer) == inf else outer)
        else:
            below, above = abs(x - size(inner)), abs(size(outer) - x)
            if below != above:
                assert got == (inner if below < above else outer)
            else:
                assert got == (outer if mode is Mode.NEAREST_AWAY or inner % 2 else inner)


@pytest.mark.parametrize("name", ["f16", "bf16", "f32", "f64"])
def test_three_roundings_agree(name):
    """Fractions, scaled integers and float64 bits round alike."""
    fmt = FORMATS[name]
    referee = Referee(fmt, fmt, fmt, 1, FloatRules())
    xs = boundaries(fmt, 80)
    units = [x / Fraction(2) ** referee.unit for x in xs]
    assert all(unit.denominator == 1 for unit in units)
    doubles = np.array([float(x) for x in xs]) if name != "f64" else None
    for mode in Mode:
        want = [round_to_ordinal(fmt, x, mode) for x in xs]
        assert [referee.round(int(unit), mode) for unit in units] == want
        if doubles is not None:
            assert fixed_point.round_ordinals(fmt, doubles, mode).tolist() == want
    floors = [floor_ordinal(fmt, x) for x in xs]
    assert [referee.floor(int(unit)) for unit in units] == floors
    if doubles is not None:
        assert fixed_point.floor_ordinals(fmt, doubles).tolist() == floors


def test_integers():
    s8, u64 = FORMATS["s8"], FORMATS["u64"]
    half = Fraction(1, 2)
    cases = {
        Mode.NEAREST_EVEN: (2, -2, 4), Mode.NEAREST_AWAY: (3, -3, 4), Mode.TOWARD_ZERO: (2, -2, 3),
        Mode.DOWN: (2, -3, 3), Mode.UP: (3, -2, 4), Mode.TO_ODD: (3, -3, 3),
    }  # fmt: skip
    for mode, want in cases.items():
        got = [round_to(s8, x, mode) for x in (2 + half, -2 - half, 3 + half)]
        assert got == [w & 0xFF for w in want]
    with pytest.raises(ValueError, match="does not fit"):
        round_to(s8, Fraction(128), Mode.DOWN)
    assert floor_ordinal(u64, Fraction(7)) == 7 - 2**63
    assert floor_ordinal(s8, Fraction(1000)) == 127
    assert ceil_ordinal(s8, Fraction(-1000)) == -128
    with pytest.raises(ValueError, match="below"):
        floor_ordinal(s8, Fraction(-129))
    with pytest.raises(ValueError, match="no infinities"):
        round_to(FORMATS["e4m3"], Fraction(1000), Mode.NEAREST_EVEN)
    assert round_to(FORMATS["e4m3"], Fraction(1000), Mode.TOWARD_ZERO) == 0x7E
