"""One float operation on every element, C op V: the legal contents of D in the format of C.

The definition, for one c and one v that are numbers, with x = c op v exact and ulp(x) the distance of the format's
values in the binade of x (of the smallest normal below it):

    + - *     x where the format has it, else one of its two neighbours; where the rules declare it, x rounded once to
              nearest-even
    /         |D - x| <= 2.5 ulp(x) where 2^emin <= |v| <= 2^-emin, else nothing is judged

Above Omega both Omega and Inf are legal. Subnormal operands and results may become 0 where the rules say so. NaN,
Inf - Inf and Inf * 0 give NaN, infinities their sign. C is a set and so is V in sums: D is the hull of all pairs.

A product that is added to something may stay unrounded in between (languages let such steps be contracted). Its set
holds both neighbours of the exact product, so that the sum's set holds both neighbours of the unrounded sum.
"""

from __future__ import annotations

from collections.abc import Iterator
from enum import StrEnum

import numpy as np

from mmaspec.oracle.numerics.legal import Legal, Reason, Reasons
from mmaspec.oracle.numerics.ordinals import Doubles, Flags, Ordinals, float64_of_ordinals
from mmaspec.oracle.numerics.position import away, nearest_even, toward_zero, truncated
from mmaspec.oracle.numerics.rules import FloatRules
from mmaspec.programs.formats import Format
from mmaspec.programs.rounding_mode import Mode


class Operation(StrEnum):
    """What is done with every element."""

    ADD = "add"
    SUBTRACT = "subtract"
    MULTIPLY = "multiply"
    DIVIDE = "divide"


QUOTIENT_HALF_ULPS = 5
"""How far a quotient may be from the exact one, in halves of a unit in the last place."""

Corner = tuple[Doubles, Doubles]


def combine(op: Operation, c: Legal, v: Legal, rules: FloatRules) -> Legal:
    """Legal contents of c op v; shapes broadcast, formats are one float format up to f32 (ValueError otherwise).

    What C or V leaves unjudged stays unjudged. In products and quotients V has to be one value; where it is a set
    the element is not judged.
    """
    fmt = c.fmt
    if not fmt.is_float or fmt.bits > 32 or not fmt.infinities or v.fmt != fmt:
        raise ValueError(f"no element-wise contract for {c.fmt.name} {op} {v.fmt.name}")
    must = (c.lo > c.hi) | (v.lo > v.hi)
    why = _reasons(op, c, v, must)
    c_lo, c_hi = _ends(c, rules)
    v_lo, v_hi = _ends(v, rules)
    corners = _corners(op, c_lo, c_hi, v_lo, v_hi)
    with np.errstate(all="ignore"):
        results = [_exact(op, x, y) for x, y in corners]
        lo, hi, numbers = _hull(fmt, op, results, rules)
    broken = [np.isnan(x) for x in results]
    nan = c.nan | v.nan | np.logical_or.reduce(broken)
    if op in (Operation.ADD, Operation.SUBTRACT):
        nan = nan | _cancel(op, c_lo, c_hi, v_lo, v_hi)
    if op is Operation.MULTIPLY:
        nan = nan | (np.isinf(v_lo) & (c_lo <= 0) & (c_hi >= 0))
        must = must | (np.isinf(v_lo) & (c_lo == 0) & (c_hi == 0))
    must = must | ~numbers
    if rules.flush_results:
        lo, hi = may_flush(fmt, lo, hi)
    lo, hi, nan = np.where(must, 1, lo), np.where(must, 0, hi), nan | must
    if rules.nan == "reported":
        why = np.where(nan & (why == 0), np.uint8(Reason.NAN_NOT_REQUIRED), why)
    free = why != 0
    return Legal.interval(
        fmt, np.where(free, fmt.min_ordinal, lo), np.where(free, fmt.max_ordinal, hi), nan | free, why
    )


def may_flush(fmt: Format, lo: Ordinals, hi: Ordinals) -> tuple[Ordinals, Ordinals]:
    """The interval with 0 taken in wherever it holds a subnormal."""
    least = 1 << fmt.fraction_bits
    return np.where((lo > 0) & (lo < least), 0, lo), np.where((hi < 0) & (hi > -least), 0, hi)


def _reasons(op: Operation, c: Legal, v: Legal, must: Flags) -> Reasons:
    why = np.where(c.why != 0, c.why, v.why)
    if op in (Operation.MULTIPLY, Operation.DIVIDE):
        several = ((v.lo != v.hi) | v.nan) & (v.lo <= v.hi)
        why = np.where(several & (why == 0), np.uint8(Reason.INEXACT_OPERAND), why)
    if op is Operation.DIVIDE:
        size = np.abs(v.lo)
        least, most = 1 << v.fmt.fraction_bits, (1 - 2 * v.fmt.emin) << v.fmt.fraction_bits
        outside = ((size < least) | (size > most)) & ~must
        why = np.where(outside & (why == 0), np.uint8(Reason.OUTSIDE_PROMISE), why)
    return why


def _ends(one: Legal, rules: FloatRules) -> tuple[Doubles, Doubles]:
    """Smallest and largest value of each set, 0 taken in where a subnormal may be flushed; 0 where there is none."""
    lo, hi = one.lo, one.hi
    if rules.flush_inputs:
        lo, hi = may_flush(one.fmt, lo, hi)
    empty = (lo > hi) | (one.why != 0)
    least = float64_of_ordinals(one.fmt, np.where(empty, 0, lo))
    # Mostly every set is one value; then both ends are the same array, and so are the corners made of them.
    return least, least if np.array_equal(lo, hi) else float64_of_ordinals(one.fmt, np.where(empty, 0, hi))


def _corners(op: Operation, c_lo: Doubles, c_hi: Doubles, v_lo: Doubles, v_hi: Doubles) -> list[Corner]:
    """Pairs among which the extremes of the result are, each once."""
    if op is Operation.ADD:
        every = [(c_lo, v_lo), (c_hi, v_hi)]
    elif op is Operation.SUBTRACT:
        least = -v_hi
        every = [(c_lo, least), (c_hi, least if v_lo is v_hi else -v_lo)]
    elif op is Operation.DIVIDE:
        every = [(c_lo, v_lo), (c_hi, v_lo)]
    else:
        every = [(c_lo, v_lo), (c_hi, v_lo), (c_lo, v_hi), (c_hi, v_hi)]
    return list({(id(x), id(y)): (x, y) for x, y in every}.values())


def _cancel(op: Operation, c_lo: Doubles, c_hi: Doubles, v_lo: Doubles, v_hi: Doubles) -> Flags:
    """Where some pair is Inf - Inf: of two sets that pair need be at no end of the result."""
    against_least, against_most = (v_hi, -v_lo) if op is Operation.ADD else (-v_lo, v_hi)
    found: Flags = np.isneginf(c_lo) & np.isposinf(against_least) | np.isposinf(c_hi) & np.isposinf(against_most)
    return found


def _exact(op: Operation, x: Doubles, y: Doubles) -> Doubles:
    """The result, exact or with what is lost kept in the last of 53 bits; quotients to nearest.

    Products of 24-bit significands are exact. A quotient of them that is no half unit of the format stands 2^-24 of
    one away from it, sixteen times what rounding to 53 bits can move it; one that is, is exact.
    """
    if op is Operation.MULTIPLY:
        return x * y
    if op is Operation.DIVIDE:
        return x / y
    total = x + y
    back = total - x
    lost = (x - (total - back)) + (y - back)
    even = (total.view(np.uint64) & np.uint64(1)) == 0
    odd = np.nextafter(total, np.where(lost > 0, np.inf, -np.inf))
    return np.where(np.isfinite(total) & (lost != 0) & even, odd, total)


def _hull(fmt: Format, op: Operation, results: list[Doubles], rules: FloatRules) -> tuple[Ordinals, Ordinals, Flags]:
    """Legal ordinals over all corners, and where there is a number at all."""
    known = [~np.isnan(x) for x in results]
    numbers: Flags = np.logical_or.reduce(known)
    if len(results) == 1:
        least = most = np.where(numbers, results[0], 0.0)
    else:
        least = np.minimum.reduce([np.where(k, x, np.inf) for k, x in zip(known, results, strict=True)])
        most = np.maximum.reduce([np.where(k, x, -np.inf) for k, x in zip(known, results, strict=True)])
        least, most = np.where(numbers, least, 0.0), np.where(numbers, most, 0.0)
    if op is Operation.DIVIDE:
        bounds = [_reach(fmt, x) for x in _telling(least, most)]
    else:
        ends = (least,) if least is most else (least, most)
        bounds = [_neighbours(fmt, x, once=rules.rounding is Mode.NEAREST_EVEN) for x in ends]
    lo = np.minimum.reduce([low for low, _ in bounds])
    hi = np.maximum.reduce([high for _, high in bounds])
    return lo, hi, numbers


def _telling(least: Doubles, most: Doubles) -> Iterator[Doubles]:
    """The quotients whose bounds are those of the whole set: its ends, and the next power of two inside.

    There the unit grows, so that a set may reach further toward zero than its own end does.
    """
    yield least
    if not (least != most).any():
        return
    yield most
    yield np.where(least > 0, np.minimum(np.ldexp(1.0, np.frexp(least)[1]), most), least)
    yield np.where(most < 0, np.maximum(-np.ldexp(1.0, np.frexp(most)[1]), least), most)


def _reach(fmt: Format, x: Doubles) -> tuple[Ordinals, Ordinals]:
    """Legal ordinals around an exact quotient."""
    size = np.where(np.isinf(x), 0.0, np.abs(x))
    return _signed(fmt, x, toward_zero(fmt, size, QUOTIENT_HALF_ULPS), away(fmt, size, QUOTIENT_HALF_ULPS))


def _neighbours(fmt: Format, x: Doubles, *, once: bool) -> tuple[Ordinals, Ordinals]:
    """Ordinals below and above an exact value, both its own where the format has it; or it rounded to nearest-even."""
    size = np.where(np.isinf(x), 0.0, np.abs(x))
    if once:
        nearest = nearest_even(fmt, size)
        return _signed(fmt, x, nearest, nearest)
    inner, rest = truncated(fmt, size)
    return _signed(fmt, x, inner, inner + rest)


def _signed(fmt: Format, x: Doubles, inner: Ordinals, outer: Ordinals) -> tuple[Ordinals, Ordinals]:
    """Sizes, the inner not above the outer, with the sign of x; infinities stay."""
    inf = fmt.infinity_magnitude
    inner, outer = (np.where(np.isinf(x), inf, end) for end in (inner, outer))
    return np.where(x < 0, -outer, inner), np.where(x < 0, -inner, outer)
