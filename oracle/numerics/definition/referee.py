"""The definition of `dot` in scaled integers: the same answers, tens of times faster, still plain.

Every number is an integer multiple of one power of two, so that sums, bounds and comparisons are those of Python's
unlimited integers. It judges the elements that `bulk` cannot certify, f64 operands, and anything drawn small.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from operator import mul

from mmaspec.oracle.numerics.definition.dot import MUST_BE_NAN, LegalElement, unjudged
from mmaspec.oracle.numerics.legal import Reason
from mmaspec.oracle.numerics.rounding import DIRECTED
from mmaspec.oracle.numerics.rules import FloatRules
from mmaspec.programs.formats import Format
from mmaspec.programs.rounding_mode import Mode


@dataclass(frozen=True, slots=True)
class Vector:
    """A row of A or a column of B: K entries as multiples of 2^qmin of its format, specials as 0 here.

    values    signed integers                   stars       |v|* of each, in the same unit (specials: 0)
    ends      the smallest and the largest |v| that each may be read as; None if all are read as they are
    lowest    largest power of two that divides every value, as an integer; 0 if all are zero
    nan       some entry is a NaN               infinite    {k: sign} of the infinities
    unbounded some entry may be rounded up to an infinity
    """

    values: list[int]
    stars: list[int]
    ends: tuple[list[int], list[int]] | None
    lowest: int
    nan: bool
    infinite: dict[int, int]
    unbounded: bool = False


class Referee:
    """Judges elements of one multiply-add. `k` is the number of products; `rules` as in `dot.legal`."""

    a_fmt: Format
    b_fmt: Format
    fmt: Format
    rules: FloatRules
    inf: int
    unit: int
    p_shift: int
    c_shift: int
    bound_factor: int
    bound_shift: int
    bound_constant: int
    omega: int
    finest: int
    window_bits: int

    def __init__(self, a_fmt: Format, b_fmt: Format, c_fmt: Format, k: int, rules: FloatRules) -> None:
        self.a_fmt, self.b_fmt, self.fmt, self.rules = a_fmt, b_fmt, c_fmt, rules
        self.inf = c_fmt.infinity_magnitude
        n = 2 * (k + 1)
        g = rules.eps_exponent(c_fmt)
        # One unit 2^unit for everything: fine enough for products, for c, and for the factor n eps (1 + n eps).
        product_unit = a_fmt.qmin + b_fmt.qmin
        self.unit = min(product_unit, c_fmt.qmin) - 2 * g
        self.p_shift, self.c_shift = product_unit - self.unit, c_fmt.qmin - self.unit
        # n eps (1 + n eps) = bound_factor * 2^(-2g); the two shifts leave room for the division
        self.bound_factor, self.bound_shift = (n << g) + n * n, 2 * g
        self.bound_constant = n << self.c_shift
        significand, exponent = c_fmt.largest
        self.omega = significand << (exponent - self.unit)
        self.finest = 1 << ((c_fmt.emin if rules.flush_results else c_fmt.qmin) - self.unit)
        self.window_bits = rules.window_bits(c_fmt)

    def row(self, bits: Sequence[int]) -> Vector:
        """Decode a row of A from its codes."""
        return _decode(self.a_fmt, bits, self.rules)

    def column(self, bits: Sequence[int]) -> Vector:
        """Decode a column of B from its codes."""
        return _decode(self.b_fmt, bits, self.rules)

    def element(self, a: Vector, b: Vector, c: LegalElement) -> LegalElement:
        """Legal contents of one element; equal to `dot.legal` on the same data."""
        infinite: set[int] = set()
        maybe_nan = c.nan
        certain_nan = a.nan or b.nan
        if not certain_nan and (a.infinite or b.infinite):
            certain_nan, zero_nan = self._infinities(a, b, infinite)
            maybe_nan = maybe_nan or zero_nan
        if certain_nan or len(infinite) == 2:
            return self._nan(c.why)
        if c.why:
            return unjudged(self.fmt, c.why)
        if c.lo == c.hi and abs(c.lo) == self.inf:
            infinite.add(1 if c.lo > 0 else -1)
        if c.lo > c.hi or len(infinite) == 2:
            return self._nan(Reason.JUDGED)
        if a.unbounded or b.unbounded:
            return unjudged(self.fmt, Reason.OVERFLOW_HAZARD)
        result = self._sum(a, b, c, infinite.pop() if infinite else 0, maybe_nan)
        if result.nan and not result.why and self.rules.nan == "reported":
            return unjudged(self.fmt, Reason.NAN_NOT_REQUIRED)
        return result

    def _nan(self, why: Reason) -> LegalElement:
        return MUST_BE_NAN if self.rules.nan == "required" else unjudged(self.fmt, why or Reason.NAN_NOT_REQUIRED)

    def _infinities(self, a: Vector, b: Vector, signs: set[int]) -> tuple[bool, bool]:
        """Collect the signs of infinite products. Answers: some Inf x 0; some Inf x what may be read as 0."""
        zero = False
        for one, other in ((a, b), (b, a)):
            for k, sign in one.infinite.items():
                against = other.infinite.get(k) or other.values[k]
                if against == 0:
                    return True, False
                signs.add(sign if against > 0 else -sign)
                zero = zero or (other.ends is not None and k not in other.infinite and other.ends[0][k] == 0)
        return False, zero

    def _sum(self, a: Vector, b: Vector, c: LegalElement, infinity: int, maybe_nan: bool) -> LegalElement:
        """Rules E, X, R and N4 on the finite terms. `infinity` is the sign of an infinite term, 0 if there is none."""
        rules, fmt = self.rules, self.fmt
        products = list(map(mul, a.values, b.values))
        least, most, size = self._read(a, b, products)
        star = sum(map(mul, a.stars, b.stars)) << self.p_shift
        c_lo = c_hi = 0
        lo, hi = max(c.lo, -fmt.largest_magnitude), min(c.hi, fmt.largest_magnitude)
        if lo <= hi:
            c_lo, c_hi = self._scaled(lo), self._scaled(hi)
            c_size = max(abs(c_lo), abs(c_hi))
            size += c_size
            if c_size or rules.zero_exponent:
                star += max(c_size, 1 << (fmt.emin - self.unit))
            if rules.flush_inputs:
                c_lo, c_hi = self._flushed(lo, hi, c_lo, c_hi)
        falls, rises = self._lost(a, b, products, c_lo, c_hi) if rules.flush_results else (0, 0)
        x_lo, x_hi = least + c_lo, most + c_hi
        # exact: `star` is a multiple of 2^(2g), which the unit was chosen for
        bound = (star * self.bound_factor >> self.bound_shift) + self.bound_constant if star else 0
        falls, rises = bound + falls, bound + rises
        hazard = rules.rounding is None and size + bound >= self.omega
        if infinity:
            nan = maybe_nan or hazard or c.lo <= -infinity * self.inf <= c.hi
            return LegalElement(infinity * self.inf, infinity * self.inf, nan)
        if hazard and min(c_lo, *products) < 0 < max(c_hi, *products):
            return unjudged(fmt, Reason.OVERFLOW_HAZARD)
        if rules.rounding is not None:
            low = self.round(x_lo, rules.rounding)
            high = self.round(x_hi, rules.rounding)
            if rules.rounding in DIRECTED:
                low = min(low, self.floor(x_lo)) if low <= 1 - self.inf else low
                high = max(high, -self.floor(-x_hi)) if high >= self.inf - 1 else high
            if rules.flush_results:
                low, high = self._flush_ends(low, high)
        elif not hazard and x_lo == x_hi and c.lo == c.hi and self._in_window(a, b, c_lo, star):
            low = high = self.round(x_lo, rules.final_rounding or Mode.DOWN)
        elif rules.final_rounding is not None:
            low = self.round(x_lo - falls, rules.final_rounding)
            high = self.round(x_hi + rises, rules.final_rounding)
            if hazard:
                low = min(low, self.floor(x_lo - falls))
                high = max(high, -self.floor(-(x_hi + rises)))
        else:
            low = self.floor(x_lo - falls)
            high = -self.floor(-(x_hi + rises))
        return LegalElement(-self.inf if c.lo == -self.inf else low, self.inf if c.hi == self.inf else high, maybe_nan)

    def _read(self, a: Vector, b: Vector, products: list[int]) -> tuple[int, int, int]:
        """The least and the largest sum of products as they may be read, and that of their largest sizes."""
        if a.ends is None and b.ends is None:
            total = sum(products) << self.p_shift
            return total, total, sum(map(abs, products)) << self.p_shift
        (a_least, a_most), (b_least, b_most) = (each.ends or (list(map(abs, each.values)),) * 2 for each in (a, b))
        small, large = list(map(mul, a_least, b_least)), list(map(mul, a_most, b_most))
        least = sum(s if p >= 0 else -h for s, h, p in zip(small, large, products, strict=True))
        most = sum(h if p >= 0 else -s for s, h, p in zip(small, large, products, strict=True))
        return least << self.p_shift, most << self.p_shift, sum(large) << self.p_shift

    def _lost(self, a: Vector, b: Vector, products: list[int], c_lo: int, c_hi: int) -> tuple[int, int]:
        """How much the sum may fall and rise by partial sums that are flushed."""
        a_least, b_least = (each.ends[0] if each.ends else list(map(abs, each.values)) for each in (a, b))
        sizes = [size << self.p_shift for size in map(mul, a_least, b_least)]
        positive = [size for size, p in zip((*sizes, c_lo), (*products, 1), strict=True) if p > 0 and size > 0]
        negative = [size for size, p in zip((*sizes, -c_hi), (*products, -1), strict=True) if p < 0 and size > 0]
        smallest = 1 << (self.fmt.emin - self.unit)
        return min(len(positive) * smallest, sum(positive)), min(len(negative) * smallest, sum(negative))

    def _flushed(self, lo: int, hi: int, c_lo: int, c_hi: int) -> tuple[int, int]:
        """The ends of C with 0 taken in where a subnormal may be read as that."""
        normal = 1 << self.fmt.fraction_bits
        return 0 if 0 < lo < normal else c_lo, 0 if -normal < hi < 0 else c_hi

    def _in_window(self, a: Vector, b: Vector, c: int, star: int) -> bool:
        if self.rules.window != "required":
            return False
        quanta = [q for q in (a.lowest * b.lowest << self.p_shift, c & -c) if q]
        return not quanta or (min(quanta) >= self.finest and star < min(quanta) << self.window_bits)

    def _flush_ends(self, low: int, high: int) -> tuple[int, int]:
        normal = 1 << self.fmt.fraction_bits
        return 0 if 0 < low < normal else low, 0 if -normal < high < 0 else high

    def _scaled(self, ordinal: int) -> int:
        size = _multiple_of_quantum(self.fmt, abs(ordinal)) << self.c_shift
        return size if ordinal >= 0 else -size

    def _truncated(self, size: int) -> tuple[int, int, int]:
        """Ordinal of the largest finite value <= size (which is >= 0), what is cut off, and half a step."""
        fmt = self.fmt
        exponent = size.bit_length() - 1 + self.unit
        quantum = max(exponent, fmt.emin) - fmt.fraction_bits
        cut = quantum - self.unit  # never negative: the unit is below qmin by 2g
        significand = size >> cut
        rest = size - (significand << cut)
        ordinal = significand + (quantum - fmt.qmin << fmt.fraction_bits)
        if ordinal > fmt.largest_magnitude:
            # As if the exponent went on one more: above Omega by at least a step counts as "more than half".
            half = 1 << (fmt.largest[1] - self.unit - 1)
            return fmt.largest_magnitude, min(size - self.omega, 2 * half), half
        return ordinal, rest, 1 << cut >> 1

    def floor(self, v: int) -> int:
        """Largest ordinal whose value is <= v units; as `rounding.floor_ordinal`."""
        ordinal, rest, _ = self._truncated(abs(v))
        return ordinal if v >= 0 else -(ordinal + (rest > 0))

    def round(self, v: int, mode: Mode) -> int:
        """Ordinal of v units rounded once; as `rounding.round_to_ordinal`."""
        ordinal, rest, half = self._truncated(abs(v))
        if rest == 0:
            return ordinal if v >= 0 else -ordinal
        up = {
            Mode.NEAREST_EVEN: rest > half or (rest == half and ordinal % 2 == 1),
            Mode.NEAREST_AWAY: rest >= half,
            Mode.TOWARD_ZERO: False,
            Mode.DOWN: v < 0,
            Mode.UP: v > 0,
            Mode.TO_ODD: ordinal % 2 == 0 and ordinal != self.fmt.largest_magnitude,
        }[mode]
        return ordinal + up if v >= 0 else -(ordinal + up)


def _multiple_of_quantum(fmt: Format, magnitude: int) -> int:
    """A finite magnitude as a multiple of 2^qmin."""
    field = magnitude >> fmt.fraction_bits
    if field == 0:
        return magnitude
    hidden = 1 << fmt.fraction_bits
    return ((magnitude & (hidden - 1)) | hidden) << (field - 1)


def _decode(fmt: Format, codes: Sequence[int], rules: FloatRules) -> Vector:
    lam = 1 << fmt.fraction_bits  # the smallest normal in quanta
    short = rules.operand_bits(fmt)
    values: list[int] = []
    stars: list[int] = []
    least: list[int] = []
    most: list[int] = []
    infinite: dict[int, int] = {}
    nan = False
    every = 0
    for k, code in enumerate(codes):
        magnitude = code & ~fmt.sign_bit
        negative = code != magnitude
        if magnitude > fmt.largest_magnitude:
            if fmt.infinities and magnitude == fmt.infinity_magnitude:
                infinite[k] = -1 if negative else 1
            else:
                nan = True
            for each in (values, stars, least, most):
                each.append(0)
            continue
        size = _multiple_of_quantum(fmt, magnitude)
        every |= size
        values.append(-size if negative else size)
        low = high = size
        if short is not None:
            lost = max(size.bit_length(), fmt.precision) - short
            low = size >> lost << lost
            high = low if low == size else low + (1 << lost)
        least.append(0 if rules.flush_inputs and size < lam else low)
        most.append(high)
        stars.append(max(high, lam) if size or rules.zero_exponent else 0)
    sizes = list(map(abs, values))
    ends = None if least == most == sizes else (least, most)
    significand, exponent = fmt.largest
    omega = significand << exponent - fmt.qmin
    return Vector(values, stars, ends, every & -every, nan, infinite, max(most, default=0) > omega)
