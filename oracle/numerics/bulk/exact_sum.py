"""Sums without error: a sum of float64 numbers as one float64 rounded to odd.

Rounding to odd keeps in the last of 53 bits whether anything is missing. A value rounded to odd and then to a format of
at most 51 bits is the value rounded once.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from mmaspec.oracle.numerics.ordinals import Doubles, Flags

_U = 2.0**-53


@dataclass(frozen=True, slots=True, eq=False)
class Parts:
    """A sum as float64 arrays: exactly `parts`, and something within `error` of `rest` (None: nothing)."""

    parts: tuple[Doubles, ...]
    rest: Doubles | None = None
    error: Doubles | None = None


def two_sum(x: Doubles, y: Doubles) -> tuple[Doubles, Doubles]:
    """The sum x + y rounded, and its error, exactly (Knuth). No overflow, for numbers far from float64's ends."""
    total = x + y
    back = total - x
    error = total - back
    np.subtract(x, error, out=error)
    np.subtract(y, back, out=back)
    error += back
    return total, error


def anchor(top: Doubles, bits: int) -> Doubles:
    """The anchor that rounds values up to `top` (>= 0) to multiples of 2^(E - bits), top < 2^E; bits <= 50.

    Three halves of a power of two whose last place is that multiple; 0 for 0.
    """
    exponent = (top.view(np.int64) & (0x7FF << 52)).view(np.float64)
    return exponent * (1.5 * 2.0 ** (53 - bits))


def log2_ceil(count: int) -> int:
    """The smallest e with count <= 2^e."""
    return max(0, count - 1).bit_length()


def split_terms(terms: Doubles) -> Parts:
    """Parts of the sum over axis 0 of exact terms (L, n): two levels of extraction, and the rest in float64.

    Each term is split at the same place: the heads are multiples of one power of two, fewer than 2^52 of them in all,
    so that their sum in float64 is exact. The same again with the remainders.
    """
    count = len(terms)
    bits = 51 - log2_ceil(count)
    at = anchor(np.abs(terms).max(axis=0), bits)
    first, left = _heads(terms, at)
    if not left.any():
        return Parts((first,))
    second, left = _heads(left, at * 2.0**-bits)
    if not left.any():
        return Parts((first, second))
    return Parts((first, second), left.sum(axis=0), np.abs(left).sum(axis=0) * (2 * count * _U))


def _heads(terms: Doubles, at: Doubles) -> tuple[Doubles, Doubles]:
    heads = terms + at
    heads -= at
    return heads.sum(axis=0), terms - heads


def to_odd(sums: Parts) -> tuple[Doubles, Flags | None]:
    """The sum rounded to odd in 53 bits, and where that is certain (None: everywhere). An exact zero is +0."""
    head = sums.parts[0]
    tails: list[Doubles] = []
    for part in sums.parts[1:]:
        head, error = two_sum(head, part)
        tails.append(error)
    if sums.rest is not None:
        tails.append(sums.rest)
    if not tails:
        return head + 0.0, None
    tail = tails[0]
    lows: list[Doubles] = []
    for each in tails[1:]:
        tail, error = two_sum(tail, each)
        if error.any():
            lows.append(error)
    head, tail = two_sum(head, tail)
    if not lows and sums.error is None:
        return _odd(head, tail), None
    low, doubt = _low(lows, head, sums.error)
    tail, low = two_sum(tail, low)
    head, tail = two_sum(head, tail)
    # x = head + tail + low, give or take `doubt`, and tail is at most half a unit in the last place of head.
    there = tail != 0
    reach = np.abs(low) + doubt
    known = np.where(there, reach < np.abs(tail), (np.abs(low) > doubt) & (reach < np.abs(head) * 2.0**-55))
    known |= ~there & (reach == 0)
    return _odd(head, np.where(there, tail, low)), known


def _low(lows: Sequence[Doubles], like: Doubles, error: Doubles | None) -> tuple[Doubles, Doubles]:
    """The sum of the smallest parts in float64, and how far off it and the rest may be."""
    low, size = np.zeros(like.shape), np.zeros(like.shape)
    for each in lows:
        low += each
        size += np.abs(each)
    doubt = size * (2 * len(lows) * _U) if len(lows) > 1 else np.zeros(like.shape)
    return low, doubt if error is None else doubt + error


def _odd(head: Doubles, direction: Doubles) -> Doubles:
    """`head`, or its odd neighbour in the direction where there is one."""
    bits = (head + 0.0).view(np.int64)
    step = (bits ^ direction.view(np.int64)) >> 63 | 1
    step *= (direction != 0) & (bits & 1 == 0)
    bits += step
    return bits.view(np.float64)
