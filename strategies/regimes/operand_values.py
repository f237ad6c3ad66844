"""The regime for operators: values that are remarkable on either side, each source with its own, so that all meet."""

from __future__ import annotations

from functools import cache

import numpy as np

from mmaspec.programs.formats import Format
from mmaspec.strategies.regimes.extremes.limits import not_numbers
from mmaspec.strategies.regimes.request import Request
from mmaspec.strategies.regimes.stream import Words

DIVISORS = (2, 3, 5, 7, 10, 11, 49, 100, 127, 128, 255, 256, 1000, 8191, 65521, 65535, 65536)
"""Divisors of which compilers make multiplications, each with a constant of its own."""


def operands(request: Request) -> dict[str, Words]:
    """Every element one of the values of its format; scalars take them in turn from item to item."""
    drawn = {}
    for source in request.sources:
        stream, shape = request.stream(source.name), request.shape(source)
        table = np.array(values(source.fmt), np.uint64)
        if source.role == "scalar":
            item = np.arange(shape[0]).reshape(-1, 1, 1, 1, 1) * 7 + stream.below(len(table), (1,))
            drawn[source.name] = np.broadcast_to(table[item % len(table)], shape).copy()
        else:
            drawn[source.name] = table[stream.below(len(table), shape)]
    return drawn


@cache
def values(fmt: Format) -> tuple[int, ...]:
    """The bits of the values of a format, each once; as many as no divisor of 7 asks for."""
    found = list(dict.fromkeys(_floats(fmt) if fmt.is_float else _integers(fmt)))
    return tuple(found if len(found) % 7 else (*found, found[1]))


def _floats(fmt: Format) -> list[int]:
    fraction, sign, bias = fmt.fraction_bits, fmt.sign_bit, fmt.bias
    one, ulp = bias << fraction, (1 << fraction) - 1

    def power(exponent: int) -> int:
        return min(max(exponent, fmt.emin), fmt.emax) + bias << fraction

    three = power(1) | 1 << (fraction - 1)
    seven = power(2) | 3 << (fraction - 2)
    ten = power(3) | 1 << (fraction - 2)
    middle = power(fmt.emax // 2) | ulp
    low = power(fmt.emin // 2) | 1
    ordinary = (
        0, sign, one, one | sign, one + 1, one - 1, one | ulp, one | 1 << (fraction - 1), power(1), three, seven, ten,
        three | sign, ten | sign | 1, power(-fmt.precision), power(-fmt.precision - 1),
        power(-fmt.precision) | 1 << (fraction - 1), power(fmt.precision), power(fmt.precision - 1) | 1,
    )  # fmt: skip
    ends = (
        fmt.largest_magnitude, fmt.largest_magnitude | sign, fmt.largest_magnitude - 1, power(fmt.emax),
        power(fmt.emax - 1) | ulp | sign, middle, low, middle + ulp | sign, 1 << fraction, (1 << fraction) | sign,
        ulp, 1, 1 | sign, 1 << (fraction // 2), power(fmt.emin + 1) | 1, power(-2) | sign,
    )  # fmt: skip
    infinity, *nans = not_numbers(fmt)
    return [*ordinary, *ends, infinity, infinity | sign, *nans[:2], nans[2] | sign, sign | (sign - 1)]


def _integers(fmt: Format) -> list[int]:
    low, high = fmt.min_value, fmt.max_value
    numbers = [0, 1, -1, *DIVISORS, *(-value for value in (2, 3, 7, 10, 127, 1000)), low, low + 1, high, high - 1]
    numbers += [high // 2, high // 2 + 1, low // 2, 3 << (fmt.bits - 3), 0x1234_5678, -0x1234_5678, (1 << 24) + 1]
    numbers += [(1 << 24) - 1, 33_554_433, -33_554_435, 0x0012_3400, 0x5A]
    return [value & fmt.mask for value in numbers if low <= value <= high] + ([fmt.mask] if not fmt.signed else [])
