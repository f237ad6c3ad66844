"""Operations in f64, whose exact results no float64 holds: their neighbours, found without error.

The language promises that operations in double precision are no less precise than in single, and no more. So by the
documents a result lies between the neighbours of 24 bits of the exact one; that it is one of the two neighbours in f64
is practice (KHRCM-F64).
"""

from __future__ import annotations

import numpy as np

from mmaspec.oracle.numerics.elementwise import Operation
from mmaspec.oracle.numerics.legal import Legal, Reason, certain_bits
from mmaspec.oracle.numerics.ordinals import Bits, Doubles, Flags, Ordinals, to_ordinal
from mmaspec.oracle.numerics.rules import FloatRules
from mmaspec.programs.formats import FORMATS
from mmaspec.programs.rounding_mode import Mode

F64 = FORMATS["f64"]
QUOTIENT_REACH = 6
"""How many units of the last place around the nearest value 2.5 ulp are at most, below a power of two as well."""
PROMISED = 126
"""Divisors from 2^-126 to 2^126 are those for which the language promises an accuracy."""


def combined(op: Operation, left: Legal, right: Legal, rules: FloatRules) -> Legal:
    """Legal contents of left op right; not judged near the ends of the range, for NaN, and where a side is a set."""
    shape = np.broadcast_shapes(left.shape, right.shape)
    pair = [certain_bits(each.broadcast_to(shape)) for each in (left, right)]
    x, y = (_values(bits) for bits, _ in pair)
    with np.errstate(all="ignore"):
        found, rest, tame = _computed(op, x, y)
    if op is Operation.DIVIDE and rules.f64_bits is not None:
        tame &= (np.abs(y) >= 2.0**-PROMISED) & (np.abs(y) <= 2.0**PROMISED)
    centre = to_ordinal(F64, np.where(tame, found, 0.0).view(np.uint64))
    if op is Operation.DIVIDE:
        reach = QUOTIENT_REACH << (0 if rules.f64_bits is None else F64.precision - rules.f64_bits)
        lo, hi = centre - reach, centre + reach
    elif rules.rounding is Mode.NEAREST_EVEN:
        lo = hi = centre
    else:
        # an error that is no number is one that float64 cannot tell
        lo, hi = shortened(centre - ~(rest >= 0), centre + ~(rest <= 0), rules)
    why = np.where(tame, np.uint8(0), np.uint8(Reason.OUTSIDE_PROMISE))
    why = np.where(pair[0][1] & pair[1][1], why, np.uint8(Reason.INEXACT_OPERAND))
    for each in (left, right):
        why = np.where(np.broadcast_to(each.why, shape) != 0, np.broadcast_to(each.why, shape), why)
    return Legal.interval(F64, lo, hi, None, why)


def shortened(lo: Ordinals, hi: Ordinals, rules: FloatRules) -> tuple[Ordinals, Ordinals]:
    """The ends in f64, or outward to numbers of as many bits as results keep; ordinals of f64 are consecutive."""
    if rules.f64_bits is None:
        return lo, hi
    lost = F64.precision - rules.f64_bits
    return lo >> lost << lost, -(-hi >> lost << lost)


def _computed(op: Operation, x: Doubles, y: Doubles) -> tuple[Doubles, Doubles, Flags]:
    """What the processor computes, to nearest, what it lost (NaN: unknown), and where it is far from every end."""
    match op:
        case Operation.ADD | Operation.SUBTRACT:
            found, rest = _sum(x, y if op is Operation.ADD else -y)
        case Operation.MULTIPLY:
            found, rest = _product(x, y)
        case _:
            found = np.divide(x, y)
            rest = np.full(found.shape, np.nan)
    nothing = (found == 0) & ((x == 0) | (y == 0) | (op in (Operation.ADD, Operation.SUBTRACT)))
    tame: Flags = np.isfinite(found) & (np.abs(found) < 2.0**1020) & ((np.abs(found) > 2.0**-1018) | nothing)
    for operand in (x, y):
        tame &= np.isfinite(operand) & ((np.abs(operand) >= 2.0**-1022) | (operand == 0))
    if op is Operation.DIVIDE:
        tame &= np.abs(y) <= 2.0**1022
    return found, rest, tame


def _sum(x: Doubles, y: Doubles) -> tuple[Doubles, Doubles]:
    """The sum and its error, exactly, whichever is larger: Knuth's two-sum."""
    total = x + y
    back = total - x
    return total, (x - (total - back)) + (y - back)


def _product(x: Doubles, y: Doubles) -> tuple[Doubles, Doubles]:
    """The product and its error, exactly where nothing underflows or overflows on the way: Dekker's and Veltkamp's."""
    total = x * y
    (x_high, x_low), (y_high, y_low) = (_halves(each) for each in (x, y))
    rest = x_low * y_low - (((total - x_high * y_high) - x_low * y_high) - x_high * y_low)
    small, large = 2.0**-900, 2.0**900
    exact = (np.abs(total) > small) & (np.abs(x) < large) & (np.abs(y) < large) | (x == 0) | (y == 0)
    return total, np.where(exact, rest, np.nan)


def _halves(x: Doubles) -> tuple[Doubles, Doubles]:
    """Two numbers of 26 bits whose sum it is."""
    scaled = x * (2.0**27 + 1)
    high = scaled - (scaled - x)
    return high, x - high


def _values(bits: Bits) -> Doubles:
    return np.ascontiguousarray(bits).view(np.float64)
