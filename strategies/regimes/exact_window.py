"""The exact window: sums of small integers that every order, width and rounding of an adder gets exactly right.

a = i * 2^alpha(row), b = j * 2^beta(column), c = m * 2^(alpha + beta), and the sum of all |i j| + |m| *over the
whole chain* stays below 2^p for an accumulator of p bits. One term (c, where there is one) lies in the top
binade, for without it an accumulator that lacks bits is exact as well and nothing is tested.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mmaspec.oracle.source import Source
from mmaspec.strategies.regimes.encoding import scaled, signed
from mmaspec.strategies.regimes.request import Request
from mmaspec.strategies.regimes.stream import Ints, Words

SPREAD = 20
"""Largest magnitude of alpha and beta."""

MOST_BITS = 31
"""Largest window: f64 has more bits than a draw, and this many are too many for every narrower accumulator."""

_SCALARS = np.array([1, -1, 3, -3, 5, 1, -1, 7])


@dataclass(frozen=True)
class Budget:
    """How the window is divided among the factors, in integers; every field is a bound on magnitudes.

    ``left`` and ``right`` are log2 of the largest |i| and |j|, ``kept`` of ``chain * depth`` terms may be other
    than zero, ``lead`` is log2 of the largest factors of the leading product (-1, -1: there is none).
    """

    bits: int
    products: int
    left: int
    right: int
    kept: int
    lead: tuple[int, int]
    others: int

    @property
    def top(self) -> int:
        """Largest |m| of the addend in the top binade."""
        return (1 << self.bits) - 1 - self.products - self.others


def budget(request: Request) -> Budget:
    """Share the window of the accumulator out over the addends and the terms of the chain."""
    bits = min(request.accumulator.precision, MOST_BITS)
    addends = len(request.of("c"))
    tensors = any(source.tensor for source in request.of("a", "b"))
    lead = (-1, -1)
    if addends:
        products = 1 << (bits - 2 - (addends > 1))
    else:
        products = 1 << (bits - 1)
        room = bits - 1 - (request.repeats - 1).bit_length()
        if not tensors and request.depth > 1 and request.of("a") and request.of("b") and room >= 2:
            lead = (room - room // 2, room // 2)
    others = 1 << (bits - 3) if addends > 1 else 0
    width = (products // request.terms).bit_length() - 1
    if width < 0:
        return Budget(bits, products, 0, 0, max(products // request.repeats, 1), lead, others)
    most = [min([source.fmt.precision for source in request.of(role)], default=bits) for role in ("a", "b")]
    right = min(width // 2, most[1])
    left = min(width - right, most[0])
    right = min(width - left, most[1])
    return Budget(bits, products, left, right, request.terms, lead, others)


@dataclass(frozen=True)
class Scales:
    """alpha ``(batch, rows)`` and beta ``(batch, cols)``; both 0 where a whole tensor lies in memory."""

    alpha: Ints
    beta: Ints

    def of(self, source: Source) -> Ints:
        """The exponents of a source's elements, broadcasting to ``(batch, waves, passes, rows, cols)``."""
        _, _, rows, cols = source.shape
        alpha = self.alpha[:, None, None, :rows, None] if rows <= self.alpha.shape[1] else np.zeros(1, np.int64)
        beta = self.beta[:, None, None, None, :cols] if cols <= self.beta.shape[1] else np.zeros(1, np.int64)
        if source.tensor:
            return np.zeros((1, 1, 1, 1, 1), np.int64)
        if source.role == "a" or (source.role == "c" and cols == 1):
            return alpha
        if source.role == "b" or (source.role == "c" and rows == 1 and self.alpha.shape[1] > 1):
            return beta
        return alpha + beta


def exponent_range(source: Source, share: Budget) -> tuple[int, int]:
    """Smallest and largest exponent at which every integer of a source is a normal number of its format."""
    fmt = source.fmt
    if source.role == "c":
        return fmt.emin - max(share.bits - fmt.precision, 0), fmt.emax + 1 - share.bits
    largest = max(share.left, share.lead[0]) if source.role == "a" else max(share.right, share.lead[1])
    return fmt.emin, fmt.emax - largest


def scales(request: Request, share: Budget, *, high: bool = False) -> Scales:
    """Row and column scales such that nothing, sums included, is subnormal or overflows.

    A quarter of the items has none; half of them where the addend is a constant or a scalar, which has none either.
    ``high`` keeps them near the top of the range, to leave room below.
    """
    margin = 3 if request.of("scalar") else 0
    constant = request.of("scalar") or not request.of("c")
    plain_share = 0 if high else 50 if constant else 25
    acc = request.accumulator
    sums = [(acc.emin, acc.emax + 1 - share.bits)] + [exponent_range(s, share) for s in request.of("c")]
    low, top = max(pair[0] for pair in sums) + margin, min(pair[1] for pair in sums) - margin
    drawn = []
    for role, axis in (("a", 2), ("b", 3)):
        own = [exponent_range(source, share) for source in request.of("a" if role == "a" else "b")]
        lowest = max([-(-low // 2), -SPREAD, *(pair[0] for pair in own)])
        highest = min([top // 2, SPREAD, *(pair[1] for pair in own)])
        lowest = min(lowest, highest)
        if high:
            lowest = max(lowest, highest - 2)
        stream = request.stream("scale", role)
        matrices = request.of("a", "c") if role == "a" else request.of("b", "c")
        extent = max((source.shape[axis] for source in matrices if not source.tensor), default=1)
        shape = (request.batch, extent)
        exponents = stream.between(lowest, highest, shape)
        plain = request.stream("plain").percent(plain_share, (request.batch, 1))
        exponents = np.where(plain, min(max(0, lowest), highest), exponents)
        drawn.append(np.zeros(shape, np.int64) if any(source.tensor for source in matrices) else exponents)
    return Scales(drawn[0], drawn[1])


def _factor(request: Request, source: Source, share: Budget, lead: Ints, offset: int) -> Ints:
    """The integers of a left or right factor; ``offset`` counts the terms of earlier left factors."""
    stream, shape = request.stream(source.name), request.shape(source)
    largest = 1 << (share.left if source.role == "a" else share.right)
    integers = stream.between(1, largest, shape) * stream.sign(shape)
    integers *= ~stream.percent(25, shape)
    if source.role == "a":
        _, passes, rows, depth = source.shape
        every = request.chain * request.depth
        if share.kept < every:
            term = offset + np.arange(passes)[:, None, None] * request.depth + np.arange(depth)
            rank = (term * 0x9E3779B1 + np.arange(rows)[:, None] * 7) % every
            integers *= rank < share.kept
    if share.lead[0] < 0:
        return integers
    # The leading product: one column of one left factor, one row of every right factor.
    item = np.arange(request.batch)
    width = share.lead[0] if source.role == "a" else share.lead[1]
    precision = min(width, source.fmt.precision)
    thin = (stream.between(1 << (precision - 1), (1 << precision) - 1, shape) << (width - precision)) * stream.sign(
        shape
    )
    if source.role == "b":
        integers[item, :, :, lead % shape[3], :] = thin[item, :, :, lead % shape[3], :]
        return integers
    column = lead % shape[4]
    integers[item, :, :, :, column] = 0
    if offset == 0:
        integers[item, :, 0, :, column] = thin[item, :, 0, :, column]
    return integers


def _addend(request: Request, source: Source, share: Budget, index: int) -> Ints:
    stream, shape = request.stream(source.name), request.shape(source)
    top = stream.between(1 << (share.bits - 1), share.top, shape)
    addends = len(request.of("c"))
    if addends > 1:
        small = stream.below(share.others // (addends - 1) + 1, shape)
        owner = request.stream("owner").below(addends, (request.batch, 1, 1, 1, 1))
        top = np.where(owner == index, top, small)
    lost = max(share.bits - source.fmt.precision, 0)
    return (top >> lost << lost) * stream.sign(shape) * ~stream.percent(6, shape)


def integers(request: Request, share: Budget) -> dict[str, Ints]:
    """i, j and m of every factor and addend, by the name of the source."""
    drawn: dict[str, Ints] = {}
    lead = request.stream("lead").below(max(request.depth, 1), (request.batch,))
    offset = 0
    for source in request.of("a"):
        drawn[source.name] = _factor(request, source, share, lead, offset)
        offset += source.shape[1] * request.depth
    for source in request.of("b"):
        drawn[source.name] = _factor(request, source, share, lead, 0)
    for index, source in enumerate(request.of("c")):
        drawn[source.name] = _addend(request, source, share, index)
    return drawn


def scalars(request: Request) -> dict[str, Words]:
    """Small integers, so that sums with a matrix filled by one stay exact wherever there is no scale."""
    drawn = {}
    for source in request.of("scalar"):
        stream, shape = request.stream(source.name), request.shape(source)
        value = _SCALARS[stream.below(len(_SCALARS), shape)]
        drawn[source.name] = scaled(source.fmt, value, stream.between(0, 1, shape))
    return drawn


def encoded(request: Request, share: Budget, scale: Scales) -> dict[str, Words]:
    """The bits of a window with these scales. A tenth of the zeros is negative."""
    drawn, numbers = scalars(request), integers(request, share)
    for source in request.of("a", "b", "c"):
        values = numbers[source.name]
        low, high = exponent_range(source, share)
        bits = scaled(source.fmt, values, np.clip(scale.of(source), low, high))
        negative = (values == 0) & request.stream(source.name, "zero").percent(10, (1, *source.shape))
        drawn[source.name] = bits | signed(source.fmt, np.zeros(1, np.int64), negative)
    return drawn


def window(request: Request) -> dict[str, Words]:
    """Exact sums for everything in the program."""
    share = budget(request)
    return encoded(request, share, scales(request, share))
