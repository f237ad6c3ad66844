"""Counterfactuals of HLSL linear algebra."""

from __future__ import annotations

from mmaspec.backends.faults.hlsl_linalg.catalogue import FAULTS

__all__ = ["FAULTS"]
