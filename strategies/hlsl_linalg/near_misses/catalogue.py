"""Every validity clause and the forms in which it is broken."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from mmaspec.strategies.grammar import NearMiss
from mmaspec.strategies.hlsl_linalg.near_misses import accesses, declarations, layouts, operations, vectors
from mmaspec.strategies.hlsl_linalg.near_misses.earlier.catalogue import OWN, revised

_SHARED_AND_LATER: Mapping[str, NearMiss] = MappingProxyType(
    {
        "LINALG-COMP-ENUM": declarations.COMP_ENUM,
        "LINALG-SCOPE-TABLE": declarations.SCOPE_TABLE,
        "LINALG-DIM-THREAD-WAVE": declarations.DIM_THREAD_WAVE,
        "LINALG-DIM-GROUP": declarations.DIM_GROUP,
        "LINALG-CONSTRUCT": declarations.CONSTRUCT,
        "LINALG-ELEM-NATIVE": declarations.ELEM_NATIVE,
        "LINALG-LOAD-SRC": vectors.LOAD_SRC,
        "LINALG-LOAD-USE": vectors.LOAD_USE,
        "LINALG-LOAD-LAYOUT": accesses.LOAD_LAYOUT,
        "LINALG-LOAD-STRIDE0": vectors.LOAD_STRIDE0,
        "LINALG-STRIDE-16": accesses.STRIDE_16,
        "LINALG-BASE-ALIGN": accesses.BASE_ALIGN,
        "LINALG-ALIGN": accesses.ALIGN,
        "LINALG-STORE-LAYOUT": accesses.STORE_LAYOUT,
        "LINALG-STORE-TARGET": accesses.STORE_TARGET,
        "LINALG-GS-TYPE": accesses.GS_TYPE,
        "LINALG-GS-ALIGN": accesses.GS_ALIGN,
        "LINALG-STORE-GS-SIZE": accesses.STORE_GS_SIZE,
        "LINALG-ACC-USE": operations.ACC_USE,
        "LINALG-ACC-LAYOUT": operations.ACC_LAYOUT,
        "LINALG-ACC-BASE": accesses.ACC_BASE,
        "LINALG-ACC-GS-TARGET": operations.ACC_GS_TARGET,
        "LINALG-ATOMIC-CAPS": operations.ATOMIC_CAPS,
        "LINALG-VEC-ACC-ALIGN": accesses.VEC_ACC_ALIGN,
        "LINALG-CAST-SCOPE": operations.CAST_SCOPE,
        "LINALG-CAST-SHAPE": operations.CAST_SHAPE,
        "LINALG-ACCUMULATE-USES": operations.ACCUMULATE_USES,
        "LINALG-ACCUMULATE-SHAPE": operations.ACCUMULATE_SHAPE,
        "LINALG-MUL-INFER": operations.MUL_INFER,
        "LINALG-MUL-USES": operations.MUL_USES,
        "LINALG-MUL-SHAPE": operations.MUL_SHAPE,
        "LINALG-MUL-SCOPE": operations.MUL_SCOPE,
        "LINALG-MUL-CAPS": operations.MUL_CAPS,
        "LINALG-GROUP-CAPS": operations.GROUP_CAPS,
        "LINALG-VEC-INTERP": vectors.VEC_INTERP,
        "LINALG-VEC-CAPS": vectors.VEC_CAPS,
        "LINALG-VEC-LEN": vectors.VEC_LEN,
        "LINALG-VEC-USE": vectors.VEC_USE,
        "LINALG-VEC-NATIVE": vectors.VEC_NATIVE,
        "LINALG-BIAS-SOURCE": vectors.BIAS_SOURCE,
        "LINALG-FP8-OPTIMAL": vectors.FP8_OPTIMAL,
        "LINALG-TRANSPOSE-CAPS": vectors.TRANSPOSE_CAPS,
        "LINALG-CONVERT-LEN": vectors.CONVERT_LEN,
        "LINALG-OUTER-USE": layouts.OUTER_USE,
        "LINALG-OUTER-LEN": layouts.OUTER_LEN,
        "LINALG-OUTER-TYPES": layouts.OUTER_TYPES,
        "LINALG-OUTER-CAPS": layouts.OUTER_CAPS,
        "LINALG-LAYOUT-KINDS": layouts.LAYOUT_KINDS,
        "LINALG-LAYOUT-STRIDE": layouts.LAYOUT_STRIDE,
        "LINALG-LAYOUT-ALIGN": layouts.LAYOUT_ALIGN,
        "LINALG-LAYOUT-TYPE": layouts.LAYOUT_TYPE,
    }
)
"""Clause of the later text -> how to break it there, and mostly in both texts."""

NEAR_MISSES: Mapping[str, NearMiss] = MappingProxyType(
    {**{clause: revised(clause, near_miss) for clause, near_miss in _SHARED_AND_LATER.items()}, **OWN}
)
"""Validity clause -> how to break it."""
