"""The float contract for whole batches in float64, certified: equal to the referee on every element.

The idea: both ends of the legal interval are computed in float64 together with a rigorous bound on their error.
Rounding is monotone, so where both ends of that uncertainty fall on the same ordinal, that ordinal is the answer.
Where they do not, the ends are computed once more without error (`ends`, `undecided`); where another decision (window,
overflow hazard) is too close to call, the element goes to the referee. Why it is right:

1. products of A and B are exact in float64 (at most 24 + 24 significand bits, exponents far inside its range);
2. a float64 sum of K + 1 terms in any order, fused or not, errs by at most (K + 1) u S (1 + small), u = 2^-53;
   with no error at all where every partial sum is an integer below 2^53 quanta;
3. bounds are sums of products of non-negative numbers, so their relative error is at most (K + 8) u;
4. no float64 underflow: the smallest number here is near 2^-298, the largest below 2^300;
5. float64 arithmetic is that of IEEE 754, to nearest and with subnormals (`environment` asks).

Nothing is rounded by a cast: `fixed_point` works on the bits.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from mmaspec.oracle.numerics.bulk import ends, specials, undecided
from mmaspec.oracle.numerics.bulk.certificate import CERTIFICATE, MAX_K, U, certain_floor, certain_ordinals
from mmaspec.oracle.numerics.bulk.environment import require_ieee
from mmaspec.oracle.numerics.bulk.fallback import refer
from mmaspec.oracle.numerics.bulk.fixed_point import floor_ordinals
from mmaspec.oracle.numerics.bulk.flushed import NOTHING, Lost, flushed
from mmaspec.oracle.numerics.bulk.operands import (
    Addend,
    Operand,
    addend,
    mixed_signs,
    operand,
    quantum,
    read,
    zero_below,
)
from mmaspec.oracle.numerics.bulk.rounded import second_stage
from mmaspec.oracle.numerics.definition.referee import Referee
from mmaspec.oracle.numerics.legal import Legal, Reason
from mmaspec.oracle.numerics.ordinals import Bits, Doubles, Flags, Ordinals, exact_float64
from mmaspec.oracle.numerics.rounding import DIRECTED
from mmaspec.oracle.numerics.rules import FloatRules
from mmaspec.programs.formats import Format
from mmaspec.programs.rounding_mode import Mode

_MANY = 64
"""If one end in so many is undecided, sums are computed without error before ends are."""


@dataclass(slots=True)
class Sums:
    """The quantities of the contract for a batch, in float64; `dot` has the symbols.

    product    sum p_k, from `low` to `high` as it may be read; `open`: where these differ (None: nowhere)
    star       S*, never below it by more than `relative`
    bound      B, 0 where the sum is rounded once, and where every term is zero
    """

    fmt: Format
    rules: FloatRules
    left: Operand
    right: Operand
    addend: Addend
    product: Doubles
    low: Doubles
    high: Doubles
    open: Flags | None
    star: Doubles
    bound: Doubles
    relative: float

    @property
    def point(self) -> bool:
        """Whether every sum is one number, as far as A, B and C are known."""
        return self.open is None and self.addend.hi is self.addend.lo


def add_up(fmt: Format, left: Operand, right: Operand, third: Addend, rules: FloatRules) -> Sums:
    """Sums of A (T, M, K), B (T, K, N) and C (T, M, N) into the accumulator's format, specials counted as 0."""
    k = left.values.shape[-1]
    product = left.values @ right.values
    star = left.stars @ right.stars
    star += third.star
    ends = read(left, right, product)
    n = 2 * (k + 1)
    if rules.rounding is None:
        n_eps = math.ldexp(n, -rules.eps_exponent(fmt))
        bound = star * (n_eps * (1 + n_eps))  # rule E; the factor is off by a few u at most, which `relative` has
        bound += math.ldexp(n, fmt.qmin)
        nothing = star == 0
        if nothing.any():  # sums of zeros alone are exact
            np.copyto(bound, 0.0, where=nothing)
    else:
        bound = np.zeros(product.shape)
    # four products of matrices make the ends of sums that may be read otherwise
    relative = (2 * k + 24 if ends.open is None else 4 * k + 48) * U * CERTIFICATE.factor
    return Sums(fmt, rules, left, right, third, product, ends.low, ends.high, ends.open, star, bound, relative)


def multiply_add(a_fmt: Format, a: Bits, b_fmt: Format, b: Bits, c: Legal, rules: FloatRules) -> Legal:
    """Legal contents of A*B + C for a (T, M, K), b (T, K, N) and c (T, M, N), formats up to f32, K up to 4096."""
    k = a.shape[-1]
    if k > MAX_K:
        raise ValueError(f"K = {k} is beyond the {MAX_K} for which the error bound is proved")
    require_ieee()
    fmt = c.fmt
    raw_a, raw_b = exact_float64(a_fmt, a), exact_float64(b_fmt, b)
    special = specials.find(raw_a, raw_b, c, zero_below(a_fmt, rules), zero_below(b_fmt, rules))
    sums = add_up(fmt, operand(a_fmt, raw_a, rules), operand(b_fmt, raw_b, rules), addend(c, rules), rules)
    hazard = None
    nan, why = c.nan, c.why
    if rules.rounding is None:
        lo, hi, sure, hazard = _envelope(sums)
    else:
        lo, hi, sure = _rounded(sums)
    if hazard is not None:
        overflow = hazard & mixed_signs(sums.left, sums.right, sums.addend)
        why = np.where(overflow & (why == 0), np.uint8(Reason.OVERFLOW_HAZARD), why)
    if special is not None:
        lo, hi, nan, why, sure = specials.conclude(special, c, (lo, hi, sure), (why, hazard), rules)
    elif rules.nan == "reported" and nan.any():
        why = np.where(nan & (why == 0), np.uint8(Reason.NAN_NOT_REQUIRED), why)
    for unbounded, axis in ((sums.left.unbounded, -1), (sums.right.unbounded, -2)):
        if unbounded is not None:  # rounded up to Inf, an operand may make whatever Inf may, unless that is NaN anyway
            reached = unbounded.any(axis=axis, keepdims=True) & (lo <= hi) & (c.why == 0)
            why = np.where(reached, np.uint8(Reason.OVERFLOW_HAZARD), why)
            sure = sure | reached
    if why.any() or not sure.all():
        lo, hi, nan, why = lo.copy(), hi.copy(), nan.copy(), why.copy()
        free = why != 0
        lo[free], hi[free], nan[free] = fmt.min_ordinal, fmt.max_ordinal, True
        refer(Referee(a_fmt, b_fmt, fmt, k, rules), a, b, c, (lo, hi, nan, why), np.argwhere(~sure))
    return Legal.interval(fmt, lo, hi, nan, why)


def _envelope(sums: Sums) -> tuple[Ordinals, Ordinals, Flags, Flags | None]:
    """Rules E and X: the ends, where they are certain, and rule N4's hazard (None: nowhere)."""
    fmt, rules, third = sums.fmt, sums.rules, sums.addend
    x_lo = sums.low + third.lo
    x_hi = x_lo if sums.point else sums.high + third.hi
    lost = flushed(fmt, sums.left, sums.right, third, sums.star * sums.relative) if rules.flush_results else NOTHING
    # also covers the rounding of x - B and of the two ends below; |x| <= S*, and nothing that is lost is more
    slack = sums.star + sums.bound
    slack *= sums.relative
    slack += lost.unknown
    lo, sure = certain_floor(fmt, x_lo - (sums.bound + lost.falls), slack)
    hi, hi_sure = certain_floor(fmt, -(x_hi + (sums.bound + lost.rises)), slack)
    np.negative(hi, out=hi)
    sure &= hi_sure
    hazard, hazard_sure = near_overflow(sums)
    open_to = None
    if rules.window == "required":
        open_to, inside = window(sums, hazard)
        if inside.any():
            exact = floor_ordinals(fmt, x_lo)
            np.copyto(lo, exact, where=inside)
            np.copyto(hi, exact, where=inside)
            sure |= inside
            open_to &= ~inside
    if np.count_nonzero(sure) * _MANY < sure.size * (_MANY - 1):
        _with_exact_sums(sums, lost, (lo, hi, sure))
    if not sure.all():
        sure |= ends.settle(sums.left, sums.right, third, (fmt, rules), ~sure, (lo, hi))
    if open_to is not None:
        sure &= ~open_to
    if hazard_sure is not None:
        sure &= hazard_sure
    return lo, hi, sure, hazard


def _with_exact_sums(sums: Sums, lost: Lost, result: tuple[Ordinals, Ordinals, Flags]) -> None:
    """Compute both ends again, in place, where they are not sure, from sums known to 53 bits: after cancellation."""
    lo, hi, sure = result
    wanted = ~sure if sums.open is None else ~sure & ~sums.open
    found: list[tuple[Ordinals, Flags]] = []
    for c, sign, more in ((sums.addend.lo, 1.0, lost.falls), (sums.addend.hi, -1.0, lost.rises)):
        total = sums.product + c
        found_sums = undecided.settle(sums.left.values, sums.right.values, c, wanted, total)
        widening = sums.bound + more
        slack = (widening + np.abs(total)) * sums.relative + lost.unknown
        end, certain = certain_floor(sums.fmt, sign * total - widening, slack)
        certain.reshape(-1)[found_sums.left] = False
        found.append((end, certain))
    (low, low_sure), (high, high_sure) = found
    wanted &= low_sure & high_sure
    np.copyto(lo, low, where=wanted)
    np.copyto(hi, -high, where=wanted)
    sure |= wanted


def window(sums: Sums, hazard: Flags | None) -> tuple[Flags, Flags]:
    """Rule X: where the sum may lie within the exact window, and where it does for certain.

    There every partial sum is an integer of few quanta, so that the float64 sum is exact.
    """
    fmt, rules, third = sums.fmt, sums.rules, sums.addend
    q = quantum(sums.left, sums.right, third)
    finest = math.ldexp(1.0, fmt.emin if rules.flush_results else fmt.qmin)
    edge = q * 2.0 ** rules.window_bits(fmt)
    open_to = (sums.star * (1 - sums.relative) < edge) & (q >= finest)
    if sums.open is not None:
        open_to &= ~sums.open
    if hazard is not None:
        open_to &= ~hazard
    if third.point is not None:
        open_to &= third.point
    inside = open_to & ((sums.star * (1 + sums.relative) < edge) | np.isinf(q)) if open_to.any() else open_to
    return open_to, inside


def near_overflow(sums: Sums) -> tuple[Flags | None, Flags | None]:
    """Rule N4: where S + B >= Omega, and where that is certain; None where it is nowhere near."""
    significand, exponent = sums.fmt.largest
    omega = math.ldexp(significand, exponent)
    if ((sums.star + sums.bound) * (1 + sums.relative)).max(initial=0.0) < omega:  # S <= S*
        return None, None
    reach = sums.left.most @ sums.right.most + sums.addend.size + sums.bound
    return reach >= omega, (reach * (1 + sums.relative) < omega) | (reach * (1 - sums.relative) >= omega)


def _rounded(sums: Sums) -> tuple[Ordinals, Ordinals, Flags]:
    """Rule R: both ends rounded once."""
    fmt, third, mode = sums.fmt, sums.addend, sums.rules.rounding
    assert mode is not None
    lo = _end(sums, third.lo, mode)
    hi = lo if third.hi is third.lo else _end(sums, third.hi, mode)
    sure = np.ones(lo.shape, np.bool_)
    if mode in DIRECTED and max(-lo.min(initial=0), hi.max(initial=0)) >= fmt.largest_magnitude:
        low, high = _end(sums, third.lo, Mode.DOWN), _end(sums, third.hi, Mode.UP)
        lo = np.where(lo <= -fmt.largest_magnitude, np.minimum(lo, low), lo)
        hi = np.where(hi >= fmt.largest_magnitude, np.maximum(hi, high), hi)
    if sums.open is not None:
        slack = sums.star * sums.relative
        wide_lo, lo_sure = certain_ordinals(fmt, sums.low + third.lo, slack, mode)
        wide_hi, hi_sure = certain_ordinals(fmt, sums.high + third.hi, slack, mode)
        lo, hi = np.where(sums.open, wide_lo, lo), np.where(sums.open, wide_hi, hi)
        sure = ~sums.open | lo_sure & hi_sure
        if mode in DIRECTED:
            sure &= np.maximum(np.abs(lo), np.abs(hi)) < fmt.largest_magnitude
    if sums.rules.flush_results:
        normal = 1 << fmt.fraction_bits
        lo = np.where((lo > 0) & (lo < normal), 0, lo)
        hi = np.where((hi < 0) & (hi > -normal), 0, hi)
    return lo, hi, sure


def _end(sums: Sums, c: Doubles, mode: Mode) -> Ordinals:
    """The sum of A and B as they are with one end of C, rounded once, for certain."""
    total = sums.product + c
    ordinals, sure = certain_ordinals(sums.fmt, total, sums.star * sums.relative, mode)
    if sure.all():
        return ordinals
    return second_stage(sums.fmt, (sums.left.values, sums.right.values, c), ~sure, (total, ordinals), mode)
