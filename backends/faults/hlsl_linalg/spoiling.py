"""A device for linear algebra that changes what one instruction writes."""

from __future__ import annotations

from mmaspec.backends.faults.spoiling import Turn, spoilt
from mmaspec.backends.numpy.hlsl_linalg.device import LinalgDevice
from mmaspec.backends.numpy.hlsl_linalg.running import Running, format_of
from mmaspec.backends.numpy.units.catalogue import SequentialUnit
from mmaspec.programs.hlsl_linalg.program import Simple


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

        def matrix_bits(name: str) -> int:
            return format_of(running.program.matrix(name)).bits

        def vector_bits(name: str) -> int:
            return format_of(running.program.vector(name)).bits

        with (
            self.turn.changing(running.matrices, matrix_bits, running.memory, running.shared),
            spoilt(self.turn.items, (running.vectors, vector_bits)),
        ):
            super().execute(running, instruction, loop)
