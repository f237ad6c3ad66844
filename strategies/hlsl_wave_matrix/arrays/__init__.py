"""Arrays of HLSL WaveMatrix: programs in which every two classes of an access or an operation meet."""

from __future__ import annotations

from mmaspec.strategies.hlsl_wave_matrix.arrays.arguments import ARGUMENTS
from mmaspec.strategies.hlsl_wave_matrix.arrays.branches import BRANCHES, SHORT
from mmaspec.strategies.hlsl_wave_matrix.arrays.buffer_accesses import (
    FRAGMENT_ALIGNMENTS,
    FRAGMENT_PLACES,
    FRAGMENT_STRIDES,
    MATRIX_ALIGNMENTS,
    MATRIX_PLACES,
    MATRIX_STRIDES,
)
from mmaspec.strategies.hlsl_wave_matrix.arrays.copies import ARRAY_LENGTHS, COPIES
from mmaspec.strategies.hlsl_wave_matrix.arrays.far import FAR_VIEWS
from mmaspec.strategies.hlsl_wave_matrix.arrays.fixed import FIXED
from mmaspec.strategies.hlsl_wave_matrix.arrays.groups import GROUPS
from mmaspec.strategies.hlsl_wave_matrix.arrays.lone import LONE
from mmaspec.strategies.hlsl_wave_matrix.arrays.loops import LOOPS
from mmaspec.strategies.hlsl_wave_matrix.arrays.meetings import MEETINGS
from mmaspec.strategies.hlsl_wave_matrix.arrays.operations import ADDITIONS, PRODUCTS, SCALARS, SUMS
from mmaspec.strategies.hlsl_wave_matrix.arrays.relations import RELATIONS
from mmaspec.strategies.hlsl_wave_matrix.arrays.reloads import FUSED, RELOADS
from mmaspec.strategies.hlsl_wave_matrix.arrays.rounded import ROUNDED
from mmaspec.strategies.hlsl_wave_matrix.arrays.shared_accesses import (
    SHARED_FRAGMENT_PLACES,
    SHARED_FRAGMENT_STRIDES,
    SHARED_PLACES,
    SHARED_STRIDES,
)
from mmaspec.strategies.hlsl_wave_matrix.arrays.threads import GROUP_SIZES
from mmaspec.strategies.hlsl_wave_matrix.arrays.values import MOVED_BITS, VALUES
from mmaspec.strategies.hlsl_wave_matrix.arrays.vast import VAST_VIEWS
from mmaspec.strategies.hlsl_wave_matrix.arrays.views import DEPTHS, VIEWS

PACKED = (
    MATRIX_PLACES,
    MATRIX_STRIDES,
    MATRIX_ALIGNMENTS,
    FRAGMENT_ALIGNMENTS,
    FRAGMENT_PLACES,
    FRAGMENT_STRIDES,
    SHARED_PLACES,
    SHARED_STRIDES,
    SHARED_FRAGMENT_PLACES,
    SHARED_FRAGMENT_STRIDES,
    PRODUCTS,
    SUMS,
    ADDITIONS,
    SCALARS,
    LOOPS,
    VIEWS,
    DEPTHS,
    COPIES,
    BRANCHES,
)
"""Arrays of several things to a case."""

ARRAYS = (
    *(packed.array() for packed in PACKED),
    VALUES,
    GROUPS,
    MEETINGS,
    SHORT,
    ARGUMENTS,
    FAR_VIEWS,
    VAST_VIEWS,
    GROUP_SIZES,
    RELATIONS,
    FIXED,
    MOVED_BITS,
    LONE,
    ARRAY_LENGTHS,
    ROUNDED,
    RELOADS,
    FUSED,
)
"""All of them."""
