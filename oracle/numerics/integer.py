"""Multiply-add on integers: the sum is exact, and only overflow needs a word of the specification."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from mmaspec.oracle.numerics.integer_dot import MAX_K, integer_product, sizes_product
from mmaspec.oracle.numerics.legal import Legal, Reason
from mmaspec.oracle.numerics.ordinals import Bits, Flags, Ordinals
from mmaspec.oracle.numerics.wide_integers import WIDE, wide_product
from mmaspec.programs.formats import Format


class Overflow(StrEnum):
    """What happens to a sum that leaves the accumulator's range [MIN, MAX].

    wrap            modulo 2^bits; the order cannot matter (a ring)
    saturate        the exact sum is clamped once, at the end
    saturate-step   partial sums are clamped too, at steps and in an order that nobody states
    undefined       the specification does not say: such elements are not judged
    """

    WRAP = "wrap"
    SATURATE = "saturate"
    SATURATE_STEP = "saturate-step"
    UNDEFINED = "undefined"


@dataclass(frozen=True, slots=True, eq=False)
class IntSum:
    """The legal contents of D, and where some order or step could leave the range of the accumulator."""

    legal: Legal
    overflowed: Flags


def multiply_add_int(*, a_fmt: Format, a: Bits, b_fmt: Format, b: Bits, c: Legal, overflow: Overflow) -> IntSum:
    """Legal contents of A*B + C in the integer format of C.

    a (..., M, K) and b (..., K, N) are uint64 bits, c is a set of shape (..., M, N); leading dimensions broadcast.
    Operands and accumulator have up to 32 bits, K is at most 4096; ValueError otherwise.

    `overflowed` marks elements where, for some c of the set, the exact sum lies outside the range; for saturate-step
    where the positive terms alone pass MAX or the negative ones alone pass MIN. Where C is not judged it is False.
    """
    fmt = c.fmt
    if a_fmt.is_float or b_fmt.is_float or fmt.is_float or max(a_fmt.bits, b_fmt.bits, fmt.bits) > 32:
        raise ValueError(f"no integer contract for {a_fmt.name} x {b_fmt.name} + {fmt.name}")
    if a.shape[-1] > MAX_K or a.shape[-1] != b.shape[-2] or c.shape[-2:] != (a.shape[-2], b.shape[-1]):
        raise ValueError(f"shapes {a.shape}, {b.shape} and {c.shape} do not fit, or K is beyond {MAX_K}")
    wide = max(a_fmt.bits, b_fmt.bits) > WIDE
    clipped = wide_product(a_fmt, a, b_fmt, b) if wide else None
    products = integer_product(a_fmt, a, b_fmt, b).astype(np.int64) if clipped is None else clipped.near
    c = c.broadcast_to(np.broadcast_shapes(products.shape, c.shape))
    low = products + c.lo
    high = low if c.hi is c.lo else products + c.hi  # of one number there is one sum
    least, most = fmt.min_value, fmt.max_value
    outside = (low < least) | (high > most)
    why = c.why
    if overflow is Overflow.SATURATE_STEP:
        sizes = sizes_product(a_fmt, a, b_fmt, b) if clipped is None else clipped.sizes
        lo, hi, outside = _saturate_step(products, sizes, c, least, most)
    elif not outside.any():
        lo, hi = low, high
    elif overflow is Overflow.WRAP:
        if clipped is not None:
            # Modulo 2^64 is as good as exact, as far as the accumulator's bits go.
            residue = np.bitwise_and(clipped.low, fmt.mask)
            low, high = residue + c.lo, residue + c.hi
        turn, last_turn = (low - least) >> fmt.bits, (high - least) >> fmt.bits
        lo, hi = low - (turn << fmt.bits), high - (last_turn << fmt.bits)
        # A set that straddles the seam is not one interval any more.
        why = np.where((turn != last_turn) & (why == 0), np.uint8(Reason.INEXACT_OPERAND), why)
    else:
        lo, hi = np.clip(low, least, most), np.clip(high, least, most)
        if overflow is Overflow.UNDEFINED:
            why = np.where(outside & (why == 0), np.uint8(Reason.SPEC_SILENT), why)
    judged = why == 0
    free = ~judged
    if free.any():
        lo, hi = np.where(free, least, lo), np.where(free, most, hi)
    return IntSum(Legal.interval(fmt, lo, hi, why=why), outside & (c.why == 0))


def _saturate_step(
    products: Ordinals, sizes: Ordinals, c: Legal, least: int, most: int
) -> tuple[Ordinals, Ordinals, Flags]:
    """Interval of every order of clamped additions: P and M are the sums of the positive and the negative terms.

    Neither passes its end of the range: D = x. Only P > MAX: min(x, MAX + M) <= D <= clamp(x). Only M < MIN: the
    mirror image. Both: anything. Away from "both" each end is monotone in c, so the ends of c's set give the ends of
    D's; and if "both" happens for some c inside the set, it happens at an end.
    """
    positive, negative = (products + sizes) // 2, (products - sizes) // 2
    lo, _, over, under = _step_interval(positive, negative, c.lo, least, most)
    _, hi, last_over, last_under = _step_interval(positive, negative, c.hi, least, most)
    both = (over & under) | (last_over & last_under)
    return np.where(both, least, lo), np.where(both, most, hi), over | under | last_over | last_under


def _step_interval(
    positive: Ordinals, negative: Ordinals, c: Ordinals, least: int, most: int
) -> tuple[Ordinals, Ordinals, Flags, Flags]:
    p, m = positive + np.maximum(c, 0), negative + np.minimum(c, 0)
    x = p + m
    over, under = p > most, m < least
    clamped = np.clip(x, least, most)
    lo = np.where(over, np.minimum(clamped, most + m), clamped)
    hi = np.where(under, np.maximum(clamped, least + p), clamped)
    return lo, hi, over, under
