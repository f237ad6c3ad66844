"""Counterfactuals of the sub-group matrix functions."""

from __future__ import annotations

from mmaspec.backends.faults.intel_subgroup_mma.catalogue import FAULTS
from mmaspec.backends.faults.intel_subgroup_mma.defects import DEFECTS

__all__ = ["DEFECTS", "FAULTS"]
