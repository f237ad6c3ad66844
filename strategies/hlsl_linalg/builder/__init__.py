"""Building programs: declarations, instructions, and room in buffers for every access."""

from __future__ import annotations

from mmaspec.strategies.hlsl_linalg.builder.program import ProgramBuilder

__all__ = ["ProgramBuilder"]
