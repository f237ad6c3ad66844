"""Linear algebra devices that deviate in values of matrices; ``catalogue.FAULTS`` names the clauses."""

from __future__ import annotations

import numpy as np

from mmaspec.backends.numpy.hlsl_linalg.conversions import convert, taken_apart
from mmaspec.backends.numpy.hlsl_linalg.device import LinalgDevice
from mmaspec.backends.numpy.hlsl_linalg.products import Held
from mmaspec.backends.numpy.hlsl_linalg.running import Running, format_of
from mmaspec.backends.numpy.units.encoding import bits_of_doubles, bits_of_integers, doubles_of, integers_of
from mmaspec.backends.numpy.units.unit import ArithmeticUnit, Bits
from mmaspec.programs.formats import FORMATS, Format
from mmaspec.programs.hlsl_linalg.program import Cast, Matrix, Multiply, MultiplyAccumulate, Splat

TILE = 16

# Splats, casts, conversions


class SplatsFirstRow(LinalgDevice):
    """Splat writes the first row."""

    def splat(self, running: Running, splat: Splat) -> Bits:
        """The other rows stay."""
        bits = running.contents(running.program.matrix(splat.matrix)).copy()
        bits[:, :, 0] = super().splat(running, splat)[:, :, 0]
        return bits


class LastLaneSplats(LinalgDevice):
    """Splat takes the value of the last lane."""

    def splat(self, running: Running, splat: Splat) -> Bits:
        """Of each wave, or of the first one."""
        self.deciding_lane = running.program.wave_size - 1
        bits = super().splat(running, splat)
        self.deciding_lane = 0
        return bits


class SplatsBits(LinalgDevice):
    """Splat takes the bits of a scalar of another type as they are."""

    def splat_value(self, bits: Bits, source: Format, matrix: Matrix) -> Bits:
        """Its low bits."""
        fmt = format_of(matrix)
        return bits if source == fmt else bits & np.uint64(fmt.mask)


class CastsBits(LinalgDevice):
    """Cast takes the bits of another type as they are."""

    def cast_bits(self, bits: Bits, source: Format, target: Format) -> Bits:
        """The low bits."""
        return bits if source == target else bits & np.uint64(target.mask)


class CastLosesLastRow(LinalgDevice):
    """Cast leaves the last row of its source out."""

    def cast_bits(self, bits: Bits, source: Format, target: Format) -> Bits:
        """Zeros there."""
        found = super().cast_bits(bits, source, target).copy()
        found[..., -1, :] = 0
        return found


class CastEmptiesSource(LinalgDevice):
    """Cast moves the elements out of its source."""

    def cast(self, running: Running, cast: Cast) -> Bits:
        """Zeros stay there."""
        bits = super().cast(running, cast)
        source = running.program.matrix(cast.source)
        running.matrices[source.name] = np.zeros_like(running.contents(source))
        return bits


class NeverTurns(LinalgDevice):
    """A Cast that transposes pours the rows of its source into those of the result."""

    def turned(self, bits: Bits) -> Bits:
        """The shape alone changes."""
        return bits.reshape(*bits.shape[:-2], bits.shape[-1], bits.shape[-2]).copy()


class IntegersWrap(LinalgDevice):
    """Integers that another integer type does not have keep their low bits."""

    def converted_bits(self, bits: Bits, source: Format, target: Format) -> Bits:
        """Sign-extended and cut."""
        if source.is_float or target.is_float:
            return super().converted_bits(bits, source, target)
        return bits_of_integers(target, integers_of(source, bits))


class FloatsLoseLowestBit(LinalgDevice):
    """Floats that are converted to another float type lose their lowest bit."""

    def converted_bits(self, bits: Bits, source: Format, target: Format) -> Bits:
        """Exact results too."""
        found = super().converted_bits(bits, source, target)
        moved = source != target and source.is_float and target.is_float
        one = np.uint64(1 << max(0, target.fraction_bits - source.fraction_bits)) if moved else np.uint64(0)
        finite = (found & ~np.uint64(target.sign_bit)) <= np.uint64(target.largest_magnitude if moved else 0)
        return np.where(finite, found & ~one, found) if moved else found


class IntegersCut(LinalgDevice):
    """Integers that a float type does not have are cut toward zero."""

    def converted_bits(self, bits: Bits, source: Format, target: Format) -> Bits:
        """The bits below its precision go first."""
        if source.is_float or not target.is_float:
            return super().converted_bits(bits, source, target)
        parts = taken_apart(source, bits)
        size = parts.significand
        for high in range(target.precision, 64):
            longer = size >> np.uint64(high) != 0
            low = np.uint64((1 << (high - target.precision + 1)) - 1)
            size = np.where(longer, size & ~low, size)
        whole = np.where(parts.negative, ~size + np.uint64(1), size) & np.uint64(source.mask)
        return super().converted_bits(whole, source, target)


class FloatsCut(LinalgDevice):
    """Floats become the integer next to them toward zero."""

    def converted_bits(self, bits: Bits, source: Format, target: Format) -> Bits:
        """Cut first."""
        if not source.is_float or target.is_float:
            return super().converted_bits(bits, source, target)
        with np.errstate(invalid="ignore"):  # a signalling NaN stays one that is not judged
            whole = bits_of_doubles(source, np.trunc(doubles_of(source, bits)))
        return super().converted_bits(whole, source, target)


class FloatsWrap(LinalgDevice):
    """Floats beyond the range of an integer type keep the low bits of their integer."""

    def converted_bits(self, bits: Bits, source: Format, target: Format) -> Bits:
        """Through 64 bits."""
        if not source.is_float or target.is_float:
            return super().converted_bits(bits, source, target)
        return convert(bits, source, FORMATS["s64"]) & np.uint64(target.mask)


# Products and sums


class AddsOnMultiply(LinalgDevice):
    """Multiply adds to what the accumulator held."""

    def addend(self, running: Running, product: Multiply | MultiplyAccumulate, matrix: Matrix) -> Bits:
        """The old contents."""
        del product
        return running.contents(matrix)


class DropsAddend(LinalgDevice):
    """MultiplyAccumulate multiplies."""

    def addend(self, running: Running, product: Multiply | MultiplyAccumulate, matrix: Matrix) -> Bits:
        """Nothing."""
        del product
        return np.zeros_like(running.contents(matrix))


class SumsIn16Bits(LinalgDevice):
    """The sum of integer products is kept in 16 bits before the addend is added."""

    def product(self, a: Held, b: Held, c: Held) -> Bits:
        """Wrapped at 16 bits, sign-extended, then added."""
        fmt, addend = c
        if fmt.is_float or fmt.bits <= 16:
            return super().product(a, b, c)
        total = super().product(a, b, (fmt, np.zeros_like(addend))).astype(np.int64)
        low = ((total & 0xFFFF) ^ 0x8000) - 0x8000
        return bits_of_integers(fmt, low + integers_of(fmt, addend))


class SumsThroughFloat(LinalgDevice):
    """Integer sums pass through float32."""

    def product(self, a: Held, b: Held, c: Held) -> Bits:
        """Rounded to 24 bits."""
        found, fmt = super().product(a, b, c), c[0]
        if fmt.is_float:
            return found
        rounded = integers_of(fmt, found).astype(np.float32).astype(np.float64)
        return bits_of_integers(fmt, np.clip(rounded, fmt.min_value, fmt.max_value).astype(np.int64))


class RightTakesSignOfLeft(LinalgDevice):
    """B is read with the sign of A."""

    def matrix_product(self, a: Held, b: Held, c: Held) -> Bits:
        """One format for both where they differ in sign alone."""
        alike = not a[0].is_float and not b[0].is_float and a[0].bits == b[0].bits
        return super().matrix_product(a, (a[0], b[1]) if alike else b, c)


class HalfPrecise(LinalgDevice):
    """Float sums keep half of the bits of an f32, and nine of those of f16."""

    def product(self, a: Held, b: Held, c: Held) -> Bits:
        """Truncated."""
        found, fmt = super().product(a, b, c), c[0]
        if not fmt.is_float:
            return found
        lost = max(1, min((fmt.precision + 1) // 2, fmt.precision - 9))
        finite = (found & ~np.uint64(fmt.sign_bit)) <= np.uint64(fmt.largest_magnitude)
        return np.where(finite, found & ~np.uint64((1 << lost) - 1), found)


class NanLost(LinalgDevice):
    """NaN in a product becomes zero."""

    def product(self, a: Held, b: Held, c: Held) -> Bits:
        """Zero in its place."""
        found, fmt = super().product(a, b, c), c[0]
        return np.where(np.isnan(doubles_of(fmt, found)), np.uint64(0), found) if fmt.is_float else found


class FirstTileEverywhere(LinalgDevice):
    """Every tile of a product of matrices is made from the first tiles of A and B."""

    def __init__(self, unit: ArithmeticUnit, tile: int = TILE) -> None:
        super().__init__(unit)
        self.tile = tile

    def matrix_product(self, a: Held, b: Held, c: Held) -> Bits:
        """Rows of A and columns of B taken modulo the tile, which is half of what there is if there is but one."""
        rows, cols = a[1].shape[-2], b[1].shape[-1]
        tall, wide = (min(self.tile, max(1, size // 2)) if size > TILE // 2 else size for size in (rows, cols))
        own_rows, own_cols = np.arange(rows) % tall, np.arange(cols) % wide
        return super().matrix_product((a[0], a[1][..., own_rows, :]), (b[0], b[1][..., own_cols]), c)


class AccumulateReplaces(LinalgDevice):
    """Accumulate assigns the accumulator."""

    def total(self, accumulator: Held, operand: Held) -> Bits:
        """The operand."""
        return self.converted_bits(operand[1], operand[0], accumulator[0])


class AccumulateOneUnitUp(LinalgDevice):
    """Sums of Accumulate are one unit too large."""

    def total(self, accumulator: Held, operand: Held) -> Bits:
        """Beside the sum."""
        fmt = accumulator[0]
        found = super().total(accumulator, operand)
        magnitude = found & ~np.uint64(fmt.sign_bit if fmt.is_float else 0)
        top = np.uint64(fmt.largest_magnitude if fmt.is_float else fmt.mask)
        return np.where(magnitude < top, found + np.uint64(1), found)


class BiasedBytes(LinalgDevice):
    """Exponents of FP8 matrices are one larger."""

    def matrix_held(self, running: Running, matrix: Matrix) -> Held:
        """Every normal number that has a double is doubled."""
        fmt, bits = super().matrix_held(running, matrix)
        if fmt.name not in ("e4m3", "e5m2"):
            return fmt, bits
        step, magnitude = np.uint64(1 << fmt.fraction_bits), bits & ~np.uint64(fmt.sign_bit)
        doubled = (magnitude >= step) & (magnitude + step <= np.uint64(fmt.largest_magnitude))
        return fmt, np.where(doubled, bits + step, bits)
