"""What a program does: every instruction's effect on matrices and memory, with the clauses that acted."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from mmaspec.oracle.expectation import Step
from mmaspec.oracle.memory import Memory
from mmaspec.oracle.numerics.contract import multiply_add
from mmaspec.oracle.numerics.formats import format_named
from mmaspec.oracle.numerics.integer import Overflow, multiply_add_int
from mmaspec.oracle.numerics.legal import Legal, Reason, certain_bits, full
from mmaspec.oracle.nv_coopmat2.atoms import load_atoms, store_atoms, tensor_atoms
from mmaspec.oracle.nv_coopmat2.caps import CoopMatCaps
from mmaspec.oracle.nv_coopmat2.footprint import addresses
from mmaspec.oracle.nv_coopmat2.practice import PRACTICE_RULES
from mmaspec.oracle.nv_coopmat2.program import (
    CoopMatProgram,
    Load,
    LoadTensor,
    Matrix,
    MulAdd,
    Simple,
    Splat,
    Store,
    StoreTensor,
)
from mmaspec.oracle.nv_coopmat2.tensor_loads import chosen, load_tensor
from mmaspec.oracle.profile import Profile
from mmaspec.oracle.program import FromBuffer, Place, unrolled
from mmaspec.oracle.readings import Readings


def execute(
    program: CoopMatProgram,
    caps: CoopMatCaps,  # noqa: ARG001 - the seam's signature
    memory: Memory,
    profile: Profile,
    readings: Readings,
) -> tuple[Step, ...]:
    """Execute a valid, defined, resolved program; stores go to ``memory``."""
    run = _Run(program, memory, profile, readings)
    for place, instruction in unrolled(program):
        run.step(place, instruction)
    return tuple(run.steps)


class _Run:
    """The matrices of every wave while a program executes, each ``(batch, waves, rows, cols)``."""

    def __init__(self, program: CoopMatProgram, memory: Memory, profile: Profile, readings: Readings) -> None:
        self.program = program
        self.memory = memory
        self.profile = profile
        self.readings = readings
        self.state: dict[str, Legal] = {}
        self.steps: list[Step] = []

    def step(self, place: Place, instruction: Simple) -> None:
        if isinstance(instruction, Store | StoreTensor):
            self.store(place, instruction)
            return
        legal: Legal
        atoms: tuple[str, ...]
        if isinstance(instruction, MulAdd):
            writes = instruction.result
            legal, atoms = self.mul_add(instruction)
        elif isinstance(instruction, Splat):
            writes = instruction.matrix
            legal, atoms = self.splat(instruction), ("KHRCM-SPLAT",)
        elif isinstance(instruction, Load):
            writes = instruction.matrix
            legal, atoms = self.load(instruction, place.loop), load_atoms(self.program, instruction, place.loop)
        else:
            writes = instruction.matrix
            legal = self.load_tensor(instruction, place.loop)
            overwritten = instruction.matrix in self.state
            atoms = tensor_atoms(self.program, instruction, place.loop, overwritten=overwritten)
        self.state[writes] = legal
        self.steps.append(Step(place, writes, atoms, legal))

    def splat(self, instruction: Splat) -> Legal:
        """KHRCM-SPLAT: every component takes the scalar."""
        matrix = self.program.matrix(instruction.matrix)
        fmt = format_named(matrix.component)
        shape = (self.memory.batch, self.program.waves, matrix.rows, matrix.cols)
        if isinstance(instruction.value, FromBuffer):
            at = np.full((1, 1, 1), instruction.value.offset, np.int64)
            return self.memory.load(instruction.value.buffer, at, fmt).broadcast_to(shape)
        return full(fmt, shape, instruction.value.bits)

    def load(self, instruction: Load, loop: int) -> Legal:
        """KHRCM-LOAD-ROW, KHRCM-LOAD-COL: the components found at the addresses."""
        fmt = format_named(self.program.matrix(instruction.matrix).component)
        return self.memory.load(instruction.buffer, addresses(self.program, instruction, loop), fmt)

    def load_tensor(self, instruction: LoadTensor, loop: int) -> Legal:
        """A tensor load over what the matrix held before."""
        old = self.state.get(instruction.matrix)
        rules = self.profile.rules(PRACTICE_RULES)
        return load_tensor(self.program, instruction, loop, old, self.memory, rules, self.readings)

    def store(self, place: Place, instruction: Store | StoreTensor) -> None:
        """KHRCM-STORE-ONCE: each element goes to its address; NVCM2-CLAMP-STORE-DROP: outside the layout to none."""
        meaning = chosen(self.program, instruction, place.loop, self.readings)
        where_to = addresses(self.program, instruction, place.loop, meaning)
        self.memory.store(
            instruction.buffer, where_to, self.state[instruction.matrix], len(self.steps), mask=where_to >= 0
        )
        atoms = store_atoms(self.program, instruction, place.loop)
        self.steps.append(Step(place, instruction.buffer, atoms, None))

    def mul_add(self, instruction: MulAdd) -> tuple[Legal, tuple[str, ...]]:
        """KHRCM-MULADD: A times B plus C, in the type of C."""
        program = self.program
        a, a_bits, a_known = self._operand(instruction.a)
        b, b_bits, b_known = self._operand(instruction.b)
        result = program.matrix(instruction.result)
        fmt = format_named(result.component)
        if instruction.c is None:
            c = full(fmt, (self.memory.batch, program.waves, result.rows, result.cols), 0)
        else:
            c = self.state[instruction.c]
        if fmt.is_float:
            legal = multiply_add(
                a_fmt=format_named(a.component), a=a_bits, b_fmt=format_named(b.component), b=b_bits, c=c,
                rules=self.profile.rules(PRACTICE_RULES),
            )  # fmt: skip
            atoms = ["KHRCM-FP-ORDER", "KHRCM-MULADD"]
        else:
            # KHRCM-INT-EXT: operands are extended by the signs of their types. KHRCM-INT-WRAP: the low bits stay.
            total = multiply_add_int(
                a_fmt=format_named(a.component), a=a_bits, b_fmt=format_named(b.component), b=b_bits, c=c,
                overflow=Overflow.WRAP,
            )  # fmt: skip
            legal = total.legal
            atoms = ["KHRCM-INT-EXT", "KHRCM-MULADD"]
            if total.overflowed.any():
                atoms.insert(0, "KHRCM-INT-WRAP")
        unknown = ~(a_known.all(axis=-1, keepdims=True) & b_known.all(axis=-2, keepdims=True))
        if unknown.any():
            legal = legal.not_judged(np.broadcast_to(unknown, legal.shape), Reason.INEXACT_OPERAND)
        return legal, tuple(atoms)

    def _operand(self, name: str) -> tuple[Matrix, NDArray[np.uint64], NDArray[np.bool_]]:
        """Declaration, bits and where they are known of a factor."""
        bits, known = certain_bits(self.state[name])
        return self.program.matrix(name), bits, known
