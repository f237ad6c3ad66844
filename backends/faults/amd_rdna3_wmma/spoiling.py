"""A device for RDNA3 that changes what one instruction writes."""

from __future__ import annotations

from mmaspec.backends.faults.spoiling import Turn
from mmaspec.backends.numpy.amd_rdna3_wmma.device import State, WmmaDevice
from mmaspec.backends.numpy.units.catalogue import SequentialUnit
from mmaspec.programs.amd_rdna3_wmma.program import Plain


class Spoiling(WmmaDevice):
    """Executes everything, and changes what one instruction writes."""

    def __init__(self, turn: Turn) -> None:
        super().__init__(SequentialUnit())
        self.turn = turn

    def step(self, state: State, step: Plain) -> None:
        """One instruction; changed if it is its turn."""
        if not self.turn.come():
            super().step(state, step)
            return
        with self.turn.changing(state.registers, lambda _: 32, state.images):
            super().step(state, step)
