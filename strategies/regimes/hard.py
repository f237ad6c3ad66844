"""Data regimes for rare situations: cancellation, sums beside a midpoint, specials in clean surroundings."""

from __future__ import annotations

import numpy as np

from mmaspec.oracle.source import Source
from mmaspec.programs.formats import Format
from mmaspec.strategies.regimes.beside_ties import beside_ties
from mmaspec.strategies.regimes.encoding import bit_length, scaled
from mmaspec.strategies.regimes.exact_window import budget, encoded, exponent_range, scales, window
from mmaspec.strategies.regimes.floats import fractions, normals, scalar
from mmaspec.strategies.regimes.request import Request
from mmaspec.strategies.regimes.stream import Flags, Ints, Words


def _conformable(request: Request) -> tuple[Source, Source] | None:
    """The first left and right factor, if they are matrices whose inner dimensions agree."""
    for a in request.of("a")[:1]:
        for b in request.of("b")[:1]:
            if not a.tensor and not b.tensor and a.shape[3] == b.shape[2]:
                return a, b
    return None


def cancelling(request: Request) -> dict[str, Words]:
    """Sums far smaller than their terms.

    Even items: the second half of the terms is minus the first, up to a few last bits. Odd items: the
    addend is minus the product of the first two factors, cut to its format.
    """
    drawn = {}
    for source in request.sources:
        stream, shape, fmt = request.stream(source.name), request.shape(source), source.fmt
        if source.role == "scalar":
            drawn[source.name] = scalar(stream, fmt, shape)
            continue
        bits = normals(stream, fmt, -12, -4, shape) if source.role == "c" else normals(stream, fmt, -4, 4, shape)
        if not source.tensor:
            _mirror(bits, source, stream.percent(8, shape))
        drawn[source.name] = bits
    pair = _conformable(request)
    if pair is None or any(source.fmt.precision > 24 for source in pair) or not _by_turns(*pair):
        return drawn
    numbers = []
    for source in pair:
        precision, shape = source.fmt.precision, (request.batch // 2, *source.shape)
        stream = request.stream(source.name, "odd")
        numbers.append(((1 << (precision - 1)) + fractions(stream, source.fmt, shape)) * stream.sign(shape))
        drawn[source.name][1::2] = scaled(source.fmt, numbers[-1], -precision)
    sums = numbers[0] @ numbers[1]  # int64, exact: 2 * 24 bits and at most 2^14 terms
    for source in request.of("c"):
        if not source.tensor and fits(sums.shape, source):
            drawn[source.name][1::2] = _cut(source.fmt, -sums, -pair[0].fmt.precision - pair[1].fmt.precision)
    return drawn


def _by_turns(one: Source, other: Source) -> bool:
    """Whether each wave and pass has one of either, or all have the same: not, where each lane has one."""
    return all(1 in pair or pair[0] == pair[1] for pair in zip(one.shape[:2], other.shape[:2], strict=True))


def fits(shape: tuple[int, ...], source: Source) -> bool:
    """Whether sums of this shape can be a source's values, each wave and pass getting its own or all the same."""
    return shape[3:] == source.shape[2:] and all(
        have in {1, want} for have, want in zip(shape[1:3], source.shape[:2], strict=True)
    )


def _mirror(bits: Words, source: Source, perturb: Flags) -> None:
    """Make the second half of the inner dimension repeat the first, negated on the right-hand side."""
    half = source.shape[3 if source.role == "a" else 2] // 2
    if source.role == "a":
        bits[..., half : 2 * half] = bits[..., :half] ^ perturb[..., :half].astype(np.uint64)
    elif source.role == "b":
        bits[..., half : 2 * half, :] = bits[..., :half, :] ^ np.uint64(source.fmt.sign_bit)


def _cut(fmt: Format, integer: Ints, exponent: int) -> Words:
    """``integer * 2^exponent`` with the bits beyond the format's precision cut off; zero below its normal range."""
    lost = np.maximum(_length(np.abs(integer)) - fmt.precision, 0)
    top = _length(np.abs(integer)) - 1 + exponent
    inside = (top >= fmt.emin) & (top <= fmt.emax)
    significand = np.where(inside, np.abs(integer) >> lost, 0)
    return scaled(fmt, np.sign(integer) * significand, exponent + np.where(inside, lost, 0))


def _length(magnitude: Ints) -> Ints:
    """Bits of integers below 2^63, by halves that frexp takes exactly."""
    high = magnitude >> 31
    return np.where(high > 0, bit_length(high) + 31, bit_length(magnitude & 0x7FFFFFFF))


def near_tie(request: Request) -> dict[str, Words]:
    """Window sums plus half a unit of the accumulator's last place and, for most rows, a crumb beside it.

    A unit that rounds twice, or drops its sticky bit, sees a tie where there is none. In the last item of several the
    crumb is so small that sums in double see one too (`beside_ties`).
    """
    pair = _conformable(request)
    share = budget(request)
    scale = scales(request, share, high=True)
    drawn = encoded(request, share, scale)
    if pair is None or pair[0].shape[3] < 4:
        return drawn
    depth, items = pair[0].shape[3], np.arange(request.batch)
    half = request.stream("half").below(depth, (request.batch,))
    crumb = (half + 1 + request.stream("crumb").below(depth - 1, (request.batch,))) % depth
    for source in request.of("a", "b"):
        if source.tensor or source.shape[3 if source.role == "a" else 2] != depth:
            continue
        left = source.role == "a"
        waves, passes, rows, cols = source.shape
        line = (request.batch, waves, passes, rows if left else cols)
        stream, bits = request.stream(source.name, "tie"), drawn[source.name].swapaxes(3, 4 if left else 3)
        low, high = exponent_range(source, share)
        unit = np.clip(scale.of(source), low, high).reshape(request.batch, 1, 1, -1)
        below = np.maximum(source.fmt.emin, unit - 24) + stream.below(3, line)
        ulp_half = scaled(source.fmt, stream.sign(line), unit - (0 if left else 1))
        tiny = scaled(source.fmt, stream.sign(line), np.minimum(below, unit - 2))
        if not left:
            bits[items, :, :, half], bits[items, :, :, crumb] = ulp_half, tiny
            continue
        bits[items, :, :, half] = 0
        bits[items, :, :, crumb] = 0
        if source is pair[0]:
            bits[items, :, 0, half] = ulp_half[:, :, 0]
            bits[items, :, 0, crumb] = (tiny * ~stream.percent(25, line))[:, :, 0]
    if request.batch > 1:
        beside_ties(request, drawn, *pair)
    return drawn


def specials(request: Request) -> dict[str, Words]:
    """NaN and infinities in one or two rows, columns and addends of a window, which must stay exact elsewhere.

    The zeros of the window meet the infinities of the other side; half the addends' specials stand in the
    row of the left factor's.
    """
    drawn = window(request)
    shared = request.stream("rows").below(1 << 16, (request.batch,))
    items = np.arange(request.batch)
    for source in request.sources:
        stream, fmt, bits = request.stream(source.name, "special"), source.fmt, drawn[source.name]
        codes = _codes(fmt)
        if not len(codes):
            continue
        extents = source.shape
        for attempt in range(2):
            where = [stream.below(extent, (request.batch,)) for extent in extents]
            if source.role == "a" or (source.role == "c" and attempt):
                where[2] = shared % extents[2]
            chosen = stream.percent((60, 30)[attempt], (request.batch,))
            code = codes[stream.below(len(codes), (request.batch,))]
            spot = (items, *where)
            bits[spot] = np.where(chosen, code, bits[spot])
    return drawn


def _codes(fmt: Format) -> Words:
    nan = [fmt.nan_bits, fmt.nan_bits | fmt.sign_bit] if fmt.nans != "none" else []
    infinite = [fmt.infinity_magnitude, fmt.infinity_magnitude | fmt.sign_bit] * 2 if fmt.infinities else []
    return np.array(nan + infinite, np.uint64)
