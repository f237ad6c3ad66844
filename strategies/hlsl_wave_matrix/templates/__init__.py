"""Templates: a family of programs for each group of clauses."""

from __future__ import annotations

from mmaspec.strategies.hlsl_wave_matrix.templates.catalogue import TEMPLATES

__all__ = ["TEMPLATES"]
