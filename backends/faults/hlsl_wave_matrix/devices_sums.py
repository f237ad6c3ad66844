"""WaveMatrix devices that deviate in fragments, sums, additions, scalars, arrays and lanes."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from mmaspec.backends.numpy.hlsl_wave_matrix.device import Access, Arguments, Positions, Shader, WaveMatrixDevice
from mmaspec.backends.numpy.hlsl_wave_matrix.elements import apply, cast
from mmaspec.backends.numpy.hlsl_wave_matrix.execution import PACKED, Addition, Lines
from mmaspec.backends.numpy.units.encoding import Integers, bits_of_integers, integers_of
from mmaspec.backends.numpy.units.unit import ArithmeticUnit, Bits
from mmaspec.programs.base import Affine
from mmaspec.programs.formats import FORMATS
from mmaspec.programs.hlsl_wave_matrix.program import Add, Fill, Load, Matrix

TILE = 16
LEFT, RIGHT = "left-col-acc", "right-row-acc"
ArrayShape = tuple[int, int, int, int]


class FragmentStrideIgnored(WaveMatrixDevice):
    """Elements of fragments in buffers follow each other."""

    def vector(self, lines: Lines) -> Positions:
        """An element's bytes apart."""
        return super().vector(lines if lines.arguments.shared else lines.packed())


class FragmentOffsetIgnored(WaveMatrixDevice):
    """Loads of fragments begin at byte 0 of the view."""

    def load_positions(self, rows: int, cols: int, size: int, arguments: Arguments) -> Positions:
        """From the start."""
        mine = arguments.vector and not arguments.shared
        return super().load_positions(rows, cols, size, replace(arguments, start=0) if mine else arguments)


class FragmentStrideInElements(WaveMatrixDevice):
    """The element stride of fragments in buffers counts elements, until the view ends."""

    def load(self, shader: Shader, load: Load, matrix: Matrix, waves: list[Arguments]) -> Bits:
        """Places beyond the view wrap to its start."""
        if not waves[0].vector or waves[0].shared:
            return super().load(shader, load, matrix, waves)
        size, end = FORMATS[matrix.element].nbytes, shader.buffer(load.buffer).size
        _, _, rows, cols = shader.shape(matrix)
        bits = np.zeros(shader.shape(matrix), np.uint64)
        for wave, arguments in enumerate(waves):
            positions = super().vector(Lines(1, rows * cols, size, replace(arguments, stride=arguments.stride * size)))
            for byte in range(size):
                octets = shader.read(load.buffer, (positions + byte) % end, 1)
                bits[:, wave] |= (octets << np.uint64(8 * byte)).reshape(-1, rows, cols)
        return bits


class FragmentLoadsDwords(WaveMatrixDevice):
    """Loads take the elements of fragments in buffers from the beginning of their dwords."""

    def load_positions(self, rows: int, cols: int, size: int, arguments: Arguments) -> Positions:
        """Rounded down to a dword."""
        positions = super().load_positions(rows, cols, size, arguments)
        return positions // 4 * 4 if arguments.vector and not arguments.shared else positions


class ArrayStrideIgnored(WaveMatrixDevice):
    """Memory-layout rows in arrays follow each other."""

    def stride(self, lines: Lines) -> int:
        """The bytes of a line."""
        return lines.line_bytes if lines.arguments.shared else super().stride(lines)


class ArrayFragmentStrideIgnored(WaveMatrixDevice):
    """Elements of fragments in arrays follow each other."""

    def vector(self, lines: Lines) -> Positions:
        """An element's bytes apart."""
        return super().vector(lines.packed() if lines.arguments.shared else lines)


class ArrayOffsetIgnored(WaveMatrixDevice):
    """Loads from arrays begin at element 0."""

    def load_positions(self, rows: int, cols: int, size: int, arguments: Arguments) -> Positions:
        """From the start."""
        return super().load_positions(rows, cols, size, replace(arguments, start=0) if arguments.shared else arguments)


class ArrayOffsetInBytes(WaveMatrixDevice):
    """Offsets in arrays count bytes."""

    def arguments(self, shader: Shader, access: Access, loop: int) -> list[Arguments]:
        """The offset as it is written."""
        return [
            replace(one, start=one.start // one.unit) if one.shared else one
            for one in super().arguments(shader, access, loop)
        ]


class SumsMissTheLast(WaveMatrixDevice):
    """Sums of one side leave out the last k."""

    def __init__(self, kind: str, unit: ArithmeticUnit) -> None:
        super().__init__(unit)
        self.kind = kind

    def sums(self, element: str, matrix: Matrix, operand: Bits, addend: Bits) -> Bits:
        """K - 1 terms."""
        if matrix.kind == self.kind:
            operand = operand[..., :-1] if matrix.kind == LEFT else operand[..., :-1, :]
        return super().sums(element, matrix, operand, addend)


class SumsReplace(WaveMatrixDevice):
    """Sums of one side forget what the fragment held."""

    def __init__(self, kind: str, unit: ArithmeticUnit) -> None:
        super().__init__(unit)
        self.kind = kind

    def sums(self, element: str, matrix: Matrix, operand: Bits, addend: Bits) -> Bits:
        """From 0."""
        return super().sums(element, matrix, operand, np.zeros_like(addend) if matrix.kind == self.kind else addend)


class SumsUnsigned(WaveMatrixDevice):
    """Sums of one side read signed bytes as unsigned."""

    def __init__(self, kind: str, unit: ArithmeticUnit) -> None:
        super().__init__(unit)
        self.kind = kind

    def sums(self, element: str, matrix: Matrix, operand: Bits, addend: Bits) -> Bits:
        """Bytes of the other sign."""
        return super().sums("u8" if matrix.kind == self.kind and element == "s8" else element, matrix, operand, addend)


class WavesShareSums(WaveMatrixDevice):
    """All waves see the last one's sums."""

    def sums(self, element: str, matrix: Matrix, operand: Bits, addend: Bits) -> Bits:
        """The last wave wins."""
        bits = super().sums(element, matrix, operand, addend)
        return np.broadcast_to(bits[:, -1:], bits.shape).copy()


class BroadcastAlongTheWrongAxis(WaveMatrixDevice):
    """A column is added as if it were a row, or a row as a column, cut or repeated to fit."""

    def __init__(self, kind: str, unit: ArithmeticUnit) -> None:
        super().__init__(unit)
        self.kind = kind

    def broadcast(self, addition: Addition, bits: Bits) -> Bits:
        """The other direction."""
        kind, shape = addition.kind, addition.shape
        if kind != self.kind:
            return super().broadcast(addition, bits)
        turned = np.swapaxes(bits, -1, -2)
        extent = shape[3] if kind == LEFT else shape[2]
        places = np.arange(extent) % max(turned.shape[-2:])
        return np.broadcast_to(turned[..., places] if kind == LEFT else turned[..., places, :], shape)


class BroadcastOnce(WaveMatrixDevice):
    """A column is added to the first column only, or a row to the first row."""

    def __init__(self, kind: str, unit: ArithmeticUnit) -> None:
        super().__init__(unit)
        self.kind = kind

    def broadcast(self, addition: Addition, bits: Bits) -> Bits:
        """Zeros elsewhere."""
        if addition.kind != self.kind:
            return super().broadcast(addition, bits)
        once = np.zeros(addition.shape, np.uint64)
        once[..., : bits.shape[-2], : bits.shape[-1]] = bits
        return once


class FullAddReplaces(WaveMatrixDevice):
    """Add of an accumulator assigns it."""

    def total(self, addition: Addition, x: Bits, y: Bits) -> Bits:
        """The operand."""
        return y.copy() if addition.kind == "accumulator" else super().total(addition, x, y)


class FullAddTransposed(WaveMatrixDevice):
    """Add of an accumulator adds its elements in the order of columns."""

    def total(self, addition: Addition, x: Bits, y: Bits) -> Bits:
        """The same elements, dealt out by columns."""
        if addition.kind == "accumulator":
            y = np.swapaxes(y, -1, -2).reshape(x.shape)
        return super().total(addition, x, y)


class AddReinterprets(WaveMatrixDevice):
    """The bits of an addend of another type are taken as they are."""

    def cast(self, addition: Addition, bits: Bits) -> Bits:
        """The low bits."""
        return bits & np.uint64(FORMATS[addition.element].mask)


class AddsInTheWiderType(WaveMatrixDevice):
    """Add of a wider addend takes the accumulator to the addend's type, adds there and rounds the sum."""

    def add(self, shader: Shader, method: Add, matrix: Matrix) -> Bits:
        """One rounding, of the sum, where the cast should have rounded the addend."""
        operand = shader.program.matrix(method.operand)
        wide, narrow = FORMATS[operand.element], FORMATS[matrix.element]
        if not (wide.is_float and narrow.is_float and wide.bits > narrow.bits):
            return super().add(shader, method, matrix)
        addition = Addition(operand.kind, operand.element, matrix.element, shader.shape(matrix))
        addend = self.broadcast(addition, shader.contents(operand.name))
        accumulator = cast(shader.contents(matrix.name), matrix.element, operand.element)
        return cast(apply("add", operand.element, accumulator, addend), operand.element, matrix.element)


class SubtractsReversed(WaveMatrixDevice):
    """ScalarSubtract leaves the value minus the element."""

    def operate(self, operation: str, matrix: Matrix, elements: Bits, value: Bits) -> Bits:
        """Sides changed."""
        if operation == "subtract":
            return super().operate(operation, matrix, np.broadcast_to(value, elements.shape), elements)
        return super().operate(operation, matrix, elements, value)


class DividesByMultiplying(WaveMatrixDevice):
    """ScalarDivide multiplies."""

    def operate(self, operation: str, matrix: Matrix, elements: Bits, value: Bits) -> Bits:
        """The inverse forgotten."""
        return super().operate("multiply" if operation == "divide" else operation, matrix, elements, value)


class QuotientRoundedDown(WaveMatrixDevice):
    """ScalarDivide of integers leaves the largest integer that is not above the quotient."""

    def operate(self, operation: str, matrix: Matrix, elements: Bits, value: Bits) -> Bits:
        """Where the divisor is not 0."""
        found = super().operate(operation, matrix, elements, value)
        fmt = FORMATS[matrix.element]
        if operation != "divide" or fmt.is_float:
            return found
        x, y = integers_of(fmt, elements), integers_of(fmt, value)
        return np.where(y == 0, found, bits_of_integers(fmt, self.quotient(x, np.where(y == 0, 1, y))))

    def quotient(self, x: Integers, y: Integers) -> Integers:
        """Down."""
        return x // y


class QuotientToNearest(QuotientRoundedDown):
    """ScalarDivide of integers leaves the nearest integer, upward from halves."""

    def quotient(self, x: Integers, y: Integers) -> Integers:
        """Half a divisor more, then down."""
        return super().quotient(2 * x + y, 2 * y)


class ScalarOnFirstRow(WaveMatrixDevice):
    """Operations with a scalar change the first row."""

    def operate(self, operation: str, matrix: Matrix, elements: Bits, value: Bits) -> Bits:
        """The others stay."""
        bits = elements.copy()
        bits[:, :, :1] = super().operate(operation, matrix, elements, value)[:, :, :1]
        return bits


class ScalarOf24Bits(WaveMatrixDevice):
    """ScalarMultiply of integers reads the value as 24 signed bits."""

    def operate(self, operation: str, matrix: Matrix, elements: Bits, value: Bits) -> Bits:
        """A multiplier as narrow as the significand of f32."""
        fmt = FORMATS[matrix.element]
        if operation == "multiply" and not fmt.is_float:
            value = bits_of_integers(fmt, (integers_of(fmt, value) + (1 << 23)) % (1 << 24) - (1 << 23))
        return super().operate(operation, matrix, elements, value)


class SubnormalElementsDoubled(WaveMatrixDevice):
    """Operations with a scalar read subnormal elements twice as large."""

    def operate(self, operation: str, matrix: Matrix, elements: Bits, value: Bits) -> Bits:
        """Codes are consecutive, so that the largest become normal."""
        fmt = FORMATS[matrix.element]
        if fmt.is_float:
            magnitude = elements & np.uint64(fmt.mask & ~fmt.sign_bit)
            elements = np.where(magnitude < np.uint64(1 << fmt.fraction_bits), elements + magnitude, elements)
        return super().operate(operation, matrix, elements, value)


class ScalarAddLost(WaveMatrixDevice):
    """ScalarAdd leaves fragments as they are."""

    def operate(self, operation: str, matrix: Matrix, elements: Bits, value: Bits) -> Bits:
        """Nothing added."""
        lost = operation == "add" and matrix.kind in (LEFT, RIGHT)
        return elements.copy() if lost else super().operate(operation, matrix, elements, value)


def _one_unit_up(element: str, bits: Bits) -> Bits:
    """Floats one unit in the last place further from zero, zeros and specials too."""
    return bits + np.uint64(1) if FORMATS[element].is_float else bits


class ScalarOneUnitUp(WaveMatrixDevice):
    """Floats that ScalarMultiply, -Add and -Subtract leave are one unit in the last place too large."""

    def operate(self, operation: str, matrix: Matrix, elements: Bits, value: Bits) -> Bits:
        """As if rounded upward where nothing is to be rounded."""
        bits = super().operate(operation, matrix, elements, value)
        return bits if operation == "divide" else _one_unit_up(matrix.element, bits)


class AddOneUnitUp(WaveMatrixDevice):
    """Floats that Add of an accumulator leaves are one unit in the last place too large."""

    def total(self, addition: Addition, x: Bits, y: Bits) -> Bits:
        """As if rounded upward where nothing is to be rounded."""
        bits = super().total(addition, x, y)
        return _one_unit_up(addition.element, bits) if addition.kind == "accumulator" else bits


class SecondLaneDecides(WaveMatrixDevice):
    """Arguments are those of the second lane."""

    deciding_lane = 1


class LastLaneDecides(WaveMatrixDevice):
    """The stride of an access, or its orientation, is that of the last lane of the smallest wave."""

    def __init__(self, argument: str, unit: ArithmeticUnit) -> None:
        super().__init__(unit)
        self.argument_name = argument

    def arguments(self, shader: Shader, access: Access, loop: int) -> list[Arguments]:
        """One argument of another lane."""
        found = super().arguments(shader, access, loop)
        index = getattr(access, self.argument_name)
        if not isinstance(index, Affine) or not index.lane:
            return found
        further = index.lane * (self.caps.wave_lanes[0] - 1)
        if self.argument_name == "stride":
            return [replace(one, stride=one.stride + one.unit * further) for one in found]
        return [replace(one, col_major=one.col_major != (further % 2 == 1)) for one in found]


class DepthDoubled(WaveMatrixDevice):
    """MatrixDepth counts both operands."""

    def depth(self, matrix: Matrix) -> int:
        """Twice K."""
        return 2 * super().depth(matrix)


class DepthReportedInDwords(WaveMatrixDevice):
    """MatrixDepth of a packed matrix counts dwords."""

    def depth(self, matrix: Matrix) -> int:
        """A quarter of K."""
        return super().depth(matrix) // (4 if matrix.element in PACKED else 1)


class SumsThroughFloat(WaveMatrixDevice):
    """Integer sums pass through float32."""

    def sum_of_products(self, elements: tuple[str, str, str], a: Bits, b: Bits, c: Bits) -> Bits:
        """Rounded to 24 bits."""
        bits = super().sum_of_products(elements, a, b, c)
        if elements[2] != "s32":
            return bits
        values = bits.astype(np.uint32).view(np.int32).astype(np.float32).astype(np.float64)
        return np.clip(values, -(2**31), 2**31 - 1).astype(np.int64).astype(np.uint64) & np.uint64(0xFFFFFFFF)


class LastTileLost(WaveMatrixDevice):
    """The last tile of a product repeats the one before it."""

    def product_of(self, elements: tuple[str, str, str], a: Bits, b: Bits, c: Bits) -> Bits:
        """Rows of A and columns of B clamped to all tiles but the last."""
        rows, cols = np.arange(a.shape[-2]), np.arange(b.shape[-1])
        rows = np.where(rows >= max(len(rows) - TILE, TILE), rows - TILE, rows)
        cols = np.where(cols >= max(len(cols) - TILE, TILE), cols - TILE, cols)
        return super().product_of(elements, a[..., rows, :], b[..., cols], c)


class FillsFirstColumn(WaveMatrixDevice):
    """Fill writes the first column."""

    def fill(self, shader: Shader, fill: Fill, matrix: Matrix) -> Bits:
        """The other columns stay."""
        bits = shader.contents(matrix.name).copy()
        bits[..., 0] = super().fill(shader, fill, matrix)[..., 0]
        return bits
