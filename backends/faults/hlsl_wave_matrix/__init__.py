"""Counterfactuals of HLSL WaveMatrix."""

from __future__ import annotations

from mmaspec.backends.faults.hlsl_wave_matrix.catalogue import FAULTS
from mmaspec.backends.faults.hlsl_wave_matrix.defects import DEFECTS

__all__ = ["DEFECTS", "FAULTS"]
