"""Ablations: the circumstances of one instruction, removed one at a time."""

from __future__ import annotations

from mmaspec.oracle.spec import Ablation
from mmaspec.programs.base import Place
from mmaspec.programs.hlsl_linalg.program import LinalgProgram


def ablations(program: LinalgProgram, place: Place) -> tuple[Ablation, ...]:
    """Each circumstance of the instruction at ``place`` taken away, most telling first; values stay the same."""
    return ()
