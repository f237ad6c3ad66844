"""A conversion that saturates, for ONE element, in fractions: the definition, which `saturating_conversion` equals.

    to an integer        the nearest integer (ties to even), clamped to the range; Inf is beyond it; NaN: not judged
    integer to float     the nearest value (ties to even)
    float to float       the value where the format has it, else one of its two neighbours
    beyond Omega         Omega or Inf, from a float NaN as well; where the format has no Inf: Omega or NaN
    NaN to float         NaN

From an integer a value is beyond Omega where it is nearer to what would follow Omega, from a float where it is greater.
"""

from __future__ import annotations

from fractions import Fraction

from mmaspec.oracle.numerics.codec import Special, decode, is_subnormal_code, value
from mmaspec.oracle.numerics.definition.dot import MUST_BE_NAN, LegalElement, unjudged
from mmaspec.oracle.numerics.legal import Reason
from mmaspec.oracle.numerics.rounding import ceil_ordinal, floor_ordinal
from mmaspec.oracle.numerics.rules import FloatRules
from mmaspec.programs.formats import Format
from mmaspec.programs.rounding_mode import Mode


def converted(source: Format, code: int, fmt: Format, rules: FloatRules) -> LegalElement:
    """Legal contents of one code of ``source``, converted to another format."""
    number = decode(source, code)
    if isinstance(number, Special):
        if number.kind == "nan":
            if not fmt.is_float:
                return unjudged(fmt, Reason.SPEC_SILENT)
            return unjudged(fmt, Reason.NAN_NOT_REQUIRED) if rules.nan == "reported" else MUST_BE_NAN
        if not fmt.is_float:
            end = fmt.min_ordinal if number.sign else fmt.max_ordinal
            return LegalElement(end, end)
        if fmt.infinities:
            end = -fmt.max_ordinal if number.sign else fmt.max_ordinal
            return LegalElement(end, end)
        return _beyond(fmt, negative=bool(number.sign), nan=True, rules=rules)
    x = value(source, code)
    if not fmt.is_float:
        whole = min(max(round(x), fmt.min_value), fmt.max_value) - fmt.ordinal_shift
        return LegalElement(whole, whole)
    lo, hi, nan = _finite(source, x, fmt, rules)
    if source.is_float and rules.flush_inputs and is_subnormal_code(source, code):
        lo, hi = min(lo, 0), max(hi, 0)
    least = 1 << fmt.fraction_bits
    if rules.flush_results and 0 < lo < least:
        lo = 0
    if rules.flush_results and -least < hi < 0:
        hi = 0
    if nan and rules.nan == "reported":
        return unjudged(fmt, Reason.NAN_NOT_REQUIRED)
    return LegalElement(lo, hi, nan)


def _finite(source: Format, x: Fraction, fmt: Format, rules: FloatRules) -> tuple[int, int, bool]:
    significand, exponent = fmt.largest
    omega = significand * Fraction(2) ** exponent
    after = (significand + 1) * Fraction(2) ** exponent
    size = abs(x)
    # Omega is odd but in e4m3, where a tie stays at it.
    tie_is_beyond = significand % 2 == 1
    middle = (omega + after) / 2
    past = size > middle or (size == middle and tie_is_beyond) if not source.is_float else size > omega
    if past:
        found = _beyond(fmt, negative=x < 0, nan=source.is_float or not fmt.infinities, rules=None)
        return found.lo, found.hi, found.nan
    if size > omega:  # an integer that is nearer to Omega
        end = fmt.largest_magnitude
        return (-end, -end, False) if x < 0 else (end, end, False)
    low, high = floor_ordinal(fmt, x), ceil_ordinal(fmt, x)
    if low == high or not (rules.rounding is Mode.NEAREST_EVEN or not source.is_float):
        return low, high, False
    even, odd = (low, high) if low % 2 == 0 else (high, low)
    nearest = odd if abs(x - _value(fmt, odd)) < abs(x - _value(fmt, even)) else even
    return nearest, nearest, False


def _value(fmt: Format, ordinal: int) -> Fraction:
    size = value(fmt, abs(ordinal))
    return size if ordinal >= 0 else -size


def _beyond(fmt: Format, *, negative: bool, nan: bool, rules: FloatRules | None) -> LegalElement:
    """Omega, Inf where there is one, and NaN."""
    if nan and rules is not None and rules.nan == "reported":
        return unjudged(fmt, Reason.NAN_NOT_REQUIRED)
    lo, hi = fmt.largest_magnitude, fmt.max_ordinal
    return LegalElement(-hi, -lo, nan) if negative else LegalElement(lo, hi, nan)
