"""Near misses: for each validity clause a change of a valid program that breaks it and no other."""

from __future__ import annotations

from mmaspec.strategies.hlsl_wave_matrix.near_misses.product import NEAR_MISSES, near_miss_base

__all__ = ["NEAR_MISSES", "near_miss_base"]
