"""Units that add whole blocks of products at once, as tensor cores do."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from mmaspec.backends.numpy.units.encoding import Doubles, Integers
from mmaspec.backends.numpy.units.grid import Direction, exponent, power_of_two, to_format
from mmaspec.backends.numpy.units.sequential import Floats, Formats, SequentialUnit, Terms
from mmaspec.backends.numpy.units.specials import specials
from mmaspec.programs.formats import FORMATS, Format
from mmaspec.programs.profile import Profile

_NONE = -4000
"""Exponent of an operand that is zero: a product with it takes no part in the alignment."""
_LOWEST = -400
"""Below the exponents of all products of f32."""
_BYTE = 8
FP8_BITS = 13
"""Fraction bits of sums of 8-bit floats on Ada and Hopper: arXiv 2511.10909, arXiv 2512.07004."""


class FusedBlockUnit(SequentialUnit):
    """Blocks of products and the running sum, aligned on the largest term, cut off, added, rounded once.

    Each term keeps ``kept`` fraction bits below the largest exponent; that of a product is the sum of its
    operands' exponents, unnormalised, subnormal operands counting as those of the smallest normal number; it is
    ``floor`` at least, ``f16_floor`` where the accumulator is f16.
    The running sum has the accumulator's format: cut toward zero to f32, rounded to nearest even to a
    narrower one, to ``sum_bits`` fraction bits if it has more. f64 is added as ``SequentialUnit`` does.
    """

    name = "fused-block"

    def __init__(
        self,
        block: int = 16,
        kept: int = 25,
        floor: int = _LOWEST,
        f16_floor: int | None = None,
        sum_bits: int | None = None,
    ) -> None:
        self.block = block
        self.kept = kept
        self.floor = floor
        self.f16_floor = floor if f16_floor is None else f16_floor
        self.sum_bits = sum_bits

    def accumulate(self, terms: Terms) -> Floats:
        """Block after block; then what an operand makes NaN or Inf."""
        a, b, c, formats = terms.a, terms.b, terms.c, terms.formats
        if a.dtype == np.float64:
            return super().accumulate(terms)
        wide = [x.astype(np.float64) for x in (a, b, c)]
        if all(np.isfinite(x).all() for x in wide):
            return self.blocks(wide[0], wide[1], wide[2], formats)
        left, right, start = (np.where(np.isfinite(x), x, 0.0) for x in wide)
        special = specials(*wide)
        # A sum that left the range of the accumulator is infinite already.
        result: Doubles = np.where(np.isfinite(special), self.blocks(left, right, start, formats), special)
        return result

    def blocks(self, a: Doubles, b: Doubles, total: Doubles, formats: Formats) -> Doubles:
        """The sum of finite operands."""
        left, right = aligned(a, formats[0]), aligned(b, formats[1])
        for first in range(0, a.shape[-1], self.block):
            part = range(first, min(first + self.block, a.shape[-1]))
            total = self.one_block(a, left, b, right, part, total, formats[2])
        return total

    def one_block(
        self, a: Doubles, left: Integers, b: Doubles, right: Integers, part: range, total: Doubles, accumulator: Format
    ) -> Doubles:
        """The running sum after one more block of products; ``left`` and ``right`` are the operands' exponents."""
        floor = self.f16_floor if accumulator.name == "f16" else self.floor
        grid = largest(left, right, part, np.maximum(aligned(total, accumulator), floor)) - self.kept
        whole = self.added(a, b, part, total, power_of_two(-grid))
        mode: Direction = "zero" if accumulator.precision >= FORMATS["f32"].precision else "nearest"
        # What rounds to zero is +0, whatever its sign was.
        return to_format(whole * power_of_two(grid), shortened(accumulator, self.sum_bits), mode) + 0.0

    def added(self, a: Doubles, b: Doubles, part: range, total: Doubles, scale: Doubles) -> Doubles:
        """The sum of the terms in units of the grid, each cut to an integer of at most ``kept + 2`` bits."""
        # An infinite running sum has left the range for good.
        whole: Doubles = np.trunc(total * scale)
        for k in part:
            term = a[:, :, k, np.newaxis] * b[:, np.newaxis, k, :]
            term *= scale
            whole += np.trunc(term, out=term)
        return whole


class ShortFp8Unit(FusedBlockUnit):
    """Operands of 8 bits in blocks of ``fp8_block``, which keep 13 fraction bits, as do their sums; others as above."""

    name = "short-fp8"

    def __init__(self, block: int, kept: int, floor: int, f16_floor: int, fp8_block: int) -> None:
        super().__init__(block, kept, floor, f16_floor)
        self.of_fp8 = FusedBlockUnit(fp8_block, FP8_BITS, floor, sum_bits=FP8_BITS)

    def blocks(self, a: Doubles, b: Doubles, total: Doubles, formats: Formats) -> Doubles:
        """The sum of finite operands."""
        if max(fmt.bits for fmt in formats[:2]) > _BYTE:
            return super().blocks(a, b, total, formats)
        return self.of_fp8.blocks(a, b, total, formats)


class ShortAlignmentUnit(FusedBlockUnit):
    """Blocks of 4 whose terms keep 9 fraction bits, fewer than practice demands; the profile says so."""

    name = "short-alignment"
    profile: Profile = Profile(
        name="short-alignment",
        about="terms keep 9 fraction bits when they are aligned",
        kept_fraction_bits=9,
    )

    def __init__(self) -> None:
        super().__init__(block=4, kept=9)


class OnesComplementUnit(FusedBlockUnit):
    """The same, but a term against the largest one is negated by flipping its bits: one too little."""

    name = "ones-complement"

    def added(self, a: Doubles, b: Doubles, part: range, total: Doubles, scale: Doubles) -> Doubles:
        """The sum, each opposing term one unit further out."""
        terms = [a[:, :, k, np.newaxis] * b[:, np.newaxis, k, :] for k in part]
        stack = np.trunc(np.stack([total, *terms]) * scale)
        lead = np.take_along_axis(stack, np.abs(stack).argmax(axis=0)[np.newaxis], axis=0)
        opposing = np.sign(stack) * np.sign(lead) < 0
        found: Doubles = (stack - np.where(opposing, np.sign(lead), 0.0)).sum(axis=0)
        return found


def shortened(fmt: Format, fraction_bits: int | None) -> Format:
    """The format with so many fraction bits at most."""
    lost = 0 if fraction_bits is None else max(0, fmt.fraction_bits - fraction_bits)
    return replace(fmt, bits=fmt.bits - lost, fraction_bits=fmt.fraction_bits - lost) if lost else fmt


def aligned(values: Doubles, fmt: Format) -> Integers:
    """The exponents by which hardware aligns numbers of ``fmt``; far below all of them for zero."""
    found: Integers = np.where(values == 0, _NONE, np.maximum(exponent(values), fmt.emin))
    return found


def largest(left: Integers, right: Integers, part: range, start: Integers) -> Integers:
    """The largest exponent of a block's products and of ``start`` (T, M, N)."""
    found = np.maximum(start, _LOWEST)
    for k in part:
        np.maximum(found, left[:, :, k, np.newaxis] + right[:, np.newaxis, k, :], out=found)
    return found
