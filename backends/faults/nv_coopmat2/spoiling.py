"""A device for cooperative matrices that changes what one instruction writes."""

from __future__ import annotations

from mmaspec.backends.faults.spoiling import Turn
from mmaspec.backends.numpy.nv_coopmat2.device import CoopMat2Device
from mmaspec.backends.numpy.nv_coopmat2.execution import Running
from mmaspec.backends.numpy.units.catalogue import SequentialUnit
from mmaspec.programs.formats import FORMATS
from mmaspec.programs.nv_coopmat2.program import Simple


class Spoiling(CoopMat2Device):
    """Executes everything, and changes what one instruction writes."""

    def __init__(self, turn: Turn) -> None:
        super().__init__(SequentialUnit())
        self.turn = turn

    def step(self, running: Running, instruction: Simple, loop: int) -> None:
        """One instruction; changed if it is its turn."""
        if not self.turn.come():
            super().step(running, instruction, loop)
            return

        def width(name: str) -> int:
            return FORMATS[running.program.matrix(name).component].bits

        with self.turn.changing(running.matrices, width, running.memory):
            super().step(running, instruction, loop)
