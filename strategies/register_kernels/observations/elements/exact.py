"""Exact sums of floats, many at once: integers of 544 bits in units of 2^-266, seventeen limbs each.

A limb of all of them stands together in memory, as carries go through all of them at once.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mmaspec.oracle.numerics.ordinals import Bits, magnitudes
from mmaspec.programs.formats import Format

Integers = NDArray[np.int64]

UNIT = -266
"""Every float up to f32, and every product of two f16 or bf16, is an integer times two to this."""
LIMBS = 17
WIDTH = 32
MASK = (1 << WIDTH) - 1
NONE = -1
"""The place of a bit that there is not."""


def significands(fmt: Format, bits: Bits) -> tuple[Integers, Integers]:
    """Signed integers and exponents of finite floats; infinities and NaN are taken for 0."""
    size = magnitudes(fmt, bits).astype(np.int64)
    field, part = size >> fmt.fraction_bits, size & ((1 << fmt.fraction_bits) - 1)
    number = np.where(field > 0, part | 1 << fmt.fraction_bits, part)
    number = np.where(size > fmt.largest_magnitude, 0, number)
    signed = np.where(bits >= np.uint64(fmt.sign_bit), -number, number)
    return signed, np.maximum(field, 1) - fmt.bias - fmt.fraction_bits


@dataclass(frozen=True, slots=True, eq=False)
class Exact:
    """Integers of 544 bits, ``(LIMBS, count)``: limbs from 0 to 2^32 - 1, low first; the last one has the sign."""

    limbs: Integers

    @classmethod
    def of_terms(cls, numbers: Integers, exponents: Integers) -> Exact:
        """Sums along the last axis of ``number * 2^exponent``; ``(count, terms)``, numbers below 2^31."""
        count = numbers.shape[0]
        limbs = np.zeros((LIMBS, count), np.int64)
        each = np.arange(count)
        for term in range(numbers.shape[1]):
            number, place = numbers[:, term], exponents[:, term] - UNIT
            here = number != 0
            wide = number << np.where(here, place & (WIDTH - 1), 0)
            at = np.where(here, place // WIDTH, 0)
            limbs[at, each] += wide & MASK
            limbs[at + 1, each] += wide >> WIDTH
        return cls(_carried(limbs))

    @classmethod
    def of_doubles(cls, values: NDArray[np.float64]) -> Exact:
        """Multiples of 2^-236 below 2^275 with at most 30 significant bits, ``(count,)``."""
        part, exponent = np.frexp(values[:, None])
        return cls.of_terms(np.ldexp(part, 30).astype(np.int64), exponent.astype(np.int64) - 30)

    @property
    def sign(self) -> Integers:
        """-1, 0 or 1."""
        found: Integers = np.where(self.limbs[-1] < 0, -1, (self.limbs != 0).any(axis=0).astype(np.int64))
        return found

    def __neg__(self) -> Exact:
        """The opposite."""
        return Exact(_carried(-self.limbs))

    def plus(self, other: Exact, factor: int = 1) -> Exact:
        """The sum with a small multiple of another."""
        return Exact(_carried(self.limbs + factor * other.limbs))

    def size(self) -> Exact:
        """The magnitude."""
        return Exact(_carried(np.where(self.limbs[-1] < 0, -self.limbs, self.limbs)))

    def step(self, place: Integers, by: int) -> Exact:
        """The sum with ``by * 2^place``; where there is no place, itself."""
        limbs = self.limbs.copy()
        rows = np.flatnonzero(place >= 0)
        limbs[place[rows] // WIDTH, rows] += by * (np.int64(1) << (place[rows] % WIDTH))
        return Exact(_carried(limbs))

    def top(self) -> Integers:
        """The highest bit of a magnitude, or `NONE`."""
        some = self.limbs != 0
        limb = LIMBS - 1 - some[::-1].argmax(axis=0)
        value = self._at(limb)
        found: Integers = np.where(some.any(axis=0), limb * WIDTH + _length(value) - 1, NONE)
        return found

    def low(self) -> Integers:
        """The lowest bit that is set, or `NONE`."""
        some = self.limbs != 0
        limb = some.argmax(axis=0)
        value = self._at(limb)
        found: Integers = np.where(some.any(axis=0), limb * WIDTH + _length(value & -value) - 1, NONE)
        return found

    def bits(self, place: Integers, count: int) -> Integers:
        """``count`` bits of a magnitude, up to 31, from a place on; places below 0 hold zeros."""
        found = np.zeros(len(place), np.int64)
        for bit in range(count):
            at = place + bit
            limb = self._at(np.clip(at // WIDTH, 0, LIMBS - 1))
            found |= np.where((at >= 0) & (at < LIMBS * WIDTH), limb >> (at % WIDTH) & 1, 0) << bit
        return found

    def below(self, place: Integers) -> Exact:
        """A magnitude without the bits from a place on."""
        start = np.arange(LIMBS, dtype=np.int64)[:, None] * WIDTH
        kept = np.clip(place - start, 0, WIDTH)
        return Exact(self.limbs & ((np.int64(1) << kept) - 1))

    def _at(self, limb: Integers) -> Integers:
        found: Integers = np.take_along_axis(self.limbs, limb[None], axis=0)[0]
        return found

    def compare(self, other: Exact) -> Integers:
        """-1, 0 or 1, as it is less than, equal to or more than another."""
        return self.plus(other, -1).sign


def _length(value: Integers) -> Integers:
    """Bits of numbers below 2^33; a double holds them exactly."""
    return np.frexp(value.astype(np.float64))[1].astype(np.int64)


def _carried(limbs: Integers) -> Integers:
    limbs = limbs.copy()
    for n in range(LIMBS - 1):
        limbs[n + 1] += limbs[n] >> WIDTH
        limbs[n] &= MASK
    return limbs
