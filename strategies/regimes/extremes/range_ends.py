"""The regime of sums where a range ends: beyond the largest number by half a unit or by far, and where it begins.

Where sums have 16 bits there are subnormal ones beside a tie that is gone once they were rounded to single, and addends
that every product alone leaves as they are.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from mmaspec.oracle.source import Source
from mmaspec.programs.formats import Format, format_named
from mmaspec.strategies.regimes.encoding import bits_of
from mmaspec.strategies.regimes.floats import normal
from mmaspec.strategies.regimes.request import Request
from mmaspec.strategies.regimes.stream import Words


class Sum(NamedTuple):
    """Bits of the first factors along K, the others being zeros, and of the addend.

    In every second column all factors of the right and the addend have the other sign.
    """

    left: tuple[int, ...]
    right: tuple[int, ...]
    addend: int
    everywhere: bool = False
    """Whether the first two factors stand at every K instead."""


ITEMS = 8
"""Items in which there are all sums that a format has."""


def range_ends(request: Request) -> dict[str, Words]:
    """One sum an item, in turn, with every addend; ordinary numbers in further factors, and where no range ends."""
    drawn = normal(request)
    left, right, fmt = request.of("a")[:1], request.of("b")[:1], request.accumulator
    addends = [source for source in request.of("c") if source.fmt is fmt]
    if not left or not right or left[0].fmt is not right[0].fmt or not _reaches(left[0].fmt, fmt):
        return drawn
    sums = sums_of(left[0].fmt, fmt)
    for source in (*left, *right, *addends):
        for item in range(request.batch):
            if item % ITEMS < len(sums):
                drawn[source.name][item] = _matrix(source, sums[item % ITEMS])
    return drawn


def _reaches(factor: Format, fmt: Format) -> bool:
    """Whether one product leaves the range, and factors can be as small as it takes."""
    wide = factor.infinities and fmt.infinities and 2 * factor.emax >= fmt.emax
    return wide and factor.precision >= format_named("bf16").precision and factor.qmin <= _crumb(fmt) // 2


def _crumb(fmt: Format) -> int:
    """Exponent of what is lost where a sum half as large as the least normal number is rounded to single."""
    single = format_named("f32")
    return max(fmt.emin - single.precision, single.qmin) - 2


def sums_of(factor: Format, fmt: Format) -> tuple[Sum, ...]:
    """The sums of products of a format into another one: of 16 bits all of them, of 32 bits the first ones."""
    one, largest, infinity = _power(factor, 0), factor.largest_magnitude, fmt.infinity_magnitude
    low, high = _halves(factor, fmt.emax - fmt.precision)
    more = bits_of(factor, 3, (fmt.emax - fmt.precision) // 2 - 1)
    ends = (
        Sum((low,), (high,), fmt.largest_magnitude),
        Sum((more,), (high,), fmt.largest_magnitude),
        Sum((largest,), (largest,), 0),
        Sum((largest,), (largest,), infinity | fmt.sign_bit),
        Sum((largest, factor.infinity_magnitude), (largest, one | factor.sign_bit), 0),
    )
    if fmt.bits != factor.bits or fmt.precision >= format_named("f32").precision:
        return ends
    tie, crumb = _halves(factor, fmt.qmin - 1), _halves(factor, _crumb(fmt))
    sub, little = _halves(factor, fmt.emin - 1), _halves(factor, -fmt.precision - 1)
    return (
        *ends,
        Sum((sub[0], tie[0], crumb[0]), (sub[1], tie[1], crumb[1]), 0),
        Sum((tie[0], crumb[0]), (tie[1], crumb[1] | factor.sign_bit), (1 << fmt.fraction_bits - 1) + 1),
        Sum((little[0],), (little[1],), _power(fmt, 0), everywhere=True),
    )


def _halves(fmt: Format, exponent: int) -> tuple[int, int]:
    """Two powers of two whose product is that one."""
    return _power(fmt, exponent // 2), _power(fmt, exponent - exponent // 2)


def _power(fmt: Format, exponent: int) -> int:
    """The bits of a power of two, subnormal ones too."""
    return 1 << exponent - fmt.qmin if exponent < fmt.emin else exponent + fmt.bias << fmt.fraction_bits


def _matrix(source: Source, one: Sum) -> Words:
    rows, cols = np.indices(source.shape[-2:])
    zero = np.zeros(rows.shape, np.uint64)
    turned = np.where((cols % 2 == 1) & (source.role != "a"), np.uint64(source.fmt.sign_bit), np.uint64(0))
    if source.role == "c":
        return (zero + np.uint64(one.addend)) ^ turned
    k, factors = (cols, one.left) if source.role == "a" else (rows, one.right)
    if one.everywhere:
        return (zero + np.uint64(factors[0])) ^ turned
    placed: Words = np.select([k == n for n in range(len(factors))], [np.uint64(bits) for bits in factors], zero)
    return placed ^ turned
