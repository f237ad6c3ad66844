"""What the text of 2025-09-19 has alone, or otherwise than later ones: operators, vectors of threads, rows times B."""

from __future__ import annotations

import numpy as np

from mmaspec.backends.numpy.hlsl_linalg.earlier.operators import applied, operated
from mmaspec.backends.numpy.hlsl_linalg.products import Held, Products
from mmaspec.backends.numpy.hlsl_linalg.running import Positions, Running, format_of
from mmaspec.backends.numpy.hlsl_linalg.sums import add
from mmaspec.backends.numpy.units.encoding import bits_of_doubles, bits_of_integers, doubles_of, integers_of
from mmaspec.backends.numpy.units.unit import Bits
from mmaspec.programs.formats import Format
from mmaspec.programs.hlsl_linalg.program import Matrix
from mmaspec.programs.hlsl_linalg.removed import (
    FromThreadVectors,
    GetThreadVector,
    Operate,
    SumAccumulate,
    Unary,
    UnaryOperation,
)


class Earlier(Products):
    """Instructions that later texts removed, and products of rows with B matrices of any scope."""

    # Element by element

    def operate(self, running: Running, one: Operate) -> Bits:
        """Every element with the first lane's scalar, converted to the component type first."""
        matrix = running.program.matrix(one.matrix)
        fmt, found = format_of(matrix), running.contents(matrix).copy()
        for instance in running.acting(matrix.scope):
            source, bits = self.first_scalar(running, one, matrix.scope, instance)
            scalar = self.operand(bits, source, fmt)[:, np.newaxis, np.newaxis]
            found[:, instance] = self.operated(one, fmt, found[:, instance], scalar)
        return found

    def operand(self, bits: Bits, source: Format, fmt: Format) -> Bits:
        """The scalar of an operator in the type of the elements."""
        return self.converted_bits(bits, source, fmt)

    def operated(self, one: Operate, fmt: Format, elements: Bits, scalar: Bits) -> Bits:
        """Elements on the left, the scalar on the right."""
        return operated(one.op, fmt, elements, np.broadcast_to(scalar, elements.shape))

    def unary(self, running: Running, one: Unary) -> Bits:
        """A matrix made of another, which stays as it is."""
        source = running.program.matrix(one.source)
        return self.applied(one.op, format_of(source), running.contents(source))

    def applied(self, op: UnaryOperation, fmt: Format, bits: Bits) -> Bits:
        """The operation on each element."""
        return applied(op, fmt, bits)

    def sum_accumulate(self, running: Running, one: SumAccumulate) -> Bits:
        """A and B added together, then to the accumulator."""
        matrix, a, b = (running.program.matrix(name) for name in (one.matrix, one.a, one.b))
        held = (format_of(matrix), running.contents(matrix))
        return self.sum_of_three(held, (format_of(a), running.contents(a)), (format_of(b), running.contents(b)))

    def sum_of_three(self, total: Held, a: Held, b: Held) -> Bits:
        """Sums of elements in the accumulator's type: floats in float64 and then rounded, integers wrap."""
        fmt, kinds = total[0], {total[0].is_float, a[0].is_float, b[0].is_float}
        if kinds == {True}:
            with np.errstate(all="ignore"):
                between = doubles_of(*a) + doubles_of(*b)
                return bits_of_doubles(fmt, doubles_of(*total) + between)
        if kinds == {False}:
            return bits_of_integers(fmt, integers_of(*total) + (integers_of(*a) + integers_of(*b)))
        left, right = (self.converted_bits(bits, given, fmt) for given, bits in (a, b))
        return add(*total, fmt, add(fmt, left, fmt, right))

    # Vectors of threads

    def from_thread_vectors(self, running: Running, one: FromThreadVectors) -> Bits:
        """Column t of an A matrix, row t of a B matrix, from the vector of thread t; further threads' are left out."""
        matrix, vector = running.program.matrix(one.matrix), running.program.vector(one.source)
        given, found = running.components(vector), running.contents(matrix).copy()
        for instance in running.acting(matrix.scope):
            lines = self.thread_lines(matrix, found[:, instance])
            for line, thread in enumerate(running.threads(matrix.scope, instance)[: lines.shape[1]]):
                lines[:, line] = given[:, thread, : lines.shape[2]]
        return found

    def thread_lines(self, matrix: Matrix, elements: Bits) -> Bits:
        """A view of ``(batch, m, n)`` by columns of an A matrix, by rows of a B matrix."""
        return np.swapaxes(elements, -1, -2) if matrix.use == "A" else elements

    def get_thread_vector(self, running: Running, one: GetThreadVector) -> Bits:
        """For each thread its column or row; zeros for what lies outside the matrix."""
        matrix, vector = running.program.matrix(one.matrix), running.program.vector(one.vector)
        found = np.zeros_like(running.components(vector))
        for instance in running.acting(matrix.scope):
            lines = self.thread_lines(matrix, running.contents(matrix)[:, instance])
            for place, thread in enumerate(running.threads(matrix.scope, instance)):
                line = self.line_of(running, one.index, place)
                if line < lines.shape[1]:
                    found[:, thread] = self.fitted(lines[:, line], vector.length)
        return found

    def line_of(self, running: Running, index: int, place: int) -> int:
        """The column or row that belongs to a thread at some place in its wave or group."""
        return index * running.program.wave_size + place

    # Rows

    def factor(self, running: Running, matrix: Matrix, held: Held) -> Held:
        """The vector as it is multiplied: as it is where it is made of what the matrix is made of."""
        if self.by_source and held[0].is_float == format_of(matrix).is_float:
            return held
        return super().factor(running, matrix, held)

    def left_of_columns(self, running: Running, matrix: Matrix) -> Held:
        """A row times B is B transposed times a column; every thread takes the matrix of its scope."""
        fmt, bits = super().left_of_columns(running, matrix)
        if not self.by_source:
            return fmt, bits
        return fmt, np.swapaxes(bits[:, self.instances_of(running, matrix)], -1, -2)

    def instances_of(self, running: Running, matrix: Matrix) -> Positions:
        """The instance of a matrix that each thread has."""
        threads = np.arange(running.program.group)
        found: Positions = {
            "Thread": threads,
            "Wave": threads // running.program.wave_size,
            "ThreadGroup": np.zeros_like(threads),
        }[matrix.scope]
        return found
