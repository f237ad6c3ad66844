"""Executing a program: the effect of every instruction on matrices and memory, and the clauses that acted."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from mmaspec.oracle.demands import float_rules, operation_rules, rounded_quotients
from mmaspec.oracle.expectation import Step
from mmaspec.oracle.memory import Memory
from mmaspec.oracle.numerics.deferred import filled
from mmaspec.oracle.numerics.legal import Legal
from mmaspec.oracle.nv_coopmat2.addresses import addresses
from mmaspec.oracle.nv_coopmat2.coverage import load_points, store_points, tensor_points
from mmaspec.oracle.nv_coopmat2.matrices.element_functions import each_component
from mmaspec.oracle.nv_coopmat2.matrices.operations import operate, operation_points, rounding_doubles
from mmaspec.oracle.nv_coopmat2.matrices.product import mul_add
from mmaspec.oracle.nv_coopmat2.matrices.reduction import copies
from mmaspec.oracle.nv_coopmat2.practice import PRACTICE_RULES
from mmaspec.oracle.nv_coopmat2.tensor_loads import chosen, load_tensor
from mmaspec.oracle.readings import Readings
from mmaspec.programs.base import FromBuffer, Place, Scalar
from mmaspec.programs.formats import Format, format_named
from mmaspec.programs.nv_coopmat2.operands import scalars, writes
from mmaspec.programs.nv_coopmat2.program import (
    SATURATING,
    Barrier,
    CoopMatProgram,
    EachComponent,
    Load,
    LoadTensor,
    MulAdd,
    Operation,
    Reduce,
    Simple,
    Splat,
    Store,
    StoreTensor,
)
from mmaspec.programs.profile import Profile
from mmaspec.programs.tree import unrolled


def execute(
    program: CoopMatProgram,
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
        self.rules = float_rules(profile, PRACTICE_RULES)
        """Of products alone: what a profile declares is about them."""
        self.operation_rules = operation_rules(profile, PRACTICE_RULES)
        self.rounded_quotients = rounded_quotients(profile)
        self.readings = readings
        self.state: dict[str, Legal] = {}
        self.same: dict[str, NDArray[np.int64]] = {}
        """Of the results of reductions, which elements are one value."""
        self.steps: list[Step] = []

    def step(self, place: Place, instruction: Simple) -> None:
        if isinstance(instruction, Barrier):
            return  # instructions are executed one by one, so that nothing is left to order
        if isinstance(instruction, Store | StoreTensor):
            self.store(place, instruction)
            return
        legal: Legal
        points: tuple[str, ...]
        if isinstance(instruction, MulAdd):
            legal, points = self.mul_add(instruction)
        elif isinstance(instruction, Operation):
            legal, points = self.operation(instruction), operation_points(self.program, instruction)
        elif isinstance(instruction, EachComponent):
            f64 = rounding_doubles(self.program, instruction)
            legal, points = self.components(instruction), (*f64, f"KHRCM-LENGTH/{instruction.function}")
        elif isinstance(instruction, Splat):
            legal, points = self.splat(instruction), ("KHRCM-SPLAT",)
        elif isinstance(instruction, Load):
            legal, points = self.load(instruction, place.loop), load_points(self.program, instruction, place.loop)
        else:
            legal = self.load_tensor(instruction, place.loop)
            overwritten = instruction.matrix in self.state
            points = tensor_points(self.program, instruction, place.loop, overwritten=overwritten)
        name = writes(instruction)
        assert name is not None
        self.same.pop(name, None)
        if isinstance(instruction, Reduce):
            self.same[name] = copies(self.state[instruction.matrix], instruction.mask, legal.shape)
        self.state[name] = legal
        self.steps.append(Step(place, name, points, legal))

    def splat(self, instruction: Splat) -> Legal:
        """KHRCM-SPLAT: every component takes the scalar."""
        matrix = self.program.matrix(instruction.matrix)
        shape = (self.memory.batch, self.program.waves, matrix.rows, matrix.cols)
        return self.scalar(instruction.value, format_named(matrix.component)).broadcast_to(shape)

    def load(self, instruction: Load, loop: int) -> Legal:
        """KHRCM-LOAD-ROW, KHRCM-LOAD-COL: the components found at the addresses."""
        fmt = format_named(self.program.matrix(instruction.matrix).component)
        return self.memory.load(instruction.buffer, addresses(self.program, instruction, loop), fmt)

    def load_tensor(self, instruction: LoadTensor, loop: int) -> Legal:
        """A tensor load over what the matrix held before."""
        old = self.state.get(instruction.matrix)
        return load_tensor(self.program, instruction, loop, old, self.memory, PRACTICE_RULES, self.readings)

    def store(self, place: Place, instruction: Store | StoreTensor) -> None:
        """Each element goes to its address, NVCM2-CLAMP-STORE-DROP: outside the layout to none.

        KHRCM-STORE-ONCE; NVCM2-STORE-ONLY-ELEMS: no other byte changes.
        """
        reading = chosen(self.program, instruction, place.loop, self.readings)
        where_to = addresses(self.program, instruction, place.loop, reading)
        name = instruction.matrix
        self.memory.store(
            instruction.buffer,
            where_to,
            self.state[name],
            len(self.steps),
            mask=where_to >= 0,
            same=self.same.get(name),
        )
        points = store_points(self.program, instruction, place.loop)
        self.steps.append(Step(place, instruction.buffer, points, None))

    def mul_add(self, instruction: MulAdd) -> tuple[Legal, tuple[str, ...]]:
        """KHRCM-MULADD: without C, the addend is constructed from zero."""
        result = self.program.matrix(instruction.result)
        shape = (self.memory.batch, self.program.waves, result.rows, result.cols)
        fmt = format_named(result.component)
        c = filled(fmt, shape, 0) if instruction.c is None else self.state[instruction.c]
        saturating = instruction.operands == SATURATING
        return mul_add(self.state[instruction.a], self.state[instruction.b], c, self.rules, saturating=saturating)

    def operation(self, instruction: Operation) -> Legal:
        """A matrix made from matrices and scalars; these have the type of the first matrix."""
        named = dict(scalars(instruction))
        matrix = next(iter(named), instruction.result)
        fmt = format_named(self.program.matrix(matrix).component)

        def operand(given: str | Scalar) -> Legal:
            return self.state[given] if isinstance(given, str) else self.scalar(given, fmt)

        rules, rounded = self.operation_rules, self.rounded_quotients
        return operate(self.program, instruction, operand, rules, rounded=rounded)

    def components(self, instruction: EachComponent) -> Legal:
        """KHRCM-LENGTH: every component is one invocation's, so that a loop over them reaches the whole matrix."""
        matrix = self.program.matrix(instruction.matrix)
        value = None if instruction.value is None else self.scalar(instruction.value, format_named(matrix.component))
        return each_component(instruction.function, self.state[instruction.matrix], value, self.operation_rules)

    def scalar(self, value: Scalar, fmt: Format) -> Legal:
        """One value for all waves and elements, ``(batch, 1, 1, 1)``."""
        if isinstance(value, FromBuffer):
            return self.memory.load(value.buffer, np.full((1, 1, 1), value.offset, np.int64), fmt)
        return filled(fmt, (self.memory.batch, 1, 1, 1), value.bits)
