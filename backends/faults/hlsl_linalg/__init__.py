"""Counterfactuals of HLSL linear algebra."""

from __future__ import annotations

from mmaspec.backends.faults.hlsl_linalg.catalogue import FAULTS
from mmaspec.backends.faults.hlsl_linalg.defects import DEFECTS

__all__ = ["DEFECTS", "FAULTS"]
