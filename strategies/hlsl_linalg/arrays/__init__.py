"""Arrays of HLSL linear algebra: programs in which every two classes of an access or an operation meet."""

from __future__ import annotations

from mmaspec.strategies.hlsl_linalg.arrays.buffer_accesses import BUFFER_ACCESSES

PACKED = (BUFFER_ACCESSES,)
"""Arrays of several things to a case."""

ARRAYS = tuple(packed.array() for packed in PACKED)
"""All of them."""
