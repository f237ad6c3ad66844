"""Arrays of HLSL linear algebra: programs in which every two classes of an access or an operation meet."""

from __future__ import annotations

from mmaspec.strategies.hlsl_linalg.arrays.atomics import ARRAY_SUMS, BUFFER_SUMS, VECTOR_SUMS
from mmaspec.strategies.hlsl_linalg.arrays.bounds import BOUNDS_OF_MATRICES, BOUNDS_OF_SUMS
from mmaspec.strategies.hlsl_linalg.arrays.buffer_accesses import BUFFER_ACCESSES
from mmaspec.strategies.hlsl_linalg.arrays.conversions import CASTS, CONVERTS, SPLATS
from mmaspec.strategies.hlsl_linalg.arrays.earlier.chains import CHAINS
from mmaspec.strategies.hlsl_linalg.arrays.earlier.operations import OPERATIONS, UNARIES
from mmaspec.strategies.hlsl_linalg.arrays.earlier.vectors import (
    FROM_VECTORS,
    FROM_VECTORS_IN_WAVES,
    ROW_PRODUCTS,
    TO_VECTORS,
    TO_VECTORS_IN_WAVES,
)
from mmaspec.strategies.hlsl_linalg.arrays.elements import BEYOND, SETS
from mmaspec.strategies.hlsl_linalg.arrays.products import ADDITIONS, PRODUCTS
from mmaspec.strategies.hlsl_linalg.arrays.scenes.accesses import ACCESSES
from mmaspec.strategies.hlsl_linalg.arrays.scenes.in_place import IN_PLACE
from mmaspec.strategies.hlsl_linalg.arrays.scenes.narrowing import NARROWING
from mmaspec.strategies.hlsl_linalg.arrays.scenes.optimal import OPTIMAL
from mmaspec.strategies.hlsl_linalg.arrays.scenes.shared import SHARED
from mmaspec.strategies.hlsl_linalg.arrays.scenes.sizes import LARGE
from mmaspec.strategies.hlsl_linalg.arrays.scenes.threads import THREADS
from mmaspec.strategies.hlsl_linalg.arrays.scenes.vectors import VECTORS
from mmaspec.strategies.hlsl_linalg.arrays.shared_accesses import ARRAY_ACCESSES
from mmaspec.strategies.hlsl_linalg.arrays.vectors import VECTOR_PRODUCTS

PACKED = (
    BUFFER_ACCESSES,
    BOUNDS_OF_MATRICES,
    BOUNDS_OF_SUMS,
    ARRAY_ACCESSES,
    CASTS,
    SPLATS,
    CONVERTS,
    SETS,
    BEYOND,
    PRODUCTS,
    ADDITIONS,
    BUFFER_SUMS,
    ARRAY_SUMS,
    VECTOR_SUMS,
    VECTOR_PRODUCTS,
    OPERATIONS,
    UNARIES,
    FROM_VECTORS,
    TO_VECTORS,
    ROW_PRODUCTS,
)
"""Arrays of several things to a case."""

SCENES = (ACCESSES, SHARED, THREADS, VECTORS, OPTIMAL, IN_PLACE, NARROWING, LARGE)
"""Arrays of single programs, for classes that no thing of the others can have."""

IN_WAVES = (FROM_VECTORS_IN_WAVES, TO_VECTORS_IN_WAVES)
"""More of several things to a case."""

ARRAYS = (*(packed.array() for packed in PACKED), *SCENES, CHAINS, *(packed.array() for packed in IN_WAVES))
"""All of them."""
