"""What a failure hangs on: programs with one circumstance removed, and with every state stored."""

from mmaspec.oracle.hlsl_wave_matrix.blame.instrument import instrumented
from mmaspec.oracle.hlsl_wave_matrix.blame.program import ablations

__all__ = ["ablations", "instrumented"]
