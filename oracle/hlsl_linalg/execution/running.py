"""What a program holds while it executes: matrices, vectors, arrays, and memory in optimal layouts."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from mmaspec.oracle.hlsl_linalg.addresses import Addresses, format_of
from mmaspec.oracle.hlsl_linalg.coverage import Origin
from mmaspec.oracle.hlsl_linalg.execution.arithmetic import Arithmetic
from mmaspec.oracle.hlsl_linalg.execution.bounds import Checked, checked, checked_whole, unchecked
from mmaspec.oracle.hlsl_linalg.execution.optimal import OptimalMemory
from mmaspec.oracle.hlsl_linalg.execution.parts import Parts, parts_of
from mmaspec.oracle.hlsl_linalg.execution.pending_sums import PendingSums
from mmaspec.oracle.hlsl_linalg.execution.shared_arrays import SharedArrays
from mmaspec.oracle.hlsl_linalg.open_points import ROUNDED
from mmaspec.oracle.memory import Memory
from mmaspec.oracle.numerics.legal import Legal, Reason, full, unjudged, where
from mmaspec.oracle.numerics.ordinals import Flags
from mmaspec.oracle.readings import Readings
from mmaspec.programs.base import FromBuffer, Place, Scalar
from mmaspec.programs.formats import FORMATS, Format
from mmaspec.programs.hlsl_linalg.components import Revision
from mmaspec.programs.hlsl_linalg.program import Branch, LinalgProgram, Matrix, Scope, Vector

Write = tuple[str, Addresses, Legal, Flags | None]
"""A buffer or array, places in it, what is stored there, and which of it is."""


@dataclass
class Running:
    """The state of all threads after each instruction.

    matrices  name -> set of shape ``(batch, instances, m, n)``
    vectors   name -> set of shape ``(batch, threads, length)``
    unrounded what a matrix or vector of 8-bit floats may hold instead, where the conversion to it may be left out,
              and ``unrounded_at`` where that conversion stands
    origin    how each matrix came by its contents
    shown     array -> coverage points of what was stored in it, which show where it is copied to a buffer
    step      the number of the instruction that executes
    revision  the text that the device follows
    found_parts  its parts, if they are known
    written   what the instruction that executes has written to buffers and arrays
    """

    program: LinalgProgram
    memory: Memory
    arithmetic: Arithmetic
    readings: Readings
    arrays: SharedArrays
    optimal: OptimalMemory = field(default_factory=OptimalMemory)
    sums: PendingSums = field(default_factory=PendingSums)
    matrices: dict[str, Legal] = field(default_factory=dict)
    vectors: dict[str, Legal] = field(default_factory=dict)
    unrounded: dict[str, dict[str, Legal]] = field(default_factory=dict)
    unrounded_at: dict[str, Place] = field(default_factory=dict)
    origin: dict[str, Origin] = field(default_factory=dict)
    shown: dict[str, tuple[str, ...]] = field(default_factory=dict)
    step: int = 0
    revision: Revision = "later"
    written: list[Write] = field(default_factory=list)
    found_parts: list[Parts] = field(default_factory=list)
    _acting: dict[tuple[int, Scope], Flags] = field(default_factory=dict)
    """Of the instructions of the body, by their number."""

    @property
    def batch(self) -> int:
        """The items of the case."""
        return self.memory.batch

    def matrix(self, matrix: Matrix) -> Legal:
        """The contents of every instance of a matrix."""
        found = self.matrices.get(matrix.name)
        if found is None:
            shape = (self.batch, self.program.instances(matrix.scope), matrix.m, matrix.n)
            return unjudged(format_of(matrix.component), shape, Reason.UNINITIALISED)
        return found

    def vector(self, vector: Vector) -> Legal:
        """The contents of every thread's vector."""
        found = self.vectors.get(vector.name)
        if found is None:
            shape = (self.batch, self.program.group, vector.length)
            return unjudged(format_of(vector.component), shape, Reason.UNINITIALISED)
        return found

    def factor(self, operand: Matrix | Vector) -> Legal:
        """The contents of a matrix or vector as a product finds them."""
        others = self.unrounded.get(operand.name)
        if others:
            what = "conversions" if self.readings.alike else f"conversion at {self.unrounded_at[operand.name]}"
            chosen = self.decide(what, (ROUNDED, *others))
            if chosen != ROUNDED:
                return others[chosen]
        return self.matrix(operand) if isinstance(operand, Matrix) else self.vector(operand)

    def decide(self, what: str, options: tuple[str, ...]) -> str:
        """A free choice among options that depend on earlier choices: what was wished for, where it is one of them."""
        wished = self.readings.decide(what, options)
        return wished if wished in options else options[0]

    def keep_unrounded(self, place: Place, name: str, others: dict[str, Legal]) -> None:
        """What products may find in a matrix or vector instead of the result of the conversion at a place."""
        if others:
            self.unrounded[name], self.unrounded_at[name] = others, place

    def shown_by(self, array: str, points: tuple[str, ...]) -> None:
        """The points of a store into an array."""
        self.shown[array] = tuple(dict.fromkeys((*self.shown.get(array, ()), *points)))

    def acting(self, place: Place, scope: Scope) -> Flags:
        """Which instances of a scope execute the instruction at a place (LINALG-THREAD-FLOW): all but in branches."""
        found = self._acting.get((place.path[0], scope))
        if found is None:
            found = self._acting[place.path[0], scope] = self._active(place, scope)
        return found

    def _active(self, place: Place, scope: Scope) -> Flags:
        program = self.program
        around = program.body[place.path[0]]
        threads = np.arange(program.group)
        active = np.ones(program.group, np.bool_)
        if isinstance(around, Branch):
            if around.lanes:
                active &= threads % program.wave_size < around.lanes
            if around.waves:
                active &= threads // program.wave_size < around.waves
        if scope == "Thread":
            return active
        if scope == "ThreadGroup":
            return np.array([active.any()])
        waves = threads // program.wave_size
        return np.array([active[waves == wave].any() for wave in range(program.waves)])

    def instance_of_thread(self, scope: Scope) -> Addresses:
        """The matrix of a scope to which each thread belongs, ``(threads,)``."""
        threads = np.arange(self.program.group, dtype=np.int64)
        if scope == "Thread":
            return threads
        return threads // self.program.wave_size if scope == "Wave" else np.zeros_like(threads)

    def put_matrix(self, place: Place, matrix: Matrix, legal: Legal) -> Legal:
        """A new value for those instances that execute; the others keep theirs. What all have then."""
        self.unrounded.pop(matrix.name, None)
        self.origin.pop(matrix.name, None)
        acting = self.acting(place, matrix.scope).reshape(-1, 1, 1)
        self.matrices[matrix.name] = found = _chosen(acting, legal, lambda: self.matrix(matrix))
        return found

    def put_vector(self, place: Place, vector: Vector, legal: Legal) -> Legal:
        """The same of a vector; as a step shows it, a matrix of one column."""
        self.unrounded.pop(vector.name, None)
        acting = self.acting(place, "Thread").reshape(-1, 1)
        self.vectors[vector.name] = found = _chosen(acting, legal, lambda: self.vector(vector))
        return found.reshape(*found.shape, 1)

    def scalar(self, value: Scalar, fmt: Format) -> Legal:
        """A scalar as written or from memory, ``(batch, 1)``."""
        if isinstance(value, FromBuffer):
            return self.memory.load(value.buffer, np.array([value.offset], np.int64), fmt)
        return full(fmt, (self.batch, 1), value.bits)

    def view(self, buffer: str) -> int:
        """The bytes of the view of a buffer."""
        return next(one.size for one in self.program.buffers if one.name == buffer)

    def checked(self, place: Place, name: str, buffer: str, addresses: Addresses, size: int) -> Checked:
        """What an operation may touch of a buffer, from or to the matrix or vector of that name."""
        if self.revision != "later":
            return checked_whole(addresses, size, self.view(buffer))

        def part_of(instance: int) -> int:
            return self.parts.of(name, instance)

        return checked(addresses, size, self.view(buffer), place, self.readings, part_of)

    @property
    def parts(self) -> Parts:
        """The parts of the program that tell each other nothing."""
        if not self.found_parts:
            self.found_parts.append(parts_of(self.program, self.revision))
        return self.found_parts[0]

    def load(self, buffer: str, addresses: Addresses, fmt: Format, which: Checked | None = None) -> Legal:
        """Elements of a buffer ``(batch, *addresses.shape)``; +0 where bounds checks let none through."""
        if which is None:
            which = unchecked(addresses, fmt.nbytes, self.view(buffer))
        if which.whole.all():
            return self.memory.load(buffer, addresses, fmt)
        found = full(fmt, (self.batch, *addresses.shape), 0)
        if which.whole.any():
            somewhere = np.where(which.whole, addresses, addresses[which.whole][0])
            read = self.memory.load(buffer, somewhere, fmt)
            found = where(np.broadcast_to(which.whole, found.shape), read, found)
        if which.lower.any():
            somewhere = np.where(which.lower, addresses, addresses[which.lower][0])
            words = self.memory.load(buffer, somewhere, FORMATS["u32"])
            lower = Legal.from_bits(fmt, words.bits).not_judged(words.why != 0, Reason.INEXACT_RELOAD)
            found = where(np.broadcast_to(which.lower, found.shape), lower, found)
        return found

    def store(self, buffer: str, addresses: Addresses, legal: Legal, mask: Flags) -> None:
        """Elements ``(batch, *addresses.shape)`` to a buffer, but for those where the mask is False."""
        self.sums = self.sums.without(buffer)
        self.write(buffer, addresses, legal, mask)

    def write(self, buffer: str, addresses: Addresses, legal: Legal, mask: Flags) -> None:
        """The same, where sums are not at an end."""
        self.memory.store(buffer, addresses, legal, self.step, mask=mask)
        self.written.append((buffer, addresses, legal, mask))

    def store_array(self, array: str, places: Addresses, legal: Legal, mask: Flags | None = None) -> None:
        """Elements ``(batch, *places.shape)`` to an array, but for those where the mask is False."""
        self.sums = self.sums.without(array)
        self.write_array(array, places, legal, mask)

    def write_array(self, array: str, places: Addresses, legal: Legal, mask: Flags | None = None) -> None:
        """The same, where sums are not at an end."""
        self.arrays.store(array, places, legal, mask)
        self.written.append((array, places, legal, mask))

    def write_again(self, name: str, places: Addresses, legal: Legal, mask: Flags | None) -> None:
        """What an earlier execution wrote in this step."""
        if self.arrays.has(name):
            self.arrays.store(name, places, legal, mask)
        else:
            self.memory.store(name, places, legal, self.step, mask=mask)


def _chosen(acting: Flags, new: Legal, old: Callable[[], Legal]) -> Legal:
    if acting.all():
        return new
    return where(np.broadcast_to(acting, new.shape), new, old())
