"""Data on which the engines of mmaspec.oracle.numerics could differ, one function a regime.

A regime gives codes of A (T, M, K), codes of B (T, K, N) and a set C (T, M, N). Random data alone tests little:
near ties, cancellation, subnormals and the edge of the range are drawn on purpose.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from mmaspec.oracle.numerics.legal import Legal, Reason
from mmaspec.oracle.numerics.ordinals import exact_float64, to_ordinal
from mmaspec.oracle.numerics.rounding import round_to
from mmaspec.oracle.numerics.rules import FloatRules
from mmaspec.programs.formats import FORMATS, Format
from mmaspec.programs.rounding_mode import Mode

Rng = np.random.Generator


def encode(fmt: Format, values: np.ndarray) -> np.ndarray:
    """Round float64 values to `fmt` by the definition (slow, exact)."""
    flat = [round_to(fmt, Fraction(float(v)), Mode.NEAREST_EVEN) for v in np.ravel(values)]
    return np.array(flat, np.uint64).reshape(np.shape(values))


def fast_encode(fmt: Format, values: np.ndarray) -> np.ndarray:
    """Truncate float64 values towards zero to `fmt`: good enough for drawing data."""
    table = {"f32": np.float32, "f16": np.float16}
    if fmt.name in table:
        with np.errstate(over="ignore"):
            packed = np.asarray(values, table[fmt.name])
        return packed.view(f"u{packed.itemsize}").astype(np.uint64)
    if fmt.name == "bf16":
        return np.asarray(values, np.float32).view(np.uint32).astype(np.uint64) >> np.uint64(16)
    return encode(fmt, values)


def finite(fmt: Format, bits: np.ndarray) -> np.ndarray:
    """Turn specials into finite codes by clearing a bit of the exponent."""
    magnitude = bits & np.uint64(fmt.sign_bit - 1)
    cleared = bits & ~np.uint64(1 << fmt.fraction_bits)
    return np.where(magnitude > np.uint64(fmt.largest_magnitude), cleared, bits)


def any_code(rng: Rng, fmt: Format, shape: tuple[int, ...]) -> np.ndarray:
    return rng.integers(0, fmt.mask, shape, np.uint64, endpoint=True)


def near(rng: Rng, fmt: Format, shape: tuple[int, ...], low: int, high: int) -> np.ndarray:
    """Finite codes with exponents 2^low to 2^high, both signs."""
    field = rng.integers(low + fmt.bias, high + fmt.bias, shape, endpoint=True).clip(0, fmt.emax + fmt.bias)
    code = field << fmt.fraction_bits | rng.integers(0, 1 << fmt.fraction_bits, shape)
    code = np.minimum(code, fmt.largest_magnitude)
    return code.astype(np.uint64) | rng.integers(0, 2, shape).astype(np.uint64) * np.uint64(fmt.sign_bit)


class Regimes:
    """Draws batches. `names` are the regimes; `draw` gives (a, b, c) for formats and a shape (T, M, N, K)."""

    names = (
        "normal", "wild", "specials", "subnormal", "cancel", "near_tie", "window", "overflow", "zero_times_huge",
        "sets", "open_sets", "edges",
    )  # fmt: skip
    encode = staticmethod(encode)
    fast_encode = staticmethod(fast_encode)

    def draw(
        self, name: str, rng: Rng, a_fmt: Format, b_fmt: Format, c_fmt: Format, shape: tuple[int, int, int, int]
    ) -> tuple[np.ndarray, np.ndarray, Legal]:
        """One batch of a regime: A (T, M, K), B (T, K, N), C (T, M, N) for a shape (T, M, N, K)."""
        t, m, n, k = shape
        a, b, c = getattr(self, f"_{name}")(rng, (a_fmt, (t, m, k)), (b_fmt, (t, k, n)), (c_fmt, (t, m, n)))
        return a, b, c if isinstance(c, Legal) else Legal.from_bits(c_fmt, c)

    def _normal(self, rng, a, b, c):
        return near(rng, *a, -3, 1), near(rng, *b, -3, 1), near(rng, *c, -3, 4)

    def _wild(self, rng, a, b, c):
        return tuple(finite(each[0], any_code(rng, *each)) for each in (a, b, c))

    def _specials(self, rng, a, b, c):
        out = []
        for fmt, shape in (a, b, c):
            codes = near(rng, fmt, shape, -2, 2)
            odd = np.array(
                [0, 1, fmt.sign_bit, fmt.nan_bits, fmt.largest_magnitude, fmt.sign_bit | fmt.nan_bits], np.uint64
            )
            if fmt.infinities:
                inf = np.array([fmt.infinity_magnitude, fmt.infinity_magnitude | fmt.sign_bit] * 3, np.uint64)
                odd = np.concatenate([odd, inf])
            share = rng.choice([0.02, 0.2])
            out.append(np.where(rng.random(shape) < share, rng.choice(odd, shape), codes))
        return tuple(out)

    def _subnormal(self, rng, a, b, c):
        out = []
        for fmt, shape in (a, b, c):
            tiny = near(rng, fmt, shape, fmt.emin - 1, fmt.emin + 1)
            out.append(np.where(rng.random(shape) < 0.7, tiny, near(rng, fmt, shape, fmt.emin, 1)))
        # products that land among the accumulator's subnormals too
        return tuple(out)

    def _cancel(self, rng, a, b, c):
        x, y = near(rng, *a, -6, 3), near(rng, *b, -6, 3)
        exact = exact_float64(a[0], x) @ exact_float64(b[0], y)
        return x, y, fast_encode(c[0], -exact.clip(-6e4, 6e4))

    def _near_tie(self, rng, a, b, c):
        """C = 1 to 2, one product of half an ulp of it, and crumbs far below."""
        half = -c[0].fraction_bits - 1
        (fa, sa), (fb, sb) = a, b
        x, y = np.zeros(sa), np.zeros(sb)
        low = max(half // 2, fa.emin)
        x[..., 0], y[:, 0, :] = 2.0**low, 2.0 ** max(half - low, fb.qmin)
        if sa[-1] > 1:
            x[..., 1] = rng.choice([0.0, 1.0, -1.0], sa[:-1]) * 2.0**fa.emin
            y[:, 1, :] = 2.0 ** rng.integers(max(-24, fb.qmin), -4, (sb[0], sb[2]))
        sign = rng.choice([-1.0, 1.0], c[1])
        base = fast_encode(c[0], sign * rng.choice([1.0, 1.25, 1.5], c[1])) + rng.integers(0, 4, c[1]).astype(np.uint64)
        return fast_encode(fa, x), fast_encode(fb, y), base

    def _window(self, rng, a, b, c):
        k = a[1][-1]
        top = max(1, int((2 ** min(c[0].precision - 1, 22) / k) ** 0.5))
        top = min(top, 2 ** min(a[0].precision, b[0].precision) - 1)
        span = 2 if a[0].exponent_bits < 8 else 20
        rows = 2.0 ** rng.integers(-span, span, (*a[1][:-1], 1))
        cols = 2.0 ** rng.integers(-span, span, (b[1][0], 1, b[1][2]))
        limit = 2 ** (c[0].precision - 1)
        x = rng.integers(-top, top + 1, a[1]) * (rng.random(a[1]) < 0.75) * rows
        y = rng.integers(-top, top + 1, b[1]) * (rng.random(b[1]) < 0.75) * cols
        z = rng.integers(-limit, limit + 1, c[1]) * rows * cols
        if c[0].exponent_bits < 8:  # keep it inside f16
            z = np.clip(z, -30000, 30000)
        return fast_encode(a[0], x), fast_encode(b[0], y), fast_encode(c[0], z)

    def _overflow(self, rng, a, b, c):
        """Sums around Omega of the accumulator, of one sign or of both."""
        goal = c[0].emax
        ea = min(a[0].emax, goal // 2)
        eb = min(b[0].emax, goal - ea)
        x, y = near(rng, *a, ea - 2, ea), near(rng, *b, eb - 2, eb)
        z = near(rng, *c, goal - 2, goal)
        if rng.random() < 0.5:
            sign = np.uint64(a[0].sign_bit - 1), np.uint64(b[0].sign_bit - 1), np.uint64(c[0].sign_bit - 1)
            x, y, z = x & sign[0], y & sign[1], z & sign[2]
        return x, y, z

    def _zero_times_huge(self, rng, a, b, c):
        x, y = near(rng, *a, a[0].emin, a[0].emin + 2), near(rng, *b, b[0].emin, b[0].emin + 3)
        x[rng.random(a[1]) < 0.5] = 0
        huge = near(rng, *b, b[0].emax - 1, b[0].emax)
        y = np.where(rng.random(b[1]) < 0.3, huge, y)
        return x, y, np.where(rng.random(c[1]) < 0.5, np.uint64(0), near(rng, *c, c[0].emin - 1, c[0].emin + 3))

    def _sets(self, rng, a, b, c):
        x, y, point = getattr(self, str(rng.choice(["_normal", "_subnormal", "_wild", "_cancel", "_specials"])))(
            rng, a, b, c
        )
        fmt, shape = c
        at = to_ordinal(fmt, finite(fmt, point))
        lo = at - rng.integers(0, 2 ** rng.integers(1, 8), shape)
        hi = at + rng.integers(0, 2 ** rng.integers(1, 8), shape)
        return x, y, Legal.interval(fmt, lo.clip(-fmt.max_ordinal), hi.clip(None, fmt.max_ordinal))

    def _open_sets(self, rng, a, b, c):
        """Sets that reach infinities, allow or demand NaN, or are not judged."""
        x, y, _ = getattr(self, str(rng.choice(["_normal", "_specials", "_overflow"])))(rng, a, b, c)
        fmt, shape = c
        top = fmt.max_ordinal
        ends = np.sort(rng.choice([-top, -top + 1, -5, 0, 7, top - 3, top - 1, top], (2, *shape)), axis=0)
        nan = rng.random(shape) < 0.2
        lo, hi = np.where(nan & (rng.random(shape) < 0.5), [[[[1]]], [[[0]]]], ends)
        why = np.where(rng.random(shape) < 0.1, Reason.SPEC_SILENT, 0).astype(np.uint8)
        return x, y, Legal.interval(fmt, lo, hi, nan, why)

    def _edges(self, rng, a, b, c):
        """Magnitudes of 2^5 to 2^(precision + 1) quanta, or one less or more: where rules may end the exact window.

        Products of 0 and ±1, and C the rest.
        """
        (fa, sa), (fb, sb), (fc, sc) = a, b, c
        x, y = (rng.integers(-1, 2, shape) * (rng.random(shape) < 0.8) for shape in (sa, sb))
        rows, cols = 2.0 ** rng.integers(-2, 1, (*sa[:-1], 1)), 2.0 ** rng.integers(-2, 1, (sb[0], 1, sb[2]))
        top = np.exp2(rng.integers(5, min(fc.precision, 13) + 2, sc))
        if fc.precision > 13:
            top = np.where(rng.random(sc) < 0.3, np.exp2(rng.integers(13, fc.precision + 2, sc)), top)
        rest = (top + rng.integers(-1, 2, sc) - np.abs(x) @ np.abs(y)) * rng.choice([-1.0, 1.0], sc)
        return fast_encode(fa, x * rows), fast_encode(fb, y * cols), fast_encode(fc, rest * rows * cols)


RULES = {
    "strict": FloatRules(),
    "flush": FloatRules(flush_inputs=True, flush_results=True),
    "flush_inputs": FloatRules(flush_inputs=True),
    "reported": FloatRules(flush_inputs=True, nan="reported", window="reported"),
    "cut": FloatRules(accumulator_precision=14, kept_fraction_bits=9),
    "wide_alignment": FloatRules(kept_fraction_bits=30),
    "short_sum": FloatRules(accumulator_precision=12, kept_fraction_bits=20),
    "wide_sum": FloatRules(accumulator_precision=30, kept_fraction_bits=26),
    "zero_exponent": FloatRules(zero_exponent=True, flush_results=True),
    **{str(mode): FloatRules(rounding=mode) for mode in Mode},
    "short_operands": FloatRules(f32_bits=11),
    "short_flush": FloatRules(f32_bits=8, flush_inputs=True, flush_results=True, zero_exponent=True),
    "rounded_flush": FloatRules(rounding=Mode.NEAREST_EVEN, flush_inputs=True, flush_results=True),
}

TYPES = (
    ("f16", "f16", "f32"),
    ("bf16", "bf16", "f32"),
    ("f16", "f16", "f16"),
    ("e4m3", "e5m2", "f32"),
    ("f32", "f32", "f32"),
    ("bf16", "f16", "bf16"),
)


@pytest.fixture(scope="session")
def regimes() -> Regimes:
    return Regimes()


@pytest.fixture(params=list(RULES), scope="session")
def rules(request: pytest.FixtureRequest) -> FloatRules:
    return RULES[request.param]


@pytest.fixture(params=TYPES, ids="-".join, scope="session")
def types(request: pytest.FixtureRequest) -> tuple[Format, Format, Format]:
    a, b, c = (FORMATS[name] for name in request.param)
    return a, b, c
