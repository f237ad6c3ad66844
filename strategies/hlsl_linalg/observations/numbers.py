"""What kinds of numbers a set of bit patterns has, and how they go into another format."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from mmaspec.oracle.numerics.legal import Legal
from mmaspec.oracle.numerics.ordinals import Bits, Flags, is_inf, is_nan, is_subnormal, magnitudes
from mmaspec.programs.formats import Format

MOST = 512
"""Different codes that are looked at one by one."""


def known_codes(legal: Legal | None) -> Bits:
    """The different codes of a set, of elements that hold one for certain."""
    if legal is None:
        return np.zeros(0, np.uint64)
    codes, known = legal.certain_bits()
    return np.unique(codes[known])


def bits_of(fmt: Format, codes: Bits) -> set[str]:
    """The classes of ``moved-bits`` among some codes."""
    found = {"zero"} if (codes == 0).any() else set()
    if (codes == np.uint64(fmt.mask)).any():
        found.add("ones")
    if not fmt.is_float:
        high = codes >> np.uint64(fmt.bits - 1) != 0
        return found | {name for name, mask in (("high-bit", high), ("low-bits", ~high)) if mask.any()}
    nan = is_nan(fmt, codes)
    quiet = (magnitudes(fmt, codes) >> (fmt.fraction_bits - 1) & 1) == 1
    negative = (codes & np.uint64(fmt.sign_bit)) != 0
    size = magnitudes(fmt, codes)
    marks: dict[str, Flags] = {
        "negative-zero": codes == np.uint64(fmt.sign_bit),
        "subnormal": is_subnormal(fmt, codes),
        "infinity": is_inf(fmt, codes),
        "quiet-nan": nan & quiet,
        "signalling-nan": nan & ~quiet,
        "negative-nan": nan & negative,
        "normal": (size >= 1 << fmt.fraction_bits) & (size <= fmt.largest_magnitude),
    }
    return found | {name for name, mask in marks.items() if mask.any()}


def number(fmt: Format, code: int) -> Fraction:
    """The value of a finite code."""
    if not fmt.is_float:
        return Fraction(code - (1 << fmt.bits) if fmt.signed and code >> (fmt.bits - 1) else code)
    size = code & ~fmt.sign_bit & fmt.mask
    field, fraction = size >> fmt.fraction_bits, size & ((1 << fmt.fraction_bits) - 1)
    significand = fraction if not field else fraction | 1 << fmt.fraction_bits
    value = significand * Fraction(2) ** (max(field, 1) - fmt.bias - fmt.fraction_bits)
    return -value if code & fmt.sign_bit else value


def ends(fmt: Format) -> tuple[Fraction, Fraction]:
    """The least and the largest finite number."""
    if not fmt.is_float:
        return Fraction(fmt.min_value), Fraction(fmt.max_value)
    significand, exponent = fmt.largest
    largest = significand * Fraction(2) ** exponent
    return -largest, largest


def quantum(fmt: Format, value: Fraction) -> Fraction:
    """The distance of neighbours in a format at a number."""
    if not fmt.is_float or not value:
        return Fraction(1) if not fmt.is_float else Fraction(2) ** fmt.qmin
    size = abs(value)
    exponent = size.numerator.bit_length() - size.denominator.bit_length()
    exponent -= size < Fraction(2) ** exponent
    return Fraction(2) ** max(exponent - fmt.fraction_bits, fmt.qmin)


def conversion_of(source: Format, target: Format, codes: Bits) -> set[str]:
    """The classes of ``conversion-data`` among codes of the source."""
    found: set[str] = set()
    if source.is_float:
        nan, infinite = is_nan(source, codes), is_inf(source, codes)
        found |= {name for name, mask in (("nan", nan), ("infinity", infinite)) if mask.any()}
        found |= {"negative-zero"} if (codes == np.uint64(source.sign_bit)).any() else set()
        found |= {"subnormal"} if is_subnormal(source, codes).any() else set()
        codes = codes[~nan & ~infinite]
    low, high = ends(target)
    for code in _some(codes):
        value = number(source, code)
        step = quantum(target, value)
        if not value:
            found.add("zero")
        elif value > high:
            found |= {"above", *(("just-above",) if value <= high + step else ())}
        elif value < low:
            found.add("below")
        elif (value / step).denominator == 1:
            found |= {"exact", *(("highest",) if value == high else ()), *(("lowest",) if value == low else ())}
        else:
            found |= {"rounds", *(("tie",) if (value / step).denominator == 2 else ())}
        if target.is_float and 0 < abs(value) < Fraction(2) ** target.emin:
            found.add("to-subnormal")
    return found


def _some(codes: NDArray[np.uint64]) -> list[int]:
    if codes.size > MOST:
        codes = codes[np.linspace(0, codes.size - 1, MOST).astype(np.intp)]
    return [int(code) for code in codes]


def factor_of(fmt: Format, codes: Bits) -> set[str]:
    """The classes of ``product-data`` among the codes of a factor."""
    if not codes.size:
        return set()
    if not codes.any():
        return {"all-zero"}
    top = np.uint64(fmt.bits - 1)
    if not fmt.is_float:
        high = codes >> top != 0
        found = {"negative" if fmt.signed else "high-unsigned"} if high.any() else set()
        if fmt.signed and (codes == np.uint64(1 << (fmt.bits - 1))).any():
            found.add("lowest")
        if (codes == np.uint64(fmt.max_value)).any():
            found.add("highest")
        return found | {"ordinary"}
    size = magnitudes(fmt, codes)
    marks: dict[str, Flags] = {
        "negative": codes >> top != 0,
        "highest": size == fmt.largest_magnitude,
        "infinity": is_inf(fmt, codes),
        "nan": is_nan(fmt, codes),
        "subnormal": is_subnormal(fmt, codes),
        "ordinary": (size > 0) & (size <= fmt.largest_magnitude),
    }
    return {name for name, mask in marks.items() if mask.any()}


def result_of(legal: Legal | None) -> set[str]:
    """The classes of ``sum-result`` among the elements of a result."""
    if legal is None:
        return set()
    codes, known = legal.certain_bits()
    free = legal.why != 0
    found = {"exact"} if known.any() else set()
    found |= {"unjudged"} if free.any() else set()
    only_nan = ~free & legal.nan & (legal.lo > legal.hi)
    found |= {"nan"} if (~free & legal.nan).any() or only_nan.any() else set()
    if (~free & ~known & ~legal.nan).any():
        found.add("rounded")
    if legal.fmt.is_float and known.any() and is_inf(legal.fmt, codes[known]).any():
        found.add("infinity")
    return found
