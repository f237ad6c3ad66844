"""The argument of the rules of HLSL WaveMatrix: a program and caps."""

from __future__ import annotations

from functools import cached_property

from mmaspec.oracle.hlsl_wave_matrix.touches import Touch, all_touches
from mmaspec.oracle.hlsl_wave_matrix.wave_sizes import wave_size, wave_sizes
from mmaspec.oracle.rule_context import RuleContext
from mmaspec.programs.hlsl_wave_matrix.caps import WaveMmaCaps
from mmaspec.programs.hlsl_wave_matrix.program import WaveMatrixProgram


class Context(RuleContext[WaveMatrixProgram, WaveMmaCaps]):
    """A resolved program under the answers of a device."""

    @cached_property
    def wave_sizes(self) -> frozenset[int]:
        """The lanes that the program's waves may have (WM-CAPS-WAVESIZE); none where rows of two sizes are mixed."""
        return wave_sizes(self.program, self.caps)

    @cached_property
    def touches(self) -> tuple[Touch, ...]:
        """What the program reads and writes, instruction by instruction. Only of a valid program."""
        return tuple(all_touches(self.program))

    @cached_property
    def wave_size(self) -> int:
        """The lanes that the program's waves have."""
        return wave_size(self.program, self.caps)
