"""Devices whose mistakes hang on one value: of the addend, of a whole row of A, or of a bit of the result."""

from __future__ import annotations

import numpy as np
from msgspec.structs import replace

from mmaspec.backends.numpy.amd_rdna3_wmma.device import NARROW, State, WmmaDevice
from mmaspec.backends.numpy.intel_subgroup_mma.device import MadDevice
from mmaspec.backends.numpy.units.encoding import integers_of
from mmaspec.backends.numpy.units.unit import ArithmeticUnit, Bits
from mmaspec.programs.amd_rdna3_wmma.program import Wmma
from mmaspec.programs.formats import format_named
from mmaspec.programs.intel_subgroup_mma.caps import FORMS_OF, Caps

INFINITY = np.uint64(0x7C00)
LARGEST, SMALLEST = np.uint64(0x7FFFFFFF), np.uint64(0x80000000)
NANS = {"f16": (0x7C00, 0x7E00), "bf16": (0x7F80, 0x7FC0)}
"""Format -> the bits of infinity, and a NaN."""


class NanOfTheOtherHalf(WmmaDevice):
    """A NaN in the half of C's register that is not summed makes one of the result, in builtins that are not tied."""

    def placed(self, state: State, step: Wmma, sums: Bits, words: Bits) -> Bits:
        fmt = self.results_in(step)
        if fmt in NARROW and not self.tied(step) and step.c is not None:
            infinity, nan = NANS[fmt]
            other = words >> np.uint64(0 if self.reads_high(step) else 16) & np.uint64(0x7FFF)
            sums = np.where(other > infinity, np.uint64(nan), sums)
        return super().placed(state, step, sums, words)


class DoublesTheSmallest(WmmaDevice):
    """Results of f16 that are subnormal come out as twice what they are; nothing is in the other halves."""

    def product(self, step: Wmma, a: Bits, b: Bits, c: Bits) -> Bits:
        right = super().product(step, a, b, c)
        if self.results_in(step) != "f16":
            return right
        magnitudes, sign = right & np.uint64(0x7FFF), right & np.uint64(0x8000)
        return np.where(magnitudes < np.uint64(0x400), magnitudes * np.uint64(2) | sign, right)

    def beside(self, state: State, step: Wmma, words: Bits) -> Bits:
        del state
        return words if self.tied(step) else np.zeros_like(words)


class TwoMistakes(WmmaDevice):
    """In f16 infinities come out as the largest number; and what the last row has is twice as much as it should be."""

    def product(self, step: Wmma, a: Bits, b: Bits, c: Bits) -> Bits:
        right = super().product(step, a, b, c)
        if self.results_in(step) != "f16":
            return right
        finite = np.where(right & np.uint64(0x7FFF) == INFINITY, right - np.uint64(1), right)
        doubled = finite.copy()
        last = finite[..., -1, -1, :]
        small = (last & np.uint64(0x7C00) > 0) & (last & np.uint64(0x7C00) < np.uint64(0x7800))
        doubled[..., -1, -1, :] = np.where(small, last + np.uint64(0x400), last)
        return doubled


class LosesLowHalves(WmmaDevice):
    """Where results go to high halves, what stays in the low halves of the last registers is lost."""

    def beside(self, state: State, step: Wmma, words: Bits) -> Bits:
        kept = super().beside(state, step, words)
        if not self.writes_high(step):
            return kept
        return np.where(np.arange(kept.shape[-2])[:, np.newaxis] < kept.shape[-2] // 2, kept, np.uint64(0))


class LargestAddendStays(WmmaDevice):
    """Nothing is added to the largest integer."""

    def product(self, step: Wmma, a: Bits, b: Bits, c: Bits) -> Bits:
        right = super().product(step, a, b, c)
        return np.where(c == LARGEST, c, right) if self.results_in(step) == "i32" else right


class WrapsBelow(WmmaDevice):
    """Clamp works at the upper end of the range only."""

    def product(self, step: Wmma, a: Bits, b: Bits, c: Bits) -> Bits:
        right = super().product(step, a, b, c)
        if self.results_in(step) != "i32" or not step.clamp:
            return right
        wrapped = super().product(replace(step, clamp=False), a, b, c)
        return np.where(right == SMALLEST, wrapped, right)


class BothEndsStay(WmmaDevice):
    """Nothing is added to the largest integer, nor to the smallest."""

    def product(self, step: Wmma, a: Bits, b: Bits, c: Bits) -> Bits:
        right = super().product(step, a, b, c)
        return np.where((c == LARGEST) | (c == SMALLEST), c, right) if self.results_in(step) == "i32" else right


class MinusOneAndNothing(WmmaDevice):
    """A sum of products of -1 is lost where nothing is added to it."""

    def product(self, step: Wmma, a: Bits, b: Bits, c: Bits) -> Bits:
        right = super().product(step, a, b, c)
        if self.results_in(step) != "i32":
            return right
        a_fmt, b_fmt, _ = map(format_named, self.formats(step))
        sums = integers_of(a_fmt, a) @ integers_of(b_fmt, b)
        return np.where((c == 0) & (sums == -1), np.uint64(0), right)


class RowsOfZerosAreZero(MadDevice):
    """Where a row of A is zero, so is that of the result."""

    def product(self, formats: tuple[str, str, str], a: Bits, b: Bits, c: Bits) -> Bits:
        right = super().product(formats, a, b, c)
        magnitudes = a.reshape(*a.shape[:3], -1)
        if formats[0] in NANS:
            magnitudes = magnitudes & np.uint64(0x7FFF)
        return np.where((magnitudes == 0).all(axis=-1)[..., np.newaxis], np.uint64(0), right)


class LosesTheLastBit(MadDevice):
    """The last bit of bfloat16 results is zero, in a device with sub-groups of sixteen."""

    def __init__(self, unit: ArithmeticUnit) -> None:
        super().__init__(unit)
        self.caps = Caps(sub_group_size=16, forms=FORMS_OF[16])

    def product(self, formats: tuple[str, str, str], a: Bits, b: Bits, c: Bits) -> Bits:
        right = super().product(formats, a, b, c)
        finite = (right & np.uint64(0x7F80)) != np.uint64(0x7F80)
        return np.where(finite, right & np.uint64(0xFFFE), right) if formats[2] == "bf16" else right


class StopsBeforeInfinity(WmmaDevice):
    """In f16 infinities come out as the largest number."""

    def product(self, step: Wmma, a: Bits, b: Bits, c: Bits) -> Bits:
        right = super().product(step, a, b, c)
        infinite = (right & np.uint64(0x7FFF) == INFINITY) & (self.results_in(step) == "f16")
        return np.where(infinite, right - np.uint64(1), right)
