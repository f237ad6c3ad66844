"""The regime for the ends of ranges: largest numbers and half a unit beyond, zeros of both signs, extreme bytes.

Addends come in pairs: what one holds brings the next one to the brink. Scalars are the numbers that compilers treat
in a way of their own: powers of two, divisors with a multiplication that replaces them, both ends of the integers.
"""

from __future__ import annotations

import numpy as np

from mmaspec.programs.formats import Format
from mmaspec.strategies.regimes.encoding import scaled, two_complement
from mmaspec.strategies.regimes.request import Request
from mmaspec.strategies.regimes.stream import Ints, Words

DIVISORS = (
    3, -1, 7, 10, 49, 127, 255, 1000, 1, 97, -3, 641, 2, 65537, 8191, 16, 1 << 30, (1 << 31) - 1, -(1 << 31),
    1 - (1 << 31), (1 << 24) + 1, 0x3F800000, 0x7F800001, 0x12345, -16, 100, 12345, -2, 5, 0, 1 << 20,
)  # fmt: skip
"""Integers for scalars."""

HALF = 16
"""Bits of a format that holds the divisors."""


def brinks(request: Request) -> dict[str, Words]:
    """One brink an item, in turn."""
    start = int(request.stream("start").below(1 << 16, (1,))[0])
    drawn = {}
    for source in request.sources:
        second = int(request.stream(source.name).below(1 << 16, (1,))[0])  # of which pair, and which of the two
        rows, cols = source.shape[2:]
        row, col = np.arange(rows)[:, np.newaxis], np.arange(cols)[np.newaxis, :]
        own = _floats if source.fmt.is_float else _integers
        items = [own(source.fmt, source.role, second, start + item, row, col) for item in range(request.batch)]
        values = np.stack(items).reshape(request.batch, 1, 1, rows, cols)
        drawn[source.name] = np.broadcast_to(values, request.shape(source))
    return drawn


def _floats(fmt: Format, role: str, second: int, turn: int, row: Ints, col: Ints) -> Words:
    largest, sign, one = fmt.largest_magnitude, fmt.sign_bit, fmt.bias << fmt.fraction_bits
    half = fmt.emax - fmt.precision + fmt.bias << fmt.fraction_bits
    """Half a unit in the last place of the largest finite number."""
    if role == "scalar":
        return np.full((1, 1), _scalars(fmt, half)[(turn + second * 5) % len(_scalars(fmt, half))], np.uint64)
    zero = np.zeros((row + col).shape, np.uint64)
    if role == "c":
        pairs = (
            (largest, 0), (largest, half), (largest, half | sign), (largest, sign), (sign, sign), (sign, 0),
            (one, one + 1), (0, sign), (0, largest), (largest | sign, half | sign), (1, 1), (largest, half - 1),
            (largest, 1),
        )  # fmt: skip
        return zero + np.uint64(pairs[turn % len(pairs)][second % 2])
    k = col if role == "a" else row
    # As many as the pairs of addends, so that each meets one of them.
    if turn % 13 in (0, 1, 2, 9, 11, 12):
        return zero
    if turn % 13 == 3:  # partial sums that overflow
        swings = np.where(k == 0, largest, np.where(k == 1, largest | sign, 0)) + 0 * (row + col)
        return swings.astype(np.uint64) if role == "a" else zero + np.uint64(one)
    if turn % 13 == 4:
        return zero + np.uint64(sign if role == "a" or second % 2 else one)
    if turn % 13 == 5:
        return zero + np.uint64(0 if role == "a" else one)
    if turn % 13 == 6:
        return zero + np.uint64(largest if role == "a" else 1)
    if turn % 13 == 7:
        return zero + np.uint64(sign)
    if turn % 13 == 8:  # about the largest number already, and as much again
        return np.where(k == 0, np.uint64(half), zero) if role == "a" else zero + np.uint64(one)
    return scaled(fmt, (row + 2 * col) % 7 - 3, 0)


def _scalars(fmt: Format, half: int) -> tuple[int, ...]:
    one = fmt.bias << fmt.fraction_bits
    infinity = fmt.infinity_magnitude if fmt.infinities else fmt.largest_magnitude
    numbers = [2, 3, 7, 10, 49, 127, 255, 1000, 1024, -1] if fmt.bits >= HALF else [2, 3, 4, 6, 8, -2, -3, -4, 1, -1]
    wholes = [int(code) for code in scaled(fmt, np.array(numbers), 0)]
    third = one - (2 << fmt.fraction_bits) + (((1 << fmt.fraction_bits) + 1) // 3)
    return (
        one, half, one + 1, wholes[1], 1, wholes[3], fmt.largest_magnitude, infinity | 1, wholes[2], third,
        (1 << fmt.fraction_bits) - 1, one - 1, wholes[4], fmt.mask, 1 << fmt.fraction_bits, wholes[5],
        infinity | 1 << fmt.fraction_bits - 2, wholes[7], wholes[9], wholes[6], fmt.sign_bit, wholes[8],
        (fmt.bias + 1 << fmt.fraction_bits) + (1 << fmt.fraction_bits) - 1, wholes[0], fmt.sign_bit | infinity,
    )  # fmt: skip


def _integers(fmt: Format, role: str, second: int, turn: int, row: Ints, col: Ints) -> Words:
    zero = 0 * (row + col)
    if role == "scalar":
        value = DIVISORS[(turn + second * 3) % len(DIVISORS)]
        return two_complement(fmt, np.full((1, 1), value % (fmt.mask + 1) if fmt.bits < 32 else value))
    if role == "c":
        place = (row * 3 + col) % 3 - 1
        steps = (
            zero + fmt.max_value, zero + fmt.min_value, zero + 12345, place, DIVISORS[turn % 8] * (5 + row) + place,
            DIVISORS[turn % 12] * ((1 << 18) + row) + place, zero + fmt.min_value + 1, zero, zero - 1,
        )  # fmt: skip
        return two_complement(fmt, steps[(turn + second) % len(steps)])
    ends = (fmt.min_value, fmt.max_value, -1 if fmt.signed else fmt.max_value, fmt.max_value // 2 + 1, 1, 0)
    value = ends[turn // (1 if role == "a" else 2) % len(ends)]
    if turn % 7 == 6 and not fmt.signed:  # high bytes only
        return two_complement(fmt, 128 + (row * 5 + col) % 128)
    return two_complement(fmt, zero + value)
