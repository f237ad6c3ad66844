"""The float contract for whole batches in float64, certified: equal to the referee on every element.

The idea: both ends of the legal interval are computed in float64 together with a rigorous bound on their error.
Rounding is monotone, so where both ends of that uncertainty fall on the same ordinal, that ordinal is the answer;
where they do not, or where another decision (window, overflow hazard) is too close to call, the element goes to the
referee. Why it is right:

1. products of A and B are exact in float64 (at most 24 + 24 significand bits, exponents far inside its range);
2. a float64 sum of K + 1 terms in any order, fused or not, errs by at most (K + 1) u S (1 + small), u = 2^-53;
   with no error at all where every partial sum is an integer below 2^53 quanta;
3. bounds are sums of products of non-negative numbers, so their relative error is at most (K + 8) u;
4. no float64 underflow: the smallest number here is near 2^-298, the largest below 2^300.

Nothing is rounded by a cast: `_floor_ordinals` works on the bits.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from . import specials
from .dot import Element
from .formats import Format
from .legal import Legal, Reason, Reasons
from .ordinals import Bits, Doubles, Flags, Ordinals, exact_float64, float64_of_ordinals
from .referee import Referee, Vector
from .rounding import Mode
from .rules import FloatRules

MAX_K = 4096
"""Products per element up to which the error bounds below are proved."""

_U = 2.0**-53


@dataclass(slots=True)
class Certificate:
    """How much of the error bound is used, as a factor: 1 in production. Tests lower it to see the engine fail."""

    factor: float = 1.0


CERTIFICATE = Certificate()


@dataclass(slots=True)
class _Operand:
    """A or B as float64: finite values (specials are 0 here), |v|*, and where subnormal (None: nowhere)."""

    values: Doubles
    sizes: Doubles
    stars: Doubles
    subnormal: Flags | None


@dataclass(slots=True)
class _Addend:
    """C as float64: its finite ends, their largest size, |c|*, and the largest subnormal in the set (None: 0)."""

    lo: Doubles
    hi: Doubles
    size: Doubles
    star: Doubles
    flushed: Doubles | None
    point: Flags | None  # where it is one finite number; None: everywhere


def multiply_add(a_fmt: Format, a: Bits, b_fmt: Format, b: Bits, c: Legal, rules: FloatRules) -> Legal:
    """Legal contents of A*B + C for a (T, M, K), b (T, K, N) and c (T, M, N), formats up to f32, K up to 4096."""
    k = a.shape[-1]
    if k > MAX_K:
        raise ValueError(f"K = {k} is beyond the {MAX_K} for which the error bound is proved")
    n = 2 * (k + 1)
    fmt = c.fmt
    raw_a, raw_b = exact_float64(a_fmt, a), exact_float64(b_fmt, b)
    special = specials.find(raw_a, raw_b, c, math.ldexp(1.0, a_fmt.emin), math.ldexp(1.0, b_fmt.emin), rules)
    left, right = _operand(a_fmt, raw_a, rules), _operand(b_fmt, raw_b, rules)
    addend = _addend(c, rules)

    p = left.values @ right.values
    star = left.stars @ right.stars
    star += addend.star
    flushed = _flushed(left, right, addend, rules)
    q = _quantum(left, right, addend)

    # Rule E. The factor is exact in float64 for every n and eps allowed.
    n_eps = math.ldexp(n, -rules.eps_exponent(fmt))
    if rules.rounding is None:
        bound = star * (n_eps * (1 + n_eps))
        bound += math.ldexp(n, fmt.qmin) + (math.ldexp(n, fmt.emin) if rules.flush_results else 0.0)
        if flushed is not None:
            bound += flushed
    else:
        bound = np.zeros(p.shape) if flushed is None else flushed

    x_lo = p + addend.lo
    x_hi = x_lo if addend.hi is addend.lo else p + addend.hi
    u = _U * CERTIFICATE.factor
    relative = (2 * k + 24) * u
    error = np.where(star < q * 2.0**52, 0.0, star * relative)
    if rules.rounding is None:
        slack = error + bound * relative  # also covers the rounding of x - B and of the two ends below
        lo, lo_sure = _certain_floor(fmt, x_lo - bound, slack + np.abs(x_lo) * (4 * u))
        hi, hi_sure = _certain_floor(fmt, -(x_hi + bound), slack + np.abs(x_hi) * (4 * u))
        np.negative(hi, out=hi)
        sure = lo_sure & hi_sure
        hazard, hazard_sure = _hazard(fmt, left, right, addend, star, bound, relative)
        if rules.window == "required":
            _apply_window(fmt, rules, (lo, hi, sure), (x_lo, star, q), (flushed, hazard, addend.point), relative)
    else:
        lo, hi, sure = _rounded(fmt, rules, x_lo, x_hi, bound, error, relative)
        hazard = hazard_sure = None
    nan, why = c.nan, c.why
    if hazard is not None and hazard_sure is not None:
        sure &= hazard_sure
        overflow = hazard & _mixed_signs(left, right, addend)
        why = np.where(overflow & (why == 0), np.uint8(Reason.OVERFLOW_HAZARD), why)
    if special is not None:
        lo, hi, nan, why, sure = specials.conclude(special, c, (lo, hi, sure), (why, hazard), rules)
    elif rules.nan == "reported" and nan.any():
        why = np.where(nan & (why == 0), np.uint8(Reason.NAN_NOT_REQUIRED), why)
    lo, hi, nan, why = lo.copy(), hi.copy(), nan.copy(), why.copy()
    if why.any():
        free = why != 0
        lo[free], hi[free], nan[free] = fmt.min_ordinal, fmt.max_ordinal, True
    if not sure.all():
        _refer(Referee(a_fmt, b_fmt, fmt, k, rules), a, b, c, (lo, hi, nan, why), np.argwhere(~sure))
    return Legal.interval(fmt, lo, hi, nan, why)


def _operand(fmt: Format, raw: Doubles, rules: FloatRules) -> _Operand:
    finite = np.isfinite(raw)
    clean = bool(finite.all())
    values = raw if clean else np.where(finite, raw, 0.0)
    sizes = np.abs(values)
    lam = math.ldexp(1.0, fmt.emin)
    small = sizes < lam
    subnormal = None
    stars = sizes
    if small.any():
        found = small & (sizes > 0)
        subnormal = found if found.any() else None
        if rules.zero_exponent:
            stars = np.where(small & finite, lam, sizes)
        elif subnormal is not None:
            stars = np.where(subnormal, lam, sizes)
    return _Operand(values, sizes, stars, subnormal)


def _addend(c: Legal, rules: FloatRules) -> _Addend:
    fmt = c.fmt
    top = fmt.largest_magnitude
    one = c.lo is c.hi or bool((c.lo == c.hi).all())
    lo_ordinals = np.maximum(c.lo, -top)
    hi_ordinals = np.minimum(c.hi, top)
    # Where the finite part is empty (an infinity for certain, or NaN) zero stands in; `specials` decides there.
    empty = lo_ordinals > hi_ordinals
    any_empty = bool(empty.any())
    if any_empty:
        lo_ordinals, hi_ordinals = np.where(empty, 0, lo_ordinals), np.where(empty, 0, hi_ordinals)
    lo = float64_of_ordinals(fmt, lo_ordinals)
    hi = lo if one else float64_of_ordinals(fmt, hi_ordinals)
    size = np.abs(lo) if one else np.maximum(np.abs(lo), np.abs(hi))
    lam = math.ldexp(1.0, fmt.emin)
    small = size < lam
    star = np.where(small & ~empty if rules.zero_exponent else small & (size > 0), lam, size) if small.any() else size
    flushed = None
    if rules.flush_inputs:
        last = (1 << fmt.fraction_bits) - 1
        positive = np.where(lo_ordinals <= last, np.minimum(hi_ordinals, last), 0)
        negative = np.where(hi_ordinals >= -last, np.minimum(-lo_ordinals, last), 0)
        largest = np.maximum(np.maximum(positive, negative), 0)
        flushed = largest * math.ldexp(1.0, fmt.qmin) if largest.any() else None
    point = None if one and not any_empty else (c.lo == c.hi) & ~empty
    return _Addend(lo, hi, size, star, flushed, point)


def _flushed(left: _Operand, right: _Operand, addend: _Addend, rules: FloatRules) -> Doubles | None:
    """F_in, or None where it is 0 everywhere. Zero exactly where the true one is, as nothing underflows."""
    if not rules.flush_inputs:
        return None
    total = addend.flushed
    if left.subnormal is not None:
        lost = np.where(left.subnormal, left.sizes, 0.0) @ right.sizes
        total = lost if total is None else total + lost
    if right.subnormal is not None:
        kept = left.sizes if left.subnormal is None else np.where(left.subnormal, 0.0, left.sizes)
        lost = kept @ np.where(right.subnormal, right.sizes, 0.0)
        total = lost if total is None else total + lost
    return total


def _quantum(left: _Operand, right: _Operand, addend: _Addend) -> Doubles:
    """A power of two that divides every term of an element: lowest bits of the row, of the column, and of c."""
    alpha = _lowest_bits(left.values).min(axis=-1, initial=np.inf)
    beta = _lowest_bits(right.values).min(axis=-2, initial=np.inf)
    q: Doubles = np.minimum(alpha[..., :, None] * beta[..., None, :], _lowest_bits(addend.lo))
    return q if addend.hi is addend.lo else np.minimum(q, _lowest_bits(addend.hi))


def _lowest_bits(v: Doubles) -> Doubles:
    """The largest power of two that divides each value, inf for 0. The values must be normal in float64."""
    bits = v.view(np.int64)
    fraction = (bits & ((1 << 52) - 1)) | (1 << 52)
    exponent = (bits & (0x7FF << 52)).view(np.float64)
    low = (fraction & -fraction).astype(np.float64) * 2.0**-52
    return np.where(v == 0, np.inf, exponent * low)


def _floor_ordinals(fmt: Format, v: Doubles) -> Ordinals:
    """Largest ordinal whose value is <= v, for finite float64 v, by bits: -Inf below -Omega, Omega above it."""
    bits = v.view(np.int64)
    magnitude = bits & ((1 << 63) - 1)
    cut = 52 - fmt.fraction_bits
    ordinal = (magnitude >> cut) - ((1023 - fmt.bias) << fmt.fraction_bits)
    inexact = (magnitude & ((1 << cut) - 1)) != 0
    small = ordinal < 1 << fmt.fraction_bits
    if small.any():
        # below the smallest normal: count quanta; the scaling is exact, and so are floor and the conversion
        quanta = np.abs(np.where(small, v, 0.0)) * math.ldexp(1.0, -fmt.qmin)
        whole = np.floor(quanta)
        ordinal = np.where(small, whole.astype(np.int64), ordinal)
        inexact = np.where(small, whole != quanta, inexact)
    over = ordinal > fmt.largest_magnitude
    if over.any():
        ordinal = np.where(over, fmt.largest_magnitude, ordinal)
        inexact |= over
    return np.where(bits < 0, -(ordinal + inexact), ordinal)


def _certain_floor(fmt: Format, v: Doubles, error: Doubles) -> tuple[Ordinals, Flags]:
    """Floor ordinals of numbers within `error` of v, and where they are certain."""
    low = _floor_ordinals(fmt, v - error)
    return low, low == _floor_ordinals(fmt, v + error)


def _apply_window(
    fmt: Format,
    rules: FloatRules,
    result: tuple[Ordinals, Ordinals, Flags],
    sums: tuple[Doubles, Doubles, Doubles],
    limits: tuple[Doubles | None, Flags | None, Flags | None],
    relative: float,
) -> None:
    """Rule X, in place: lo = hi = x where the sum is within the exact window; x is exact in float64 there."""
    lo, hi, sure = result
    x, star, q = sums
    flushed, hazard, point = limits
    finest = math.ldexp(1.0, fmt.emin if rules.flush_results else fmt.qmin)
    edge = q * 2.0 ** rules.window_bits(fmt)
    open_to = (star * (1 - relative) < edge) & (q >= finest)
    if flushed is not None:
        open_to &= flushed == 0
    if hazard is not None:
        open_to &= ~hazard
    if point is not None:
        open_to &= point
    if not open_to.any():
        return
    inside = open_to & ((star * (1 + relative) < edge) | np.isinf(q))
    exact = _floor_ordinals(fmt, x)
    np.copyto(lo, exact, where=inside)
    np.copyto(hi, exact, where=inside)
    sure |= inside
    sure &= inside | ~open_to


def _hazard(
    fmt: Format, left: _Operand, right: _Operand, addend: _Addend, star: Doubles, bound: Doubles, relative: float
) -> tuple[Flags | None, Flags | None]:
    """Rule N4: where S + B >= Omega, and where that is certain; None where it is nowhere near."""
    significand, exponent = fmt.largest
    omega = math.ldexp(significand, exponent)
    if ((star + bound) * (1 + relative)).max(initial=0.0) < omega:  # S <= S*
        return None, None
    reach = left.sizes @ right.sizes + addend.size + bound
    return reach >= omega, (reach * (1 + relative) < omega) | (reach * (1 - relative) >= omega)


def _mixed_signs(left: _Operand, right: _Operand, addend: _Addend) -> Flags:
    """Where the terms have both signs, c taken as a set. Counts of products are exact in float32."""
    a_positive, a_negative = (left.values > 0).astype(np.float32), (left.values < 0).astype(np.float32)
    b_positive, b_negative = (right.values > 0).astype(np.float32), (right.values < 0).astype(np.float32)
    positive = (a_positive @ b_positive + a_negative @ b_negative > 0) | (addend.hi > 0)
    negative = (a_positive @ b_negative + a_negative @ b_positive > 0) | (addend.lo < 0)
    both: Flags = positive & negative
    return both


def _rounded(
    fmt: Format, rules: FloatRules, x_lo: Doubles, x_hi: Doubles, bound: Doubles, error: Doubles, relative: float
) -> tuple[Ordinals, Ordinals, Flags]:
    """Rule R: both ends rounded once. `bound` is what flushing may lose; with none, an exact x stays exact."""
    assert rules.rounding is not None
    sure = np.ones(x_lo.shape, np.bool_)

    def end(x: Doubles, shifted: Doubles) -> Ordinals:
        slack = error + bound * relative
        if not slack.any():
            return _round_ordinals(fmt, shifted, rules.rounding)
        slack += np.where(slack > 0, np.abs(x) * relative, 0.0)
        low = _round_ordinals(fmt, shifted - slack, rules.rounding)
        np.logical_and(sure, low == _round_ordinals(fmt, shifted + slack, rules.rounding), out=sure)
        return low

    if x_hi is x_lo and not bound.any():
        lo = hi = end(x_lo, x_lo)
    else:
        lo, hi = end(x_lo, x_lo - bound), end(x_hi, x_hi + bound)
    if rules.flush_results:
        normal = 1 << fmt.fraction_bits
        lo = np.where((lo > 0) & (lo < normal), 0, lo)
        hi = np.where((hi < 0) & (hi > -normal), 0, hi)
    return lo, hi, sure


def _round_ordinals(fmt: Format, v: Doubles, mode: Mode | None) -> Ordinals:
    """Ordinals of finite float64 values rounded in `mode`, by comparing with the exact midpoint."""
    floor = _floor_ordinals(fmt, v)
    ceil = -_floor_ordinals(fmt, -v)
    if mode is Mode.DOWN:
        return floor
    if mode is Mode.UP:
        return ceil
    toward_zero = np.where(v < 0, ceil, floor)
    if mode is Mode.TOWARD_ZERO:
        return toward_zero
    away = np.where(v < 0, floor, ceil)
    if mode is Mode.TO_ODD:
        odd = np.where(toward_zero % 2 == 0, away, toward_zero)
        return np.where(np.abs(odd) > fmt.largest_magnitude, toward_zero, odd)
    # The midpoint of two neighbours is exact in float64; beyond Omega the scale goes on as if without bound.
    middle = (_unbounded(fmt, toward_zero) + _unbounded(fmt, away)) / 2
    size = np.abs(v)
    middle = np.abs(middle)
    up = size > middle
    tie = (size == middle) & (toward_zero != away)
    up |= tie if mode is Mode.NEAREST_AWAY else tie & (toward_zero % 2 != 0)
    return np.where(up, away, toward_zero)


def _unbounded(fmt: Format, ordinals: Ordinals) -> Doubles:
    """Values of ordinals, with 2^(emax + 1) for infinity."""
    values = float64_of_ordinals(fmt, ordinals)
    return np.where(np.isinf(values), np.copysign(math.ldexp(1.0, fmt.emax + 1), values), values)


def _refer(
    referee: Referee,
    a: Bits,
    b: Bits,
    c: Legal,
    result: tuple[Ordinals, Ordinals, Flags, Reasons],
    undecided: NDArray[np.intp],
) -> None:
    """Let the referee judge the undecided elements, given as (T, i, j) rows, in place."""
    lo, hi, nan, why = result
    rows: dict[tuple[int, int], Vector] = {}
    columns: dict[tuple[int, int], Vector] = {}
    for t, i, j in undecided.tolist():
        row = rows.get((t, i))
        if row is None:
            row = rows[t, i] = referee.row(a[t, i].tolist())
        column = columns.get((t, j))
        if column is None:
            column = columns[t, j] = referee.column(b[t, :, j].tolist())
        at = (t, i, j)
        known = Element(int(c.lo[at]), int(c.hi[at]), bool(c.nan[at]), Reason(int(c.why[at])))
        element = referee.element(row, column, known)
        lo[at], hi[at], nan[at], why[at] = element.lo, element.hi, element.nan, element.why
