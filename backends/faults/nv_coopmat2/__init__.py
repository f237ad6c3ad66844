"""Counterfactuals of GL_NV_cooperative_matrix2."""

from __future__ import annotations

from mmaspec.backends.faults.nv_coopmat2.catalogue import FAULTS
from mmaspec.backends.faults.nv_coopmat2.defects import DEFECTS

__all__ = ["DEFECTS", "FAULTS"]
