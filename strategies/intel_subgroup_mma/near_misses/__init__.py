"""Near misses: for each validity clause changes of a valid kernel that break it and no other."""

from __future__ import annotations

from mmaspec.strategies.intel_subgroup_mma.near_misses.calls import near_miss_base
from mmaspec.strategies.intel_subgroup_mma.near_misses.catalogue import NEAR_MISSES

__all__ = ["NEAR_MISSES", "near_miss_base"]
