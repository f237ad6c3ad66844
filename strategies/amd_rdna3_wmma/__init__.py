"""The grammar of the RDNA3 matrix builtins."""

from __future__ import annotations

from mmaspec.strategies.amd_rdna3_wmma.frames import frame, free
from mmaspec.strategies.amd_rdna3_wmma.near_misses import BREAKERS
from mmaspec.strategies.amd_rdna3_wmma.templates import TEMPLATES, near_miss_base
from mmaspec.strategies.grammar import Grammar

GRAMMAR = Grammar(
    spec="amd-rdna3-wmma",
    templates=TEMPLATES,
    breakers=BREAKERS,
    near_miss_base=near_miss_base,
    frame=frame,
    free=free,
)
"""Templates, frames, free programs and breakers."""
