"""What each method does: the state of the matrices after it, as sets of legal contents."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from mmaspec.oracle.expectation import Step
from mmaspec.oracle.hlsl_wave_matrix import atoms
from mmaspec.oracle.hlsl_wave_matrix.addresses import wave_addresses
from mmaspec.oracle.hlsl_wave_matrix.caps import WaveMmaCaps
from mmaspec.oracle.hlsl_wave_matrix.check import is_packed
from mmaspec.oracle.hlsl_wave_matrix.practice import PRACTICE_RULES
from mmaspec.oracle.hlsl_wave_matrix.program import (
    Fill,
    Load,
    Matrix,
    Multiply,
    MultiplyAccumulate,
    Simple,
    Store,
    WaveMatrixProgram,
)
from mmaspec.oracle.memory import Memory
from mmaspec.oracle.numerics.contract import multiply_add
from mmaspec.oracle.numerics.formats import FORMATS, format_named
from mmaspec.oracle.numerics.integer import Overflow, multiply_add_int
from mmaspec.oracle.numerics.legal import Legal, Reason, certain_bits, full, unjudged
from mmaspec.oracle.profile import Profile
from mmaspec.oracle.program import FromBuffer, Place, unrolled
from mmaspec.oracle.readings import Readings

OVERFLOW_READINGS = {
    "wrap": Overflow.WRAP,
    "saturate": Overflow.SATURATE_STEP,
    "undefined": Overflow.UNDEFINED,
}
"""Readings of WM-AMB-07 -> what a sum beyond int32 may leave."""


def execute(
    program: WaveMatrixProgram, _caps: WaveMmaCaps, memory: Memory, profile: Profile, readings: Readings
) -> tuple[Step, ...]:
    """Run a valid, defined and resolved program; stores go to ``memory``.

    Every wave executes every instruction on matrices of its own (WM-ONE-PER-WAVE). No byte is both stored
    and accessed again (WM-HAZARD), so the waves may take turns instruction by instruction.
    """
    run = _Run(program, memory, profile, readings)
    return tuple(run.step(index, place, simple) for index, (place, simple) in enumerate(unrolled(program)))


@dataclass
class _Run:
    """The matrices of all waves: name -> set of shape ``(batch, waves, rows, cols)``."""

    program: WaveMatrixProgram
    memory: Memory
    profile: Profile
    readings: Readings
    state: dict[str, Legal] = field(default_factory=dict)
    loaded_by: dict[str, atoms.Loaded] = field(default_factory=dict)

    def step(self, index: int, place: Place, instruction: Simple) -> Step:
        matrix = self.program.matrix(instruction.matrix)
        if isinstance(instruction, Store):
            own = atoms.of_store(self.program, instruction, matrix, place, self.loaded_by.get(matrix.name))
            self._store(index, place, instruction, matrix)
            return Step(place, instruction.buffer, own, None)
        self.loaded_by.pop(matrix.name, None)
        match instruction:
            case Fill():
                own = atoms.of_fill(instruction, matrix)
                legal = self._fill(instruction, matrix)
            case Load():
                own = atoms.of_load(self.program, instruction, matrix, place)
                legal = self._load(instruction, matrix, place)
                self.loaded_by[matrix.name] = atoms.loaded(self.program, instruction, place)
            case Multiply() | MultiplyAccumulate():
                left, right = self.program.matrix(instruction.left), self.program.matrix(instruction.right)
                own = atoms.of_product(self.program, instruction, matrix, left, right)
                legal = self._product(instruction, matrix, left, right)
        self.state[matrix.name] = legal
        return Step(place, matrix.name, own, legal)

    def _shape(self, matrix: Matrix) -> tuple[int, int, int, int]:
        return self.memory.batch, self.program.waves, matrix.rows, matrix.cols

    def _contents(self, matrix: Matrix) -> Legal:
        found = self.state.get(matrix.name)
        if found is None:
            return unjudged(FORMATS[matrix.element], self._shape(matrix), Reason.UNINITIALISED)
        return found

    def _fill(self, fill: Fill, matrix: Matrix) -> Legal:
        """WM-FILL: every element of every wave's matrix takes the value."""
        fmt = FORMATS[matrix.element]
        if not isinstance(fill.value, FromBuffer):
            bits = fill.value.bits
            if not is_packed(matrix):
                return full(fmt, self._shape(matrix), bits)
            legal = full(fmt, self._shape(matrix), bits & 0xFF)
            mixed = len({bits >> shift & 0xFF for shift in (0, 8, 16, 24)}) > 1
            return legal.not_judged(np.full(legal.shape, mixed), Reason.SPEC_SILENT)
        # A packed value is a dword; only where its four bytes are equal does it name an element (WM-AMB-10).
        count = 4 if is_packed(matrix) else 1
        addresses = fill.value.offset + np.arange(count, dtype=np.int64)
        found = self.memory.load(fill.value.buffer, addresses, fmt)
        one = found.index((slice(None), slice(0, 1))).reshape(self.memory.batch, 1, 1, 1)
        mixed_items: NDArray[np.bool_] = (found.bits != found.bits[:, :1]).any(axis=1) | (found.why != 0).any(axis=1)
        legal = one.broadcast_to(self._shape(matrix))
        return legal.not_judged(np.broadcast_to(mixed_items.reshape(-1, 1, 1, 1), legal.shape), Reason.SPEC_SILENT)

    def _load(self, load: Load, matrix: Matrix, place: Place) -> Legal:
        """WM-ADDR-ROW, WM-ADDR-COL: each wave's elements from its own addresses."""
        addresses = wave_addresses(load, matrix, self.program.waves, place.loop)
        return self.memory.load(load.buffer, addresses, FORMATS[matrix.element])

    def _store(self, index: int, place: Place, store: Store, matrix: Matrix) -> None:
        """WM-STORE-ALL: the same addresses, written; nothing else is (WM-STORE-ONLY-ELEMS)."""
        addresses = wave_addresses(store, matrix, self.program.waves, place.loop)
        self.memory.store(store.buffer, addresses, self._contents(matrix), index)

    def _product(
        self, instruction: Multiply | MultiplyAccumulate, matrix: Matrix, left: Matrix, right: Matrix
    ) -> Legal:
        """WM-MUL: C = A*B, whatever C held. WM-MAC: C = C + A*B."""
        fmt = FORMATS[matrix.element]
        if isinstance(instruction, MultiplyAccumulate):
            addend = self._contents(matrix)
        else:
            addend = full(fmt, self._shape(matrix), 0)
        a, a_known = certain_bits(self._contents(left))
        b, b_known = certain_bits(self._contents(right))
        legal = self._sum(left, a, right, b, addend)
        if a_known.all() and b_known.all():
            return legal
        # An element depends on a whole row of A and a whole column of B.
        rows_known = np.logical_and.reduce(a_known, axis=-1, keepdims=True)
        cols_known = np.logical_and.reduce(b_known, axis=-2, keepdims=True)
        unknown: NDArray[np.bool_] = np.logical_not(rows_known & cols_known)
        return legal.not_judged(unknown, Reason.INEXACT_OPERAND)

    def _sum(self, left: Matrix, a: NDArray[np.uint64], right: Matrix, b: NDArray[np.uint64], addend: Legal) -> Legal:
        a_fmt, b_fmt = format_named(left.element), format_named(right.element)
        if a_fmt.is_float:
            # WM-FP-SUM: any order, any internal precision not below the accumulator's.
            rules = self.profile.rules(PRACTICE_RULES)
            return multiply_add(a_fmt=a_fmt, a=a, b_fmt=b_fmt, b=b, c=addend, rules=rules)
        # WM-INT-EXACT, each operand read with its own sign (WM-MUL-MIXSIGN). As long as no order of the terms
        # can leave int32, stepwise saturation gives the exact sum, as every reading does.
        total = multiply_add_int(a_fmt=a_fmt, a=a, b_fmt=b_fmt, b=b, c=addend, overflow=Overflow.SATURATE_STEP)
        if not total.overflowed.any():
            return total.legal
        overflow = OVERFLOW_READINGS[self.readings.choose("WM-AMB-07")]
        return multiply_add_int(a_fmt=a_fmt, a=a, b_fmt=b_fmt, b=b, c=addend, overflow=overflow).legal
