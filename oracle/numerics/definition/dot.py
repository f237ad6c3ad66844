"""The float contract for ONE element of D = A*B + C, in fractions. This is the definition; all else must equal it.

Symbols, used as names throughout:

    p_k    a_k * b_k, exact            K        number of products
    x      sum p_k + c, exact          n        2 (K + 1), more roundings than any order puts on a term
    t      accumulator precision       f        fraction bits kept when terms are aligned
    eps    max(2^(1-t), 2^-f)          Omega    largest finite value of the accumulator
    emin   exponent of the accumulator's smallest normal      qmin   exponent of its quantum
    lam    smallest normal of a format, and |v|* = 0 if v = 0, else max(|v|, lam)
    S      sum |p_k| + |c|             S*       sum |a_k|* |b_k|* + |c|*
    B      the bound of the envelope

A device may read an operand as another number: a subnormal as zero, an f32 rounded to fewer bits. Each p_k is then a
set, and so is x, from x_lo to x_hi: flushing positive terms lowers x_lo, flushing negative ones raises x_hi, and
nothing else does. The addend c is a set too (an interval of ordinals). Sums become intervals, bounds take the largest
magnitudes.

Where results may be flushed, a partial sum below the smallest normal may become zero. What is lost then is what its
terms add up to, rounded as they were, and no term is lost twice. Lost positive terms lower the sum, by no more than
they are read as in x_lo, and lost negative ones raise it. What one partial sum loses is below the smallest normal, and
there are at most as many that lower x_lo as there are positive terms that must hold something.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

from mmaspec.oracle.numerics.codec import Finite, Special, decode, value
from mmaspec.oracle.numerics.legal import Reason
from mmaspec.oracle.numerics.rounding import DIRECTED, ceil_ordinal, floor_ordinal, round_to_ordinal
from mmaspec.oracle.numerics.rules import FloatRules
from mmaspec.programs.formats import Format
from mmaspec.programs.rounding_mode import Mode

Number = Finite | Special
Sign = Literal[-1, 0, 1]


@dataclass(frozen=True, slots=True)
class LegalElement:
    """Legal contents of one element: ordinals lo to hi, NaN if `nan`, nothing judged if `why`."""

    lo: int
    hi: int
    nan: bool = False
    why: Reason = Reason.JUDGED


MUST_BE_NAN = LegalElement(1, 0, nan=True)


def unjudged(fmt: Format, why: Reason) -> LegalElement:
    """Anything goes, because."""
    return LegalElement(fmt.min_ordinal, fmt.max_ordinal, nan=True, why=why)


def dot(a: Sequence[Fraction], b: Sequence[Fraction], c: Fraction) -> Fraction:
    """Exact x = sum a_k b_k + c."""
    return sum((a_k * b_k for a_k, b_k in zip(a, b, strict=True)), c)


def legal(
    a_fmt: Format, a: Sequence[int], b_fmt: Format, b: Sequence[int], c_fmt: Format, c: LegalElement, rules: FloatRules
) -> LegalElement:
    """Legal contents of sum a_k b_k + c in the format of c. `a` and `b` are K codes each."""
    pairs = [(decode(a_fmt, a_k), decode(b_fmt, b_k)) for a_k, b_k in zip(a, b, strict=True)]

    # Rule N1, from A and B alone: such a NaN is certain whatever c is, so it may replace "not judged".
    infinite = {_infinite_product(p, q) for p, q in pairs} - {0}
    if len(infinite) == 2 or any(_is_nan_product(p, q) for p, q in pairs):
        if rules.nan == "required":
            return MUST_BE_NAN
        return unjudged(c_fmt, c.why or Reason.NAN_NOT_REQUIRED)
    if c.why:
        return unjudged(c_fmt, c.why)

    # Rule N1, with c: a NaN in c, or an infinity of c against one of the products.
    inf = c_fmt.infinity_magnitude
    c_infinite = {sign for sign in (-1, 1) if c.lo == c.hi == sign * inf}
    if c.lo > c.hi or len(infinite | c_infinite) == 2:
        return MUST_BE_NAN if rules.nan == "required" else unjudged(c_fmt, Reason.NAN_NOT_REQUIRED)

    sums = _Sums(a_fmt, a, b_fmt, b, c_fmt, c, rules)
    if sums.unbounded:  # an operand that is rounded up to Inf makes Inf, or NaN against 0 or another infinity
        return unjudged(c_fmt, Reason.OVERFLOW_HAZARD)
    if infinite | c_infinite:
        (sign,) = infinite | c_infinite
        result = _beside_infinity(sign, c, sums, rules)
    else:
        result = _finite(c, sums, rules)
    if result.nan and rules.nan == "reported" and not result.why:
        return unjudged(c_fmt, Reason.NAN_NOT_REQUIRED)
    return result


def _infinite_product(p: Number, q: Number) -> Sign:
    """Sign of p * q where it is infinite, else 0."""
    if not any(isinstance(v, Special) and v.kind == "inf" for v in (p, q)) or _is_nan_product(p, q):
        return 0
    return -1 if p.sign != q.sign else 1


def _is_nan_product(p: Number, q: Number) -> bool:
    kinds = {v.kind if isinstance(v, Special) else "zero" if v.significand == 0 else "number" for v in (p, q)}
    return "nan" in kinds or kinds == {"inf", "zero"}


def _beside_infinity(sign: int, c: LegalElement, sums: _Sums, rules: FloatRules) -> LegalElement:
    """Rule N1 to N3: the sum holds an infinity of one sign, so D is that infinity; sometimes NaN is legal too."""
    inf = sums.fmt.infinity_magnitude
    # c may be NaN, or the opposite infinity
    nan = c.nan or c.lo <= -sign * inf <= c.hi
    # N3: what may be read as zero beside an infinity makes Inf x 0, a subnormal for example
    nan |= sums.infinity_times_zero
    # N4: finite terms may overflow to the opposite infinity first
    nan |= rules.rounding is None and sums.hazard
    return LegalElement(sign * inf, sign * inf, nan)


def _finite(c: LegalElement, sums: _Sums, rules: FloatRules) -> LegalElement:
    """Rules E, X, R and N4 where all products are finite. c may still reach an infinity at an end."""
    fmt = sums.fmt
    if rules.rounding is not None:
        lo = round_to_ordinal(fmt, sums.x_lo, rules.rounding)
        hi = round_to_ordinal(fmt, sums.x_hi, rules.rounding)
        if rules.rounding in DIRECTED:  # beyond Omega, IEEE 754 stays there, and tensor cores go on to Inf
            lo = min(lo, floor_ordinal(fmt, sums.x_lo)) if lo <= -fmt.largest_magnitude else lo
            hi = max(hi, ceil_ordinal(fmt, sums.x_hi)) if hi >= fmt.largest_magnitude else hi
        if rules.flush_results:
            smallest_normal = 1 << fmt.fraction_bits
            lo = 0 if 0 < lo < smallest_normal else lo
            hi = 0 if -smallest_normal < hi < 0 else hi
    elif sums.hazard and sums.mixed_signs:
        # Rule N4: an order may overflow where another cancels. With one sign the sum only grows, and E stands.
        return unjudged(fmt, Reason.OVERFLOW_HAZARD)
    elif rules.window == "required" and sums.in_window:
        # rule X: x itself, which is a value of the format; or rule R, where more bits are exact than it holds
        lo = hi = round_to_ordinal(fmt, sums.x_lo, rules.final_rounding or Mode.DOWN)
    elif rules.final_rounding is not None:
        lo = round_to_ordinal(fmt, sums.x_lo - sums.falls, rules.final_rounding)  # rules E and R
        hi = round_to_ordinal(fmt, sums.x_hi + sums.rises, rules.final_rounding)
        if sums.hazard:  # the running sum may stay at Omega or go on to Inf, whatever the last rounding does
            lo = min(lo, floor_ordinal(fmt, sums.x_lo - sums.falls))
            hi = max(hi, ceil_ordinal(fmt, sums.x_hi + sums.rises))
    else:
        lo = floor_ordinal(fmt, sums.x_lo - sums.falls)  # rule E
        hi = ceil_ordinal(fmt, sums.x_hi + sums.rises)
    inf = fmt.infinity_magnitude
    return LegalElement(-inf if c.lo == -inf else lo, inf if c.hi == inf else hi, c.nan)


class _Sums:
    """The quantities of the contract over the finite terms; see the module's docstring for the symbols."""

    def __init__(
        self,
        a_fmt: Format,
        a: Sequence[int],
        b_fmt: Format,
        b: Sequence[int],
        fmt: Format,
        c: LegalElement,
        rules: FloatRules,
    ) -> None:
        self.fmt = fmt
        a_lam, b_lam, c_lam = (Fraction(2) ** each.emin for each in (a_fmt, b_fmt, fmt))
        read_a, read_b = ([read(each, code, rules) for code in codes] for each, codes in ((a_fmt, a), (b_fmt, b)))
        terms = [(p, q) for p, q in zip(read_a, read_b, strict=True) if p is not None and q is not None]
        self.infinity_times_zero = any(
            one is not None and one.least == 0 < one.most
            for p, q in zip(read_a, read_b, strict=True)
            for one, other in ((p, q), (q, p))
            if other is None
        )
        self.unbounded = any(
            each is not None and each.most > _ordinal_value(its, its.largest_magnitude)
            for its, found in ((a_fmt, read_a), (b_fmt, read_b))
            for each in found
        )
        # The finite part of c: ordinals from `lo` to `hi`, or none where c is an infinity for certain.
        lo, hi = max(c.lo, -fmt.largest_magnitude), min(c.hi, fmt.largest_magnitude)
        c_ends = [_ordinal_value(fmt, lo), _ordinal_value(fmt, hi)] if lo <= hi else []
        c_lo, c_hi = c_ends or [Fraction(0), Fraction(0)]

        def star(v: Fraction, lam: Fraction) -> Fraction:
            return max(abs(v), lam) if v or rules.zero_exponent else Fraction(0)

        K = len(a)  # noqa: N806
        n = 2 * (K + 1)
        eps = step(fmt, rules)
        # every p_k as it may be read: its sign, and the smallest and the largest size
        p = [(a_k.sign * b_k.sign, a_k.least * b_k.least, a_k.most * b_k.most) for a_k, b_k in terms]
        if rules.flush_inputs:
            c_lo, c_hi = Fraction(0) if 0 < c_lo < c_lam else c_lo, Fraction(0) if -c_lam < c_hi < 0 else c_hi
        self.x_lo = c_lo + sum(least if sign > 0 else -most for sign, least, most in p)
        self.x_hi = c_hi + sum(most if sign > 0 else -least for sign, least, most in p)
        S = sum(most for _, _, most in p) + max(map(abs, c_ends), default=Fraction(0))  # noqa: N806
        S_star = max((star(v, c_lam) for v in c_ends), default=Fraction(0))  # noqa: N806
        S_star += sum(star(a_k.most, a_lam) * star(b_k.most, b_lam) for a_k, b_k in terms)  # noqa: N806

        # Rule E
        self.B = n * eps * (1 + n * eps) * S_star + n * Fraction(2) ** fmt.qmin
        if not S_star:  # sums of zeros alone: nothing is rounded, aligned or flushed
            self.B = Fraction(0)
        self.falls = self.rises = self.B
        if rules.flush_results:
            for positive in (True, False):
                sizes = [c_lo if positive else -c_hi]
                sizes += [least for sign, least, _ in p if (sign > 0) == positive]
                held = [size for size in sizes if size > 0]
                lost = min(len(held) * Fraction(2) ** fmt.emin, sum(held))
                if positive:
                    self.falls += lost
                else:
                    self.rises += lost

        # Rule N4. S + B bounds every partial sum, as what is flushed is missing from it; where no subnormal is about it
        # is S (1 + n eps) to first order.
        significand, exponent = fmt.largest
        Omega = significand * Fraction(2) ** exponent  # noqa: N806
        self.hazard = Omega <= S + self.B
        signs = {sign for sign, _, most in p if most}
        self.mixed_signs = (-1 in signs or c_lo < 0) and (1 in signs or c_hi > 0)

        # Rule X. Every a_k is a multiple of 2^alpha, every b_k of 2^beta, c of its own lowest bit: partial sums are
        # multiples of the quantum q (there is none if all are zero). They are exact if the largest possible one is
        # inside the window, even where subnormals are aligned as if they were normal (S*), and if every term is read
        # as what it is.
        quanta = [_lowest_bit(v) for v in (c_lo, c_hi) if v]
        alpha, beta = ([_lowest_bit(each.value) for each in found if each and each.value] for found in (read_a, read_b))
        if alpha and beta:
            quanta.append(min(alpha) * min(beta))
        q = min(quanta, default=None)
        finest = Fraction(2) ** (fmt.emin if rules.flush_results else fmt.qmin)
        self.in_window = (
            c.lo == c.hi
            and not self.hazard
            and self.x_lo == self.x_hi
            and (q is None or (q >= finest and S_star < exact_quanta(fmt, rules) * q))
        )


@dataclass(frozen=True, slots=True)
class _Read:
    """A finite operand: its value, and the sizes between which a device may read it, its sign being kept."""

    value: Fraction
    least: Fraction
    most: Fraction

    @property
    def sign(self) -> Sign:
        return -1 if self.value < 0 else 1


def read(fmt: Format, code: int, rules: FloatRules) -> _Read | None:
    """How an operand of A or B may be read; None for NaN and infinities, which are read as what they are.

    A subnormal may be read as zero. Where operands may be rounded to p bits, an operand becomes one of its neighbours
    among the numbers of so many bits: multiples of 2^(e + 1 - p) between 2^e and 2^(e+1), and of the smallest normal's
    step below that.
    """
    if not isinstance(decode(fmt, code), Finite):
        return None
    v = value(fmt, code)
    least = most = abs(v)
    bits = rules.operand_bits(fmt)
    if bits is not None and v:
        exponent = fmt.emin
        while Fraction(2) ** (exponent + 1) <= abs(v):
            exponent += 1
        unit = Fraction(2) ** (exponent + 1 - bits)
        least, most = abs(v) // unit * unit, -(-abs(v) // unit) * unit
    if rules.flush_inputs and abs(v) < Fraction(2) ** fmt.emin:
        least = Fraction(0)
    return _Read(v, least, most)


def precisions(fmt: Format, rules: FloatRules) -> tuple[int, int]:
    """Precision t and fraction bits f: not declared, they are those of the accumulator's format and t - 1.

    This and what follows from it is stated here by itself. The other engines ask `rules`, so that a mistake in
    either place is a disagreement.
    """
    t = fmt.precision if rules.accumulator_precision is None else rules.accumulator_precision
    f = t - 1 if rules.kept_fraction_bits is None else rules.kept_fraction_bits
    return t, f


def step(fmt: Format, rules: FloatRules) -> Fraction:
    """eps: what rounding to t bits or cutting at f fraction bits may lose, whichever is more."""
    t, f = precisions(fmt, rules)
    return max(Fraction(2) ** (1 - t), Fraction(2) ** -f)


def exact_quanta(fmt: Format, rules: FloatRules) -> int:
    """The number of quanta below which the sum of magnitudes must stay for every order to be exact.

    An integer below 2^t fits the running sum, and one below 2^(f+1) has no bit more than f places under its leading
    one, where alignment cuts. The sum has to fit D's format too, unless the mode in which it is rounded into that is
    declared.
    """
    t, f = precisions(fmt, rules)
    bits = min(t, f + 1)
    return 1 << (bits if rules.final_rounding is not None else min(bits, fmt.precision))


def _ordinal_value(fmt: Format, ordinal: int) -> Fraction:
    size = value(fmt, abs(ordinal))
    return size if ordinal >= 0 else -size


def _lowest_bit(v: Fraction) -> Fraction:
    """The largest power of two that divides v, a dyadic number that is not zero."""
    return Fraction(v.numerator & -v.numerator, v.denominator)
