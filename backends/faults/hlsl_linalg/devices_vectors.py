"""Linear algebra devices that deviate in vectors and single elements; ``catalogue.FAULTS`` names the clauses."""

from __future__ import annotations

import numpy as np
from msgspec.structs import replace

from mmaspec.backends.numpy.hlsl_linalg.device import LinalgDevice, OfVector
from mmaspec.backends.numpy.hlsl_linalg.products import Held
from mmaspec.backends.numpy.hlsl_linalg.running import Positions, Running, format_of
from mmaspec.backends.numpy.units.unit import Bits
from mmaspec.programs.formats import Format
from mmaspec.programs.hlsl_linalg.components import COMPONENTS
from mmaspec.programs.hlsl_linalg.program import Beyond, Matrix, MemoryBias, MultiplyVector, Vector

# Vectors


class ConvertsBits(LinalgDevice):
    """Convert takes the bits of each component as they are."""

    def vector_cast(self, bits: Bits, source: Format, target: Format) -> Bits:
        """The low bits."""
        return bits if source == target else bits & np.uint64(target.mask)


class LastTermMissing(LinalgDevice):
    """Products with vectors leave out the last k."""

    def vector_product(self, a: Held, column: Held, bias: Held) -> Bits:
        """K - 1 terms."""
        return super().vector_product((a[0], a[1][..., :-1]), (column[0], column[1][..., :-1, :]), bias)


class RowsRotate(LinalgDevice):
    """The result of a product with a vector begins with its last element."""

    def vector_product(self, a: Held, column: Held, bias: Held) -> Bits:
        """Rows of A moved on by one."""
        return super().vector_product((a[0], np.roll(a[1], 1, axis=-2)), column, bias)


class BiasLost(LinalgDevice):
    """MultiplyAdd multiplies."""

    def bias(self, running: Running, product: MultiplyVector, vector: Vector) -> Bits:
        """Nothing."""
        return np.zeros_like(super().bias(running, product, vector))


class BiasBits(LinalgDevice):
    """The bits of a bias of another type are added as they are."""

    def bias(self, running: Running, product: MultiplyVector, vector: Vector) -> Bits:
        """Not converted."""
        match product.bias:
            case None:
                return super().bias(running, product, vector)
            case MemoryBias():
                fmt = COMPONENTS[product.bias.component].format
                bits = self.memory_bias(running, product.bias, vector.length)
            case name:
                fmt, bits = self.vector_held(running, running.program.vector(name))
        return bits if fmt == format_of(vector) else bits & np.uint64(format_of(vector).mask)


class BiasOffsetIgnored(LinalgDevice):
    """A bias in memory begins where its buffer does."""

    def memory_bias(self, running: Running, bias: MemoryBias, length: int) -> Bits:
        """At byte 0."""
        return super().memory_bias(running, replace(bias, offset=0), length)


class FactorBits(LinalgDevice):
    """The bits of a vector of another type than the matrix are multiplied as they are.

    By the text of 2025-09-19, where every scalar is one factor, they are taken for packed ones.
    """

    def factor(self, running: Running, matrix: Matrix, held: Held) -> Held:
        """The low bits, or one part of a scalar after the other."""
        fmt = format_of(matrix)
        if held[0] == fmt:
            return super().factor(running, matrix, held)
        bits = held[1]
        if self.by_source and held[0].bits > fmt.bits:
            parts = held[0].bits // fmt.bits
            word, part = np.divmod(np.arange(bits.shape[-1]), parts)
            bits = bits[..., word] >> (part * fmt.bits).astype(np.uint64)
        return fmt, bits & np.uint64(fmt.mask)


class ThreadsShareVectors(LinalgDevice):
    """All threads have the vector of the first one."""

    def vector_bits(self, running: Running, instruction: OfVector, loop: int) -> Bits:
        """One for all."""
        found = super().vector_bits(running, instruction, loop)
        return np.broadcast_to(found[:, :1], found.shape)


class EveryThreadTakesPart(LinalgDevice):
    """Vectors are written by threads that are not in a branch as well."""

    def change_vector(self, running: Running, instruction: OfVector, loop: int) -> None:
        """By all."""
        active = running.active
        running.active = np.ones_like(active)
        super().change_vector(running, instruction, loop)
        running.active = active


class WordsMixed(LinalgDevice):
    """Components of packed words lie in an order of their own: neighbours are exchanged, of BFloat16 pairs."""

    def component_places(self, vector: Vector) -> Positions:
        """Exchanged within four components."""
        found = super().component_places(vector)
        packed = COMPONENTS[vector.component].packed
        if packed == 1 or vector.length % 4:
            return found
        order = [1, 0, 3, 2] if packed == 4 else [2, 3, 0, 1]
        return np.asarray(found.reshape(-1, 4)[:, order].ravel())


class OuterProductOfNeighbours(LinalgDevice):
    """An outer product takes for each element the one before it in the row."""

    def times(self, fmt: Format, column: Held, row: Held) -> Bits:
        """Moved on by one."""
        return super().times(fmt, column, (row[0], np.roll(row[1], 1, axis=-1)))


# Single elements


class CountsHalf(LinalgDevice):
    """Length counts pairs."""

    def length(self, held: Positions) -> int:
        """Half."""
        return super().length(held) // 2


class ColumnFirst(LinalgDevice):
    """GetCoordinate gives the column, then the row."""

    def coordinates(self, held: Positions) -> Positions:
        """The other way round."""
        return held[:, ::-1]


class CoordinateZeroBeyond(LinalgDevice):
    """GetCoordinate of an index beyond the last gives the first element's."""

    def coordinate_beyond(self, matrix: Matrix) -> tuple[int, int]:
        """Both zero."""
        del matrix
        return 0, 0


class GetsNeighbour(LinalgDevice):
    """Get gives the element of the index before."""

    def get(self, running: Running, matrix: Matrix, instance: int, where: Positions) -> Bits:
        """Moved on by one."""
        return super().get(running, matrix, instance, np.roll(where, 1, axis=0))


class GetsLastBeyond(LinalgDevice):
    """Get of an index beyond the last gives the last element."""

    def get_beyond(self, running: Running, matrix: Matrix, thread: int, past: int) -> Bits:
        """What a clamped index finds."""
        instance, held = self.own(running, matrix, thread)
        if not len(held):
            return super().get_beyond(running, matrix, thread, past)
        return self.get(running, matrix, instance, held[-1:])[:, 0]


class SetMissesLast(LinalgDevice):
    """Set of the last index does nothing."""

    def set(self, running: Running, matrix: Matrix, instance: int, where: Positions, bits: Bits) -> None:
        """One less."""
        super().set(running, matrix, instance, where[:-1], bits[:, :-1])


class SetsLastBeyond(LinalgDevice):
    """Set of an index beyond the last changes the last element."""

    def set_beyond(self, running: Running, matrix: Matrix, thread: int, access: Beyond) -> None:
        """What a clamped index finds."""
        instance, held = self.own(running, matrix, thread)
        value = np.full((running.batch, 1), access.value, np.uint64)
        if len(held):
            self.set(running, matrix, instance, held[-1:], value)


class NeitherLayout(LinalgDevice):
    """AccumulatorLayout gives 2."""

    def accumulator_layout(self) -> int:
        """What no matrix has."""
        return 2

    def like(self, matrix: Matrix) -> str:
        """As A."""
        return "A" if matrix.use == "Accumulator" else matrix.use
