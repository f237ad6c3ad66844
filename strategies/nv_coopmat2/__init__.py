"""The grammar of GL_NV_cooperative_matrix2 programs."""

from __future__ import annotations

from mmaspec.strategies.grammar import Grammar
from mmaspec.strategies.nv_coopmat2.frames import frame
from mmaspec.strategies.nv_coopmat2.near_misses import BREAKERS, base_draft
from mmaspec.strategies.nv_coopmat2.templates import TEMPLATES, free

GRAMMAR = Grammar(
    spec="nv-coopmat2",
    templates=TEMPLATES,
    breakers=BREAKERS,
    near_miss_base=base_draft,
    frame=frame,
    free=free,
)
"""What ``mmaspec.strategies.enumerate`` finds for this specification."""
