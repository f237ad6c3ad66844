"""The device of HLSL linear algebra: executes shaders on arrays of bits, independently of the oracle.

All threads go through the program together, instruction by instruction, so that a barrier has nothing to do. A matrix
is an array ``(batch, instances, m, n)``, with an instance for each thread, each wave or the group.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from mmaspec.backends.numpy.backend import Submitted
from mmaspec.backends.numpy.hlsl_linalg.earlier.instructions import Earlier
from mmaspec.backends.numpy.hlsl_linalg.facts import Checks
from mmaspec.backends.numpy.hlsl_linalg.running import Mask, Running
from mmaspec.backends.numpy.hlsl_linalg.validity import CHECKS_OF
from mmaspec.backends.numpy.units.unit import Bits
from mmaspec.backends.protocol import Images
from mmaspec.programs.hlsl_linalg.program import (
    Accumulate,
    AccumulatorLayout,
    Barrier,
    Beyond,
    Branch,
    Cast,
    Convert,
    ConvertLayout,
    CountElements,
    InterlockedAccumulate,
    LinalgProgram,
    Load,
    Multiply,
    MultiplyAccumulate,
    MultiplyVector,
    OuterProduct,
    ReadElements,
    Repeat,
    Simple,
    Splat,
    Stage,
    Store,
    Unstage,
    VectorAccumulate,
    VectorLoad,
    VectorStore,
    WriteElements,
)
from mmaspec.programs.hlsl_linalg.removed import (
    FromThreadVectors,
    GetThreadVector,
    Operate,
    SumAccumulate,
    Unary,
)

OfMatrix = (
    Splat
    | Cast
    | Load
    | Multiply
    | MultiplyAccumulate
    | Accumulate
    | OuterProduct
    | Operate
    | Unary
    | SumAccumulate
    | FromThreadVectors
)
"""Instructions that write a matrix whole."""
OfVector = VectorLoad | Convert | MultiplyVector | GetThreadVector
"""Instructions that write a vector."""

Executed = tuple[Simple, int, Mask]
"""An instruction, the pass, and the threads that execute it."""
_TO_MEMORY = {
    Stage: "copy",
    Unstage: "copy",
    Store: "store",
    InterlockedAccumulate: "interlocked_accumulate",
    VectorStore: "vector_store",
    VectorAccumulate: "vector_accumulate",
    ReadElements: "read_elements",
    WriteElements: "write_elements",
    CountElements: "count_elements",
    Beyond: "beyond",
    AccumulatorLayout: "store_layout",
}
"""The methods of the other instructions."""


class LinalgDevice(Earlier):
    """Runs programs over an arithmetic unit. Every method is small, so that a fault can replace it."""

    unchecked: frozenset[str] = frozenset()
    """Clauses that the device does not check."""

    def broken(self, submitted: Submitted) -> tuple[str, ...]:
        """Clauses that the program breaks, in the order in which they are checked."""
        running = Running(submitted.program, submitted.inputs, {})
        checks = Checks(running.program, self.caps, lambda *argument: self.argument(running, *argument))
        table = CHECKS_OF[self.caps.revision]
        return tuple(clause for clause, check in table.items() if clause not in self.unchecked and check(checks))

    def run(self, program: LinalgProgram, inputs: Images) -> Images:
        """Execute a valid program; ``inputs`` stay as they are."""
        running = Running(program, inputs, {name: image.copy() for name, image in inputs.items()})
        for instruction, loop, active in self.scheduled(running):
            running.active = active
            self.execute(running, instruction, loop)
        return running.memory

    def scheduled(self, running: Running) -> Iterator[Executed]:
        """What is executed, one after the other: every instruction by all threads that get there."""
        every = np.ones(running.program.group, np.bool_)
        for instruction in running.program.body:
            if isinstance(instruction, Repeat):
                yield from ((nested, loop, every) for loop in range(instruction.count) for nested in instruction.body)
            elif isinstance(instruction, Branch):
                taken = self.taken(running, instruction)
                yield from ((nested, 0, taken) for nested in instruction.body)
            else:
                yield instruction, 0, every

    def taken(self, running: Running, branch: Branch) -> Mask:
        """The threads that pass a branch."""
        wave, lane = np.divmod(np.arange(running.program.group), running.program.wave_size)
        return np.asarray((lane < (branch.lanes or running.program.wave_size)) & (wave < (branch.waves or np.inf)))

    def execute(self, running: Running, instruction: Simple, loop: int) -> None:
        """One instruction, for all threads that are active."""
        if not running.active.any():
            return
        match instruction:
            case Barrier():
                pass
            case ConvertLayout():
                self.convert_layout(running, instruction)
            case VectorLoad() | Convert() | MultiplyVector() | GetThreadVector():
                self.change_vector(running, instruction, loop)
            case Splat() | Cast() | Load() | Multiply() | MultiplyAccumulate() | Accumulate() | OuterProduct():
                self.change_matrix(running, instruction, loop)
            case Operate() | Unary() | SumAccumulate() | FromThreadVectors():
                self.change_matrix(running, instruction, loop)
            case _:
                getattr(self, _TO_MEMORY[type(instruction)])(running, instruction, loop)

    def change_matrix(self, running: Running, instruction: OfMatrix, loop: int) -> None:
        """An instruction that writes a matrix; instances that take no part keep theirs."""
        matrix = running.program.matrix(instruction.matrix)
        before, found = running.contents(matrix), self.matrix_bits(running, instruction, loop)
        acting = running.acting(matrix.scope)
        if len(acting) == before.shape[1]:
            running.matrices[matrix.name] = found.copy()
            return
        after = before.copy()
        after[:, acting] = found[:, acting]
        running.matrices[matrix.name] = after

    def matrix_bits(self, running: Running, instruction: OfMatrix, loop: int) -> Bits:
        """What such an instruction writes."""
        match instruction:
            case Splat():
                return self.splat(running, instruction)
            case Cast():
                return self.cast(running, instruction)
            case Load():
                return self.load(running, instruction, loop)
            case Accumulate():
                return self.accumulate(running, instruction)
            case OuterProduct():
                return self.outer_product(running, instruction)
            case Multiply() | MultiplyAccumulate():
                return self.multiply(running, instruction)
        return self.removed_bits(running, instruction)

    def removed_bits(self, running: Running, instruction: Operate | Unary | SumAccumulate | FromThreadVectors) -> Bits:
        """The same of an instruction that later texts have no more."""
        match instruction:
            case Operate():
                return self.operate(running, instruction)
            case Unary():
                return self.unary(running, instruction)
            case SumAccumulate():
                return self.sum_accumulate(running, instruction)
        return self.from_thread_vectors(running, instruction)

    def change_vector(self, running: Running, instruction: OfVector, loop: int) -> None:
        """An instruction that writes a vector; threads that take no part keep theirs."""
        vector = running.program.vector(instruction.vector)
        before, found = running.components(vector), self.vector_bits(running, instruction, loop)
        if running.active.all():
            running.vectors[vector.name] = found.copy()
            return
        after = before.copy()
        after[:, running.active] = found[:, running.active]
        running.vectors[vector.name] = after

    def vector_bits(self, running: Running, instruction: OfVector, loop: int) -> Bits:
        """What such an instruction writes."""
        match instruction:
            case VectorLoad():
                return self.vector_load(running, instruction, loop)
            case Convert():
                return self.convert(running, instruction)
            case GetThreadVector():
                return self.get_thread_vector(running, instruction)
        return self.multiply_vector(running, instruction)

    def store_layout(self, running: Running, access: AccumulatorLayout, loop: int) -> None:
        """The layout of accumulators as a word, by every thread."""
        where = self.arguments(running, access.offset, self.acting_threads(running), loop)
        word = np.full((running.batch, len(where)), self.accumulator_layout(), np.uint64)
        self.write(running, access.buffer, where, 4, word)
