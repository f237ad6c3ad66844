"""An arithmetic unit with one defect, given as a function of a multiply-add."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from mmaspec.backends.numpy.units.encoding import Doubles, Integers, bits_of_doubles, doubles_of, integers_of
from mmaspec.backends.numpy.units.sequential import SequentialUnit
from mmaspec.backends.numpy.units.unit import Bits, Overflow
from mmaspec.programs.formats import FORMATS, Format


@dataclass(frozen=True, slots=True)
class Sum:
    """One multiply-add: ``a`` (..., M, K) times ``b`` (..., K, N) plus ``c`` (..., M, N), as bits."""

    formats: tuple[str, str, str]
    a: Bits
    b: Bits
    c: Bits
    overflow: Overflow = "wrap"

    def done(self) -> Bits:
        """The sum as the plain unit adds it."""
        left, right, accumulator = self.formats
        return SequentialUnit().multiply_add(left, self.a, right, self.b, accumulator, self.c, self.overflow)

    @property
    def accumulator(self) -> Format:
        """The format of C and of the sum."""
        return FORMATS[self.formats[2]]

    @property
    def depth(self) -> int:
        """K."""
        return int(self.a.shape[-1])

    def values(self) -> tuple[Doubles, Doubles, Doubles]:
        """A, B and C as float64, of float formats."""
        left, right, accumulator = (FORMATS[name] for name in self.formats)
        return doubles_of(left, self.a), doubles_of(right, self.b), doubles_of(accumulator, self.c)

    def integers(self) -> tuple[Integers, Integers, Integers]:
        """A, B and C as int64, of integer formats."""
        left, right, accumulator = (FORMATS[name] for name in self.formats)
        return integers_of(left, self.a), integers_of(right, self.b), integers_of(accumulator, self.c)


Deviation = Callable[[Sum], Bits]
"""What a defective unit returns in place of the sum."""

ValueChange = Callable[[Format, Bits], Bits]
"""What becomes of the elements of one matrix, element by element."""


class DefectiveUnit(SequentialUnit):
    """Sums with a deviation: those of floats, those of integers, or (None) all; the others are correct."""

    name = "defective"

    def __init__(self, deviation: Deviation, *, floats: bool | None) -> None:
        self._deviation = deviation
        self._floats = floats

    def multiply_add(
        self, a_fmt: str, a: Bits, b_fmt: str, b: Bits, c_fmt: str, c: Bits, overflow: Overflow = "wrap"
    ) -> Bits:
        """See ``ArithmeticUnit.multiply_add``."""
        if self._floats not in (None, FORMATS[c_fmt].is_float):
            return super().multiply_add(a_fmt, a, b_fmt, b, c_fmt, c, overflow)
        lead = np.broadcast_shapes(a.shape[:-2], b.shape[:-2], c.shape[:-2])
        a, b, c = (np.broadcast_to(x, (*lead, *x.shape[-2:])) for x in (a, b, c))
        with np.errstate(all="ignore"):
            return self._deviation(Sum((a_fmt, b_fmt, c_fmt), a, b, c, overflow))


def of_operand(which: Literal["a", "b", "c"], change: ValueChange) -> Deviation:
    """An operand changed before the sum."""

    def deviation(call: Sum) -> Bits:
        left, right, accumulator = (FORMATS[name] for name in call.formats)
        if which == "a":
            return replace(call, a=change(left, call.a)).done()
        if which == "b":
            return replace(call, b=change(right, call.b)).done()
        return replace(call, c=change(accumulator, call.c)).done()

    return deviation


def of_result(change: ValueChange) -> Deviation:
    """The sum changed at the end."""
    return lambda call: change(call.accumulator, call.done())


def through(fmt: Format, bits: Bits, narrow: str) -> Bits:
    """Floats rounded to another format and back."""
    return bits_of_doubles(fmt, doubles_of(FORMATS[narrow], bits_of_doubles(FORMATS[narrow], doubles_of(fmt, bits))))


def cut(fmt: Format, bits: Bits, precision: int) -> Bits:
    """Floats cut toward zero to fewer significant bits; NaN and infinities stay."""
    lost = np.uint64((1 << max(fmt.precision - precision, 0)) - 1)
    return np.where(finite(fmt, bits), bits & ~lost, bits)


def finite(fmt: Format, bits: Bits) -> np.ndarray[tuple[int, ...], np.dtype[np.bool_]]:
    """The elements whose floats are finite."""
    return (bits & np.uint64(fmt.mask & ~fmt.sign_bit)) <= np.uint64(fmt.largest_magnitude)
