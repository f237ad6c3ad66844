"""Exact sums of floats as integers, and where they lie among the numbers of a format."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mmaspec.oracle.numerics import codec
from mmaspec.oracle.numerics.ordinals import Bits
from mmaspec.programs.formats import Format

Wholes = NDArray[Any]
"""Python integers in an array of objects."""

NEAR = 7
"""Bits: what is nearer to halfway than half a unit by this many is just beside it."""


def wholes(fmt: Format, codes: Bits) -> Wholes:
    """Every finite code as an integer, in units of the least subnormal (of an integer: 1); 0 for what is not finite."""
    unique, inverse = np.unique(codes, return_inverse=True)
    found = np.zeros(unique.shape, object)
    for index, code in enumerate(unique.tolist()):
        one = codec.decode(fmt, code)
        if isinstance(one, codec.Finite):
            size = one.significand << (one.exponent - unit(fmt))
            found[index] = -size if one.sign else size
    spread: Wholes = found[inverse].reshape(codes.shape)
    return spread


def unit(fmt: Format) -> int:
    """The exponent of what ``wholes`` counts."""
    return fmt.qmin if fmt.is_float else 0


@dataclass(frozen=True, slots=True)
class Spot:
    """Where an exact number lies in a format: ``rest`` of ``step`` beyond the neighbour below, in size."""

    size: int
    step: int
    rest: int
    even: bool
    """Whether that neighbour is even."""
    largest: int
    least_normal: int
    quantum: int
    """The least subnormal, in the units of the number; 0 where it is less than one of them."""

    @property
    def exact(self) -> bool:
        """Whether the format has the number."""
        return self.rest == 0

    @property
    def tie(self) -> bool:
        """Whether it lies halfway between two neighbours."""
        return self.rest * 2 == self.step

    @property
    def beside(self) -> int:
        """By how much it lies above halfway, in half steps of 1 / step."""
        return self.rest * 2 - self.step

    @property
    def near_tie(self) -> bool:
        """Whether it lies just beside halfway."""
        return self.rest != 0 and 0 < abs(self.beside) <= self.step >> NEAR

    @property
    def overflows(self) -> bool:
        """Whether it lies half a unit or more beyond the largest finite number."""
        top = self.largest.bit_length()
        ulp = (1 << top) - self.largest
        return self.size * 2 >= self.largest * 2 + ulp

    @property
    def beyond_largest(self) -> bool:
        """Whether it lies about half a unit beyond the largest finite number."""
        ulp = (1 << self.largest.bit_length()) - self.largest
        return self.largest * 4 + ulp <= self.size * 4 <= self.largest * 4 + 3 * ulp


def spot(fmt: Format, number: int, exponent: int) -> Spot:
    """Where ``number * 2^exponent`` lies among the finite numbers of a float format."""
    size = abs(number)
    step = max(size.bit_length() + exponent - fmt.precision, fmt.qmin) - exponent
    rest = size & ((1 << step) - 1) if step > 0 else 0
    even = not (size >> step) & 1 if step > 0 else True
    significand, top = fmt.largest
    return Spot(
        size,
        1 << step if step > 0 else 1,
        rest,
        even,
        _scaled(significand, top - exponent),
        _scaled(1, fmt.emin - exponent),
        _scaled(1, fmt.qmin - exponent),
    )


def _scaled(number: int, exponent: int) -> int:
    return number << exponent if exponent >= 0 else number >> -exponent


def rounded(fmt: Format, number: int, exponent: int) -> int:
    """The number rounded to nearest, to even, without a bound on its size; in the same units."""
    size = abs(number)
    shift = max(size.bit_length() + exponent - fmt.precision, fmt.qmin) - exponent
    if shift <= 0:
        return number
    below = size >> shift
    beside = (size - (below << shift) << 1) - (1 << shift)
    size = below + (beside > 0 or (beside == 0 and below & 1)) << shift
    return -size if number < 0 else size


def in_turn(fmt: Format, terms: Iterable[int], exponent: int) -> int:
    """The terms added one after the other, each sum rounded."""
    total = 0
    for term in terms:
        total = rounded(fmt, total + term, exponent)
    return total


def order_matters(fmt: Format, terms: Sequence[int], exponent: int) -> bool:
    """Whether adding the terms forwards, backwards or by size gives several results."""
    orders = (terms, terms[::-1], sorted(terms, key=abs))
    return len({in_turn(fmt, order, exponent) for order in orders}) > 1


def any_order_exact(fmt: Format, terms: Sequence[int], exponent: int) -> bool:
    """Whether no order of the terms can round: all are multiples of one unit, and their sizes sum up to few of them."""
    sizes = [abs(term) for term in terms if term]
    if not sizes:
        return True
    common = min(size & -size for size in sizes)
    return common * (1 << fmt.precision) > sum(sizes) and common >= max(1, _scaled(1, fmt.qmin - exponent))
