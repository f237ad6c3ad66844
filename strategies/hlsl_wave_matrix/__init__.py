"""The grammar of HLSL WaveMatrix."""

from __future__ import annotations

from mmaspec.strategies.grammar import Grammar
from mmaspec.strategies.hlsl_wave_matrix.arrays import ARRAYS
from mmaspec.strategies.hlsl_wave_matrix.caps import random_caps
from mmaspec.strategies.hlsl_wave_matrix.frames import frame, free
from mmaspec.strategies.hlsl_wave_matrix.near_misses import NEAR_MISSES, near_miss_base
from mmaspec.strategies.hlsl_wave_matrix.templates import TEMPLATES

GRAMMAR = Grammar(
    spec="hlsl-wave-matrix",
    templates=TEMPLATES,
    near_misses=NEAR_MISSES,
    near_miss_base=near_miss_base,
    frame=frame,
    free=free,
    arrays=ARRAYS,
    random_caps=random_caps,
)
