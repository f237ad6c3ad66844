"""What a multiply-add needs to know of A, B and C before it adds: values, sizes, how they may be read, lowest bits."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from mmaspec.oracle.numerics.legal import Legal
from mmaspec.oracle.numerics.ordinals import Doubles, Flags, float64_of_ordinals
from mmaspec.oracle.numerics.rules import FloatRules
from mmaspec.programs.formats import Format


@dataclass(slots=True)
class Operand:
    """A or B as float64: finite values (specials are 0 here), their sizes, and what the sizes may be read as.

    `least` and `most` are `sizes` itself where nothing is read as anything else; `stars` has |most|*. `unbounded`:
    where an operand may be rounded up to an infinity (None: nowhere).
    """

    values: Doubles
    sizes: Doubles
    stars: Doubles
    least: Doubles
    most: Doubles
    unbounded: Flags | None = None

    @property
    def open(self) -> Flags | None:
        """Where an operand may be read as another number; None: nowhere."""
        if self.least is self.sizes and self.most is self.sizes:
            return None
        found: Flags = self.least != self.most
        return found


@dataclass(slots=True)
class Addend:
    """C as float64: its finite ends, 0 taken in where a subnormal may be flushed, its largest size, and |c|*."""

    lo: Doubles
    hi: Doubles
    size: Doubles
    star: Doubles
    point: Flags | None  # where it is one finite number, read as that; None: everywhere


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
    least, most, unbounded = sizes, sizes, None
    bits = rules.operand_bits(fmt)
    if bits is not None:
        least, most = _neighbours(fmt, sizes, bits)
        beyond = most >= math.ldexp(2.0, fmt.emax)
        unbounded = beyond if beyond.any() else None
    stars = most
    if small.any():
        found = small & (sizes > 0)
        if rules.zero_exponent:
            stars = np.where(small if finite is None else small & finite, lam, most)
        elif found.any():
            stars = np.where(found, lam, most)
        if rules.flush_inputs and found.any():
            least = np.where(found, 0.0, least)
    return Operand(values, sizes, stars, least, most, unbounded)


def _neighbours(fmt: Format, sizes: Doubles, bits: int) -> tuple[Doubles, Doubles]:
    """The numbers of so many significant bits below and above each size, or the size itself."""
    lost = (1 << 53 - bits) - 1  # codes of float64 are consecutive: cutting its last bits rounds toward zero
    codes = sizes.view(np.int64)
    below, above = (codes & ~lost).view(np.float64), ((codes + lost) & ~lost).view(np.float64)
    step = math.ldexp(1.0, fmt.emin + 1 - bits)  # of all subnormals
    small = sizes < math.ldexp(1.0, fmt.emin)
    if small.any():
        units = np.where(small, sizes, 0.0) / step
        below, above = np.where(small, np.floor(units) * step, below), np.where(small, np.ceil(units) * step, above)
    return below, above


def zero_below(fmt: Format, rules: FloatRules) -> float:
    """Operands that are less than this may be read as zero; 0 if none may."""
    if rules.flush_inputs:
        return math.ldexp(1.0, fmt.emin)
    bits = rules.operand_bits(fmt)
    return 0.0 if bits is None else math.ldexp(1.0, fmt.emin + 1 - bits)


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
    point = None if one and not any_empty else (c.lo == c.hi) & ~empty
    return _flushed(fmt, Addend(lo, hi, size, star, point), rules)


def known_addend(fmt: Format, raw: Doubles, rules: FloatRules) -> Addend:
    """C from its values where they are known and finite."""
    one = finite_operand(fmt, raw, replace(rules, f32_bits=None))
    return _flushed(fmt, Addend(one.values, one.values, one.sizes, one.stars, None), rules)


def _flushed(fmt: Format, c: Addend, rules: FloatRules) -> Addend:
    """C with 0 taken in where its end is a subnormal that may be read as that."""
    if not rules.flush_inputs:
        return c
    lam = math.ldexp(1.0, fmt.emin)
    low, high = (c.lo > 0) & (c.lo < lam), (c.hi < 0) & (c.hi > -lam)
    either = low | high
    if not either.any():
        return c
    point = ~either if c.point is None else c.point & ~either
    return Addend(np.where(low, 0.0, c.lo), np.where(high, 0.0, c.hi), c.size, c.star, point)


@dataclass(slots=True)
class Read:
    """Sums of products as they may be read: their least and largest values, and where these differ (None: nowhere)."""

    low: Doubles
    high: Doubles
    open: Flags | None


def read(left: Operand, right: Operand, product: Doubles) -> Read:
    """The ends of A*B, given the float64 product itself.

    Half of the sum of sizes and of the signed sum is what the positive terms give, half of the difference what the
    negative ones do. Counts of open terms are exact in float32, so that `open` is right for certain.
    """
    a_open, b_open = left.open, right.open
    if a_open is None and b_open is None:
        return Read(product, product, None)
    met = np.zeros(product.shape, np.float32)
    for mask, others, first in ((a_open, right.values, True), (b_open, left.values, False)):
        if mask is not None:
            own, other = mask.astype(np.float32), (others != 0).astype(np.float32)
            met += own @ other if first else other @ own
    opened: Flags = met > 0
    if not opened.any():
        return Read(product, product, None)
    ends = []
    for a, b in ((left.least, right.least), (left.most, right.most)):
        same = a is left.sizes and b is right.sizes
        signed = product if same else np.copysign(a, left.values) @ np.copysign(b, right.values)
        ends.append((signed, a @ b))
    (small, small_sizes), (large, large_sizes) = ends
    low = ((small + small_sizes) + (large - large_sizes)) / 2
    high = ((large + large_sizes) + (small - small_sizes)) / 2
    return Read(np.where(opened, low, product), np.where(opened, high, product), opened)


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
