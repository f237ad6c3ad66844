"""Counterfactuals of the RDNA3 matrix builtins."""

from __future__ import annotations

from mmaspec.backends.faults.amd_rdna3_wmma.catalogue import FAULTS
from mmaspec.backends.faults.amd_rdna3_wmma.defects import DEFECTS

__all__ = ["DEFECTS", "FAULTS"]
