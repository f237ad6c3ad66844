"""Tiles whose values differ, exact or with the width of float sums, and what a device makes of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mmaspec.oracle.numerics.legal import Legal
from mmaspec.oracle.numerics.ordinals import Bits, to_ordinal
from mmaspec.programs.formats import FORMATS
from mmaspec.suites.judging.patterns.pattern import Pattern, pattern

Array = NDArray[Any]
Device = Callable[[Array], Array]
"""Of the right bits (items, waves, rows, columns) makes those that are found."""


@dataclass(frozen=True, slots=True, eq=False)
class Made:
    """Legal contents and the right bits of some of them."""

    legal: Legal
    bits: Bits

    def seen(self, device: Device) -> Pattern | None:
        """What is found of the bits that a device makes of these."""
        return self.judged(device(self.bits.copy()).astype(np.uint64))

    def judged(self, got: Bits) -> Pattern | None:
        """What is found of these bits."""
        return pattern(self.legal, got, self.legal.illegal(got))


def numbers(shape: tuple[int, ...], high: int = 1 << 20, seed: int = 0) -> Made:
    """Integers from -high to high, each the only legal content."""
    values = np.random.default_rng(seed).integers(-high, high + 1, shape)
    return exactly((values & 0xFFFFFFFF).astype(np.uint64))


def exactly(bits: Bits) -> Made:
    """These 32-bit integers."""
    moved = Legal.from_bits(FORMATS["s32"], bits)
    return Made(Legal.interval(moved.fmt, moved.lo, moved.hi), bits)


def sums(shape: tuple[int, ...], steps: int = 1 << 16, seed: int = 0) -> Made:
    """Float sums that may be off by some steps of the 2^23 in a binade; the right bits lie anywhere among them."""
    rng = np.random.default_rng(seed)
    values = (rng.normal(size=(*shape, 16)) * rng.normal(size=(*shape, 16))).sum(-1)
    fmt = FORMATS["f32"]
    exact = to_ordinal(fmt, values.astype(np.float32).view(np.uint32).astype(np.uint64))
    legal = Legal.interval(fmt, exact - steps, exact + steps)
    found = exact + rng.integers(-steps, steps + 1, shape)
    bits = np.abs(found).astype(np.uint64) | np.where(found < 0, np.uint64(fmt.sign_bit), np.uint64(0))
    return Made(legal, bits)


def along(axis: int, source: Callable[[Array], Array]) -> Device:
    """A device whose lines hold those that `source` gives for their numbers."""

    def device(bits: Array) -> Array:
        return np.take(bits, source(np.arange(bits.shape[axis])), axis)

    return device
