"""The regime for conversions: numbers at which some format ends or rounds differently, and numbers beside lost ones.

What a conversion is given does not say what it gives: the table of a format has the limits of all others.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from functools import cache

import numpy as np

from mmaspec.oracle.source import Source
from mmaspec.programs.formats import FORMATS, Format
from mmaspec.strategies.regimes.encoding import scaled, two_complement
from mmaspec.strategies.regimes.request import Request
from mmaspec.strategies.regimes.stream import ArrayShape, Stream, Words

FLOATS = ("f16", "bf16", "f32", "f64")
INTEGERS = ("s8", "u8", "s16", "u16", "s32", "u32")

ITEMS = 8
"""After so many items the kinds of item begin again: four of limits, then four of numbers beside lost ones."""

_HALF = Fraction(1, 2)


def limits(request: Request) -> dict[str, Words]:
    """Limits of every format in turn over the elements of most items; in others numbers that every format holds.

    Among those one is no number that an integer can be, or one of two, or one of four, or all but one: NaN, an infinity
    or beyond every range. Of integers it is 0, as a divisor.
    """
    drawn = {}
    for source in request.sources:
        stream, shape = request.stream(source.name), request.shape(source)
        table = np.array(patterns(source.fmt), np.uint64)
        count = int(np.prod(shape))
        step = next(step for step in (89, 97, 101) if len(table) % step)
        places = stream.below(len(table), (1,)) + np.arange(count) * step
        bits = table[places % len(table)].reshape(shape)
        beside = _beside_lost(stream, source, shape)
        item = np.arange(shape[0]).reshape(-1, 1, 1, 1, 1) % ITEMS
        drawn[source.name] = np.where(item < ITEMS // 2, bits, beside)
    return drawn


def _beside_lost(stream: Stream, source: Source, shape: ArrayShape) -> Words:
    fmt = source.fmt
    small = stream.between(1, min(100, (1 << fmt.precision) - 1) if fmt.is_float else 100, shape)
    if fmt.is_float:
        numbers = scaled(fmt, small, -2)
        infinity, nan, *_ = not_numbers(fmt)
        lost = np.array([nan, infinity | fmt.sign_bit, fmt.largest_magnitude], np.uint64)
    else:
        numbers, lost = two_complement(fmt, small), np.zeros(3, np.uint64)
    size = shape[3] * shape[4]
    place = np.arange(size).reshape(shape[3], shape[4])
    one = stream.below(size, (*shape[:3], 1, 1))
    turn = stream.below(4, (*shape[:3], 1, 1))
    item = np.arange(shape[0]).reshape(-1, 1, 1, 1, 1) % ITEMS
    here = np.select(
        [item == 4, item == 5, item == 6], [place == one, place % 2 == turn % 2, place % 4 == turn], place != one
    )
    found: Words = np.where(here, lost[(place + turn) % 3], numbers)
    return found


@cache
def patterns(fmt: Format) -> tuple[int, ...]:
    """The bits of every limit in a format, each once."""
    return tuple(sorted(set(_float_patterns(fmt) if fmt.is_float else _integer_patterns(fmt))))


def below(fmt: Format, value: Fraction) -> int:
    """Exponent and fraction bits of the largest finite float up to a value that is not negative."""
    if value < Fraction(2) ** fmt.qmin:
        return 0
    exponent = value.numerator.bit_length() - value.denominator.bit_length()
    if Fraction(2) ** exponent > value:
        exponent -= 1
    exponent = max(exponent, fmt.emin)
    significand = int(value / Fraction(2) ** (exponent - fmt.fraction_bits))
    return min((exponent + fmt.bias - 1 << fmt.fraction_bits) + significand, fmt.largest_magnitude)


def not_numbers(fmt: Format) -> tuple[int, ...]:
    """Magnitudes of infinity and of NaN: quiet, signalling, with payloads that a narrower format would cut.

    The largest finite number instead of what a format lacks.
    """
    if not fmt.infinities or fmt.nans != "ieee":
        nan = fmt.largest_magnitude if fmt.nans == "none" else fmt.nan_bits
        return (fmt.largest_magnitude, nan, nan, nan, nan, nan)
    top, half = fmt.infinity_magnitude, fmt.fraction_bits // 2
    return (top, fmt.nan_bits, top + 1, top + (1 << half) - 1, fmt.nan_bits + 1, fmt.sign_bit - 1)


def _float_patterns(fmt: Format) -> Iterator[int]:
    magnitudes = {0, 1, 2, (1 << fmt.fraction_bits) - 1, 1 << fmt.fraction_bits, fmt.largest_magnitude}
    magnitudes |= set(not_numbers(fmt))
    for value in (*_of_floats(fmt), *_of_integers()):
        code = below(fmt, value)
        magnitudes |= {max(code - 1, 0), code, min(code + 1, fmt.largest_magnitude)}
    for magnitude in magnitudes:
        yield magnitude
        yield magnitude | fmt.sign_bit


def _of_floats(fmt: Format) -> Iterator[Fraction]:
    """Numbers at which other float formats end, or between two of theirs."""
    for name in FLOATS:
        other = FORMATS[name]
        if other is fmt:
            continue
        significand, exponent = other.largest
        last, quantum = Fraction(2) ** -other.fraction_bits, Fraction(2) ** other.qmin
        largest, normal = significand * Fraction(2) ** exponent, Fraction(2) ** other.emin
        yield from (largest, largest + Fraction(2) ** (exponent - 1), Fraction(2) ** (other.emax + 1))
        yield from (normal, normal - quantum * _HALF, 5 * quantum, quantum, quantum * _HALF, quantum * 3 * _HALF)
        yield from (1 + last * _HALF, 1 + last * 3 * _HALF, 2 - last * _HALF, 1 + last / 4)


def _of_integers() -> Iterator[Fraction]:
    """Halves, and numbers at which integer formats end."""
    yield from (Fraction(n, 4) for n in (1, 2, 3, 4, 6, 10, 14, 510, 1022))
    for name in INTEGERS:
        top = FORMATS[name].max_value
        yield from (Fraction(top), Fraction(top + 1), top + _HALF)
    # Beyond every target, but where one that keeps a sum in a word of 64 bits begins again.
    yield from (Fraction(3 << 30), Fraction(1 << 40), Fraction(1 << 63), Fraction(1 << 64))


def _integer_patterns(fmt: Format) -> Iterator[int]:
    numbers = {0x1234_5678, 0x0102_0304, 0x5A, 65504, 65519, 65520, 65521}
    for k in range(fmt.bits + 1):
        numbers |= {(1 << k) - 1, 1 << k, (1 << k) + 1}
    for name in FLOATS[:3]:
        precision = FORMATS[name].precision
        numbers |= {(1 << precision) + 1, (1 << precision) + 3, (2 << precision) - 1}
        numbers |= {(16 << precision) + beside for beside in (7, 8, 9, 15, 16, 17, 24)}
    numbers |= set(_rounded_twice(fmt))
    for number in numbers:
        for value in (number, -number):
            if fmt.min_value <= value <= fmt.max_value:
                yield value & fmt.mask


def _rounded_twice(fmt: Format) -> Iterator[int]:
    """Numbers of the full width beside ties of a float format, some so near that a wider one has the tie itself."""
    length = fmt.bits - fmt.signed
    for narrow, wider in (("bf16", ("f32", "f64")), ("f32", ("f64",)), ("f64", ())):
        precision = FORMATS[narrow].precision
        if length <= precision + 1:
            continue
        halves = [1 << length - FORMATS[wide].precision - 1 for wide in wider if length > FORMATS[wide].precision + 1]
        for last in (0, 1):
            tie = 2 * ((1 << precision - 1) + last) + 1 << length - precision - 1
            for beside in (1, *(half - 1 for half in halves)):
                yield from (tie - beside, tie, tie + beside)
