"""Undefined behaviour of tensor loads and stores: one function for each clause.

A program is defined only where it is under every reading of an ambiguity.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from mmaspec.oracle.nv_coopmat2.addresses import coordinates
from mmaspec.oracle.nv_coopmat2.rule_context import Context
from mmaspec.oracle.nv_coopmat2.tensors.index_functions import Ended
from mmaspec.oracle.nv_coopmat2.validity.tensors import strides_too_small
from mmaspec.programs.base import Place
from mmaspec.programs.nv_coopmat2.program import LoadTensor, Nibbles, ScaleAndBytes, StoreTensor


def memory_bounds(context: Context) -> bool:
    """NVCM2-MEM-BOUNDS: what a layout addresses lies inside the buffer; clamping knows only the layout."""
    return any(
        one.outside(context.program) for one in context.reached if isinstance(one.access, LoadTensor | StoreTensor)
    )


def clamp_undefined(context: Context) -> bool:
    """NVCM2-CLAMP-UNDEF: with clamp mode Undefined no coordinate is out of bounds."""
    return any(one.ended(Ended.OUT_OF_BOUNDS) for one in context.reached)


def zero_divisor(context: Context) -> bool:
    """NVCM2-ZERO-DIVISOR: nothing is divided by zero (spans, view dimensions, blocks; NVCM2-AMB-02, NVCM2-AMB-03)."""
    return any(one.ended(Ended.DIVISION_BY_ZERO) for one in context.reached)


def signed_range(context: Context) -> bool:
    """NVCM2-SIGNED-RANGE: dimensions, mirrors, offsets and coordinates fit 32 signed bits (NVCM2-AMB-07)."""
    return any(one.ended(Ended.SIGNED_OVERFLOW) for one in context.reached)


def index_wrap(context: Context) -> bool:
    """NVCM2-INDEX-WRAP: the index in the tensor fits 32 bits (NVCM2-AMB-06)."""
    return any(one.ended(Ended.WRAPPED) for one in context.reached)


def view_rank(context: Context) -> bool:
    """NVCM2-VIEW-RANK: a view without dimensions of its own has as many as the layout (NVCM2-AMB-09).

    Whether its clip leaves anything to address or not.
    """
    program = context.program
    for one in context.reached:
        if isinstance(one.access, LoadTensor | StoreTensor) and one.access.view is not None:
            view, layout = program.view(one.access.view), program.layout(one.access.tensor)
            if not view.has_dimensions and view.rank != layout.rank:
                return True
    return False


def store_collide(context: Context) -> bool:
    """NVCM2-STORE-COLLIDE: no two elements of one tensor store have one address."""
    return any(one.collides() for one in context.reached if isinstance(one.access, StoreTensor))


def stride_partial(context: Context) -> bool:
    """NVCM2-STRIDE-PARTIAL: strides that are set leave room for partial blocks as well (NVCM2-AMB-19)."""
    program = context.program
    return any(strides_too_small(program, layout) for layout in program.layouts)


def decode_bounds(context: Context) -> bool:
    """NVCM2-DECODE-BOUNDS: a decode function finds the value of every element inside the array of its struct."""
    for one in context.reached:
        if isinstance(one.access, LoadTensor) and isinstance(one.access.decode, ScaleAndBytes | Nibbles):
            _, within = coordinates(context.program, one.access, one.place.loop, one.reading)
            if (within[one.addresses >= 0] >= np.array(one.access.decode.block)).any():
                return True
    return False


def keeps_old(context: Context) -> set[Place]:
    """The place of every load that skips an element, so that the old one stays (NVCM2-CLIP-SKIP)."""
    return {one.place for one in context.reached if isinstance(one.access, LoadTensor) and one.ended(Ended.SKIPPED)}


TENSOR_RULES: dict[str, Callable[[Context], bool]] = {
    "NVCM2-CLAMP-UNDEF": clamp_undefined,
    "NVCM2-ZERO-DIVISOR": zero_divisor,
    "NVCM2-SIGNED-RANGE": signed_range,
    "NVCM2-INDEX-WRAP": index_wrap,
    "NVCM2-VIEW-RANK": view_rank,
    "NVCM2-STORE-COLLIDE": store_collide,
    "NVCM2-STRIDE-PARTIAL": stride_partial,
    "NVCM2-DECODE-BOUNDS": decode_bounds,
    "NVCM2-MEM-BOUNDS": memory_bounds,
}
