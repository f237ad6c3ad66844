"""Every validity clause and the forms in which it is broken."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from types import MappingProxyType
from typing import Any

from mmaspec.oracle.spec import Row
from mmaspec.programs.nv_coopmat2.caps import CoopMatCaps
from mmaspec.programs.nv_coopmat2.program import (
    Arithmetic,
    Convert,
    LoadTensor,
    MulAdd,
    PerElement,
    Reduce,
    Repeat,
    Simple,
    StoreTensor,
    Transpose,
)
from mmaspec.strategies.circumstances import looping
from mmaspec.strategies.grammar import Form, Forms, NearMiss, forms_of, in_forms, joined
from mmaspec.strategies.nv_coopmat2.features import DECODING, NEEDS, TENSORS, Feature, has
from mmaspec.strategies.nv_coopmat2.near_misses import decoding, tensors
from mmaspec.strategies.nv_coopmat2.near_misses.accesses import (
    LAYOUTS,
    PLAIN_BLOCKS,
    SHARED,
    SHORT_ROWS,
    TENSOR_BLOCKS,
    TENSOR_OFFSETS,
    UNALIGNED,
    ZEROS,
    in_plain,
    nameless_layout,
    stride_zero,
    tensor_offset,
    unaligned,
)
from mmaspec.strategies.nv_coopmat2.near_misses.declarations import type_params
from mmaspec.strategies.nv_coopmat2.near_misses.operations import (
    NAMELESS_MASKS,
    OPERATION_NEAR_MISSES,
    other_operands,
)
from mmaspec.strategies.nv_coopmat2.near_misses.product import (
    STORAGES,
    caps_match,
    caps_saturation,
    misplaced,
    nameless_operands,
    nameless_use,
    other_results,
)
from mmaspec.strategies.nv_coopmat2.near_misses.sizes import flexible_forms
from mmaspec.strategies.nv_coopmat2.near_misses.strange import of_scope, of_use
from mmaspec.strategies.nv_coopmat2.near_misses.typed import CALLS, COMBINES, of_calls, of_decoding


def _needing(near_miss: NearMiss, needs: tuple[Feature, ...]) -> Forms:
    """The forms, where a device has some features besides."""
    return Forms(tuple(replace(form, possible=partial(_possible, form, needs)) for form in forms_of(near_miss)))


def _possible(form: Form, needs: tuple[Feature, ...], row: Row[Any], caps: CoopMatCaps) -> bool:
    return has(caps, needs) and form.fits(row, caps)


BITS = (1, 8, 0x11, 0x20)
"""Operands of a product without a name in the language, among them those that another level of the API has."""
RANKS = {
    **{
        f"{word} view of {rank}": (kind, rank)
        for word, kind, rank in (
            ("stored", StoreTensor, 0),
            ("stored", StoreTensor, 6),
            ("loaded", LoadTensor, 0),
            ("loaded", LoadTensor, 6),
            ("loaded", LoadTensor, 7),
        )
    }
}

PRODUCT_NEAR_MISSES: Mapping[str, NearMiss] = MappingProxyType(
    {
        "KHRCM-STRIDE-ZERO": in_plain(stride_zero, ZEROS),
        "KHRCM-ALIGN": joined(in_plain(unaligned, UNALIGNED), in_plain(unaligned, SHARED, ("shared",)), SHORT_ROWS),
        "KHRCM-CAPS-MATCH": Forms((*caps_match(), *of_scope())),
        "KHRCM-CAPS-SAT": Forms(tuple(caps_saturation())),
        "KHRCM-STORAGE": joined(
            PLAIN_BLOCKS,
            _needing(TENSOR_BLOCKS, TENSORS),
            in_forms(misplaced, {f"{which} in storage {where}": (where, which) for where, which in STORAGES}),
            Forms((*other_results(), *other_operands())),
        ),
        "KHRCM-ENUMS": joined(
            in_forms(nameless_operands, {f"operands {bits:#x}": bits for bits in BITS}),
            in_forms(
                nameless_layout,
                {f"{kind.__name__.lower()} of layout {layout}": (kind, layout) for kind, layout in LAYOUTS},
            ),
            in_forms(nameless_use, {f"use {use}": use for use in (3,)}),
            Forms(tuple(of_use())),
        ),
        "NVCM2-FLEX-CAPS": flexible_forms(),
    }
)

TENSOR_NEAR_MISSES: Mapping[str, NearMiss] = MappingProxyType(
    {
        "NVCM2-DIM-RANGE": joined(
            in_forms(tensors.layout_rank, {f"layout of {rank}": rank for rank in (0, 6, 7)}),
            in_forms(tensors.unused_rank, {f"unused layout of {rank}": rank for rank in (0, 6)}),
            _needing(in_forms(tensors.decoded_rank, {f"decoded, layout of {rank}": rank for rank in (0, 6)}), DECODING),
            in_forms(tensors.view_rank, RANKS),
        ),
        "NVCM2-ENUMS": joined(
            in_forms(tensors.nameless_mode, {f"clamp mode {mode}": mode for mode in (5, 0xFFFF_FFFF)}),
            in_forms(tensors.unused_mode, {f"clamp mode {mode}, unused": mode for mode in (5,)}),
            _needing(NAMELESS_MASKS, ("reductions",)),
        ),
        "NVCM2-VIEW-PERM": in_forms(tensors.view_permutation, tensors.PERMUTATIONS),
        "NVCM2-TYPE-PARAMS": type_params(),
        "NVCM2-SETSTRIDE-MIN": joined(
            in_forms(tensors.short_stride, tensors.STRIDES),
            in_forms(tensors.unused_strides, tensors.CALLS.keys()),
            in_forms(tensors.derived_strides, ("derived layout",)),
        ),
        "NVCM2-BASE-ALIGN": in_forms(tensor_offset, TENSOR_OFFSETS),
        "NVCM2-STORE-NOBLOCK": joined(
            in_forms(decoding.store_decoding, decoding.STORES),
            in_forms(decoding.store_blocks, {f"blocks of {a} x {b}": (a, b) for a, b in ((2, 1), (1, 2))}),
            in_forms(decoding.store_blocks_when, {f"blocks of 2 x 1, {when}": when for when in decoding.WHENS}),
            in_forms(decoding.store_derived, ("blocks of a derived layout",)),
        ),
        "NVCM2-DECODE-SIG": joined(
            in_forms(decoding.decoding, decoding.DECODERS),
            in_forms(decoding.returning, decoding.RETURNS),
            in_forms(decoding.under_a_view, ("coordinates of the view",)),
            in_forms(
                decoding.decode_shared, {"from a shared array": "", "from the second one": "second"}, ("subgroup",)
            ),
            of_decoding(),
        ),
    }
)


def _loop(step: Simple) -> Repeat:
    return Repeat(2, (step,))


LOOPS: tuple[tuple[str, str, type], ...] = (
    ("KHRCM-STORAGE", "+, result: component differs", Arithmetic),
    ("KHRCM-ENUMS", "operands 0x8", MulAdd),
    ("KHRCM-CAPS-MATCH", "operands exchanged", MulAdd),
    ("KHRCM-CAPS-SAT", "floats saturate", MulAdd),
    ("NVCM2-CONVERT-TYPES", "columns differ", Convert),
    ("NVCM2-TRANSPOSE-TYPES", "into use 2", Transpose),
    ("NVCM2-REDUCE-USE", "of use 1", Reduce),
    ("NVCM2-REDUCE-MASK", "2x2 with columns", Reduce),
    ("NVCM2-REDUCE-SHAPE", "columns: columns differ", Reduce),
    ("NVCM2-ENUMS", "mask 9", Reduce),
    ("NVCM2-PERELEM-SIG", "an extra too few", PerElement),
    ("NVCM2-DECODE-SIG", "block coordinate of three", LoadTensor),
)
"""Clause, a form of it, and the instruction that stands in a loop there."""


def _with_loops(near_misses: dict[str, NearMiss]) -> dict[str, NearMiss]:
    for clause, name, kind in LOOPS:
        near_misses[clause] = looping(Forms(forms_of(near_misses[clause])), name, kind, _loop)
    return near_misses


TYPED_NEAR_MISSES: Mapping[str, NearMiss] = MappingProxyType(
    {
        clause: joined(Forms(forms_of(OPERATION_NEAR_MISSES[clause])), of_calls(calls))
        for clause, calls in (("NVCM2-PERELEM-SIG", CALLS), ("NVCM2-REDUCE-MASK", COMBINES))
    }
)

_ALL = _with_loops({**PRODUCT_NEAR_MISSES, **OPERATION_NEAR_MISSES, **TYPED_NEAR_MISSES, **TENSOR_NEAR_MISSES})
NEAR_MISSES: Mapping[str, NearMiss] = MappingProxyType(
    {clause: _needing(change, NEEDS.get(clause, ())) for clause, change in _ALL.items()}
)
"""Validity clause -> how to break it, where the device has what that needs."""
