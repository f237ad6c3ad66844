"""The grammar of HLSL linear algebra matrices."""

from __future__ import annotations

from mmaspec.strategies.grammar import Grammar
from mmaspec.strategies.hlsl_linalg.arrays import ARRAYS
from mmaspec.strategies.hlsl_linalg.caps import random_caps
from mmaspec.strategies.hlsl_linalg.frames import frame, free
from mmaspec.strategies.hlsl_linalg.near_misses import NEAR_MISSES, near_miss_base
from mmaspec.strategies.hlsl_linalg.templates import TEMPLATES

GRAMMAR = Grammar(
    spec="hlsl-linalg",
    templates=TEMPLATES,
    near_misses=NEAR_MISSES,
    near_miss_base=near_miss_base,
    frame=frame,
    free=free,
    arrays=ARRAYS,
    random_caps=random_caps,
)
