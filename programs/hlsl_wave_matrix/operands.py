"""The matrix that an instruction writes."""

from __future__ import annotations

from mmaspec.programs.hlsl_wave_matrix.program import Barrier, Copy, MatrixDepth, Simple, Store


def writes(instruction: Simple) -> str | None:
    """The matrix that an instruction changes; None for one that only reads matrices, or moves other data."""
    return None if isinstance(instruction, Store | MatrixDepth | Copy | Barrier) else instruction.matrix
