"""What a multiply-add needs to know of A, B and C before it adds: finite values, sizes, subnormals, lowest bits."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from mmaspec.oracle.numerics.legal import Legal
from mmaspec.oracle.numerics.ordinals import Doubles, Flags, float64_of_ordinals
from mmaspec.oracle.numerics.rules import FloatRules
from mmaspec.programs.formats import Format


@dataclass(slots=True)
class Operand:
    """A or B as float64: finite values (specials are 0 here), |v|*, and where subnormal (None: nowhere)."""

    values: Doubles
    sizes: Doubles
    stars: Doubles
    subnormal: Flags | None


@dataclass(slots=True)
class Addend:
    """C as float64: its finite ends, their largest size, |c|*, and the largest subnormal in the set (None: 0)."""

    lo: Doubles
    hi: Doubles
    size: Doubles
    star: Doubles
    flushed: Doubles | None
    point: Flags | None  # where it is one finite number; None: everywhere


def operand(fmt: Format, raw: Doubles, rules: FloatRules) -> Operand:
    """A or B from its values, specials counted as 0."""
    finite = np.isfinite(raw)
    return finite_operand(
        fmt, raw if finite.all() else np.where(finite, raw, 0.0), rules, None if finite.all() else finite
    )


def finite_operand(fmt: Format, values: Doubles, rules: FloatRules, finite: Flags | None = None) -> Operand:
    """A or B from finite values; `finite` marks those that are no stand-ins for specials (None: all)."""
    sizes = np.abs(values)
    lam = math.ldexp(1.0, fmt.emin)
    small = sizes < lam
    subnormal = None
    stars = sizes
    if small.any():
        found = small & (sizes > 0)
        subnormal = found if found.any() else None
        if rules.zero_exponent:
            stars = np.where(small if finite is None else small & finite, lam, sizes)
        elif subnormal is not None:
            stars = np.where(subnormal, lam, sizes)
    return Operand(values, sizes, stars, subnormal)


def addend(c: Legal, rules: FloatRules) -> Addend:
    """C from the set of its legal contents."""
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
    last = (1 << fmt.fraction_bits) - 1
    if rules.flush_inputs and ((lo_ordinals <= last) & (hi_ordinals >= -last)).any():
        positive = np.where(lo_ordinals <= last, np.minimum(hi_ordinals, last), 0)
        negative = np.where(hi_ordinals >= -last, np.minimum(-lo_ordinals, last), 0)
        largest = np.maximum(np.maximum(positive, negative), 0)
        flushed = largest * math.ldexp(1.0, fmt.qmin) if largest.any() else None
    point = None if one and not any_empty else (c.lo == c.hi) & ~empty
    return Addend(lo, hi, size, star, flushed, point)


def known_addend(fmt: Format, raw: Doubles, rules: FloatRules) -> Addend:
    """C from its values where they are known and finite."""
    one = finite_operand(fmt, raw, rules)
    lost = None if one.subnormal is None or not rules.flush_inputs else np.where(one.subnormal, one.sizes, 0.0)
    return Addend(one.values, one.values, one.sizes, one.stars, lost, None)


def flushed(left: Operand, right: Operand, addend: Addend, rules: FloatRules) -> Doubles | None:
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


def quantum(left: Operand, right: Operand, addend: Addend) -> Doubles:
    """A power of two that divides every term of an element: lowest bits of the row, of the column, and of c."""
    alpha = lowest_bits(left.values).min(axis=-1, initial=np.inf)
    beta = lowest_bits(right.values).min(axis=-2, initial=np.inf)
    q: Doubles = np.minimum(alpha[..., :, None] * beta[..., None, :], lowest_bits(addend.lo))
    return q if addend.hi is addend.lo else np.minimum(q, lowest_bits(addend.hi))


def lowest_bits(v: Doubles) -> Doubles:
    """The largest power of two that divides each value, inf for 0. The values must be normal in float64."""
    bits = v.view(np.int64)
    low = bits | 1 << 52  # the hidden bit; what else there is of the exponent stands above it
    low &= -low
    found = (bits & (0x7FF << 52)).view(np.float64)
    found *= low.astype(np.float64)
    found *= 2.0**-52
    zero = found == 0
    if zero.any():
        np.copyto(found, np.inf, where=zero)
    return found


def lowest_bits_at_most(v: Doubles) -> Doubles:
    """Not less than `lowest_bits`, and at most twice that, for half the price."""
    bits = v.view(np.int64)
    # Without its lowest bit a value is less by just that; a power of two loses a bit of its exponent, at least half.
    found = bits - 1
    found &= bits
    less = found.view(np.float64)
    np.subtract(v, less, out=less)
    less *= 2
    np.abs(less, out=less)
    zero = v == 0
    if zero.any():
        np.copyto(less, np.inf, where=zero)
    return less


def mixed_signs(left: Operand, right: Operand, addend: Addend) -> Flags:
    """Where the terms have both signs, c taken as a set. Counts of products are exact in float32."""
    a_positive, a_negative = (left.values > 0).astype(np.float32), (left.values < 0).astype(np.float32)
    b_positive, b_negative = (right.values > 0).astype(np.float32), (right.values < 0).astype(np.float32)
    positive = (a_positive @ b_positive + a_negative @ b_negative > 0) | (addend.hi > 0)
    negative = (a_positive @ b_negative + a_negative @ b_positive > 0) | (addend.lo < 0)
    both: Flags = positive & negative
    return both
