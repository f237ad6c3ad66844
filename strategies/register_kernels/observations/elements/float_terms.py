"""The terms of the elements of D of a float form: the products and C, exactly."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from mmaspec.oracle.numerics.ordinals import Bits, Flags, is_inf, is_nan, is_subnormal, magnitudes
from mmaspec.strategies.axes.observation import Subject
from mmaspec.strategies.register_kernels.observations.contents import Contents, known_elements, operand_of
from mmaspec.strategies.register_kernels.observations.elements.exact import UNIT, Exact, significands
from mmaspec.strategies.register_kernels.observations.flow import Event

Integers = NDArray[np.int64]
Scalar = TypeVar("Scalar", bound=np.generic)


@dataclass(frozen=True, slots=True, eq=False)
class Side:
    """A's row or B's column of every element: ``(..., i, j, k)``; or C, without k."""

    bits: Bits
    nan: Flags
    infinite: Flags
    zero: Flags
    subnormal: Flags
    negative: Flags
    number: Integers
    exponent: Integers


def _side(one: Contents, bits: Bits) -> Side:
    fmt = one.fmt
    number, exponent = significands(fmt, bits)
    zero = magnitudes(fmt, bits) == 0
    negative = bits >= np.uint64(fmt.sign_bit)
    return Side(bits, is_nan(fmt, bits), is_inf(fmt, bits), zero, is_subnormal(fmt, bits), negative, number, exponent)


class Terms:
    """What every element of a float form is the sum of."""

    def __init__(self, a: Contents, b: Contents, c: Contents, *, inherited: bool) -> None:
        self.matrices: tuple[Contents, Contents, Contents] = (a, b, c)
        self.inherited: bool = inherited
        """Whether C is the result of another product."""
        self.a: Side = _side(a, a.bits[..., :, None, :])
        self.b: Side = _side(b, np.swapaxes(b.bits, -1, -2)[..., None, :, :])
        self.c: Side = _side(c, c.bits)
        self.known: Flags = known_elements(a, b, c)
        self.shape: tuple[int, ...] = c.bits.shape
        self.depth: int = a.bits.shape[-1]
        """Products."""

    @cached_property
    def number(self) -> Integers:
        """Significands of the products; 0 for those that are no finite number."""
        return self.a.number * self.b.number

    @cached_property
    def exponent(self) -> Integers:
        """Exponents of the products' significands."""
        return self.a.exponent + self.b.exponent

    @cached_property
    def numbers(self) -> Integers:
        """Significands of all terms, C last."""
        return np.concatenate([self.number, self.c.number[..., None]], axis=-1)

    @cached_property
    def exponents(self) -> Integers:
        """Exponents of all terms."""
        return np.concatenate([np.broadcast_to(self.exponent, self.number.shape), self.c.exponent[..., None]], axis=-1)

    @cached_property
    def top(self) -> Integers:
        """The place of the highest bit of each term above 2^-266; -1 for 0."""
        length = np.frexp(np.abs(self.numbers).astype(np.float64))[1].astype(np.int64)
        return np.where(self.numbers == 0, -1, self.exponents + length - 1 - UNIT)

    @cached_property
    def low(self) -> Integers:
        """The place of the lowest bit of each term; of 0 far above all."""
        lowest = self.numbers & -self.numbers
        length = np.frexp(lowest.astype(np.float64))[1].astype(np.int64)
        return np.where(self.numbers == 0, 1 << 20, self.exponents + length - 1 - UNIT)

    @cached_property
    def values(self) -> NDArray[np.float64]:
        """The terms, exactly: a product of two f16 has 22 bits."""
        return np.ldexp(self.numbers.astype(np.float64), self.exponents.astype(np.int32))

    @cached_property
    def finite(self) -> Flags:
        """Where every term is a finite number that is known."""
        special = self.a.nan | self.a.infinite | self.b.nan | self.b.infinite
        found: Flags = self.known & ~special.any(axis=-1) & ~(self.c.nan | self.c.infinite)
        return found

    def _flat(self, values: Integers) -> Integers:
        return values.reshape(-1, values.shape[-1])

    @cached_property
    def dot(self) -> Exact:
        """The exact sums of products, elements in one row after the other."""
        exponents = np.broadcast_to(self.exponent, self.number.shape)
        return Exact.of_terms(self._flat(self.number), self._flat(exponents))

    @cached_property
    def total(self) -> Exact:
        """The exact sums of all terms."""
        return Exact.of_terms(self._flat(self.numbers), self._flat(self.exponents))

    @cached_property
    def dot_size(self) -> Exact:
        """The magnitudes of the exact sums of products."""
        return self.dot.size()

    @cached_property
    def total_size(self) -> Exact:
        """The magnitudes of the exact sums of all terms."""
        return self.total.size()

    @cached_property
    def total_top(self) -> Integers:
        """The highest bits of those magnitudes, in the shape of D."""
        return self.shaped(self.total_size.top())

    @cached_property
    def addend(self) -> Exact:
        """C."""
        return Exact.of_terms(self._flat(self.c.number[..., None]), self._flat(self.c.exponent[..., None]))

    def partial(self, some: slice) -> Exact:
        """The exact sums of some of the products."""
        exponents = np.broadcast_to(self.exponent, self.number.shape)
        return Exact.of_terms(self._flat(self.number[..., some]), self._flat(exponents[..., some]))

    def shaped(self, flat: NDArray[Scalar]) -> NDArray[Scalar]:
        """One number of each element, in the shape of D."""
        return flat.reshape(self.shape)


@lru_cache(maxsize=8)
def terms_of(subject: Subject, event: Event) -> Terms:
    """The terms of a product's elements."""
    a, b, c = (operand_of(subject, event, role) for role in "abc")
    held = event.reads.get("c")
    return Terms(a, b, c, inherited=held is not None and held.product is not None)
