"""Data regimes for integers: small, full range, and sums that leave the accumulator's range in both directions."""

from __future__ import annotations

from math import isqrt

import numpy as np

from mmaspec.oracle.source import Source
from mmaspec.programs.formats import Format
from mmaspec.strategies.regimes.encoding import two_complement
from mmaspec.strategies.regimes.extremes.ends import meet_the_ends
from mmaspec.strategies.regimes.request import Request
from mmaspec.strategies.regimes.stream import ArrayShape, Ints, Stream, Words

_SCALARS = np.array([1, -1, 2, 3, -3, 5, 7, -2])


def _extremes(fmt: Format) -> Words:
    """Codes at which signedness and width show: both ends, the sign bit alone, all ones, one, zero."""
    top = 1 << (fmt.bits - 1)
    return np.array([top, top - 1, fmt.mask, fmt.mask - 1, 1, 0], np.uint64)


def _small(stream: Stream, fmt: Format, shape: ArrayShape, limit: int) -> Ints:
    low, high = max(-limit, fmt.min_value), min(limit, fmt.max_value)
    return stream.between(low, high, shape) * ~stream.percent(25, shape)


def _scalar(stream: Stream, fmt: Format, shape: ArrayShape) -> Ints:
    value = _SCALARS[stream.below(len(_SCALARS), shape)]
    return value if fmt.signed else np.abs(value)


def small(request: Request) -> dict[str, Words]:
    """Small factors, about a quarter zeros, and addends that no sum carries out of range."""
    drawn = {}
    for source in request.sources:
        stream, shape, fmt = request.stream(source.name), request.shape(source), source.fmt
        if source.role == "scalar":
            values = _scalar(stream, fmt, shape)
        else:
            values = _small(stream, fmt, shape, min(1 << 14, fmt.max_value // 4) if source.role == "c" else 9)
        drawn[source.name] = two_complement(fmt, values)
    return drawn


def _full(stream: Stream, source: Source, shape: ArrayShape) -> Words:
    """Every code, a fifth ends of the range; a few whole lines along K are the sign bit alone.

    Where a row and a column of those meet, every product is the largest there is: two of s8 leave 16 bits, which
    ends that are strewn seldom do.
    """
    fmt = source.fmt
    bits = stream.raw(shape) & np.uint64(fmt.mask)
    ends = _extremes(fmt)
    strewn = np.where(stream.percent(20, shape), ends[stream.below(len(ends), shape)], bits)
    lines = (*shape[:3], 1, shape[4]) if source.role == "b" else (*shape[:4], 1)
    return np.where(stream.percent(8, lines), ends[0], strewn)


def wild(request: Request) -> dict[str, Words]:
    """Factors over their full range, a fifth of them at its ends; addends within +-2^30."""
    drawn = {}
    for source in request.sources:
        stream, shape, fmt = request.stream(source.name), request.shape(source), source.fmt
        if source.role == "c":
            limit = min(1 << 30, fmt.max_value // 2)
            drawn[source.name] = two_complement(fmt, stream.between(-limit if fmt.signed else 0, limit - 1, shape))
        else:
            drawn[source.name] = _full(stream, source, shape)
    return drawn


def full(request: Request) -> dict[str, Words]:
    """Factors over their full range as in ``wild``, addends and scalars as in ``small``.

    So it shows whose sign and width count where, and sums stay in range: of small factors signed and unsigned ones
    are alike.
    """
    drawn = small(request)
    for source in (*request.of("a"), *request.of("b")):
        drawn[source.name] = _full(request.stream(source.name), source, request.shape(source))
    return drawn


def typical_sum(request: Request) -> int:
    """About an eighth of the spread of one product's sums, so that a good part of them crosses an end of the range."""
    size = isqrt(request.depth)
    for role in (request.of("a"), request.of("b")):
        size *= 1 << (max((source.fmt.bits for source in role), default=8) - 1)
    return max(size // 8, 1)


def overflow(request: Request) -> dict[str, Words]:
    """Addends close to either end of their range, an eighth of them in the middle; factors as in ``wild``.

    Some addends are the ends themselves, some rows of left factors are zeros, and some addends make their sum meet an
    end of the range to the unit.
    """
    near = min(typical_sum(request), 1 << 20)
    drawn = {}
    for source in request.sources:
        stream, shape, fmt = request.stream(source.name), request.shape(source), source.fmt
        if source.role != "c":
            drawn[source.name] = _full(stream, source, shape)
            if source.role == "a":
                rows = request.stream(source.name, "rows").percent(6, (*shape[:4], 1))
                drawn[source.name] = np.where(rows, np.uint64(0), drawn[source.name])
            continue
        distance = stream.below(min(near, fmt.max_value // 2) + 1, shape)
        distance[request.stream(source.name, "ends").percent(6, shape)] = 0
        lower = np.uint64(fmt.min_value & fmt.mask) + distance.astype(np.uint64)
        upper = np.uint64(fmt.max_value) - distance.astype(np.uint64)
        ends = np.where(stream.percent(50, shape), upper, lower)
        drawn[source.name] = np.where(stream.percent(12, shape), distance.astype(np.uint64), ends)
    meet_the_ends(request, drawn)
    return drawn
