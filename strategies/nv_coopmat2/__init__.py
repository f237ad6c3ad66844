"""The grammar of GL_NV_cooperative_matrix2 programs."""

from __future__ import annotations

from mmaspec.strategies.grammar import Grammar
from mmaspec.strategies.nv_coopmat2.arrays import ARRAYS
from mmaspec.strategies.nv_coopmat2.caps import random_caps
from mmaspec.strategies.nv_coopmat2.frames import frame, free
from mmaspec.strategies.nv_coopmat2.near_misses import NEAR_MISSES, near_miss_base
from mmaspec.strategies.nv_coopmat2.templates import TEMPLATES

GRAMMAR = Grammar(
    spec="nv-coopmat2",
    templates=TEMPLATES,
    near_misses=NEAR_MISSES,
    near_miss_base=near_miss_base,
    frame=frame,
    free=free,
    arrays=ARRAYS,
    random_caps=random_caps,
)
"""What ``mmaspec.strategies.enumerate`` finds for this specification."""
