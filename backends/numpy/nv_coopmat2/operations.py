"""Operations of the coopmat2 device on whole matrices: conversions, arithmetic, reductions, functions, transpose.

Matrices are bits ``(batch, waves, rows, cols)``. Floats go through float64, which holds every format; what f64 rounds,
it rounds by itself.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mmaspec.backends.numpy.nv_coopmat2.execution import Memory, Running
from mmaspec.backends.numpy.units.encoding import bits_of_doubles, bits_of_integers, doubles_of, integers_of
from mmaspec.backends.numpy.units.unit import Bits
from mmaspec.programs.base import FromBuffer, Scalar
from mmaspec.programs.formats import FORMATS, Format
from mmaspec.programs.nv_coopmat2.program import (
    Arithmetic,
    Convert,
    EachComponent,
    Matrix,
    Negate,
    Operation,
    PerElement,
    Reduce,
)

Values = NDArray[Any]
"""Numbers of a format: float64 or int64."""

_UFUNCS: Mapping[str, Callable[..., Values]] = MappingProxyType(
    {"+": np.add, "-": np.subtract, "*": np.multiply, "add": np.add, "min": np.minimum, "max": np.maximum}
)


def values(fmt: Format, bits: Bits) -> Values:
    """The numbers behind bits."""
    return doubles_of(fmt, bits) if fmt.is_float else integers_of(fmt, bits)


def packed(fmt: Format, numbers: Values) -> Bits:
    """Numbers in a format: floats to nearest, integers modulo its width."""
    return bits_of_doubles(fmt, numbers.astype(np.float64)) if fmt.is_float else bits_of_integers(fmt, numbers)


class MatrixOperations(Memory):
    """The operations of the device on matrices, and on scalars in memory."""

    def operate(self, running: Running, instruction: Operation) -> Bits:
        """The bits of the result of an operation."""
        matrix = running.program.matrix
        result = matrix(instruction.result)
        if isinstance(instruction, Arithmetic):
            return self.arithmetic(running, instruction, FORMATS[result.component])
        source, bits = matrix(instruction.matrix), running.matrices[instruction.matrix]
        with np.errstate(all="ignore"):
            if isinstance(instruction, Convert):
                return self.convert(source, bits, result)
            if isinstance(instruction, Negate):
                return self.negate(FORMATS[source.component], bits)
            if isinstance(instruction, Reduce):
                found = self.reduce(FORMATS[source.component], bits, instruction)
                return np.broadcast_to(found, (*bits.shape[:2], result.rows, result.cols)).copy()
            if isinstance(instruction, PerElement):
                fmt = FORMATS[source.component]
                extras = [self.operand(running, extra, fmt) for extra in instruction.extras]
                return self.each(instruction.function.name, fmt, bits, extras)
            return self.transpose(bits)

    def operand(self, running: Running, given: str | Scalar, fmt: Format) -> Bits:
        """A matrix by its name, or a scalar of a format."""
        if isinstance(given, str):
            return running.matrices[given]
        if isinstance(given, FromBuffer):
            return self.fetch(running, given.buffer, np.full((1, 1, 1), given.offset, np.int64), fmt.nbytes)
        return np.full((1, 1, 1, 1), given.bits, np.uint64)

    # Arithmetic

    def arithmetic(self, running: Running, instruction: Arithmetic, fmt: Format) -> Bits:
        """Left op right in one format."""
        left, right = running.matrices[instruction.left], self.operand(running, instruction.right, fmt)
        with np.errstate(all="ignore"):
            return np.broadcast_to(self.apply(instruction.op, fmt, left, right), left.shape).copy()

    def apply(self, op: str, fmt: Format, left: Bits, right: Bits) -> Bits:
        """One operator on every element."""
        x, y = values(fmt, left), values(fmt, right)
        if op != "/":
            return packed(fmt, _UFUNCS[op](x, y))
        return packed(fmt, np.divide(x, y) if fmt.is_float else _quotient(x, y))

    def negate(self, fmt: Format, bits: Bits) -> Bits:
        """The other sign; the lowest integer keeps its own."""
        return packed(fmt, -values(fmt, bits))

    # Conversions

    def convert(self, source: Matrix, bits: Bits, result: Matrix) -> Bits:
        """Another component type in the same places."""
        old, new = FORMATS[source.component], FORMATS[result.component]
        return bits.copy() if old == new else self.cast(old, bits, new)

    def cast(self, old: Format, bits: Bits, new: Format) -> Bits:
        """One component: integers keep low bits, floats round, floats to integers cut."""
        numbers = values(old, bits)
        if old.is_float and not new.is_float:
            cut = self.whole(np.nan_to_num(numbers, nan=0.0, posinf=0.0, neginf=0.0))
            return packed(new, np.clip(cut, new.min_value, new.max_value).astype(np.int64))
        return packed(new, numbers)

    def whole(self, numbers: Values) -> Values:
        """Toward zero."""
        return np.trunc(numbers)

    # Reductions

    def reduce(self, fmt: Format, bits: Bits, instruction: Reduce) -> Bits:
        """Combined elements, with one row or column where all of them are alike."""
        name = instruction.combine.name
        if instruction.mask == 1:
            return self.along_rows(fmt, bits, name)
        if instruction.mask == 2:
            return self.along_columns(fmt, bits, name)
        if instruction.mask == 4:
            return self.neighbours(fmt, bits, name)
        return self.everything(fmt, bits, name)

    def along_rows(self, fmt: Format, bits: Bits, name: str) -> Bits:
        """One value a row, ``(..., rows, 1)``."""
        return self.fold(fmt, bits, name)

    def along_columns(self, fmt: Format, bits: Bits, name: str) -> Bits:
        """One value a column, ``(..., 1, cols)``."""
        return np.swapaxes(self.fold(fmt, np.swapaxes(bits, -1, -2), name), -1, -2)

    def everything(self, fmt: Format, bits: Bits, name: str) -> Bits:
        """One value, ``(..., 1, 1)``."""
        return self.fold(fmt, bits.reshape(*bits.shape[:-2], 1, -1), name)

    def neighbours(self, fmt: Format, bits: Bits, name: str) -> Bits:
        """One value for two rows and two columns."""
        corners = [bits[..., row::2, col::2] for row in (0, 1) for col in (0, 1)]
        return self.fold(fmt, np.stack(corners, axis=-1), name)[..., 0]

    def fold(self, fmt: Format, parts: Bits, name: str) -> Bits:
        """The parts along the last axis combined to one: each half with the other, again and again."""
        while parts.shape[-1] > 1:
            half = parts.shape[-1] // 2
            left, right, rest = parts[..., :half], parts[..., half : 2 * half], parts[..., 2 * half :]
            parts = np.concatenate([self.combine(fmt, left, right, name), rest], axis=-1)
        return parts

    def combine(self, fmt: Format, left: Bits, right: Bits, name: str) -> Bits:
        """Two parts in the component type."""
        if name == "add-one":
            one = self.cast(FORMATS["u32"], np.array(1, np.uint64), fmt)
            return self.combine(fmt, self.combine(fmt, left, right, "add"), one, "add")
        with np.errstate(over="ignore", invalid="ignore"):
            return packed(fmt, _UFUNCS[name](values(fmt, left), values(fmt, right)))

    # Functions of elements

    def each(self, name: str, fmt: Format, bits: Bits, extras: Sequence[Bits]) -> Bits:
        """A function of row, column, element and extras, everywhere."""
        row, col = self.rows_and_columns(bits)
        if name == "triangle":
            return np.where(col <= row, bits, np.uint64(0))
        if name == "place":
            where = (row.astype(np.uint64) << np.uint64(8)) + col.astype(np.uint64)
            return np.broadcast_to(self.cast(FORMATS["u32"], where, fmt), bits.shape).copy()
        if name == "select":
            other = np.where((row + col) & 2, extras[-1], extras[0])
            return np.where((row ^ col) & 1, other, bits)
        total = bits
        for extra in extras:
            total = self.apply("+", fmt, total, extra)
        return total

    def each_component(self, running: Running, instruction: EachComponent) -> Bits:
        """A loop of every invocation over the components that it holds; here they are dealt out in turn."""
        fmt = FORMATS[running.program.matrix(instruction.matrix).component]
        bits = running.matrices[instruction.matrix]
        value = None if instruction.value is None else self.operand(running, instruction.value, fmt)[..., 0]
        found = bits.reshape(*bits.shape[:-2], -1).copy()
        reached = found[..., : self.components(found.shape[-1])]
        with np.errstate(all="ignore"):
            if value is None:
                reached[...] = self.negate(fmt, reached)
            else:
                reached[...] = self.apply("+" if instruction.function == "add" else "*", fmt, reached, value)
        return found.reshape(bits.shape)

    def components(self, count: int) -> int:
        """How many components all loops of a matrix's invocations reach together."""
        return count

    def rows_and_columns(self, bits: Bits) -> tuple[Values, Values]:
        """Row and column of every element, ``(rows, 1)`` and ``(1, cols)``."""
        return np.arange(bits.shape[-2])[:, None], np.arange(bits.shape[-1])[None, :]

    def transpose(self, bits: Bits) -> Bits:
        """Rows become columns."""
        return np.swapaxes(bits, -1, -2).copy()


def _quotient(x: Values, y: Values) -> Values:
    """Toward zero; 0 where the divisor is 0."""
    divisor = np.where(y == 0, 1, y)
    size = np.abs(x) // np.abs(divisor)
    return np.where(y == 0, 0, np.where((x < 0) != (divisor < 0), -size, size))
