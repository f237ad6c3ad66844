"""A device for linear algebra that changes what one instruction writes."""

from __future__ import annotations

from collections.abc import Iterator, MutableMapping

from mmaspec.backends.faults.spoiling import Turn
from mmaspec.backends.numpy.hlsl_linalg.device import LinalgDevice
from mmaspec.backends.numpy.hlsl_linalg.running import Running, format_of
from mmaspec.backends.numpy.units.catalogue import SequentialUnit
from mmaspec.backends.numpy.units.unit import Bits
from mmaspec.programs.hlsl_linalg.program import Matrix, Simple, Vector


class Held(MutableMapping[str, Bits]):
    """What a running shader holds of matrices and vectors, by name; a vector is a matrix of one column.

    A vector is the same array as long as the shader holds the same one.
    """

    def __init__(self, running: Running) -> None:
        self._running = running
        self._columns: dict[str, tuple[Bits, Bits]] = {}
        self._vectors = frozenset(vector.name for vector in running.program.vectors)

    def __getitem__(self, name: str) -> Bits:
        if name not in self._vectors:
            return self._running.matrices[name]
        held = self._running.vectors[name]
        seen, column = self._columns.get(name, (None, held))
        if seen is not held:
            column = held[..., None]
            self._columns[name] = held, column
        return column

    def __setitem__(self, name: str, bits: Bits) -> None:
        if name in self._vectors:
            self._running.vectors[name] = bits[..., 0]
        else:
            self._running.matrices[name] = bits

    def __delitem__(self, name: str) -> None:
        del (self._running.vectors if name in self._vectors else self._running.matrices)[name]

    def __iter__(self) -> Iterator[str]:
        yield from self._running.matrices
        yield from self._running.vectors

    def __len__(self) -> int:
        return len(self._running.matrices) + len(self._running.vectors)


class Spoiling(LinalgDevice):
    """Executes everything, and changes what one instruction writes."""

    def __init__(self, turn: Turn) -> None:
        super().__init__(SequentialUnit())
        self.turn = turn

    def execute(self, running: Running, instruction: Simple, loop: int) -> None:
        """One instruction; changed if it is its turn."""
        if not self.turn.come():
            super().execute(running, instruction, loop)
            return
        program = running.program
        declared: dict[str, Matrix | Vector] = {one.name: one for one in program.matrices}
        declared |= {one.name: one for one in program.vectors}

        def width(name: str) -> int:
            return format_of(declared[name]).bits

        with self.turn.changing(Held(running), width, running.memory, running.shared):
            super().execute(running, instruction, loop)
