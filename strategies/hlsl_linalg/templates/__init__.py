"""Templates: a family of programs for each group of clauses."""

from __future__ import annotations

from mmaspec.strategies.hlsl_linalg.templates.catalogue import TEMPLATES

__all__ = ["TEMPLATES"]
