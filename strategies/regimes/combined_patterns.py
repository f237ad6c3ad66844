"""The regime for reductions: matrices in which it shows which elements were combined, how often, and with what."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from mmaspec.oracle.source import Source
from mmaspec.programs.formats import Format
from mmaspec.strategies.regimes.encoding import scaled, signed, two_complement
from mmaspec.strategies.regimes.extremes.limits import not_numbers
from mmaspec.strategies.regimes.request import Request
from mmaspec.strategies.regimes.stream import Ints, Stream, Words

Pattern = Callable[[Stream, Format, Ints, Ints], Words]
"""(stream, format, row, column) -> the bits of one matrix, where row and column broadcast to its shape."""


def combined(request: Request) -> dict[str, Words]:
    """A pattern for every item in turn; all waves and passes of an item have the same pattern, with other numbers."""
    drawn = {}
    for source in request.sources:
        shape, table = request.shape(source), FLOAT_PATTERNS if source.fmt.is_float else INTEGER_PATTERNS
        bits = np.zeros(shape, np.uint64)
        for item in range(shape[0]):
            stream = request.stream(source.name, item)
            for wave, turn in np.ndindex(*shape[1:3]):
                bits[item, wave, turn] = _matrix(stream, source, table[item % len(table)])
        drawn[source.name] = bits
    return drawn


def _matrix(stream: Stream, source: Source, pattern: Pattern) -> Words:
    rows, cols = source.shape[2:]
    row, col = np.arange(rows).reshape(-1, 1), np.arange(cols).reshape(1, -1)
    return np.broadcast_to(pattern(stream, source.fmt, row, col), (rows, cols))


def _one(fmt: Format) -> int:
    return fmt.bias << fmt.fraction_bits if fmt.is_float else 1


def _ones(_: Stream, fmt: Format, row: Ints, col: Ints) -> Words:
    return np.full(np.broadcast(row, col).shape, _one(fmt), np.uint64)


def _diagonal(stream: Stream, row: Ints, col: Ints) -> np.ndarray[tuple[int, ...], np.dtype[np.bool_]]:
    """One place of every row, and of every column of a square."""
    shift = int(stream.below(col.size, (1,))[0])
    return np.asarray((row + shift) % col.size == col % max(row.size, 1))


def _hole(stream: Stream, fmt: Format, row: Ints, col: Ints) -> Words:
    return np.where(_diagonal(stream, row, col), np.uint64(0), _ones(stream, fmt, row, col))


def _place(stream: Stream, row: Ints, col: Ints) -> np.ndarray[tuple[int, ...], np.dtype[np.bool_]]:
    """One place of all."""
    return np.asarray(row * col.size + col == int(stream.below(row.size * col.size, (1,))[0]))


def _lonely_hole(stream: Stream, fmt: Format, row: Ints, col: Ints) -> Words:
    return np.where(_place(stream, row, col), np.uint64(0), _ones(stream, fmt, row, col))


def _lonely(stream: Stream, fmt: Format, row: Ints, col: Ints) -> Words:
    return np.where(_place(stream, row, col), np.uint64(_one(fmt)), np.uint64(0))


def _diagonal_ones(stream: Stream, fmt: Format, row: Ints, col: Ints) -> Words:
    return np.where(_diagonal(stream, row, col), np.uint64(_one(fmt)), np.uint64(0))


def _powers(_: Stream, fmt: Format, row: Ints, col: Ints) -> Words:
    turn = (row + col) % max(row.size, col.size)
    if fmt.is_float:
        return scaled(fmt, np.ones_like(turn), (turn - 8 - fmt.emin) % (fmt.emax - fmt.emin + 1) + fmt.emin)
    return np.uint64(1) << (turn % fmt.bits).astype(np.uint64)


def _whole(sign: int, span: int = 9) -> Pattern:
    """Small whole numbers of a sign, of either where that is 0."""

    def pattern(stream: Stream, fmt: Format, row: Ints, col: Ints) -> Words:
        shape = np.broadcast(row, col).shape
        most = min(span, (1 << fmt.precision) - 1) if fmt.is_float else span
        numbers = stream.between(1, most, shape) * (stream.sign(shape) if sign == 0 else sign)
        return scaled(fmt, numbers, 0) if fmt.is_float else two_complement(fmt, numbers)

    return pattern


def _rising(_: Stream, fmt: Format, row: Ints, col: Ints) -> Words:
    numbers = (row + col) % (1 << min(fmt.precision, 16)) + 1 if fmt.is_float else row + col + 1
    return scaled(fmt, numbers, 0) if fmt.is_float else two_complement(fmt, numbers)


def _large(alternating: bool) -> Pattern:
    def pattern(_: Stream, fmt: Format, row: Ints, col: Ints) -> Words:
        turn = (row + col) % 2 == 1
        if not fmt.is_float:
            return two_complement(fmt, np.where(turn & alternating, fmt.min_value, fmt.max_value))
        return signed(fmt, np.full(turn.shape, fmt.largest_magnitude - 1), turn & alternating)

    return pattern


def _with(name: str) -> Pattern:
    """Whole numbers with one infinity of either sign, or one NaN, in every row."""

    def pattern(stream: Stream, fmt: Format, row: Ints, col: Ints) -> Words:
        numbers = _whole(0)(stream, fmt, row, col)
        here = _diagonal(stream, row, col)
        infinity, nan, *_ = not_numbers(fmt)
        if name == "nan":
            return np.where(here, np.uint64(nan), numbers)
        top = np.uint64(infinity)
        beside = np.roll(here, 1, axis=1)
        return np.where(here, top, np.where(beside, top | np.uint64(fmt.sign_bit), numbers))

    return pattern


def _zeros(both: bool) -> Pattern:
    def pattern(_: Stream, fmt: Format, row: Ints, col: Ints) -> Words:
        minus = ((row + col) % 2 == 1) if both else (row + col >= 0)
        return np.where(minus, np.uint64(fmt.sign_bit), np.uint64(0))

    return pattern


def _subnormal(stream: Stream, fmt: Format, row: Ints, col: Ints) -> Words:
    shape = np.broadcast(row, col).shape
    numbers = stream.between(1, 1 << (fmt.fraction_bits - 1), shape)
    ends = np.array([1, (1 << fmt.fraction_bits) - 1, 1 << fmt.fraction_bits])[stream.below(3, shape)]
    return signed(fmt, np.where(stream.percent(30, shape), ends, numbers), stream.percent(50, shape))


def _fractions(stream: Stream, fmt: Format, row: Ints, col: Ints) -> Words:
    shape = np.broadcast(row, col).shape
    numbers = stream.between(1 << fmt.fraction_bits, (2 << fmt.fraction_bits) - 1, shape)
    return scaled(fmt, numbers, stream.between(-3, 3, shape) - fmt.fraction_bits)


def _beyond_count(stream: Stream, fmt: Format, row: Ints, col: Ints) -> Words:
    """Ones beside a number to which no single one can be added: a wider accumulator counts them."""
    here = _diagonal(stream, row, col)
    return np.where(here, scaled(fmt, np.array(1), fmt.precision), _ones(stream, fmt, row, col))


def _any_integer(stream: Stream, fmt: Format, row: Ints, col: Ints) -> Words:
    return stream.raw(np.broadcast(row, col).shape) & np.uint64(fmt.mask)


FLOAT_PATTERNS: tuple[Pattern, ...] = (
    _ones, _hole, _lonely, _whole(0), _lonely_hole, _diagonal_ones, _powers, _whole(-1), _large(False), _large(True),
    _with("infinities"), _with("nan"), _zeros(True), _zeros(False), _subnormal, _rising, _whole(1), _fractions,
    _beyond_count,
)  # fmt: skip
"""Of items of floats."""

INTEGER_PATTERNS: tuple[Pattern, ...] = (
    _ones, _hole, _lonely, _any_integer, _lonely_hole, _diagonal_ones, _powers, _whole(-1), _large(False),
    _large(True), _rising, _whole(1),
)  # fmt: skip
"""Of items of integers."""
