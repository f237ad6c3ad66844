"""What a failure hangs on: programs with one circumstance removed, and with every state stored."""

from mmaspec.oracle.hlsl_wave_matrix.blame.observe import observe
from mmaspec.oracle.hlsl_wave_matrix.blame.program import toggles

__all__ = ["observe", "toggles"]
