"""Programs for blame: ablations, with one circumstance removed, and the instrumented program."""

from mmaspec.oracle.hlsl_wave_matrix.blame.instrument import filled, instrumented, instrumented_otherwise
from mmaspec.oracle.hlsl_wave_matrix.blame.program import ablations

__all__ = ["ablations", "filled", "instrumented", "instrumented_otherwise"]
