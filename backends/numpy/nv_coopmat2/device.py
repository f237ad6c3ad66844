"""The reference device of GL_NV_cooperative_matrix2: written from the document, apart from the oracle."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from mmaspec.backends.numpy.backend import Submitted
from mmaspec.backends.numpy.nv_coopmat2.access import TensorAccess
from mmaspec.backends.numpy.nv_coopmat2.execution import Ints, Running
from mmaspec.backends.numpy.nv_coopmat2.operations import MatrixOperations
from mmaspec.backends.numpy.nv_coopmat2.validity import ARGUMENT_CHECKS, CHECKS, Checks
from mmaspec.backends.numpy.nv_coopmat2.validity_operations import OPERATION_CHECKS
from mmaspec.backends.numpy.nv_coopmat2.validity_tensors import TENSOR_CHECKS
from mmaspec.backends.numpy.units.unit import ArithmeticUnit, Bits, Overflow
from mmaspec.backends.protocol import Images
from mmaspec.programs.formats import format_named
from mmaspec.programs.nv_coopmat2.caps import DEFAULT_CAPS, CoopMatCaps
from mmaspec.programs.nv_coopmat2.program import (
    COLUMN_MAJOR,
    SATURATING,
    Barrier,
    Branch,
    CoopMatProgram,
    EachComponent,
    Load,
    LoadTensor,
    Matrix,
    MulAdd,
    Operation,
    Repeat,
    Simple,
    Splat,
    Store,
)


class CoopMat2Device(TensorAccess, MatrixOperations):
    """Executes programs over an arithmetic unit."""

    unchecked: frozenset[str] = frozenset()
    """Validity clauses that this device does not look at."""

    def __init__(self, unit: ArithmeticUnit) -> None:
        self.unit = unit
        self.caps: CoopMatCaps = DEFAULT_CAPS

    def broken(self, submitted: Submitted) -> tuple[str, ...]:
        """The validity clauses that a program breaks, by checks of the device's own."""
        running = Running(submitted.program, submitted.inputs, {})
        checks = Checks(running.program, self.caps, running.value)
        every = (*CHECKS.items(), *TENSOR_CHECKS.items(), *OPERATION_CHECKS)
        found = [name for name, check in every if name not in self.unchecked and check(checks)]
        if checks.idle:
            # Translated is also what is never executed, whatever its arguments would be.
            translated = replace(checks, all_of_it=True)
            rest = ((name, check) for name, check in every if name not in ARGUMENT_CHECKS | self.unchecked)
            found += [name for name, check in rest if check(translated)]
        return tuple(dict.fromkeys(found))

    def run(self, program: CoopMatProgram, inputs: Images) -> Images:
        """Execute a valid program; ``inputs`` stay as they are."""
        running = Running(program, inputs, {name: image.copy() for name, image in inputs.items()})
        for instruction in program.body:
            if isinstance(instruction, Repeat):
                for loop in range(instruction.count):
                    for nested in instruction.body:
                        self.step(running, nested, loop)
            elif isinstance(instruction, Branch):
                if running.value(instruction.taken, 0, 0) != 0:
                    for nested in instruction.body:
                        self.step(running, nested, 0)
            else:
                self.step(running, instruction, 0)
        return running.memory

    def step(self, running: Running, instruction: Simple, loop: int) -> None:
        """One instruction for all waves and items, which therefore never wait at a barrier."""
        if isinstance(instruction, Barrier):
            return
        if isinstance(instruction, MulAdd):
            running.matrices[instruction.result] = self.mul_add(running, instruction)
        elif isinstance(instruction, Operation):
            running.matrices[instruction.result] = self.operate(running, instruction)
        elif isinstance(instruction, EachComponent):
            running.matrices[instruction.matrix] = self.each_component(running, instruction)
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
        overflow: Overflow = "saturate" if instruction.operands == SATURATING else "wrap"
        return self.product(matrix(instruction.a), a, matrix(instruction.b), b, result, c, overflow)

    def product(
        self, a_type: Matrix, a: Bits, b_type: Matrix, b: Bits, c_type: Matrix, c: Bits, overflow: Overflow
    ) -> Bits:
        """Operands as their types say; sums that leave an integer's range keep their low bits, or stop at its end."""
        return self.unit.multiply_add(a_type.component, a, b_type.component, b, c_type.component, c, overflow)

    def splat(self, running: Running, instruction: Splat) -> Bits:
        """One scalar in every element."""
        matrix = running.program.matrix(instruction.matrix)
        shape = (running.batch, running.program.waves, matrix.rows, matrix.cols)
        return np.broadcast_to(self.operand(running, instruction.value, format_named(matrix.component)), shape).copy()

    # Addresses of plain loads and stores

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
        line, place = np.arange(matrix.rows)[:, None], np.arange(matrix.cols)
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
