"""The WaveMatrix device: executes shaders on arrays of bits, independently of the oracle.

A matrix is an array ``(batch, waves, rows, cols)``. Memory is addressed line by line: a line is what one
stride passes over, and a column-major matrix is a transposed stack of lines.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from mmaspec.backends.numpy.backend import Submitted
from mmaspec.backends.numpy.hlsl_wave_matrix.elements import apply, cast
from mmaspec.backends.numpy.hlsl_wave_matrix.execution import (
    PACKED,
    WIDTH,
    Addition,
    Arguments,
    Lines,
    Shader,
    array_width,
)
from mmaspec.backends.numpy.hlsl_wave_matrix.validity import CHECKS, Survey, entry
from mmaspec.backends.numpy.units.exact import ExactUnit
from mmaspec.backends.numpy.units.unit import ArithmeticUnit, Bits
from mmaspec.backends.protocol import Images
from mmaspec.programs.base import Index, Literal, RunTime
from mmaspec.programs.formats import FORMATS
from mmaspec.programs.hlsl_wave_matrix.caps import DEFAULT_CAPS, WaveMmaCaps
from mmaspec.programs.hlsl_wave_matrix.program import (
    Add,
    Barrier,
    Branch,
    Copy,
    Fill,
    Load,
    Matrix,
    MatrixDepth,
    Method,
    Multiply,
    MultiplyAccumulate,
    Repeat,
    ScalarOperation,
    Simple,
    Stage,
    Store,
    SumAccumulate,
    WaveMatrixProgram,
)

Positions = NDArray[np.int64]
Access = Load | Store

__all__ = ["Access", "Arguments", "Positions", "Shader", "WaveMatrixDevice"]

OPERATIONS = {"ScalarMultiply": "multiply", "ScalarDivide": "divide", "ScalarAdd": "add", "ScalarSubtract": "subtract"}


@lru_cache(maxsize=256)
def _stacked(count: int, stride: int, length: int, size: int) -> Positions:
    """Bytes from the first element of lines that lie a stride apart to every element, ``(count, length)``."""
    found = stride * np.arange(count)[:, np.newaxis] + size * np.arange(length)[np.newaxis, :]
    found.flags.writeable = False
    return found


class WaveMatrixDevice:
    """Runs WaveMatrix programs over an arithmetic unit. Every method is small, so that a fault can replace it."""

    unchecked: frozenset[str] = frozenset()
    """Clauses that the device does not check."""
    deciding_lane: int = 0
    """The lane whose arguments count."""

    def __init__(self, unit: ArithmeticUnit) -> None:
        self.unit = unit
        self.summing: ExactUnit = ExactUnit()
        self.caps: WaveMmaCaps = DEFAULT_CAPS

    def broken(self, submitted: Submitted) -> tuple[str, ...]:
        """Clauses that the program breaks, in the order in which they are checked."""
        shader = Shader(submitted.program, submitted.inputs, {}, 0)
        survey = Survey.of(
            shader.program, self.caps, lambda index, wave, loop: self.argument(shader, index, wave, loop)
        )
        return tuple(clause for clause, check in CHECKS.items() if clause not in self.unchecked and check(survey))

    def run(self, program: WaveMatrixProgram, inputs: Images) -> Images:
        """Execute every instruction for all waves at once; nothing a wave stores is read again."""
        memory = {name: image.copy() for name, image in inputs.items()}
        shader = Shader(program, inputs, memory, next(iter(memory.values())).shape[0] if memory else 0)
        for instruction in program.body:
            if isinstance(instruction, Repeat | Branch):
                for loop in range(instruction.count):
                    for nested in instruction.body:
                        self.execute(shader, nested, loop)
            else:
                self.execute(shader, instruction, 0)
        return memory

    def execute(self, shader: Shader, instruction: Simple, loop: int) -> None:
        """One instruction, for all waves; as none runs ahead, a barrier has nothing to do."""
        match instruction:
            case Barrier():
                pass
            case Copy():
                self.copy(shader, instruction, loop)
            case Store():
                self.store(shader, instruction, shader.program.matrix(instruction.matrix), loop)
                shader.stored.add(instruction.matrix)
            case MatrixDepth():
                self.store_depth(shader, instruction, loop)
            case _:
                self.change(shader, instruction, loop)

    def change(self, shader: Shader, method: Method, loop: int) -> None:
        """A method that writes its matrix."""
        matrix = shader.program.matrix(method.matrix)
        loaded: list[Arguments] = []
        match method:
            case Fill():
                bits = self.fill(shader, method, matrix)
            case Load():
                loaded = self.arguments(shader, method, loop)
                bits = self.load(shader, method, matrix, loaded)
            case Multiply():
                bits = self.multiply(shader, method, matrix)
            case MultiplyAccumulate():
                bits = self.multiply_accumulate(shader, method, matrix)
            case SumAccumulate():
                bits = self.sum_accumulate(shader, method, matrix)
            case Add():
                bits = self.add(shader, method, matrix)
            case ScalarOperation():
                bits = self.with_scalar(shader, method, matrix)
            case _:
                raise TypeError(f"{type(method).__name__} writes no matrix")
        shader.matrices[matrix.name] = bits
        shader.loaded[matrix.name] = loaded
        shader.stored.discard(matrix.name)

    # Arguments

    def argument(self, shader: Shader, index: Index, wave: int, loop: int) -> int:
        """The number that an argument is for one wave in one pass."""
        if isinstance(index, int):
            return index
        if isinstance(index, RunTime):
            return shader.word(index)
        down, across = divmod(wave, index.grid) if index.grid else (0, wave)
        lanes = index.lane * self.deciding_lane
        return index.base + across * index.wave + down * index.row + loop * index.loop + lanes

    def arguments(self, shader: Shader, access: Access, loop: int) -> list[Arguments]:
        """The arguments of an access, wave by wave."""
        array = shader.array(access.buffer)
        unit = 1 if array is None else array_width(array)
        vector = shader.program.matrix(access.matrix).kind.endswith("acc")
        return [
            Arguments(
                unit * self.argument(shader, access.offset, wave, loop),
                unit * self.argument(shader, access.stride, wave, loop),
                self.argument(shader, access.col_major, wave, loop) % 2 == 1,
                access.buffer in shader.program.read_only,
                unit,
                array is not None,
                vector,
            )
            for wave in range(shader.program.waves)
        ]

    # Fill

    def fill(self, shader: Shader, fill: Fill, matrix: Matrix) -> Bits:
        """The value in every element of every wave's matrix; a packed value is repeated dword by dword."""
        shape = shader.shape(matrix)
        if matrix.element not in PACKED:
            return np.broadcast_to(self.scalar(shader, fill, WIDTH[matrix.element]), shape).copy()
        dwords = self.scalar(shader, fill, 4)
        lanes = dwords >> (np.arange(shape[3], dtype=np.uint64) % np.uint64(4) * np.uint64(8)) & np.uint64(0xFF)
        return np.broadcast_to(lanes, shape).copy()

    def scalar(self, shader: Shader, method: Fill | ScalarOperation, size: int) -> Bits:
        """The value's bits, ``(batch, 1, 1, 1)``."""
        bits = self.value(shader, method, size) + np.uint64(method.lane * self.deciding_lane)
        return bits & np.uint64((1 << 8 * size) - 1)

    def value(self, shader: Shader, method: Fill | ScalarOperation, size: int) -> Bits:
        """The value as it is written, or as it lies in memory, little-endian."""
        if isinstance(method.value, Literal):
            return np.full((shader.batch, 1, 1, 1), method.value.bits, np.uint64)
        start = method.value.offset
        raw = shader.run(method.value.buffer, start, size).astype(np.uint64)
        weights = np.uint64(1) << (np.arange(size, dtype=np.uint64) * np.uint64(8))
        bits: Bits = (raw * weights).sum(axis=1, dtype=np.uint64)
        return bits.reshape(-1, 1, 1, 1)

    # Load and Store

    def positions(self, rows: int, cols: int, size: int, arguments: Arguments) -> Positions:
        """First byte of every element in the view or array, ``(rows, cols)``."""
        if arguments.vector:
            return self.vector(Lines(1, max(rows, cols), size, arguments)).reshape(rows, cols)
        count, length = (cols, rows) if arguments.col_major else (rows, cols)
        lines = Lines(count, length, size, arguments)
        stacked = self.start(lines) + _stacked(count, self.stride(lines), length, size)
        return stacked.T if arguments.col_major else stacked

    def vector(self, lines: Lines) -> Positions:
        """First byte of every element of a fragment."""
        return lines.arguments.start + lines.arguments.stride * np.arange(lines.length)

    def start(self, lines: Lines) -> int:
        """Where the first element lies."""
        return lines.arguments.start

    def stride(self, lines: Lines) -> int:
        """Bytes from one line to the next."""
        return lines.arguments.stride

    def load(self, shader: Shader, load: Load, matrix: Matrix, waves: list[Arguments]) -> Bits:
        """Every wave's elements, little-endian."""
        _, _, rows, cols = shader.shape(matrix)
        size = WIDTH[matrix.element]
        positions = [self.load_positions(rows, cols, size, arguments) for arguments in waves]
        return shader.read(load.buffer, np.stack(positions) if len(waves) > 1 else positions[0][np.newaxis], size)

    def load_positions(self, rows: int, cols: int, size: int, arguments: Arguments) -> Positions:
        """Positions as a Load sees them."""
        return self.positions(rows, cols, size, arguments)

    def store(self, shader: Shader, store: Store, matrix: Matrix, loop: int) -> None:
        """Every wave's elements, little-endian, and nothing else."""
        _, _, rows, cols = shader.shape(matrix)
        size = WIDTH[matrix.element]
        waves = self.arguments(shader, store, loop)
        bits = self.outgoing(shader, matrix, waves)
        for wave, arguments in enumerate(waves):
            shader.write(store.buffer, self.positions(rows, cols, size, arguments), size, bits[:, wave])

    def outgoing(self, shader: Shader, matrix: Matrix, waves: list[Arguments]) -> Bits:
        """The contents of a matrix that a Store writes, wave by wave."""
        return shader.contents(matrix.name)[:, : len(waves)]

    def copy(self, shader: Shader, copy: Copy, loop: int) -> None:
        """Runs of bytes between a buffer and an array."""
        array = shader.array(copy.array)
        assert array is not None
        width = array_width(array) * copy.columns
        there = array_width(array) * self.argument(shader, copy.offset, 0, loop)
        here = self.argument(shader, copy.start, 0, loop)
        for run in range(copy.rows):
            left = shader.run(copy.buffer, here + run * copy.pitch, width)
            right = shader.run(copy.array, there + run * width, width)
            if isinstance(copy, Stage):
                right[:] = left
            else:
                left[:] = right

    # Products and sums

    def multiply(self, shader: Shader, product: Multiply, matrix: Matrix) -> Bits:
        """The product alone."""
        return self.product(shader, product, matrix, np.zeros(shader.shape(matrix), np.uint64))

    def multiply_accumulate(self, shader: Shader, product: MultiplyAccumulate, matrix: Matrix) -> Bits:
        """The product added to the accumulator."""
        return self.product(shader, product, matrix, shader.contents(matrix.name))

    def product(self, shader: Shader, product: Multiply | MultiplyAccumulate, matrix: Matrix, addend: Bits) -> Bits:
        """A times B plus an addend, wave by wave."""
        left, right = (shader.program.matrix(name) for name in (product.left, product.right))
        a, b = shader.contents(left.name), shader.contents(right.name)
        return self.product_of((left.element, right.element, matrix.element), a, b, addend)

    def product_of(self, elements: tuple[str, str, str], a: Bits, b: Bits, c: Bits) -> Bits:
        """A product: every element is a sum of K terms and C."""
        return self.sum_of_products(elements, a, b, c)

    def sum_of_products(self, elements: tuple[str, str, str], a: Bits, b: Bits, c: Bits) -> Bits:
        """The arithmetic, left to the unit; sums beyond int32 wrap."""
        left, right, accumulator = elements
        return self.unit.multiply_add(left, a, right, b, accumulator, c)

    def sum_accumulate(self, shader: Shader, method: SumAccumulate, matrix: Matrix) -> Bits:
        """A product with a vector of ones, on the side of the fragment; it is no product, so not the unit's."""
        operand = shader.program.matrix(method.operand)
        return self.sums(operand.element, matrix, shader.contents(operand.name), shader.contents(matrix.name))

    def sums(self, element: str, matrix: Matrix, operand: Bits, addend: Bits) -> Bits:
        """Sums along K, added to the fragment."""
        fmt = FORMATS[element]
        one = np.uint64(fmt.bias << fmt.fraction_bits if fmt.is_float else 1)
        if matrix.kind == "left-col-acc":
            ones = np.full((operand.shape[-1], 1), one)
            return self.summing.multiply_add(element, operand, element, ones, matrix.element, addend)
        ones = np.full((1, operand.shape[-2]), one)
        return self.summing.multiply_add(element, ones, element, operand, matrix.element, addend)

    def add(self, shader: Shader, method: Add, matrix: Matrix) -> Bits:
        """The operand, in the accumulator's type, repeated to its shape and added."""
        operand = shader.program.matrix(method.operand)
        addition = Addition(operand.kind, operand.element, matrix.element, shader.shape(matrix))
        repeated = self.broadcast(addition, self.cast(addition, shader.contents(operand.name)))
        return self.total(addition, shader.contents(matrix.name), repeated)

    def total(self, addition: Addition, x: Bits, y: Bits) -> Bits:
        """The sum of two matrices of one shape."""
        return apply("add", addition.element, x, y)

    def cast(self, addition: Addition, bits: Bits) -> Bits:
        """An operand of another type, cast."""
        return cast(bits, addition.given, addition.element)

    def broadcast(self, addition: Addition, bits: Bits) -> Bits:
        """A column repeated for every column, a row for every row."""
        return np.broadcast_to(bits, addition.shape)

    def with_scalar(self, shader: Shader, method: ScalarOperation, matrix: Matrix) -> Bits:
        """Every element op the value."""
        value = self.scalar(shader, method, WIDTH[matrix.element])
        return self.operate(OPERATIONS[type(method).__name__], matrix, shader.contents(matrix.name), value)

    def operate(self, operation: str, matrix: Matrix, elements: Bits, value: Bits) -> Bits:
        """The operation itself."""
        return apply(operation, matrix.element, elements, value)

    # MatrixDepth

    def store_depth(self, shader: Shader, method: MatrixDepth, loop: int) -> None:
        """K as a little-endian word, by every wave."""
        depth = self.depth(shader.program.matrix(method.matrix)).to_bytes(4, "little")
        for wave in range(shader.program.waves):
            start = self.argument(shader, method.offset, wave, loop)
            shader.run(method.buffer, start, 4)[:] = np.frombuffer(depth, np.uint8)

    def depth(self, matrix: Matrix) -> int:
        """K as the caps report it."""
        found = entry(self.caps, matrix)
        return matrix.k if found is None else found.k
