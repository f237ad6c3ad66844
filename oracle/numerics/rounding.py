"""One exact value to the bits of a format: the only place of the definition where anything is rounded."""

from __future__ import annotations

from fractions import Fraction

from mmaspec.programs.formats import Format
from mmaspec.programs.rounding_mode import Mode

DIRECTED = (Mode.TOWARD_ZERO, Mode.DOWN, Mode.UP)
"""Modes of which some stay at Omega where the exact value is beyond it, and some devices do not."""


def floor_ordinal(fmt: Format, x: Fraction) -> int:
    """Largest ordinal of `fmt` whose value is <= x.

    Infinities count: below -Omega the answer is -Inf, above Omega it is Omega.
    ValueError where no value is <= x (integers, and floats without Inf).
    """
    if not fmt.is_float:
        whole = x.numerator // x.denominator
        if whole < fmt.min_value:
            raise ValueError(f"{x} is below {fmt.name}")
        return min(whole, fmt.max_value) - fmt.ordinal_shift
    if x >= 0:
        return _truncated(fmt, x)[0]
    magnitude, inexact = _truncated(fmt, -x)
    if inexact and magnitude == fmt.max_ordinal:
        raise ValueError(f"{x} is below {fmt.name}")
    return -(magnitude + inexact)


def ceil_ordinal(fmt: Format, x: Fraction) -> int:
    """Smallest ordinal of `fmt` whose value is >= x; the mirror image of `floor_ordinal`."""
    if fmt.is_float:
        return -floor_ordinal(fmt, -x)
    whole = -(-x.numerator // x.denominator)
    if whole > fmt.max_value:
        raise ValueError(f"{x} is above {fmt.name}")
    return max(whole, fmt.min_value) - fmt.ordinal_shift


def _truncated(fmt: Format, x: Fraction) -> tuple[int, bool]:
    """Ordinal of the largest finite value <= x, for x >= 0, and whether it is less than x."""
    # 2^e <= x < 2^(e+1), found from bit lengths and corrected by at most one
    if x == 0:
        return 0, False
    e = x.numerator.bit_length() - x.denominator.bit_length()
    if x < Fraction(2) ** e:
        e -= 1
    quantum = max(e, fmt.emin) - fmt.fraction_bits
    scaled = x / Fraction(2) ** quantum
    significand = scaled.numerator // scaled.denominator
    # Codes are consecutive across binades, so adding the significand to the exponent field carries as it should.
    ordinal = significand + (quantum - fmt.qmin) * (1 << fmt.fraction_bits)
    if ordinal > fmt.largest_magnitude:
        return fmt.largest_magnitude, True
    return ordinal, scaled.denominator != 1


def round_to(fmt: Format, x: Fraction, mode: Mode) -> int:
    """Bits of `x` rounded to `fmt`.

    Float overflow follows IEEE 754: to nearest it is decided as if the exponent had no bound, directed modes go to
    Inf only on their own side, toward-zero and to-odd stop at the largest finite. A zero result is +0 (x has no
    sign of zero), or -0 where a negative x underflows. ValueError: an integer format that cannot hold the result,
    or a float overflow to Inf in a format without one.
    """
    if not fmt.is_float:
        whole = _round_integer(x, mode)
        if not fmt.min_value <= whole <= fmt.max_value:
            raise ValueError(f"{x} does not fit {fmt.name}")
        return whole & fmt.mask
    sign = fmt.sign_bit if x < 0 else 0
    return sign | _round_magnitude(fmt, abs(x), _mirrored(mode, x < 0))


def round_to_ordinal(fmt: Format, x: Fraction, mode: Mode) -> int:
    """Ordinal of `x` rounded to the float format `fmt`; as `round_to`, with both zeros at 0."""
    magnitude = _round_magnitude(fmt, abs(x), _mirrored(mode, x < 0))
    return -magnitude if x < 0 else magnitude


def _mirrored(mode: Mode, negative: bool) -> Mode:
    """The mode that acts on |x| as `mode` acts on x."""
    if negative and mode in (Mode.UP, Mode.DOWN):
        return Mode.UP if mode is Mode.DOWN else Mode.DOWN
    return mode


def _round_magnitude(fmt: Format, x: Fraction, mode: Mode) -> int:
    below, inexact = _truncated(fmt, x)
    if not inexact:
        return below
    low = _magnitude_value(fmt, below)
    # The next value up; above Omega it is 2^(emax+1) as if the exponent went on, which IEEE 754 compares with.
    high = _magnitude_value(fmt, below + 1)
    match mode:
        case Mode.TOWARD_ZERO | Mode.DOWN:
            up = False
        case Mode.UP:
            up = True
        case Mode.TO_ODD:
            up = below % 2 == 0 and below != fmt.largest_magnitude
        case Mode.NEAREST_AWAY:
            up = x - low >= high - x
        case Mode.NEAREST_EVEN:
            up = x - low > high - x or (x - low == high - x and below % 2 == 1)
    if up and below == fmt.largest_magnitude:
        return fmt.infinity_magnitude
    return below + up


def _magnitude_value(fmt: Format, magnitude: int) -> Fraction:
    field, fraction = divmod(magnitude, 1 << fmt.fraction_bits)
    hidden = 1 << fmt.fraction_bits if field else 0
    return (hidden + fraction) * Fraction(2) ** (max(field, 1) - fmt.bias - fmt.fraction_bits)


def _round_integer(x: Fraction, mode: Mode) -> int:
    floor = x.numerator // x.denominator
    rest = x - floor
    if rest == 0:
        return floor
    match mode:
        case Mode.DOWN:
            up = False
        case Mode.UP:
            up = True
        case Mode.TOWARD_ZERO:
            up = x < 0
        case Mode.TO_ODD:
            up = floor % 2 == 0
        case Mode.NEAREST_AWAY:
            up = rest > Fraction(1, 2) or (rest == Fraction(1, 2) and x > 0)
        case Mode.NEAREST_EVEN:
            up = rest > Fraction(1, 2) or (rest == Fraction(1, 2) and floor % 2 == 1)
    return floor + up
