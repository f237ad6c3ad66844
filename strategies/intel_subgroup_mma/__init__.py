"""The grammar of the sub-group matrix functions."""

from __future__ import annotations

from mmaspec.strategies.grammar import Grammar
from mmaspec.strategies.intel_subgroup_mma.arrays import ARRAYS
from mmaspec.strategies.intel_subgroup_mma.caps import random_caps
from mmaspec.strategies.intel_subgroup_mma.frames import frame, free
from mmaspec.strategies.intel_subgroup_mma.near_misses import NEAR_MISSES, near_miss_base
from mmaspec.strategies.intel_subgroup_mma.templates import TEMPLATES

GRAMMAR = Grammar(
    spec="intel-subgroup-mma",
    templates=TEMPLATES,
    near_misses=NEAR_MISSES,
    near_miss_base=near_miss_base,
    frame=frame,
    free=free,
    arrays=ARRAYS,
    random_caps=random_caps,
)
"""Templates, arrays, frames, free programs and near misses."""
