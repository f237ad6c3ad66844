"""Arrays of nv-coopmat2: programs in which every two classes of an access meet."""

from __future__ import annotations

from mmaspec.strategies.nv_coopmat2.arrays.tensor_access import TENSOR_LOADS, TENSOR_STORES

ARRAYS = (TENSOR_LOADS, TENSOR_STORES)
"""All of them."""
