"""Devices that deviate from the reference in one rule about operations on matrices."""

# ruff: noqa: D102 - each class says what its one method does

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from mmaspec.backends.numpy.nv_coopmat2.device import CoopMat2Device
from mmaspec.backends.numpy.nv_coopmat2.execution import Running
from mmaspec.backends.numpy.nv_coopmat2.operations import Values
from mmaspec.backends.numpy.units.encoding import bits_of_doubles, bits_of_integers, doubles_of, integers_of
from mmaspec.backends.numpy.units.unit import Bits
from mmaspec.programs.formats import FORMATS, Format
from mmaspec.programs.nv_coopmat2.program import (
    REDUCE_2X2,
    REDUCE_COLUMN,
    REDUCE_ROW,
    Arithmetic,
    EachComponent,
    Matrix,
    Operation,
    Reduce,
)


class ConvertCopiesBits(CoopMat2Device):
    """The low bits of a component, whatever they meant."""

    def cast(self, old: Format, bits: Bits, new: Format) -> Bits:
        return bits & np.uint64(old.mask & new.mask)


class ConvertRounds(CoopMat2Device):
    """Floats become the nearest integers."""

    def whole(self, numbers: Values) -> Values:
        return np.rint(numbers)


class ConvertClamps(CoopMat2Device):
    """Integers become the nearest that the other type has."""

    def cast(self, old: Format, bits: Bits, new: Format) -> Bits:
        if old.is_float or new.is_float:
            return super().cast(old, bits, new)
        return bits_of_integers(new, np.clip(integers_of(old, bits), new.min_value, new.max_value))


class UseRotatesColumns(CoopMat2Device):
    """A change of use moves every column one to the right."""

    def convert(self, source: Matrix, bits: Bits, result: Matrix) -> Bits:
        found = super().convert(source, bits, result)
        return found if source.use == result.use else np.roll(found, 1, axis=-1)


class SubtractsBackwards(CoopMat2Device):
    """Left from right."""

    def apply(self, op: str, fmt: Format, left: Bits, right: Bits) -> Bits:
        return super().apply(op, fmt, right, left) if op == "-" else super().apply(op, fmt, left, right)


class ArithmeticOneUnitUp(CoopMat2Device):
    """Floats that + - * leave are one unit in the last place too large."""

    def apply(self, op: str, fmt: Format, left: Bits, right: Bits) -> Bits:
        found = super().apply(op, fmt, left, right)
        return found + np.uint64(1) if fmt.is_float and op != "/" else found


class QuotientRoundedDown(CoopMat2Device):
    """A quotient of integers is the largest integer that is not above it."""

    def apply(self, op: str, fmt: Format, left: Bits, right: Bits) -> Bits:
        found = super().apply(op, fmt, left, right)
        if op != "/" or fmt.is_float:
            return found
        x, y = integers_of(fmt, left), integers_of(fmt, right)
        down = bits_of_integers(fmt, self.quotient(x, np.where(y == 0, 1, y)))
        return np.where(y == 0, found, down)

    def quotient(self, x: Values, y: Values) -> Values:
        found: Values = x // y
        return found


class QuotientToNearest(QuotientRoundedDown):
    """A quotient of integers is the nearest integer, upward from halves."""

    def quotient(self, x: Values, y: Values) -> Values:
        return super().quotient(2 * x + y, 2 * y)


class NegateClearsSign(CoopMat2Device):
    """The magnitude of what was there."""

    def negate(self, fmt: Format, bits: Bits) -> Bits:
        if fmt.is_float:
            return bits_of_doubles(fmt, np.abs(doubles_of(fmt, bits)))
        return bits_of_integers(fmt, np.abs(integers_of(fmt, bits)))


class ScalarAsFirstRow(CoopMat2Device):
    """A scalar multiplies the first row only."""

    def arithmetic(self, running: Running, instruction: Arithmetic, fmt: Format) -> Bits:
        found = super().arithmetic(running, instruction, fmt)
        if not isinstance(instruction.right, str):
            found[..., 1:, :] = running.matrices[instruction.left][..., 1:, :]
        return found


class TransposeCopies(CoopMat2Device):
    """Rows stay rows."""

    def transpose(self, bits: Bits) -> Bits:
        return bits.reshape(*bits.shape[:-2], bits.shape[-1], bits.shape[-2]).copy()


class ReduceRowNext(CoopMat2Device):
    """Every row shows the combination of the row below."""

    def along_rows(self, fmt: Format, bits: Bits, name: str) -> Bits:
        return np.roll(super().along_rows(fmt, bits, name), -1, axis=-2)


class ReduceColumnNext(CoopMat2Device):
    """Every column shows the combination of the column to its right."""

    def along_columns(self, fmt: Format, bits: Bits, name: str) -> Bits:
        return np.roll(super().along_columns(fmt, bits, name), -1, axis=-1)


class ReduceAllAsOneRow(CoopMat2Device):
    """The first row stands for the whole matrix."""

    def everything(self, fmt: Format, bits: Bits, name: str) -> Bits:
        return super().everything(fmt, bits[..., :1, :], name)


class ReduceQuarters(CoopMat2Device):
    """Neighbours are those half a matrix away."""

    def neighbours(self, fmt: Format, bits: Bits, name: str) -> Bits:
        rows, cols = bits.shape[-2] // 2, bits.shape[-1] // 2
        corners = [bits[..., row : row + rows, col : col + cols] for row in (0, rows) for col in (0, cols)]
        return self.fold(fmt, np.stack(corners, axis=-1), name)[..., 0]


class ReduceShortSums(CoopMat2Device):
    """Partial sums keep six bits."""

    def combine(self, fmt: Format, left: Bits, right: Bits, name: str) -> Bits:
        if name != "add" or not fmt.is_float:
            return super().combine(fmt, left, right, name)
        fraction, exponent = np.frexp(doubles_of(fmt, left) + doubles_of(fmt, right))
        return bits_of_doubles(fmt, np.ldexp(np.round(fraction * 64) / 64, exponent))


class ReduceSaturates(CoopMat2Device):
    """Partial sums of integers stop at the end of their range."""

    def combine(self, fmt: Format, left: Bits, right: Bits, name: str) -> Bits:
        if fmt.is_float or name != "add":
            return super().combine(fmt, left, right, name)
        total = integers_of(fmt, left) + integers_of(fmt, right)
        return bits_of_integers(fmt, np.clip(total, fmt.min_value, fmt.max_value))


class ReduceOrderByPlace(CoopMat2Device):
    """Every second element of the result is combined for itself, in another order."""

    def operate(self, running: Running, instruction: Operation) -> Bits:
        found = super().operate(running, instruction)
        if not isinstance(instruction, Reduce) or instruction.mask == REDUCE_2X2:
            return found
        bits = running.matrices[instruction.matrix]
        if instruction.mask & REDUCE_ROW:
            bits = np.concatenate([bits[..., ::2], bits[..., 1::2]], axis=-1)
        if instruction.mask & REDUCE_COLUMN:
            bits = np.concatenate([bits[..., ::2, :], bits[..., 1::2, :]], axis=-2)
        fmt = FORMATS[running.program.matrix(instruction.matrix).component]
        row, col = self.rows_and_columns(found)
        return np.where((row + col) & 1, self.reduce(fmt, bits, instruction), found)


class LengthOneShort(CoopMat2Device):
    """Every one of 32 invocations leaves its last component out."""

    def components(self, count: int) -> int:
        return count - 32


class ComponentsOfACopy(CoopMat2Device):
    """Components that are assigned to are those of a copy."""

    def each_component(self, running: Running, instruction: EachComponent) -> Bits:
        return running.matrices[instruction.matrix]


class ElementRowAndColumnSwapped(CoopMat2Device):
    """The column comes first."""

    def rows_and_columns(self, bits: Bits) -> tuple[Values, Values]:
        row, col = super().rows_and_columns(bits)
        return col, row


class ElementRowsFromOne(CoopMat2Device):
    """The first row is row 1."""

    def rows_and_columns(self, bits: Bits) -> tuple[Values, Values]:
        row, col = super().rows_and_columns(bits)
        return row + 1, col


class ElementExtrasReversed(CoopMat2Device):
    """The last extra comes first."""

    def each(self, name: str, fmt: Format, bits: Bits, extras: Sequence[Bits]) -> Bits:
        return super().each(name, fmt, bits, extras[::-1])


class ElementExtrasFromCorner(CoopMat2Device):
    """An extra matrix gives its first element everywhere."""

    def each(self, name: str, fmt: Format, bits: Bits, extras: Sequence[Bits]) -> Bits:
        return super().each(name, fmt, bits, [extra[..., :1, :1] for extra in extras])
