"""Where the defined ends for tensor loads and stores: one function per clause.

A program is defined only where it is under every reading of an ambiguity.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from mmaspec.oracle.nv_coopmat2.addresses import coordinates
from mmaspec.oracle.nv_coopmat2.footprint import Reached
from mmaspec.oracle.nv_coopmat2.tensors.index_functions import Ended
from mmaspec.oracle.nv_coopmat2.validity.tensors import strides_too_small
from mmaspec.programs.base import Place
from mmaspec.programs.nv_coopmat2.program import CoopMatProgram, LoadTensor, Nibbles, ScaleAndBytes, StoreTensor


def memory_bounds(program: CoopMatProgram, found: list[Reached]) -> bool:
    """NVCM2-MEM-BOUNDS: what a layout addresses lies inside the buffer; clamping knows only the layout."""
    return any(one.outside(program) for one in found if isinstance(one.access, LoadTensor | StoreTensor))


def clamp_undefined(program: CoopMatProgram, found: list[Reached]) -> bool:  # noqa: ARG001 - one signature for all
    """NVCM2-CLAMP-UNDEF: with clamp mode Undefined no coordinate is out of bounds."""
    return any(one.ended(Ended.OUT_OF_BOUNDS) for one in found)


def zero_divisor(program: CoopMatProgram, found: list[Reached]) -> bool:  # noqa: ARG001
    """NVCM2-ZERO-DIVISOR: nothing is divided by zero (spans, view dimensions, blocks; NVCM2-AMB-02, NVCM2-AMB-03)."""
    return any(one.ended(Ended.DIVISION_BY_ZERO) for one in found)


def signed_range(program: CoopMatProgram, found: list[Reached]) -> bool:  # noqa: ARG001
    """NVCM2-SIGNED-RANGE: dimensions, mirrors, offsets and coordinates fit 32 signed bits (NVCM2-AMB-07)."""
    return any(one.ended(Ended.SIGNED_OVERFLOW) for one in found)


def index_wrap(program: CoopMatProgram, found: list[Reached]) -> bool:  # noqa: ARG001
    """NVCM2-INDEX-WRAP: the index in the tensor fits 32 bits (NVCM2-AMB-06)."""
    return any(one.ended(Ended.WRAPPED) for one in found)


def view_rank(program: CoopMatProgram, found: list[Reached]) -> bool:
    """NVCM2-VIEW-RANK: a view without dimensions of its own has as many as the layout (NVCM2-AMB-09).

    Whether its clip leaves anything to address or not.
    """
    for one in found:
        if isinstance(one.access, LoadTensor | StoreTensor) and one.access.view is not None:
            view, layout = program.view(one.access.view), program.layout(one.access.tensor)
            if not view.has_dimensions and view.rank != layout.rank:
                return True
    return False


def store_collide(program: CoopMatProgram, found: list[Reached]) -> bool:  # noqa: ARG001
    """NVCM2-STORE-COLLIDE: no two elements of one tensor store have one address."""
    return any(one.collides() for one in found if isinstance(one.access, StoreTensor))


def stride_partial(program: CoopMatProgram, found: list[Reached]) -> bool:  # noqa: ARG001
    """NVCM2-STRIDE-PARTIAL: strides that are set leave room for partial blocks as well (NVCM2-AMB-19)."""
    return any(strides_too_small(program, layout) for layout in program.layouts)


def decode_bounds(program: CoopMatProgram, found: list[Reached]) -> bool:
    """NVCM2-DECODE-BOUNDS: a decode function finds the value of every element inside the array of its struct."""
    for one in found:
        if isinstance(one.access, LoadTensor) and isinstance(one.access.decode, ScaleAndBytes | Nibbles):
            _, within = coordinates(program, one.access, one.place.loop, one.meaning)
            if (within[one.addresses >= 0] >= np.array(one.access.decode.block)).any():
                return True
    return False


def keeps_old(program: CoopMatProgram, found: list[Reached]) -> set[Place]:  # noqa: ARG001
    """The place of every load that skips an element, so that the old one stays (NVCM2-CLIP-SKIP)."""
    return {one.place for one in found if isinstance(one.access, LoadTensor) and one.ended(Ended.SKIPPED)}


TENSOR_BOUNDARIES: dict[str, Callable[[CoopMatProgram, list[Reached]], bool]] = {
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
