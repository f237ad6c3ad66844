"""A device for WaveMatrix that changes what one instruction writes."""

from __future__ import annotations

from mmaspec.backends.faults.spoiling import Turn
from mmaspec.backends.numpy.hlsl_wave_matrix.device import WaveMatrixDevice
from mmaspec.backends.numpy.hlsl_wave_matrix.execution import WIDTH, Shader
from mmaspec.backends.numpy.units.catalogue import SequentialUnit
from mmaspec.programs.hlsl_wave_matrix.program import Simple


class Spoiling(WaveMatrixDevice):
    """Executes everything, and changes what one instruction writes."""

    def __init__(self, turn: Turn) -> None:
        super().__init__(SequentialUnit())
        self.turn = turn

    def execute(self, shader: Shader, instruction: Simple, loop: int) -> None:
        """One instruction; changed if it is its turn."""
        if not self.turn.come():
            super().execute(shader, instruction, loop)
            return

        def width(name: str) -> int:
            return 8 * WIDTH[shader.program.matrix(name).element]

        with self.turn.changing(shader.matrices, width, shader.memory, shader.shared):
            super().execute(shader, instruction, loop)
