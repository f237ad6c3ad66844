"""Near misses: for each validity clause changes of a valid program that break it and no other."""

from __future__ import annotations

from mmaspec.strategies.hlsl_linalg.near_misses.base import near_miss_base
from mmaspec.strategies.hlsl_linalg.near_misses.catalogue import NEAR_MISSES

__all__ = ["NEAR_MISSES", "near_miss_base"]
