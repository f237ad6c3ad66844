"""Arrays of nv-coopmat2: programs in which every two classes of an access meet."""

from __future__ import annotations

from mmaspec.strategies.nv_coopmat2.arrays.plain_access import PLAIN_LOADS, PLAIN_STORES
from mmaspec.strategies.nv_coopmat2.arrays.products import PRODUCTS
from mmaspec.strategies.nv_coopmat2.arrays.tensor_access import TENSOR_LOADS, TENSOR_STORES

ARRAYS = (PLAIN_LOADS, PLAIN_STORES, PRODUCTS, TENSOR_LOADS, TENSOR_STORES)
"""All of them."""
