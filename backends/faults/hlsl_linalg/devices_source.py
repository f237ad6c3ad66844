"""Linear algebra devices that deviate in what the text of 2025-09-19 has alone; ``source`` names the clauses."""

from __future__ import annotations

import numpy as np
from msgspec.structs import replace

from mmaspec.backends.numpy.hlsl_linalg.access import Access
from mmaspec.backends.numpy.hlsl_linalg.device import LinalgDevice
from mmaspec.backends.numpy.hlsl_linalg.earlier.operators import applied, operated
from mmaspec.backends.numpy.hlsl_linalg.earlier_liberties import CoarseAngles
from mmaspec.backends.numpy.hlsl_linalg.products import Held
from mmaspec.backends.numpy.hlsl_linalg.running import Mask, Positions, Running, format_of
from mmaspec.backends.numpy.hlsl_linalg.sums import add
from mmaspec.backends.numpy.units.encoding import bits_of_doubles, doubles_of
from mmaspec.backends.numpy.units.unit import ArithmeticUnit, Bits
from mmaspec.programs.formats import Format
from mmaspec.programs.hlsl_linalg.program import Load, Matrix, Scope, Store
from mmaspec.programs.hlsl_linalg.removed import (
    FromThreadVectors,
    GetThreadVector,
    Operate,
    SumAccumulate,
    Unary,
    UnaryOperation,
)

# Bounds and alignment


class EachByItself(LinalgDevice):
    """Loads, stores or accumulations check the bounds of every element by itself."""

    def __init__(self, verb: str, unit: ArithmeticUnit) -> None:
        super().__init__(unit)
        self.verb = verb

    def loadable(self, running: Running, name: str, positions: Positions, size: int) -> Mask:
        """Those inside, as later texts allow."""
        whole = super().loadable(running, name, positions, size)
        return self.inside(running, name, positions, size) if self.verb == "load" else whole

    def storable(self, running: Running, name: str, positions: Positions, size: int) -> Mask:
        """Those inside."""
        whole = super().storable(running, name, positions, size)
        return self.inside(running, name, positions, size) if self.verb == "store" else whole

    def summable(self, running: Running, name: str, positions: Positions, size: int) -> Mask:
        """Those inside."""
        whole = super().summable(running, name, positions, size)
        return self.inside(running, name, positions, size) if self.verb == "sum" else whole


class SkipsAlignment(LinalgDevice):
    """An alignment parameter that is written out is skipped before the first element."""

    def offset(self, running: Running, access: Access, scope: Scope, instance: int, loop: int) -> int:
        """So many bytes further."""
        return super().offset(running, access, scope, instance, loop) + access.align


# Arrays


class MovesBits(LinalgDevice):
    """Loads from, or stores to, arrays of another type move the bits as they are."""

    def __init__(self, verb: str, unit: ArithmeticUnit) -> None:
        super().__init__(unit)
        self.verb = verb
        self.mine = False

    def load(self, running: Running, load: Load, loop: int) -> Bits:
        """Not converted."""
        self.mine = self.verb == "load"
        found = super().load(running, load, loop)
        self.mine = False
        return found

    def store(self, running: Running, store: Store, loop: int) -> None:
        """Not converted."""
        self.mine = self.verb == "store"
        super().store(running, store, loop)
        self.mine = False

    def moved(self, bits: Bits, source: Format, target: Format) -> Bits:
        """The low bits."""
        if self.mine and source != target:
            return bits & np.uint64(target.mask)
        return super().moved(bits, source, target)


# Operators and functions


class OperandsExchanged(LinalgDevice):
    """Operators have the scalar on the left."""

    def operated(self, one: Operate, fmt: Format, elements: Bits, scalar: Bits) -> Bits:
        """The scalar, op, the element."""
        return operated(one.op, fmt, np.broadcast_to(scalar, elements.shape).copy(), elements)


class OtherOperator(LinalgDevice):
    """One operator does what another one does."""

    def __init__(self, op: str, other: str, unit: ArithmeticUnit) -> None:
        super().__init__(unit)
        self.op = op
        self.other = other

    def operated(self, one: Operate, fmt: Format, elements: Bits, scalar: Bits) -> Bits:
        """The other."""
        one = replace(one, op=self.other) if one.op == self.op else one
        return super().operated(one, fmt, elements, scalar)


class OperatesOnFirstRow(LinalgDevice):
    """Operators change the first row."""

    def operated(self, one: Operate, fmt: Format, elements: Bits, scalar: Bits) -> Bits:
        """The other rows stay."""
        found = super().operated(one, fmt, elements, scalar)
        return np.concatenate((found[..., :1, :], elements[..., 1:, :]), axis=-2)


class OtherFunction(LinalgDevice):
    """One unary operation does what another one does."""

    def __init__(self, op: str, other: str, unit: ArithmeticUnit) -> None:
        super().__init__(unit)
        self.op = op
        self.other = other

    def unary(self, running: Running, one: Unary) -> Bits:
        """The other."""
        return super().unary(running, replace(one, op=self.other) if one.op == self.op else one)


class InfinitiesHaveAngles(LinalgDevice):
    """Sines, cosines and tangents of infinities and NaN are those of zero."""

    def applied(self, op: UnaryOperation, fmt: Format, bits: Bits) -> Bits:
        """Zeros first."""
        if op not in ("sin", "cos", "tan") or not fmt.is_float:
            return super().applied(op, fmt, bits)
        finite = (bits & ~np.uint64(fmt.sign_bit)) <= np.uint64(fmt.largest_magnitude)
        return super().applied(op, fmt, np.where(finite, bits, np.uint64(0)))


class ZeroHasNoCosine(LinalgDevice):
    """The cosine of zero is zero."""

    def applied(self, op: UnaryOperation, fmt: Format, bits: Bits) -> Bits:
        """As if it were the sine."""
        found = super().applied(op, fmt, bits)
        nothing = bits & ~np.uint64(fmt.sign_bit) == 0
        return np.where(nothing, np.uint64(0), found) if op == "cos" and fmt.is_float else found


class RoughAngles(CoarseAngles):
    """Sines, cosines and tangents are further off than any device's."""

    most = 0.03


class AnglesInDegrees(LinalgDevice):
    """Sines, cosines and tangents take degrees."""

    def applied(self, op: UnaryOperation, fmt: Format, bits: Bits) -> Bits:
        """A small part of the angle."""
        if op not in ("sin", "cos", "tan") or not fmt.is_float:
            return super().applied(op, fmt, bits)
        with np.errstate(all="ignore"):
            return applied(op, fmt, bits_of_doubles(fmt, np.radians(doubles_of(fmt, bits))))


# Sums of three


class SumForgets(LinalgDevice):
    """SumAccumulate leaves out one of the three matrices."""

    def __init__(self, which: str, unit: ArithmeticUnit) -> None:
        super().__init__(unit)
        self.which = which

    def sum_of_three(self, total: Held, a: Held, b: Held) -> Bits:
        """Zeros in its place."""
        empty = {name: (held[0], np.zeros_like(held[1])) for name, held in (("c", total), ("a", a), ("b", b))}
        kept = {"c": total, "a": a, "b": b} | {self.which: empty[self.which]}
        return super().sum_of_three(kept["c"], kept["a"], kept["b"])


class SumMultiplies(LinalgDevice):
    """SumAccumulate multiplies A and B, as MultiplyAccumulate does."""

    def sum_accumulate(self, running: Running, one: SumAccumulate) -> Bits:
        """The product."""
        matrix, a, b = (running.program.matrix(name) for name in (one.matrix, one.a, one.b))
        held = (format_of(matrix), running.contents(matrix))
        return self.product((format_of(a), running.contents(a)), (format_of(b), running.contents(b)), held)


class SumTurnsB(LinalgDevice):
    """SumAccumulate adds the transpose of B."""

    def sum_of_three(self, total: Held, a: Held, b: Held) -> Bits:
        """Lines of B by columns."""
        return super().sum_of_three(total, a, (b[0], np.swapaxes(b[1], -1, -2)))


# Vectors of threads


class LinesExchanged(LinalgDevice):
    """What threads give, or get, are rows of A and columns of B where the size lets them be."""

    def __init__(self, verb: str, unit: ArithmeticUnit) -> None:
        super().__init__(unit)
        self.verb = verb
        self.mine = False

    def from_thread_vectors(self, running: Running, one: FromThreadVectors) -> Bits:
        """Poured into the other lines."""
        self.mine = self.verb == "from"
        found = super().from_thread_vectors(running, one)
        self.mine = False
        return self.poured(found) if self.verb == "from" else found

    def get_thread_vector(self, running: Running, one: GetThreadVector) -> Bits:
        """Out of a matrix whose lines were poured into each other."""
        matrix = running.program.matrix(one.matrix)
        held = running.contents(matrix)
        if self.verb == "get":
            running.matrices[matrix.name] = self.poured(held)
        found = super().get_thread_vector(running, one)
        running.matrices[matrix.name] = held
        return found

    def poured(self, elements: Bits) -> Bits:
        """Column after column into row after row."""
        return np.swapaxes(elements, -1, -2).reshape(elements.shape)


class LastThreadsGive(LinalgDevice):
    """Where there are more threads than columns or rows, the last of them give theirs."""

    def from_thread_vectors(self, running: Running, one: FromThreadVectors) -> Bits:
        """Later threads overwrite earlier ones, beginning with the first line again."""
        matrix, vector = running.program.matrix(one.matrix), running.program.vector(one.source)
        given, found = running.components(vector), super().from_thread_vectors(running, one).copy()
        for instance in running.acting(matrix.scope):
            lines = self.thread_lines(matrix, found[:, instance])
            for place, thread in enumerate(running.threads(matrix.scope, instance)):
                lines[:, place % lines.shape[1]] = given[:, thread, : lines.shape[2]]
        return found


class FirstThreadGives(LinalgDevice):
    """All columns or rows are the first thread's vector."""

    def from_thread_vectors(self, running: Running, one: FromThreadVectors) -> Bits:
        """One for all lines."""
        matrix = running.program.matrix(one.matrix)
        found = super().from_thread_vectors(running, one).copy()
        for instance in running.acting(matrix.scope):
            lines = self.thread_lines(matrix, found[:, instance])
            lines[:] = lines[:, :1].copy()
        return found


class IndexCountsLines(LinalgDevice):
    """The index of GetThreadVector counts lines, not as many as a wave has lanes."""

    def line_of(self, running: Running, index: int, place: int) -> int:
        """Place after place from it on."""
        del running
        return index + place


class LinesComeRound(LinalgDevice):
    """Threads beyond the last column or row get the first ones again."""

    def get_thread_vector(self, running: Running, one: GetThreadVector) -> Bits:
        """Lines modulo their number."""
        matrix, vector = running.program.matrix(one.matrix), running.program.vector(one.vector)
        found = super().get_thread_vector(running, one)
        for instance in running.acting(matrix.scope):
            lines = self.thread_lines(matrix, running.contents(matrix)[:, instance])
            for place, thread in enumerate(running.threads(matrix.scope, instance)):
                line = self.line_of(running, one.index, place)
                if line >= lines.shape[1]:
                    found[:, thread] = self.fitted(lines[:, line % lines.shape[1]], vector.length)
        return found


class GivesBackNeighbour(LinalgDevice):
    """What was made of threads' vectors is given back one thread too late."""

    def __init__(self, unit: ArithmeticUnit) -> None:
        super().__init__(unit)
        self.made: set[str] = set()

    def from_thread_vectors(self, running: Running, one: FromThreadVectors) -> Bits:
        """Remembers the matrix."""
        self.made.add(one.matrix)
        return super().from_thread_vectors(running, one)

    def load(self, running: Running, load: Load, loop: int) -> Bits:
        """Forgets it."""
        self.made.discard(load.matrix)
        return super().load(running, load, loop)

    def get_thread_vector(self, running: Running, one: GetThreadVector) -> Bits:
        """Of such a matrix."""
        found = super().get_thread_vector(running, one)
        return np.roll(found, 1, axis=1) if one.matrix in self.made else found


# Products with rows


class MultipliesColumns(LinalgDevice):
    """A B matrix is multiplied by a column, as an A matrix of later texts is: its rows are poured into columns."""

    def left_of_columns(self, running: Running, matrix: Matrix) -> Held:
        """Row after row of B where its transpose belongs."""
        fmt, bits = super().left_of_columns(running, matrix)
        if not self.by_source:
            return fmt, bits
        return fmt, np.swapaxes(bits, -1, -2).reshape(bits.shape)


class FirstThreadMultiplies(LinalgDevice):
    """Products of vectors and Thread matrices take the matrix of the first thread."""

    def instances_of(self, running: Running, matrix: Matrix) -> Positions:
        """Zero at that scope."""
        found = super().instances_of(running, matrix)
        return np.zeros_like(found) if matrix.scope == "Thread" else found


class BiasAddedTwice(LinalgDevice):
    """MultiplyAdd adds the bias twice."""

    def vector_product(self, a: Held, column: Held, bias: Held) -> Bits:
        """Once more after the product."""
        found = super().vector_product(a, column, bias)
        return add(bias[0], found, *bias)
