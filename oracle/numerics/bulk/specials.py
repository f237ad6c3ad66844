"""Rule N for whole batches: which elements meet NaN and infinities. Run only where a batch holds any."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mmaspec.oracle.numerics.legal import Legal, Reason, Reasons
from mmaspec.oracle.numerics.ordinals import Doubles, Flags, Ordinals
from mmaspec.oracle.numerics.rules import FloatRules


@dataclass(frozen=True, slots=True)
class Specials:
    """Per element: NaN for certain from A and B alone, infinite products of either sign, Inf x what may be 0."""

    nan: Flags
    positive: Flags
    negative: Flags
    flushed: Flags


def find(a: Doubles, b: Doubles, c: Legal, a_zero: float, b_zero: float) -> Specials | None:
    """Classify a (T, M, K), b (T, K, N) as float64 with their specials. None where A, B and C are all clean.

    Operands less than `a_zero` and `b_zero` may be read as zero. C counts as clean if it cannot be Inf and need not be
    NaN.
    """
    clean = bool(np.isfinite(a).all()) and bool(np.isfinite(b).all())
    if clean:
        top = c.fmt.largest_magnitude
        if ((c.lo >= -top) & (c.hi <= top) & (c.lo <= c.hi)).all():
            return None
        nothing = np.zeros(c.shape, np.bool_)
        return Specials(nothing, nothing, nothing, nothing)
    # Products of two classes are counted by float32 matrix products of their masks, exact below 2^24.
    a_plus, a_minus, b_plus, b_minus = a > 0, a < 0, b > 0, b < 0
    a_inf, b_inf = np.isinf(a), np.isinf(b)
    positive = _meet(
        (a_plus & a_inf, b_plus), (a_minus & a_inf, b_minus), (a_plus, b_plus & b_inf), (a_minus, b_minus & b_inf)
    )
    negative = _meet(
        (a_plus & a_inf, b_minus), (a_minus & a_inf, b_plus), (a_plus, b_minus & b_inf), (a_minus, b_plus & b_inf)
    )
    nan = _meet((a_inf, b == 0), (a == 0, b_inf))
    rows, columns = np.any(np.isnan(a), axis=-1, keepdims=True), np.any(np.isnan(b), axis=-2, keepdims=True)
    nan |= rows | columns
    nan |= positive & negative
    flushed = np.zeros(nan.shape, np.bool_)
    if a_zero or b_zero:
        a_small, b_small = (np.abs(a) < a_zero) & (a != 0), (np.abs(b) < b_zero) & (b != 0)
        flushed = _meet((a_inf, b_small), (a_small, b_inf))
    return Specials(nan, positive, negative, flushed)


def _meet(*pairs: tuple[Flags, Flags]) -> Flags:
    """Elements for which some k has both flags of some pair set."""
    left = np.concatenate([one for one, _ in pairs], axis=-1).astype(np.float32)
    right = np.concatenate([other for _, other in pairs], axis=-2).astype(np.float32)
    met: Flags = left @ right > 0
    return met


def conclude(
    found: Specials,
    c: Legal,
    finite: tuple[Ordinals, Ordinals, Flags],
    open_points: tuple[Reasons, Flags | None],
    rules: FloatRules,
) -> tuple[Ordinals, Ordinals, Flags, Reasons, Flags]:
    """Lay rule N over the finite result (lo, hi, sure). `open_points`: reasons so far, and the overflow hazard.

    Answers lo, hi, nan, why, sure. Reasons that C brought along stay, unless NaN is certain from A and B.
    """
    lo, hi, sure = finite
    why, hazard = open_points
    inf = c.fmt.infinity_magnitude
    c_plus, c_minus = (c.lo == c.hi) & (c.lo == inf), (c.lo == c.hi) & (c.hi == -inf)
    plus, minus = found.positive | c_plus, found.negative | c_minus
    infinite = plus | minus
    certain = found.nan | (c.why == 0) & ((c.lo > c.hi) | plus & minus)

    # c may reach an infinity at one end of its set
    lo = np.where(c.lo == -inf, -inf, lo)
    hi = np.where(c.hi == inf, inf, hi)
    lo = np.where(infinite, np.where(plus, inf, -inf), lo)
    hi = np.where(infinite, np.where(plus, inf, -inf), hi)
    opposite = np.where(plus, c.lo == -inf, c.hi == inf)
    nan = c.nan | infinite & (opposite | found.flushed)
    if hazard is not None:
        nan = nan | infinite & hazard
        # beside an infinity the hazard makes NaN legal instead of leaving everything open
        why = np.where(infinite | certain, c.why, why)
    lo, hi = np.where(certain, 1, lo), np.where(certain, 0, hi)
    nan = nan | certain
    if rules.nan == "required":
        why = np.where(found.nan, np.uint8(0), why)
    else:
        why = np.where(nan & (why == 0), np.uint8(Reason.NAN_NOT_REQUIRED), why)
    # An infinity needs no certificate, unless the hazard beside it does; a certain NaN never does.
    settled = certain | (c.why != 0)
    if hazard is None:
        settled = settled | infinite
    return lo, hi, nan, why, sure | settled
