"""The WaveMatrix machine: executes shaders on arrays of bits, independently of the oracle.

A matrix is an array ``(batch, waves, rows, cols)``. Memory is addressed line by line: a line is what one
stride passes over, and a column-major matrix is a transposed stack of lines.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from mmaspec.backends.numpy.hlsl_wave_matrix_checks import CHECKS, Survey
from mmaspec.backends.numpy.unit import ArithmeticUnit, Bits
from mmaspec.backends.protocol import Images
from mmaspec.oracle.hlsl_wave_matrix.caps import DEFAULT_CAPS, WaveMmaCaps
from mmaspec.oracle.hlsl_wave_matrix.program import (
    Fill,
    Load,
    Matrix,
    Multiply,
    MultiplyAccumulate,
    Repeat,
    Simple,
    Store,
    WaveMatrixProgram,
)
from mmaspec.oracle.numerics.formats import FORMATS
from mmaspec.oracle.program import Affine, Index, Literal, RunTime

Positions = NDArray[np.int64]
Access = Load | Store

PACKED = ("u8", "s8")


@dataclass(frozen=True, slots=True)
class Arguments:
    """An access as one wave makes it in one pass: every argument a number."""

    start: int
    stride: int
    col_major: bool
    read_only: bool


@dataclass
class Shader:
    """One running program: its memory, and the matrices that have been written."""

    program: WaveMatrixProgram
    inputs: Images
    memory: dict[str, NDArray[np.uint8]]
    batch: int
    matrices: dict[str, Bits] = field(default_factory=dict)
    loaded: dict[str, list[Arguments]] = field(default_factory=dict)
    """How each wave last loaded a matrix, forgotten when it is written otherwise."""
    stored: set[str] = field(default_factory=set)
    """Matrices stored since they were written."""

    def view(self, name: str) -> NDArray[np.uint8]:
        """The bytes of a buffer's view, ``(batch, size)``."""
        buffer = next(buffer for buffer in self.program.buffers if buffer.name == name)
        return self.memory[name][:, buffer.base : buffer.base + buffer.size]

    def word(self, argument: RunTime) -> int:
        """A run-time argument: equal in all items, so the first one's."""
        buffer = next(buffer for buffer in self.program.buffers if buffer.name == argument.buffer)
        start = buffer.base + argument.offset
        return int.from_bytes(self.inputs[argument.buffer][0, start : start + 4].tobytes(), "little")

    def contents(self, name: str) -> Bits:
        """A matrix's bits; zeros before it is written."""
        if name not in self.matrices:
            self.matrices[name] = np.zeros(self.shape(self.program.matrix(name)), np.uint64)
        return self.matrices[name]

    def shape(self, matrix: Matrix) -> tuple[int, int, int, int]:
        """``(batch, waves, rows, cols)`` of a matrix."""
        rows = matrix.k if matrix.kind == "right" else matrix.m
        cols = matrix.k if matrix.kind == "left" else matrix.n
        return self.batch, self.program.waves, rows, cols


class WaveMatrixMachine:
    """Runs WaveMatrix programs over an arithmetic unit. Every method is small, so that a fault can replace it."""

    unchecked: frozenset[str] = frozenset()
    """Clauses that the machine does not check."""

    def __init__(self, unit: ArithmeticUnit) -> None:
        self.unit = unit

    def caps(self) -> WaveMmaCaps:
        """Byte and float16 in every size."""
        return DEFAULT_CAPS

    def broken(self, program: WaveMatrixProgram, inputs: Images) -> tuple[str, ...]:
        """Clauses that the program breaks, in the order in which they are checked."""
        survey = Survey.of(
            program, self.caps(), lambda index, wave, loop: self._resolve(program, inputs, index, wave, loop)
        )
        return tuple(clause for clause, check in CHECKS.items() if clause not in self.unchecked and check(survey))

    def _resolve(self, program: WaveMatrixProgram, inputs: Images, index: Index, wave: int, loop: int) -> int:
        return self.argument(Shader(program, inputs, {}, 0), index, wave, loop)

    def run(self, program: WaveMatrixProgram, inputs: Images) -> Images:
        """Execute every instruction for all waves at once; nothing a wave stores is read again."""
        memory = {name: image.copy() for name, image in inputs.items()}
        shader = Shader(program, inputs, memory, next(iter(memory.values())).shape[0] if memory else 0)
        for instruction in program.body:
            if isinstance(instruction, Repeat):
                for loop in range(instruction.count):
                    for nested in instruction.body:
                        self.execute(shader, nested, loop)
            else:
                self.execute(shader, instruction, 0)
        return memory

    def execute(self, shader: Shader, instruction: Simple, loop: int) -> None:
        """One instruction, for all waves."""
        matrix = shader.program.matrix(instruction.matrix)
        if isinstance(instruction, Store):
            self.store(shader, instruction, matrix, loop)
            shader.stored.add(matrix.name)
            return
        loaded: list[Arguments] = []
        match instruction:
            case Fill():
                bits = self.fill(shader, instruction, matrix)
            case Load():
                loaded = self.arguments(shader, instruction, loop)
                bits = self.load(shader, instruction, matrix, loaded)
            case Multiply():
                bits = self.multiply(shader, instruction, matrix)
            case MultiplyAccumulate():
                bits = self.multiply_accumulate(shader, instruction, matrix)
        shader.matrices[matrix.name] = bits
        shader.loaded[matrix.name] = loaded
        shader.stored.discard(matrix.name)

    # Arguments

    def argument(self, shader: Shader, index: Index, wave: int, loop: int) -> int:
        """The number that an argument is for one wave in one pass."""
        match index:
            case RunTime():
                return shader.word(index)
            case Affine():
                return index.base + wave * index.wave + loop * index.loop
        return index

    def arguments(self, shader: Shader, access: Access, loop: int) -> list[Arguments]:
        """The arguments of an access, wave by wave."""
        read_only = access.buffer in shader.program.read_only
        return [
            Arguments(
                self.argument(shader, access.offset, wave, loop),
                self.argument(shader, access.stride, wave, loop),
                self.argument(shader, access.col_major, wave, loop) != 0,
                read_only,
            )
            for wave in range(shader.program.waves)
        ]

    # Fill

    def fill(self, shader: Shader, fill: Fill, matrix: Matrix) -> Bits:
        """The value in every element of every wave's matrix; a packed value is repeated dword by dword."""
        shape = shader.shape(matrix)
        if matrix.element not in PACKED:
            return np.broadcast_to(self.scalar(shader, fill, FORMATS[matrix.element].nbytes), shape).copy()
        dwords = self.scalar(shader, fill, 4)
        lanes = dwords >> (np.arange(shape[3], dtype=np.uint64) % np.uint64(4) * np.uint64(8)) & np.uint64(0xFF)
        return np.broadcast_to(lanes, shape).copy()

    def scalar(self, shader: Shader, fill: Fill, size: int) -> Bits:
        """The value's bits, ``(batch, 1, 1, 1)``."""
        if isinstance(fill.value, Literal):
            return np.full((shader.batch, 1, 1, 1), fill.value.bits, np.uint64)
        start = fill.value.offset
        raw = shader.view(fill.value.buffer)[:, start : start + size].astype(np.uint64)
        weights = np.uint64(1) << (np.arange(size, dtype=np.uint64) * np.uint64(8))
        bits: Bits = (raw * weights).sum(axis=1, dtype=np.uint64)
        return bits.reshape(-1, 1, 1, 1)

    # Load and Store

    def positions(self, rows: int, cols: int, size: int, arguments: Arguments) -> Positions:
        """First byte of every element in the view, ``(rows, cols)``."""
        lines, length = (cols, rows) if arguments.col_major else (rows, cols)
        start, stride = self.start(arguments), self.stride(arguments, length * size)
        stacked = start + stride * np.arange(lines)[:, np.newaxis] + size * np.arange(length)[np.newaxis, :]
        return stacked.T if arguments.col_major else stacked

    def start(self, arguments: Arguments) -> int:
        """Where the first element lies."""
        return arguments.start

    def stride(self, arguments: Arguments, line_bytes: int) -> int:  # noqa: ARG002 - for those who override it
        """Bytes from one line to the next."""
        return arguments.stride

    def load(self, shader: Shader, load: Load, matrix: Matrix, waves: list[Arguments]) -> Bits:
        """Every wave's elements, little-endian."""
        _, _, rows, cols = shader.shape(matrix)
        size = FORMATS[matrix.element].nbytes
        positions = np.stack([self.load_positions(rows, cols, size, arguments) for arguments in waves])
        view = shader.view(load.buffer)
        bits = np.zeros((shader.batch, *positions.shape), np.uint64)
        for byte in range(size):
            bits += view[:, positions + byte].astype(np.uint64) << np.uint64(8 * byte)
        return bits

    def load_positions(self, rows: int, cols: int, size: int, arguments: Arguments) -> Positions:
        """Positions as a Load sees them."""
        return self.positions(rows, cols, size, arguments)

    def store(self, shader: Shader, store: Store, matrix: Matrix, loop: int) -> None:
        """Every wave's elements, little-endian, and nothing else."""
        _, _, rows, cols = shader.shape(matrix)
        size = FORMATS[matrix.element].nbytes
        waves = self.arguments(shader, store, loop)
        bits = self.outgoing(shader, matrix, waves)
        view = shader.view(store.buffer)
        for wave, arguments in enumerate(waves):
            positions = self.positions(rows, cols, size, arguments)
            for byte in range(size):
                octets = bits[:, wave] >> np.uint64(8 * byte) & np.uint64(0xFF)
                view[:, positions + byte] = octets.astype(np.uint8)

    def outgoing(self, shader: Shader, matrix: Matrix, waves: list[Arguments]) -> Bits:  # noqa: ARG002
        """What a Store writes of a matrix."""
        return shader.contents(matrix.name)

    # Products

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
        return self.sum_of_products((left.element, right.element, matrix.element), a, b, addend)

    def sum_of_products(self, elements: tuple[str, str, str], a: Bits, b: Bits, c: Bits) -> Bits:
        """The arithmetic, left to the unit; sums beyond int32 wrap."""
        left, right, accumulator = elements
        return self.unit.multiply_add(left, a, right, b, accumulator, c)
