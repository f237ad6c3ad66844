"""Values: splats, casts, conversions, products and sums of matrices and vectors."""

from __future__ import annotations

import numpy as np

from mmaspec.backends.numpy.hlsl_linalg.atomics import Atomics
from mmaspec.backends.numpy.hlsl_linalg.running import Positions, Running, format_of
from mmaspec.backends.numpy.hlsl_linalg.sums import add, multiply
from mmaspec.backends.numpy.units.unit import Bits
from mmaspec.programs.formats import FORMATS, Format
from mmaspec.programs.hlsl_linalg.components import COMPONENTS, SCALARS
from mmaspec.programs.hlsl_linalg.program import (
    Accumulate,
    Cast,
    Convert,
    Matrix,
    MemoryBias,
    Multiply,
    MultiplyAccumulate,
    MultiplyVector,
    OuterProduct,
    Scope,
    Splat,
    Vector,
    VectorLoad,
    VectorStore,
)
from mmaspec.programs.hlsl_linalg.removed import Operate

Held = tuple[Format, Bits]
"""A format and bits of it."""


class Products(Atomics):
    """Instructions that make values; those of products go through the arithmetic unit."""

    def matrix_held(self, running: Running, matrix: Matrix) -> Held:
        """A matrix as an operand: the format in which it is held, and its bits."""
        return running.held.get(matrix.name, format_of(matrix)), running.contents(matrix)

    def vector_held(self, running: Running, vector: Vector) -> Held:
        """A vector as an operand: the format in which it is held, and its bits."""
        return running.held.get(vector.name, format_of(vector)), running.components(vector)

    # Matrices of themselves

    def splat(self, running: Running, splat: Splat) -> Bits:
        """The first lane's value, converted, in every element."""
        matrix = running.program.matrix(splat.matrix)
        found = running.contents(matrix).copy()
        for instance in running.acting(matrix.scope):
            source, bits = self.first_scalar(running, splat, matrix.scope, instance)
            found[:, instance] = self.splat_value(bits, source, matrix)[:, np.newaxis, np.newaxis]
        return found

    def first_scalar(self, running: Running, one: Splat | Operate, scope: Scope, instance: int) -> Held:
        """The scalar of the thread that counts for an instance of a matrix, ``(batch,)``."""
        source = FORMATS[SCALARS[one.scalar]]
        wave, lane = divmod(self.deciding(running, scope, instance), running.program.wave_size)
        more = wave * one.wave + lane * one.lane
        written = self.scalar(running, one.value, source.nbytes)
        return source, (written + np.uint64(more & source.mask)) & np.uint64(source.mask)

    def deciding(self, running: Running, scope: Scope, instance: int) -> int:
        """The thread whose values count for an instance of a matrix."""
        threads = running.threads(scope, instance)
        return threads[min(self.deciding_lane, len(threads) - 1)]

    def splat_value(self, bits: Bits, source: Format, matrix: Matrix) -> Bits:
        """The scalar as a component of the matrix."""
        return self.converted_bits(bits, source, format_of(matrix))

    def cast(self, running: Running, cast: Cast) -> Bits:
        """The source's elements in the new component type, the other way round where it is transposed."""
        matrix, source = (running.program.matrix(name) for name in (cast.matrix, cast.source))
        fmt, bits = self.matrix_held(running, source)
        bits = self.cast_bits(bits, fmt, format_of(matrix))
        return self.turned(bits) if cast.transpose else bits.copy()

    def cast_bits(self, bits: Bits, source: Format, target: Format) -> Bits:
        """The conversion of a cast."""
        return self.converted_bits(bits, source, target)

    def turned(self, bits: Bits) -> Bits:
        """A transposed copy."""
        return np.swapaxes(bits, -1, -2).copy()

    # Products of matrices

    def multiply(self, running: Running, product: Multiply | MultiplyAccumulate) -> Bits:
        """A times B, by itself or added to the accumulator."""
        matrix, a, b = (running.program.matrix(name) for name in (product.matrix, product.a, product.b))
        total = (format_of(matrix), self.addend(running, product, matrix))
        return self.matrix_product(self.matrix_held(running, a), self.matrix_held(running, b), total)

    def matrix_product(self, a: Held, b: Held, c: Held) -> Bits:
        """A product of matrices."""
        return self.product(a, b, c)

    def addend(self, running: Running, product: Multiply | MultiplyAccumulate, matrix: Matrix) -> Bits:
        """What the product is added to: nothing, or the accumulator as it was."""
        before = running.contents(matrix)
        return before if isinstance(product, MultiplyAccumulate) else np.zeros_like(before)

    def product(self, a: Held, b: Held, c: Held) -> Bits:
        """A times B plus C in the format of C, left to the unit; integer sums beyond its range wrap."""
        return self.unit.multiply_add(a[0].name, a[1], b[0].name, b[1], c[0].name, c[1])

    def accumulate(self, running: Running, method: Accumulate) -> Bits:
        """The operand, added element by element."""
        matrix, operand = (running.program.matrix(name) for name in (method.matrix, method.operand))
        return self.total((format_of(matrix), running.contents(matrix)), self.matrix_held(running, operand))

    def total(self, accumulator: Held, operand: Held) -> Bits:
        """The sum of two matrices in the type of the first."""
        return add(*accumulator, *operand)

    # Vectors

    def component_places(self, vector: Vector) -> Positions:
        """Bytes from the start of a vector in memory to its components, the first of a word in its lowest bits."""
        return format_of(vector).nbytes * np.arange(vector.length, dtype=np.int64)

    def vector_load(self, running: Running, load: VectorLoad, loop: int) -> Bits:
        """Every thread's components, one after the other."""
        vector = running.program.vector(load.vector)
        threads = self.acting_threads(running)
        where = self.vector_places(running, vector, load, threads, loop)
        found = running.components(vector).copy()
        found[:, threads] = self.read(running, load.buffer, where, format_of(vector).nbytes)
        return found

    def vector_store(self, running: Running, store: VectorStore, loop: int) -> None:
        """The same way back."""
        vector = running.program.vector(store.vector)
        threads = self.acting_threads(running)
        where = self.vector_places(running, vector, store, threads, loop)
        bits = self.vector_outgoing(running, vector)[:, threads]
        self.write(running, store.buffer, where, format_of(vector).nbytes, bits)

    def vector_places(
        self, running: Running, vector: Vector, access: VectorLoad | VectorStore, threads: list[int], loop: int
    ) -> Positions:
        """Where each of these threads has the components of its vector, ``(threads, length)``."""
        starts = self.arguments(running, access.offset, threads, loop)
        return np.asarray(starts[:, np.newaxis] + self.component_places(vector), np.int64)

    def vector_outgoing(self, running: Running, vector: Vector) -> Bits:
        """A vector as plain code finds it, in its own format."""
        return running.components(vector)

    def convert(self, running: Running, method: Convert) -> Bits:
        """Each component in the new type."""
        vector, source = (running.program.vector(name) for name in (method.vector, method.source))
        fmt, bits = self.vector_held(running, source)
        return self.fitted(self.vector_cast(bits, fmt, format_of(vector)), vector.length)

    def fitted(self, bits: Bits, length: int) -> Bits:
        """A copy of so many components: of words that are not full the rest is zero."""
        found = np.zeros((*bits.shape[:-1], length), np.uint64)
        found[..., : bits.shape[-1]] = bits[..., :length]
        return found

    def vector_cast(self, bits: Bits, source: Format, target: Format) -> Bits:
        """The conversion of a vector."""
        return self.converted_bits(bits, source, target)

    def multiply_vector(self, running: Running, product: MultiplyVector) -> Bits:
        """Each thread's matrix times its own column, plus its bias."""
        vector, source = (running.program.vector(name) for name in (product.vector, product.source))
        matrix = running.program.matrix(product.matrix)
        given, column = self.factor(running, matrix, self.vector_held(running, source))
        bias = (format_of(vector), self.bias(running, product, vector)[..., np.newaxis])
        left = self.left_of_columns(running, matrix)
        factor = (given, column[..., : left[1].shape[-1], np.newaxis])
        return self.vector_product(left, factor, bias)[..., 0]

    def left_of_columns(self, running: Running, matrix: Matrix) -> Held:
        """The matrices that are multiplied by columns, one for each thread."""
        return self.matrix_held(running, matrix)

    def vector_product(self, a: Held, column: Held, bias: Held) -> Bits:
        """A product with columns, ``(batch, threads, m, 1)``."""
        return self.product(a, column, bias)

    def factor(self, running: Running, matrix: Matrix, held: Held) -> Held:
        """The vector as it is multiplied: in the type of the matrix."""
        del running
        fmt = format_of(matrix)
        return fmt, self.converted_bits(held[1], held[0], fmt)

    def bias(self, running: Running, product: MultiplyVector, vector: Vector) -> Bits:
        """What is added, in the result's type; zeros where there is no bias."""
        match product.bias:
            case None:
                return np.zeros((running.batch, running.program.group, vector.length), np.uint64)
            case MemoryBias():
                fmt = COMPONENTS[product.bias.component].format
                bits = self.memory_bias(running, product.bias, vector.length)
            case name:
                fmt, bits = self.vector_held(running, running.program.vector(name))
        return self.converted_bits(bits, fmt, format_of(vector))

    def memory_bias(self, running: Running, bias: MemoryBias, length: int) -> Bits:
        """A bias in memory, the same for every thread."""
        size = COMPONENTS[bias.component].format.nbytes
        where = bias.offset + size * np.arange(length, dtype=np.int64)
        found = self.read(running, bias.buffer, where, size)[:, np.newaxis]
        return np.broadcast_to(found, (running.batch, running.program.group, length))

    def outer_product(self, running: Running, product: OuterProduct) -> Bits:
        """Each thread's column times its row; of a matrix that threads share, those of the first."""
        matrix = running.program.matrix(product.matrix)
        chosen = [self.deciding(running, matrix.scope, one) for one in range(running.program.instances(matrix.scope))]
        left, column = self.vector_held(running, running.program.vector(product.column))
        right, row = self.vector_held(running, running.program.vector(product.row))
        fmt, column, row = format_of(matrix), column[:, chosen], row[:, chosen]
        return self.times(fmt, (left, column[..., np.newaxis]), (right, row[..., np.newaxis, :]))

    def times(self, fmt: Format, column: Held, row: Held) -> Bits:
        """Products of single elements: no sum, so not the unit's."""
        return multiply(fmt, *column, *row)
