"""Executing a program: the state of the matrices after each method, as sets of legal contents."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from mmaspec.oracle.expectation import Step
from mmaspec.oracle.hlsl_wave_matrix import coverage
from mmaspec.oracle.hlsl_wave_matrix.addresses import Access, Addresses, copied, wave_addresses
from mmaspec.oracle.hlsl_wave_matrix.again import Again, Holdings, Kept, Write
from mmaspec.oracle.hlsl_wave_matrix.arithmetic import Arithmetic
from mmaspec.oracle.hlsl_wave_matrix.shared_arrays import SharedArrays
from mmaspec.oracle.memory import Memory
from mmaspec.oracle.numerics.deferred import filled
from mmaspec.oracle.numerics.legal import Legal, Reason, unjudged
from mmaspec.oracle.readings import Readings
from mmaspec.programs.base import FromBuffer, Place, at
from mmaspec.programs.formats import FORMATS
from mmaspec.programs.hlsl_wave_matrix.program import (
    Add,
    Barrier,
    Copy,
    Fill,
    Load,
    Matrix,
    MatrixDepth,
    Multiply,
    MultiplyAccumulate,
    ScalarAdd,
    ScalarDivide,
    ScalarMultiply,
    ScalarOperation,
    ScalarSubtract,
    Simple,
    Stage,
    Store,
    SumAccumulate,
    WaveMatrixProgram,
    is_packed,
)
from mmaspec.programs.profile import Profile
from mmaspec.programs.tree import unrolled


def execute(program: WaveMatrixProgram, memory: Memory, profile: Profile, readings: Readings) -> tuple[Step, ...]:
    """Run a valid, defined and resolved program; stores go to ``memory``.

    Every wave executes every instruction on matrices of its own (WM-ONE-PER-WAVE). No byte is both stored
    and accessed again without a barrier (WM-HAZARD), so the waves may take turns instruction by instruction.
    """
    run = _Run(program, memory, Arithmetic(profile, readings), SharedArrays(program.arrays, memory.batch))
    again = Again(readings, memory.kept.setdefault(profile, Kept()), run.holdings)
    return tuple(run.done(again, index, place, simple) for index, (place, simple) in enumerate(unrolled(program)))


Setting = (
    Fill
    | Load
    | Multiply
    | MultiplyAccumulate
    | SumAccumulate
    | Add
    | ScalarMultiply
    | ScalarDivide
    | ScalarAdd
    | ScalarSubtract
)
"""A method that gives a matrix other contents."""


@dataclass
class _Run:
    """The matrices of all waves: name -> set of shape ``(batch, waves, rows, cols)``."""

    program: WaveMatrixProgram
    memory: Memory
    arithmetic: Arithmetic
    arrays: SharedArrays
    state: dict[str, Legal] = field(default_factory=dict)
    loaded_by: dict[str, coverage.Loaded] = field(default_factory=dict)
    stored: dict[str, tuple[str, ...]] = field(default_factory=dict)
    """Array -> coverage points of the Stores into it, which show where it is copied to a buffer."""

    written: dict[str, Write] = field(default_factory=dict)
    """Buffer or array -> the last write to it, which stands for its contents."""

    def __post_init__(self) -> None:
        self._matrices = {matrix.name: matrix for matrix in self.program.matrices}

    @property
    def holdings(self) -> Holdings:
        """All that a step finds: what names stand for."""
        return self.state, self.loaded_by, self.stored, self.written

    def done(self, again: Again, index: int, place: Place, instruction: Simple) -> Step:
        """One step, with what it writes."""
        step, write = again.step(index, instruction, lambda: self._executed(place, instruction))
        if write is not None:
            name, places, legal = write
            if self.program.array(name) is not None:
                self.arrays.store(name, places, legal)
            else:
                self.memory.store(name, places, legal, index)
        return step

    def _executed(self, place: Place, instruction: Simple) -> tuple[Step, Write | None]:
        match instruction:
            case Barrier():
                return Step(place, "", (), None), None
            case Copy():
                step, write = self._copy(place, instruction)
            case Store():
                step, write = self._store(place, instruction, self._matrices[instruction.matrix])
            case MatrixDepth():
                step, write = self._depth(place, instruction, self._matrices[instruction.matrix])
            case _:
                return self._method(place, instruction), None
        self.written[write[0]] = write
        return step, write

    def _method(self, place: Place, instruction: Setting) -> Step:
        matrix = self._matrices[instruction.matrix]
        match instruction:
            case Fill():
                own = coverage.of_fill(instruction, matrix)
                legal = self._fill(instruction, matrix)
            case Load():
                own = coverage.of_load(self.program, instruction, matrix, place)
                legal = self._load(instruction, matrix, place)
            case Multiply() | MultiplyAccumulate():
                left, right = self._matrices[instruction.left], self._matrices[instruction.right]
                own = coverage.of_product(self.program, instruction, matrix, left, right)
                legal = self._product(instruction, matrix, left, right)
            case SumAccumulate():
                operand = self._matrices[instruction.operand]
                own = coverage.of_sum(self.program, matrix, operand)
                legal = self._sum(matrix, operand)
            case Add():
                operand = self._matrices[instruction.operand]
                own = coverage.of_add(matrix, operand)
                legal = self.arithmetic.add(self._contents(matrix), self._contents(operand))
            case ScalarOperation():
                own = coverage.of_scalar(instruction, matrix)
                value = self._value(instruction, matrix)
                legal = self.arithmetic.scalar(instruction, self._contents(matrix), value)
        self.state[matrix.name] = legal
        self.loaded_by.pop(matrix.name, None)
        if isinstance(instruction, Load):
            self.loaded_by[matrix.name] = coverage.loaded(self.program, instruction, place)
        return Step(place, matrix.name, (*own, *coverage.of_nan(instruction, legal)), legal)

    def _shape(self, matrix: Matrix) -> tuple[int, int, int, int]:
        return self.memory.batch, self.program.waves, matrix.rows, matrix.cols

    def _contents(self, matrix: Matrix) -> Legal:
        found = self.state.get(matrix.name)
        if found is None:
            return unjudged(FORMATS[matrix.element], self._shape(matrix), Reason.UNINITIALISED)
        return found

    def _fill(self, fill: Fill, matrix: Matrix) -> Legal:
        """WM-FILL: every element of every wave's matrix takes the value."""
        if not is_packed(matrix):
            return self._value(fill, matrix).broadcast_to(self._shape(matrix))
        fmt = FORMATS[matrix.element]
        if not isinstance(fill.value, FromBuffer):
            bits = fill.value.bits
            legal = filled(fmt, self._shape(matrix), bits & 0xFF)
            mixed = len({bits >> shift & 0xFF for shift in (0, 8, 16, 24)}) > 1
            return legal.not_judged(np.full(legal.shape, mixed), Reason.SPEC_SILENT)
        # A packed value is a dword; only where its four bytes are equal does it name an element (WM-AMB-10).
        found = self.memory.load(fill.value.buffer, fill.value.offset + np.arange(4, dtype=np.int64), fmt)
        one = found.index((slice(None), slice(0, 1))).reshape(self.memory.batch, 1, 1, 1)
        mixed_items: NDArray[np.bool_] = (found.bits != found.bits[:, :1]).any(axis=1) | (found.why != 0).any(axis=1)
        legal = one.broadcast_to(self._shape(matrix))
        return legal.not_judged(np.broadcast_to(mixed_items.reshape(-1, 1, 1, 1), legal.shape), Reason.SPEC_SILENT)

    def _value(self, instruction: Fill | ScalarOperation, matrix: Matrix) -> Legal:
        """The scalar as the first lane has it (WM-FIRST-LANE), ``(batch, 1, 1, 1)``."""
        fmt, scalar = FORMATS[matrix.element], instruction.value
        if not isinstance(scalar, FromBuffer):
            return filled(fmt, (self.memory.batch, 1, 1, 1), scalar.bits)
        found = self.memory.load(scalar.buffer, np.array([scalar.offset], np.int64), fmt)
        return found.reshape(self.memory.batch, 1, 1, 1)

    def _places(self, access: Access, matrix: Matrix, loop: int) -> Addresses:
        """WM-ADDR-GS: places in an array; in packed dwords the order of the four bytes is a reading."""
        places = wave_addresses(access, matrix, self.program.waves, loop, shared=True)
        if is_packed(matrix) and self.arithmetic.readings.choose("WM-AMB-16") == "highest-first":
            return places ^ 3
        return places

    def _load(self, load: Load, matrix: Matrix, place: Place) -> Legal:
        """WM-LOAD-ALL: every kind of matrix, each wave's elements (WM-ONE-PER-WAVE) from its own addresses.

        WM-ADDR-ROW, WM-ADDR-COL, WM-ADDR-FRAG: addresses in buffers.
        """
        if self.program.array(load.buffer) is not None:
            # What another Store may have flushed may be flushed again: what a matrix holds is told by its bits.
            return self.arrays.load(load.buffer, self._places(load, matrix, place.loop)).kept()
        addresses = wave_addresses(load, matrix, self.program.waves, place.loop)
        return self.memory.load(load.buffer, addresses, FORMATS[matrix.element])

    def _store(self, place: Place, store: Store, matrix: Matrix) -> tuple[Step, Write]:
        """WM-STORE-ALL: the same addresses, written; nothing else is (WM-STORE-ONLY-ELEMS).

        WM-STORE-TRANSPOSE, WM-ROUNDTRIP: the orientation is the store's own; the load's may be another or the same.
        """
        own = coverage.of_store(self.program, store, matrix, place, self.loaded_by.get(matrix.name))
        contents = self.arithmetic.moved(self._contents(matrix))
        if self.program.array(store.buffer) is not None:
            places = self._places(store, matrix, place.loop)
            self.stored[store.buffer] = tuple(dict.fromkeys((*self.stored.get(store.buffer, ()), *own)))
        else:
            places = wave_addresses(store, matrix, self.program.waves, place.loop)
        return Step(place, store.buffer, own, None), (store.buffer, places, contents)

    def _depth(self, place: Place, depth: MatrixDepth, matrix: Matrix) -> tuple[Step, Write]:
        """WM-K-UNIQUE: the K that the query reports, for which the program was written."""
        starts = [at(depth.offset, wave, place.loop) for wave in range(self.program.waves)]
        addresses = np.array(starts, np.int64).reshape(-1, 1, 1)
        k = filled(FORMATS["u32"], (self.memory.batch, *addresses.shape), matrix.k)
        return Step(place, depth.buffer, coverage.of_depth(matrix), None), (depth.buffer, addresses, k)

    def _copy(self, place: Place, copy: Copy) -> tuple[Step, Write]:
        """Bytes as they are, between a buffer and an array."""
        array = self.program.array(copy.array)
        assert array is not None
        addresses, places = copied(copy, array.element, place.loop)
        if isinstance(copy, Stage):
            contents = self.memory.load(copy.buffer, addresses, FORMATS[array.element])
            return Step(place, array.name, (), None), (array.name, places, contents)
        contents = self.arrays.load(array.name, places[np.newaxis])
        step = Step(place, copy.buffer, self.stored.get(array.name, ()), None)
        return step, (copy.buffer, addresses[np.newaxis], contents)

    def _product(
        self, instruction: Multiply | MultiplyAccumulate, matrix: Matrix, left: Matrix, right: Matrix
    ) -> Legal:
        """WM-MUL: C = A*B, whatever C held. WM-MAC: C = C + A*B. Whole matrices, as if in tiles (WM-TILING)."""
        if isinstance(instruction, MultiplyAccumulate):
            addend = self._contents(matrix)
        else:
            addend = filled(FORMATS[matrix.element], self._shape(matrix), 0)
        return self.arithmetic.product(self._contents(left), self._contents(right), addend)

    def _sum(self, matrix: Matrix, operand: Matrix) -> Legal:
        """WM-SUMACC-LEFT and WM-SUMACC-RIGHT."""
        if matrix.kind == "left-col-acc":
            return self.arithmetic.sums_of_rows(self._contents(operand), self._contents(matrix))
        return self.arithmetic.sums_of_columns(self._contents(operand), self._contents(matrix))
