"""Data regimes for floats: ordinary, every finite code, mostly subnormal, near the largest finite number."""

from __future__ import annotations

import math

import numpy as np

from mmaspec.programs.formats import Format
from mmaspec.strategies.regimes.encoding import exponent_code, signed
from mmaspec.strategies.regimes.request import Request
from mmaspec.strategies.regimes.stream import ArrayShape, Ints, Stream, Words

_CHUNK = 1 << 14
"""Elements whose temporaries stay in cache."""


def fractions(stream: Stream, fmt: Format, shape: ArrayShape) -> Ints:
    """Random fraction bits; those of formats beyond 32 bits as well."""
    return (stream.raw(shape) >> np.uint64(64 - fmt.fraction_bits)).astype(np.int64)


def normals(stream: Stream, fmt: Format, low: int | Ints, high: int | Ints, shape: ArrayShape) -> Words:
    """Normal numbers of either sign with exponents in ``[low, high]``, moved into the format's range."""
    magnitude = exponent_code(fmt, stream.between(low, high, shape), fractions(stream, fmt, shape))
    return signed(fmt, magnitude, stream.percent(50, shape))


def scalar(stream: Stream, fmt: Format, shape: ArrayShape) -> Words:
    """An ordinary number that neither overflows nor vanishes when it multiplies or divides."""
    return normals(stream, fmt, -3, 3, shape)


def normal(request: Request) -> dict[str, Words]:
    """Numbers around 1, a few zeros; addends reach a little higher."""
    drawn = {}
    for source in request.sources:
        stream, shape = request.stream(source.name), request.shape(source)
        zeros = 0 if source.role == "scalar" else 3
        drawn[source.name] = ordinary(stream, source.fmt, -3, 5 if source.role == "c" else 3, zeros, shape)
    return drawn


def ordinary(stream: Stream, fmt: Format, low: int, high: int, zeros: int, shape: ArrayShape) -> Words:
    """Normal numbers as ``normals`` gives, and ``zeros`` in 100 zeros, in few passes over narrow words.

    Two words of the format's width each: one is sign and fraction where they stand; the upper half of the other
    is scaled to the exponent, the lower half decides on zeros.
    """
    if fmt.emin > low or fmt.emax < high:
        return normals(stream, fmt, low, high, shape) * ~stream.percent(zeros, shape)
    drawn = np.empty(math.prod(shape), np.uint64)
    width = max(16, fmt.nbytes * 8)
    word, half = np.dtype(f"u{width // 8}").type, width // 2
    for start in range(0, len(drawn), _CHUNK):
        part = drawn[start : start + _CHUNK]
        bits = stream.words(width, len(part))
        bits &= word(fmt.sign_bit | (1 << fmt.fraction_bits) - 1)
        other = stream.words(width, len(part))
        exponent = other >> word(half)
        exponent *= word(high - low + 1)
        exponent >>= word(half)
        exponent += word(low + fmt.bias)
        exponent <<= word(fmt.fraction_bits)
        bits |= exponent
        other &= word((1 << half) - 1)
        bits *= other >= word((zeros << half) // 100)
        part[:] = bits
    return drawn.reshape(shape)


def factor_limit(request: Request) -> int:
    """The largest exponent of factors at which no product sum can overflow the accumulator."""
    return (request.accumulator.emax - request.terms.bit_length() - 2) // 2


def wild(request: Request) -> dict[str, Words]:
    """Every finite code, -0 and subnormals included.

    In three items of four the factors are capped so that sums stay finite, in half the addends are of the
    size of the products, so that neither hides the other.
    """
    limit = factor_limit(request)
    variant = request.stream("variant").below(4, (request.batch, 1, 1, 1, 1))
    drawn = {}
    for source in request.sources:
        stream, shape, fmt = request.stream(source.name), request.shape(source), source.fmt
        if source.role == "c":
            comparable = normals(stream, fmt, 2 * limit - 12, 2 * limit, shape)
            anything = stream.raw(shape)
            chosen = signed(fmt, _below(anything, fmt.largest_magnitude + 1), anything % np.uint64(2) == 1)
            drawn[source.name] = np.where(variant % 2 == 0, chosen, comparable)
            continue
        cap = min(fmt.largest_magnitude, (min(limit, fmt.emax) + 1 + fmt.bias) << fmt.fraction_bits)
        words = stream.raw(shape)
        codes = np.where(variant == 0, _below(words, fmt.largest_magnitude + 1), _below(words, cap))
        drawn[source.name] = signed(fmt, codes, words % np.uint64(2) == 1)
    return drawn


def _below(words: Words, count: int) -> Ints:
    """Random words into ``[0, count)``. The lowest bit is left to the sign."""
    if count <= 1 << 32:
        return ((words >> np.uint64(32)) * np.uint64(count) >> np.uint64(32)).astype(np.int64)
    return ((words >> np.uint64(1)) % np.uint64(count)).astype(np.int64)


def subnormal(request: Request) -> dict[str, Words]:
    """Half the numbers subnormal; the others around 1, or such that products are subnormal in the accumulator.

    An eighth of the rows of left factors are zeros, so that addends meet products that vanish: those of narrow
    formats are too large to leave a subnormal addend anything to show.
    """
    middle = request.accumulator.emin // 2
    drawn = {}
    for source in request.sources:
        stream, shape, fmt = request.stream(source.name), request.shape(source), source.fmt
        if source.role == "scalar":
            drawn[source.name] = scalar(stream, fmt, shape)
            continue
        low = fmt.emin if source.role == "c" else max(fmt.emin, middle - 12)
        high = fmt.emin + 6 if source.role == "c" else max(fmt.emin, middle + 4)
        kind, fraction = stream.below(4, shape), fractions(stream, fmt, shape)
        exponent = stream.between(np.where(kind == 2, -2, low), np.where(kind == 2, 2, high), shape)
        magnitude = np.where(kind < 2, fraction, exponent_code(fmt, exponent, fraction))
        if source.role == "a":
            magnitude = magnitude * ~request.stream(source.name, "rows").percent(12, (*shape[:4], 1))
        drawn[source.name] = signed(fmt, magnitude, stream.percent(50, shape))
    return drawn


def overflow_edge(request: Request) -> dict[str, Words]:
    """Addends and product sums within a few binades of the accumulator's largest finite number.

    In a third of the items everything has one sign, in another each row has.
    """
    around = (request.accumulator.emax - (request.depth - 1).bit_length()) // 2
    variant = request.stream("variant").below(3, (request.batch, 1, 1, 1, 1))
    drawn = {}
    for source in request.sources:
        stream, shape, fmt = request.stream(source.name), request.shape(source), source.fmt
        if source.role == "scalar":
            drawn[source.name] = scalar(stream, fmt, shape)
            continue
        low, high = (fmt.emax - 3, fmt.emax) if source.role == "c" else (around - 2, around + 1)
        ones = stream.percent(20, shape) * ((1 << fmt.fraction_bits) - 1)
        magnitude = exponent_code(fmt, stream.between(low, high, shape), fractions(stream, fmt, shape) | ones)
        rows = stream.percent(50, (*shape[:3], 1, shape[4]) if source.role == "b" else (*shape[:4], 1))
        negative = np.where(variant == 0, False, np.where(variant == 1, rows, stream.percent(50, shape)))
        drawn[source.name] = signed(fmt, magnitude, negative)
    return drawn
