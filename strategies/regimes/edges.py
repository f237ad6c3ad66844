"""The regime for operations on single elements: every class of value beside every other, scalars included."""

from __future__ import annotations

import numpy as np

from mmaspec.oracle.source import Source
from mmaspec.programs.formats import Format
from mmaspec.strategies.regimes.encoding import exponent_code, signed, two_complement
from mmaspec.strategies.regimes.floats import fractions
from mmaspec.strategies.regimes.request import Request
from mmaspec.strategies.regimes.stream import ArrayShape, Ints, Stream, Words
from mmaspec.strategies.regimes.whole import whole

FLOAT_CLASSES = ("ordinary", "subnormal", "tiny", "huge", "power", "zero", "inf", "nan")
"""Classes of floats. Tiny ones lie in the lowest binades of normal numbers, huge ones in the highest."""

_STREWN = np.array([0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 7])
"""Classes of the elements of a matrix: each occurs as often as it stands here."""

_ALONE = np.array([0, 1, 6, 3, 5, 2, 7, 4])
"""Classes of scalars, one an item in turn."""

_BESIDE = (-1, 0, 1)


def edges(request: Request) -> dict[str, Words]:
    """Zeros, subnormals, NaN, infinities, both ends of the range, powers of two and their neighbours.

    Elements of addends are of a class each, and scalars take every class in turn from item to item. A line of a factor
    along K is of one class, for the sake of its sum: a special beside zeros and ordinary numbers, subnormals that add
    up, one of them or a tiny number that stands alone, nothing but zeros.
    """
    drawn = {}
    for source in request.sources:
        stream, shape, fmt = request.stream(source.name), request.shape(source), source.fmt
        if source.role in ("a", "b"):
            drawn[source.name] = _lines(stream, source, shape)
        elif fmt.is_float:
            kinds = _in_turn(stream, shape, _ALONE) if source.role == "scalar" else _any(stream, shape, _STREWN)
            drawn[source.name] = _floats(stream, fmt, kinds)
        else:
            table = ends_and_powers(fmt)
            index = np.arange(len(table), dtype=np.int64)
            # Neighbouring items get values far apart, and all of the table in the end.
            step = next(step for step in (37, 41) if len(table) % step)
            alone = source.role == "scalar"
            codes = _in_turn(stream, shape, table[index * step % len(table)]) if alone else _any(stream, shape, table)
            anything = stream.raw(shape).view(np.int64)
            drawn[source.name] = two_complement(
                fmt, codes if alone else np.where(stream.percent(20, shape), anything, codes)
            )
    return drawn


def ends_and_powers(fmt: Format) -> Ints:
    """Powers of two of an integer format with their neighbours, of both signs, and small numbers.

    The ends, and the numbers that leave a value as it was, stand there several times: results on the boundary itself
    come from them.
    """
    low, high = max(fmt.min_value, -(1 << 63)), min(fmt.max_value, (1 << 63) - 1)
    powers = {
        sign * (1 << k) + beside for k in range(fmt.bits) for beside in _BESIDE for sign in ((1, -1) if low else (1,))
    }
    found = sorted(value for value in powers | {3, 5, 7, 10, 100} if low <= value <= high)
    often = [value for value in (low, high, 1, -1, 0, low + 1, high - 1, 2) if low <= value <= high]
    spread: list[int] = []
    for n, value in enumerate(found):
        spread.append(value)
        if n % 3 == 0:
            spread.append(often[n // 3 % len(often)])
    return np.array(spread, np.int64)


def _any(stream: Stream, shape: ArrayShape, options: Ints) -> Ints:
    """One of the options for every element."""
    found: Ints = options[stream.below(len(options), shape)]
    return found


def _in_turn(stream: Stream, shape: ArrayShape, options: Ints) -> Ints:
    """The options one after another from item to item, from a start of the stream's own."""
    start = stream.below(len(options), (1,))
    item = (start + np.arange(shape[0])) % len(options)
    return np.broadcast_to(options[item].reshape(-1, *(1 for _ in shape[1:])), shape)


def _floats(stream: Stream, fmt: Format, kinds: Ints) -> Words:
    """The bits of numbers of these classes; a class that the format lacks gives ordinary ones."""
    shape = kinds.shape
    fraction, zero = fractions(stream, fmt, shape), np.zeros(shape, np.int64)
    ordinary = exponent_code(fmt, stream.between(-3, 3, shape), fraction)
    infinite = zero + fmt.infinity_magnitude if fmt.infinities else ordinary
    magnitudes = (
        ordinary,
        np.maximum(fraction, 1),
        exponent_code(fmt, stream.between(fmt.emin, fmt.emin + 2, shape), fraction),
        exponent_code(fmt, stream.between(fmt.emax - 2, fmt.emax, shape), fraction),
        exponent_code(fmt, stream.between(fmt.emin, fmt.emax, shape), zero),
        zero,
        infinite,
        zero + fmt.nan_bits if fmt.nans != "none" else infinite,
    )
    return signed(fmt, np.choose(kinds, magnitudes), stream.percent(50, shape))


def _lines(stream: Stream, source: Source, shape: ArrayShape) -> Words:
    """A factor whose lines along K are each of one kind."""
    fmt, axis = source.fmt, 3 if source.role == "a" else 2
    across = (*shape[:4], 1) if source.role == "a" else (*shape[:3], 1, shape[4])
    kind, place = stream.below(6, across), stream.below(source.shape[axis], across)
    depth = np.arange(source.shape[axis]).reshape((-1,) if source.role == "a" else (-1, 1))
    here = depth == place
    if not fmt.is_float:
        ends = np.array([fmt.min_value, fmt.max_value, 1, fmt.max_value - 1, fmt.min_value + 1])
        alone = np.where(here, _any(stream, across, ends), 0)
        wild = stream.raw(shape).view(np.int64)
        same = np.broadcast_to(_any(stream, across, ends), shape)
        return two_complement(
            fmt, np.select([kind == 0, kind < 3, kind == 3], [np.zeros(shape, np.int64), alone, same], wild)
        )
    special = np.where(here, _any(stream, across, np.array([6, 7, 3, 4])), _any(stream, shape, np.array([0, 0, 5])))
    lonely = np.where(here, _any(stream, across, np.array([1, 2])), 5)
    several = _any(stream, shape, np.array([1, 1, 5]))
    kinds = np.select([kind == 0, kind == 1, kind == 2, kind == 3], [np.full(shape, 5), lonely, several, special], 0)
    bits = _floats(stream, fmt, kinds)
    # Subnormals of one sign add up.
    sign = np.uint64(fmt.sign_bit)
    return np.where(kind == 2, bits & ~sign, bits)


def whole_and_edges(request: Request) -> dict[str, Words]:
    """Even items whole, odd ones edges: for casts, which are exact for the former and a neighbour for the latter."""
    exact, rough = whole(request), edges(request)
    for name, bits in exact.items():
        bits[1::2] = rough[name][1::2]
    return exact
