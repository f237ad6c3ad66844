"""Templates: a family of programs for each group of clauses, and the parts that they are made of."""

from __future__ import annotations

from mmaspec.strategies.nv_coopmat2.templates.catalogue import PARTS, TEMPLATES, parts

__all__ = ["PARTS", "TEMPLATES", "parts"]
