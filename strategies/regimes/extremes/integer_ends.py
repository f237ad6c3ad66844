"""The regime of the ends of integer sums: the largest, the least, and one element that leaves the range."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from mmaspec.oracle.source import Source
from mmaspec.strategies.regimes.encoding import two_complement
from mmaspec.strategies.regimes.request import Request
from mmaspec.strategies.regimes.stream import Ints, Words

ENDS = 13
"""Items before those in which one element leaves the range."""

PLACES = 16
"""And those: each row, column and k of sixteen once."""

EXTRA = 2
"""Ends that only ``ends_by_depth`` has."""

FIRST_PLACE = ENDS + EXTRA


SUMMED = 16
"""Ones that a product sums, for whose sum the addends are made, where nothing else is said."""


def integer_ends(request: Request) -> dict[str, Words]:
    """Factors at their ends and sums at theirs, item by item; a second product of the same roles adds to the first."""
    return _drawn(request, SUMMED)


def ends_by_depth(request: Request) -> dict[str, Words]:
    """The same for products of any depth: addends that fit to the sum of as many ones, one element at every k.

    In two items more the halves of k have opposite signs, without signs one half is zero; and the sum fills 16 bits.
    """
    return _drawn(request, request.depth, extra=EXTRA)


def items_by_depth(depth: int) -> int:
    """Items in which ``ends_by_depth`` has all of its kinds."""
    return ENDS + EXTRA + max(PLACES, depth)


def _drawn(request: Request, depth: int, *, extra: int = 0) -> dict[str, Words]:
    ends = ENDS + extra
    drawn = {}
    for role in ("a", "b", "c"):
        for number, source in enumerate(request.of(role)):
            random = request.stream(source.name).between(0, 1, request.shape(source))
            values = np.zeros(request.shape(source), np.int64)
            for item in range(request.batch):
                turn = item % (ends + max(PLACES, depth))
                # The places come after all of the ends.
                turn = turn if turn < ends else turn - ends + FIRST_PLACE
                if role == "c":
                    values[item] = _addend(source, turn, depth, random[item])
                else:
                    values[item] = (_left if role == "a" else _right)(source, turn, number, random[item])
            drawn[source.name] = two_complement(source.fmt, values)
    for source in request.of("scalar"):
        drawn[source.name] = two_complement(
            source.fmt, request.stream(source.name).between(1, 3, request.shape(source))
        )
    return drawn


def _ends(source: Source, random: Ints) -> Ints:
    return np.where(random == 1, source.fmt.max_value, source.fmt.min_value)


def _terms(source: Source, along: Ints, first: tuple[int, ...]) -> Ints:
    """The same line of factors along k in all rows or columns: the first few, then zeros."""
    found: Ints = np.zeros_like(along)
    for k, value in enumerate(first):
        found = np.where(along == k, min(value, source.fmt.max_value), found)
    return found


def _least(source: Source, k: Ints) -> Ints:
    """Factors whose products are nearly the least: one without a sign is one below its end."""
    top = source.fmt.max_value
    return np.full_like(k, source.fmt.min_value) if source.fmt.signed else np.where(k == 5, top - 1, top)


def _left(source: Source, turn: int, number: int, random: Ints) -> Ints:
    rows, depth = random.shape[-2:]
    i, k = np.indices((rows, depth))
    top, low = source.fmt.max_value, source.fmt.min_value
    if turn >= FIRST_PLACE:
        n = turn - FIRST_PLACE
        return np.where((i == n % rows) & (k == (n * 3 + 1) % depth), np.ones_like(random), 0)
    found: dict[int, Callable[[], Ints]] = {
        0: lambda: np.full_like(random, top),
        1: lambda: np.full_like(random, low if source.fmt.signed else (top + 1) // 2),
        2: lambda: _ends(source, random),
        3: lambda: np.where(k == 5 % depth, top - 1, top),
        4: lambda: _least(source, k),
        5: lambda: _terms(source, k, (127, 127, 127, 1)),
        6: lambda: (i == 3 % rows) * np.ones_like(random),
        7: lambda: np.ones_like(random),
        8: lambda: np.where(k % 2 == 0, 1, -1 if source.fmt.signed else 1),
        10: lambda: np.full_like(random, -1 if source.fmt.signed and number else 1),
        12: lambda: np.full_like(random, -1 if source.fmt.signed else 1),
        13: lambda: np.where(k < depth // 2, 1, -1) if source.fmt.signed else np.where(k < depth // 2, top, 0),
        14: lambda: _terms(source, k, (255, 255)),
    }
    return np.broadcast_to(found.get(turn, lambda: np.ones_like(random))(), random.shape)


def _right(source: Source, turn: int, number: int, random: Ints) -> Ints:
    del number
    depth, cols = random.shape[-2:]
    k, j = np.indices((depth, cols))
    top = source.fmt.max_value
    if turn >= FIRST_PLACE:
        n = turn - FIRST_PLACE
        return np.where((j == (n * 5 + 3) % cols) & (k == (n * 3 + 1) % depth), np.ones_like(random), 0)
    found: dict[int, Callable[[], Ints]] = {
        0: lambda: np.full_like(random, top),
        1: lambda: np.full_like(random, top),
        2: lambda: _ends(source, random),
        3: lambda: np.full_like(random, top),
        4: lambda: _least(source, k),
        5: lambda: _terms(source, k, (127, 127, 4, 1)),
        7: lambda: (j == 2 % cols) * np.ones_like(random),
        13: lambda: np.full_like(random, 1 if source.fmt.signed else top),
        14: lambda: _terms(source, k, (255, 2)),
    }
    return np.broadcast_to(found.get(turn, lambda: np.ones_like(random))(), random.shape)


def _addend(source: Source, turn: int, depth: int, random: Ints) -> Ints:
    """At an end, one before it, or such that the sum of ones is 0 or passes the end with the second product."""
    rows, cols = random.shape[-2:]
    top, low = source.fmt.max_value, source.fmt.min_value
    i, j = np.indices((rows, cols))
    found: dict[int, Callable[[], Ints]] = {
        1: lambda: np.full_like(random, low),
        4: lambda: np.full_like(random, low),
        5: lambda: np.full_like(random, -1 if source.fmt.signed else 0),
        8: lambda: np.full_like(random, -depth if source.fmt.signed else 0),
        9: lambda: (i * cols + j) * np.ones_like(random),
        10: lambda: np.full_like(random, top - depth * 5 // 8),
        11: lambda: np.full_like(random, top - depth * 5 // 4),
        12: lambda: np.full_like(random, low + depth * 5 // 4),
        14: lambda: np.zeros_like(random),
    }
    return np.broadcast_to(found.get(turn, lambda: np.full_like(random, top))(), random.shape)
