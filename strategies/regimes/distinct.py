"""The regime for layouts: a different, position-dependent bit pattern in every element."""

from __future__ import annotations

from math import gcd

import numpy as np

from mmaspec.programs.formats import Format
from mmaspec.strategies.regimes.encoding import signed
from mmaspec.strategies.regimes.request import Request
from mmaspec.strategies.regimes.stream import Ints, Words

_STEPS = (101, 59, 23, 149, 211, 13, 83, 173)
"""Primes far apart, from which each axis gets its own."""


def distinct(request: Request) -> dict[str, Words]:
    """No two elements of a source agree, as far as the width of its format allows.

    Where a format has too few codes, elements a step apart on any axis still differ, and so do whole rows,
    columns, waves and passes. Floats are normal; integers use every code.
    """
    drawn = {}
    for source in request.sources:
        fmt, shape = source.fmt, request.shape(source)
        stream = request.stream(source.name)
        salt = (stream.raw((request.batch, 1, 1, 1, 1)) >> np.uint64(16)).astype(np.int64)
        count = _codes(fmt)
        size = int(np.prod(source.shape))
        if size <= count:
            index = np.arange(size, dtype=np.int64).reshape(source.shape)
            step = next(step for step in (1_000_003, 7919, *_STEPS) if gcd(step, count) == 1)
            place = (salt + index * step) % count
        else:
            place = (salt + _linear(source.shape, count)) % count
        drawn[source.name] = _code(fmt, np.broadcast_to(place, shape))
    return drawn


def _linear(shape: tuple[int, ...], count: int) -> Ints:
    steps = [step for step in _STEPS if gcd(step, count) == 1]
    total = np.zeros(shape, np.int64)
    for axis, step in zip(np.indices(shape, sparse=True), steps, strict=False):
        total = total + axis * step
    return total


def _codes(fmt: Format) -> int:
    """The number of codes that the regime uses: normal numbers of both signs, or all integers (at most 2^40)."""
    if fmt.is_float:
        return min(2 * (fmt.largest_magnitude + 1 - (1 << fmt.fraction_bits)), 1 << 40)
    return min(1 << fmt.bits, 1 << 40)


def _code(fmt: Format, place: Ints) -> Words:
    if not fmt.is_float:
        return place.astype(np.uint64)
    return signed(fmt, (place >> 1) + (1 << fmt.fraction_bits), place % 2 == 1)
