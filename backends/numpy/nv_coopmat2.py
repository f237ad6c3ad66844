"""The numpy machine of GL_NV_cooperative_matrix2: written from the document, apart from the oracle."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mmaspec.backends.numpy import octets
from mmaspec.backends.numpy.nv_coopmat2_checks import CHECKS, Checks
from mmaspec.backends.numpy.nv_coopmat2_tensors import Ints, Mask, Region, TensorAddressing
from mmaspec.backends.numpy.unit import ArithmeticUnit, Bits
from mmaspec.backends.protocol import Images
from mmaspec.oracle.numerics.formats import format_named
from mmaspec.oracle.nv_coopmat2.caps import DEFAULT_CAPS, CoopMatCaps
from mmaspec.oracle.nv_coopmat2.program import (
    ARRAY_BYTES,
    COLUMN_MAJOR,
    CoopMatProgram,
    Load,
    LoadTensor,
    Matrix,
    MulAdd,
    Repeat,
    SetDimension,
    SetStride,
    Setter,
    Simple,
    Slice,
    Splat,
    Store,
    StoreTensor,
)
from mmaspec.oracle.program import Affine, FromBuffer, Index, RunTime


@dataclass
class Running:
    """One execution: memory, and the matrices of every wave, each ``(batch, waves, rows, cols)``."""

    program: CoopMatProgram
    given: Images
    memory: dict[str, NDArray[np.uint8]]
    matrices: dict[str, Bits] = field(default_factory=dict)

    @property
    def batch(self) -> int:
        """How many items run side by side."""
        return next(iter(self.memory.values())).shape[0] if self.memory else 0

    def base(self, name: str) -> int:
        """Where the view of a buffer starts in its allocation."""
        return next(buffer.base for buffer in self.program.buffers if buffer.name == name)

    def value(self, index: Index, wave: int, loop: int) -> int:
        """An argument for one wave and pass; what lies in a buffer is read there."""
        if isinstance(index, RunTime):
            start = self.base(index.buffer) + index.offset
            return int.from_bytes(self.given[index.buffer][0, start : start + 4].tobytes(), "little")
        if isinstance(index, Affine):
            return index.base + index.wave * wave + index.loop * loop
        return index


class CoopMat2Machine(TensorAddressing):
    """Executes programs over an arithmetic unit."""

    unchecked: frozenset[str] = frozenset()
    """Validity clauses that this machine does not look at."""

    def __init__(self, unit: ArithmeticUnit) -> None:
        self.unit = unit

    def caps(self) -> CoopMatCaps:
        """The rows of the default caps."""
        return DEFAULT_CAPS

    def broken(self, program: CoopMatProgram, inputs: Images) -> tuple[str, ...]:
        """The validity clauses that a program breaks, by checks of the machine's own."""
        checks = Checks(program, self.caps(), Running(program, inputs, {}).value)
        return tuple(name for name, check in CHECKS.items() if name not in self.unchecked and check(checks))

    def run(self, program: CoopMatProgram, inputs: Images) -> Images:
        """Execute a valid program; ``inputs`` stay as they are."""
        running = Running(program, inputs, {name: image.copy() for name, image in inputs.items()})
        for instruction in program.body:
            if isinstance(instruction, Repeat):
                for loop in range(instruction.count):
                    for nested in instruction.body:
                        self.step(running, nested, loop)
            else:
                self.step(running, instruction, 0)
        return running.memory

    def step(self, running: Running, instruction: Simple, loop: int) -> None:
        """One instruction for all waves and items."""
        if isinstance(instruction, MulAdd):
            running.matrices[instruction.result] = self.mul_add(running, instruction)
        elif isinstance(instruction, Splat):
            running.matrices[instruction.matrix] = self.splat(running, instruction)
        elif isinstance(instruction, Load):
            running.matrices[instruction.matrix] = self.load(running, instruction, loop)
        elif isinstance(instruction, LoadTensor):
            running.matrices[instruction.matrix] = self.load_tensor(running, instruction, loop)
        elif isinstance(instruction, Store):
            self.store(running, instruction, loop)
        else:
            self.store_tensor(running, instruction, loop)

    # Matrices

    def mul_add(self, running: Running, instruction: MulAdd) -> Bits:
        """A times B plus C by the arithmetic unit."""
        matrix = running.program.matrix
        result = matrix(instruction.result)
        a, b = running.matrices[instruction.a], running.matrices[instruction.b]
        if instruction.c is None:
            c = np.zeros((running.batch, running.program.waves, result.rows, result.cols), np.uint64)
        else:
            c = running.matrices[instruction.c]
        return self.product(matrix(instruction.a), a, matrix(instruction.b), b, result, c)

    def product(self, a_type: Matrix, a: Bits, b_type: Matrix, b: Bits, c_type: Matrix, c: Bits) -> Bits:
        """Operands as their types say; sums that leave an integer's range keep their low bits."""
        return self.unit.multiply_add(a_type.component, a, b_type.component, b, c_type.component, c, overflow="wrap")

    def splat(self, running: Running, instruction: Splat) -> Bits:
        """One scalar in every element."""
        matrix = running.program.matrix(instruction.matrix)
        shape = (running.batch, running.program.waves, matrix.rows, matrix.cols)
        if isinstance(instruction.value, FromBuffer):
            where = np.full((1, 1, 1), instruction.value.offset, np.int64)
            scalar = self.fetch(running, instruction.value.buffer, where, format_named(matrix.component).nbytes)
            return np.broadcast_to(scalar, shape).copy()
        return np.full(shape, instruction.value.bits, np.uint64)

    # Addresses of plain loads and stores

    def width(self, running: Running, access: Load | Store | LoadTensor | StoreTensor) -> int:
        """Bytes of a component."""
        return format_named(running.program.matrix(access.matrix).component).nbytes

    def unit_bytes(self, running: Running, access: Load | Store | LoadTensor | StoreTensor) -> int:
        """Bytes of an element of the array."""
        return ARRAY_BYTES[access.array] if access.array else self.width(running, access)

    def by_columns(self, access: Load | Store) -> bool:
        """Whether lines in memory are columns."""
        return access.layout == COLUMN_MAJOR

    def lines(self, running: Running, access: Load | Store, loop: int) -> Ints:
        """Byte of every element in the view, ``(waves, rows, cols)``."""
        matrix = running.program.matrix(access.matrix)
        waves = range(running.program.waves)
        unit, width = self.unit_bytes(running, access), self.width(running, access)
        start = np.array([running.value(access.offset, wave, loop) for wave in waves], np.int64) * unit
        stride = np.array([running.value(access.stride, wave, loop) for wave in waves], np.int64) * unit
        line, place = np.indices((matrix.rows, matrix.cols), dtype=np.int64)
        if self.by_columns(access):
            line, place = place, line
        return start[:, None, None] + stride[:, None, None] * line + place * width

    def load(self, running: Running, access: Load, loop: int) -> Bits:
        """A plain load."""
        return self.fetch(running, access.buffer, self.lines(running, access, loop), self.width(running, access))

    def store(self, running: Running, access: Store, loop: int) -> None:
        """A plain store."""
        where, bits = self.lines(running, access, loop), running.matrices[access.matrix]
        self.put(running, access.buffer, where, bits, self.width(running, access))

    # Tensor loads and stores

    def regions(self, running: Running, wave: int, loop: int) -> dict[str, Region]:
        """Every declared layout, evaluated in the order of declaration."""
        found: dict[str, Region] = {}
        for layout in running.program.layouts:
            if layout.start is None:
                region = self.create(layout.rank, layout.clamp_mode)
            else:
                region = self.start_from(found[layout.start])
            for call in layout.calls:
                self.call(running, region, call, wave, loop)
            found[layout.name] = region
        return found

    def call(self, running: Running, region: Region, call: Setter, wave: int, loop: int) -> None:
        """One setter on a record."""

        def words(arguments: tuple[Index, ...]) -> list[int]:
            return [running.value(argument, wave, loop) & 0xFFFF_FFFF for argument in arguments]

        if isinstance(call, SetDimension):
            self.set_dimension(region, words(call.dimensions))
        elif isinstance(call, SetStride):
            self.set_stride(region, words(call.strides))
        elif isinstance(call, Slice):
            signed = [word - (1 << 32) if word >> 31 else word for word in words(call.offsets)]
            self.cut(region, signed, words(call.spans))
        else:
            self.set_fill(region, words((call.value,))[0])
        region.history.append(type(call).__name__)

    def index_bytes(self, running: Running, access: LoadTensor | StoreTensor) -> int:
        """Bytes that one step of a tensor's index stands for."""
        return self.width(running, access)

    def elements(self, running: Running, access: LoadTensor | StoreTensor, loop: int) -> tuple[Ints, Mask, list[int]]:
        """Byte of every element ``(waves, rows, cols)``, where there is none, and the clamp value of each wave."""
        matrix = running.program.matrix(access.matrix)
        bytes_, none, fills = [], [], []
        for wave in range(running.program.waves):
            region = self.regions(running, wave, loop)[access.tensor]
            index, ended = self.locate(region, matrix.rows, matrix.cols, store=isinstance(access, StoreTensor))
            start = running.value(access.offset, wave, loop) * self.unit_bytes(running, access)
            bytes_.append(start + index * self.index_bytes(running, access))
            none.append(ended)
            fills.append(region.fill)
        return np.stack(bytes_), np.stack(none), fills

    def load_tensor(self, running: Running, access: LoadTensor, loop: int) -> Bits:
        """Every element from memory, or the low bits of the clamp value."""
        where, none, fills = self.elements(running, access, loop)
        width = self.width(running, access)
        loaded = self.fetch(running, access.buffer, np.where(none, 0, where), width)
        low = np.array(fills, np.uint64) & np.uint64((1 << 8 * width) - 1)
        return self.filled(running, access, loaded, none, low[:, None, None])

    def filled(self, running: Running, access: LoadTensor, loaded: Bits, none: Mask, low: NDArray[Any]) -> Bits:  # noqa: ARG002
        """Elements that have no index take the clamp value."""
        return np.where(none, low, loaded)

    def store_tensor(self, running: Running, access: StoreTensor, loop: int) -> None:
        """Elements that have no index are dropped."""
        where, none, _ = self.elements(running, access, loop)
        bits = running.matrices[access.matrix]
        self.put(running, access.buffer, np.where(none, -1, where), bits, self.width(running, access), ~none)

    # Memory

    def fetch(self, running: Running, buffer: str, where: Ints, width: int) -> Bits:
        """Little-endian elements ``(batch, *where.shape)``; what lies outside the allocation reads as zero."""
        image = running.memory[buffer]
        position = where + running.base(buffer)
        inside = (position >= 0) & (position + width <= image.shape[1])
        position = np.where(inside, position, 0)
        bits = octets.read(image, position, width)
        return np.asarray(np.where(inside, bits, np.uint64(0)), np.uint64)

    def put(self, running: Running, buffer: str, where: Ints, bits: Bits, width: int, keep: Mask | None = None) -> None:
        """Write elements in order, the batch before the shape of ``where``; what lies outside is lost."""
        image = running.memory[buffer]
        position = where + running.base(buffer)
        inside = (position >= 0) & (position + width <= image.shape[1])
        if keep is not None:
            inside &= keep
        octets.write(image, position[inside], width, bits[:, inside])
