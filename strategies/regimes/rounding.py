"""The regime of rounding: sums that are tied, carried out, made by C or by all products together; and sums of zeros.

The last ones show whether a unit rounds once, and exactly: sums beside a tie by what 53 bits lose, sums that cancel and
leave an addend that 53 bits do not hold beside the products, and sums far below the least number of a 16-bit format.
"""

from __future__ import annotations

import numpy as np

from mmaspec.programs.formats import Format
from mmaspec.strategies.regimes.encoding import scaled
from mmaspec.strategies.regimes.floats import normal
from mmaspec.strategies.regimes.request import Request
from mmaspec.strategies.regimes.stream import Ints, Words

WHOLE = 24
"""The item in which C has other whole numbers everywhere."""
Signed = tuple[int, int]
"""The sign and the exponent of a power of two."""
CLOSE: dict[int, tuple[tuple[Signed, ...], tuple[Signed, ...], Signed | None]] = {
    25: (((1, 0), (1, -14)), ((1, 0), (1, -14)), (1, 24)),  # a tie, and 2^-52 of the sum more
    26: (((1, 0), (1, -14)), ((1, 0), (1, -13)), (1, 24)),
    27: (((1, 0), (1, -14)), ((1, 1), (1, -14)), (1, 25)),  # a tie, and 2^-53 of it
    28: (((1, 0), (-1, -14)), ((-1, 0), (1, -14)), (-1, 24)),
    29: (((1, 15), (1, 15)), ((1, 15), (-1, 15)), (1, -23)),  # two products that cancel, and C
    30: (((1, 15), (-1, 15)), ((1, 15), (1, 15)), (-1, -24)),
    31: (((1, -18),), ((1, -18),), None),
    32: (((1, -18), (1, -19)), ((-1, -18), (-1, -18)), None),
}
"""Item -> the first elements of A and B along k, the others being zeros, and every element of C; None: 0."""
ITEMS = 33
"""Items in which every kind of sum is."""


def rounding(request: Request) -> dict[str, Words]:
    """Factors that are alike in all rows and columns and addends that fit to them, item by item.

    Of matrices in which a format has too little range ordinary numbers are left; so are the second ones of a role.
    """
    drawn = normal(request)
    fmt = request.accumulator
    for role in ("a", "b", "c"):
        for number, source in enumerate(request.of(role)):
            small = source.fmt.emin > -14 or source.fmt.precision < 11
            if number or small or (role == "c" and source.fmt is not fmt):
                continue
            words = drawn[source.name]
            for item in range(request.batch):
                turn, shape = item % ITEMS, words[item].shape
                if role == "c" and turn == WHOLE:
                    words[item] = scaled(fmt, np.arange(shape[-2] * shape[-1]).reshape(shape[-2:]), 0)
                    continue
                if role == "c":
                    bits = _addend(fmt, turn, item)
                    words[item] = words[item] if bits is None else np.uint64(bits)
                    continue
                k = np.indices(shape[-2:])[1 if role == "a" else 0]
                values = (_left if role == "a" else _right)(source.fmt, turn, k)
                words[item] = words[item] if values is None else np.broadcast_to(values, shape)
    return drawn


def _power(fmt: Format, exponent: int | Ints, negative: bool = False) -> int:
    """The bits of a power of two, subnormal ones too."""
    exponent = int(exponent)
    size = 1 << exponent - fmt.qmin if exponent < fmt.emin else exponent + fmt.bias << fmt.fraction_bits
    return size | (fmt.sign_bit if negative else 0)


def _left(fmt: Format, turn: int, k: Ints) -> Words | None:
    zeros = np.zeros(k.shape, np.uint64)
    if turn in CLOSE:
        return _first(fmt, CLOSE[turn][0], k)
    exponents: dict[int, Ints] = {
        0: np.where(k == 0, 0, -99),  # one product, and C half of its last place
        1: np.where(k == 0, -12, -99),  # half of C's last place: a tie, carried out of all ones
        2: np.full(k.shape, -13),  # sixteen products, each far below half of C's last place
        3: np.where(k == 6 % k.max(), 10, -3),  # one large product, and C against it
        4: k % 16 - 8,
        5: 7 - k % 16,
        6: np.zeros(k.shape, np.int64),  # whole numbers up to where they end
        7: np.zeros(k.shape, np.int64),
    }
    if turn in exponents:
        at = exponents[turn]
        return np.where(at < -50, np.uint64(0), scaled(fmt, np.ones(k.shape, np.int64), np.maximum(at, -14)))
    if turn == 8:  # neighbours cancel
        return scaled(fmt, np.where(k % 2 == 0, 3, -3), 0)
    signs = {9: 0, 10: 1, 11: None, 12: 0, 13: 1}
    if turn in signs or turn >= 14:
        negative = signs.get(turn, 0)
        minus = (k % 2 == 1) if negative is None else np.full(k.shape, negative == 1)
        return zeros | np.where(minus, np.uint64(fmt.sign_bit), np.uint64(0))
    return None


def _right(fmt: Format, turn: int, k: Ints) -> Words | None:
    if turn in CLOSE:
        return _first(fmt, CLOSE[turn][1], k)
    exponent = {0: 0, 1: -12, 2: -13, 3: 10}.get(turn, 0)
    if turn == 3:
        at = np.where(k == 6 % k.max(), 10, -3)
        return scaled(fmt, np.ones(k.shape, np.int64), at)
    return scaled(fmt, np.ones(k.shape, np.int64), np.full(k.shape, exponent))


def _first(fmt: Format, powers: tuple[Signed, ...], k: Ints) -> Words:
    """Some powers of two along k, and zeros."""
    found = np.zeros(k.shape, np.uint64)
    for place, (sign, exponent) in enumerate(powers):
        found[k == place] = _power(fmt, exponent, sign < 0)
    return found


def _addend(fmt: Format, turn: int, item: int) -> int | None:
    """The bits of every addend of an item; None: ordinary ones."""
    if turn in CLOSE:
        sign, exponent = CLOSE[turn][2] or (1, 0)
        if CLOSE[turn][2] is None:
            return 0
        return _power(fmt, exponent, sign < 0) if fmt.emin <= exponent <= fmt.emax else None
    one, last = _power(fmt, 0), fmt.fraction_bits
    found: dict[int, int | None] = {
        0: _power(fmt, -fmt.precision, item % 2 == 1),
        1: _power(fmt, 1) - 1,
        2: one,
        3: _power(fmt, 20, negative=True) if fmt.emax > 20 else None,
        4: 0,
        5: fmt.sign_bit,
        6: _whole(fmt, (1 << fmt.precision) - 16),
        7: _whole(fmt, (1 << fmt.precision) - 15),
        8: 0,
        9: 0,
        10: fmt.sign_bit,
        11: 0,
        12: fmt.sign_bit,
        13: 0,
        # Nothing but zeros is added to these.
        14: _power(fmt, fmt.emin),
        15: fmt.largest_magnitude,
        16: fmt.largest_magnitude | fmt.sign_bit,
        17: 1,
        18: (1 << last) - 1,
        19: _power(fmt, fmt.emin, negative=True),
        20: one + 1,
        21: one - 1,
        22: _power(fmt, fmt.emin // 2),
        23: _power(fmt, fmt.emax),
    }
    return found.get(turn)


def _whole(fmt: Format, number: int) -> int:
    """The bits of a whole number of the format's precision."""
    return int(scaled(fmt, np.array(number), 0)) if number >> 6 else _power(fmt, 0)
