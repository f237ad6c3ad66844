"""Near misses: a valid program, and for every validity clause a way to break that one alone."""

from __future__ import annotations

from mmaspec.strategies.hlsl_wave_matrix.near_misses.product import NEAR_MISSES, near_miss_base

__all__ = ["NEAR_MISSES", "near_miss_base"]
