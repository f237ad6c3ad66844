"""The grammar of the RDNA3 matrix builtins."""

from __future__ import annotations

from mmaspec.strategies.amd_rdna3_wmma.arrays import ARRAYS
from mmaspec.strategies.amd_rdna3_wmma.caps import random_caps
from mmaspec.strategies.amd_rdna3_wmma.frames import frame, free
from mmaspec.strategies.amd_rdna3_wmma.near_misses import NEAR_MISSES, near_miss_base
from mmaspec.strategies.amd_rdna3_wmma.templates import TEMPLATES
from mmaspec.strategies.grammar import Grammar

GRAMMAR = Grammar(
    spec="amd-rdna3-wmma",
    templates=TEMPLATES,
    near_misses=NEAR_MISSES,
    near_miss_base=near_miss_base,
    frame=frame,
    free=free,
    arrays=ARRAYS,
    random_caps=random_caps,
)
"""Templates, arrays, frames, free programs and near misses."""
