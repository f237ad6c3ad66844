"""Which work-item of a sub-group holds which element of A, B, accumulator and result, in which bits of its vector.

A place is (work-item, component, first bit). The document says how much each work-item contributes, and its sample
fixes the order for one function; the others' is that of the mapping in the SPIR-V companion (ISGMMA-AMB-06).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mmaspec.oracle.register_kernels.layouts import made_once
from mmaspec.programs.base import at
from mmaspec.programs.formats import Format, format_named
from mmaspec.programs.intel_subgroup_mma.program import COMPONENT_BYTES, Fragment, Load, MadProgram, Store


@dataclass(frozen=True, slots=True)
class Place:
    """One element's place in the vectors of a sub-group."""

    item: int
    component: int
    bit: int


def place_in_a(row: int, k: int, bits: int, width: int) -> Place:
    """Element k of a row of A, in components of ``width`` bits.

    ISGMMA-A-COLS: work-item w has the columns from w * width / bits on, one row a component. ISGMMA-K32-PACK-A,
    ISGMMA-K64-PACK-A, ISGMMA-K16-PACK-A: the lowest of them in the lowest bits.
    """
    each = width // bits
    return Place(item=k // each, component=row, bit=bits * (k % each))


def place_in_b(k: int, column: int, bits: int, width: int) -> Place:
    """ISGMMA-B-COL: work-item w has column w, component s its rows from s * width / bits on, the lowest first."""
    each = width // bits
    return Place(item=column, component=k // each, bit=bits * (k % each))


def place_in_accumulator(row: int, column: int) -> Place:
    """ISGMMA-ACC-COL: work-item w has column w, component m its row m."""
    return Place(item=column, component=row, bit=0)


def element_format(fragment: Fragment) -> Format:
    """The format of the elements that a fragment holds."""
    return format_named(fragment.holds)


def extent(fragment: Fragment, size: int) -> tuple[int, int]:
    """(rows, cols) of the matrix that the vectors of ``size`` work-items hold."""
    each = 8 * COMPONENT_BYTES[fragment.component] // element_format(fragment).bits
    if fragment.use == "a":
        return fragment.count, size * each
    return (fragment.count * each, size) if fragment.use == "b" else (fragment.count, size)


def place(fragment: Fragment, row: int, col: int) -> Place:
    """Where the element (row, col) of the matrix is that a fragment holds."""
    bits, width = element_format(fragment).bits, 8 * COMPONENT_BYTES[fragment.component]
    if fragment.use == "a":
        return place_in_a(row, col, bits, width)
    return place_in_b(row, col, bits, width) if fragment.use == "b" else place_in_accumulator(row, col)


@made_once
def block_bits(fragment: Fragment, size: int) -> NDArray[np.int64]:
    """Bits from the start of a block, ``(rows, cols)``: one vector after the other, a vector's components in order."""
    rows, cols = extent(fragment, size)
    width = 8 * COMPONENT_BYTES[fragment.component]
    found = np.empty((rows, cols), np.int64)
    for row in range(rows):
        for col in range(cols):
            one = place(fragment, row, col)
            found[row, col] = (one.item * fragment.count + one.component) * width + one.bit
    return found


def register_bits(program: MadProgram, name: str) -> NDArray[np.int64]:
    """Bits of every element in the vectors of a sub-group, ``(1, rows, cols, bits)``: a block as it is loaded."""
    fragment = program.fragment(name)
    return (block_bits(fragment, program.sub_group_size)[..., None] + np.arange(element_format(fragment).bits))[None]


def block_bytes(fragment: Fragment, size: int) -> int:
    """Bytes of the vectors of one sub-group in memory."""
    return size * fragment.vector_bytes


def block_start(access: Load | Store, fragment: Fragment, size: int, wave: int, loop: int) -> int:
    """Byte of the view at which the accessed block begins."""
    return at(access.block, wave, loop) * block_bytes(fragment, size)


def access_bits(program: MadProgram, access: Load | Store, waves: int, passes: range) -> NDArray[np.int64]:
    """First bits of all elements that a load or store touches, in the view: ``(waves, passes, rows, cols)``."""
    fragment = program.fragment(access.into if isinstance(access, Load) else access.fragment)
    size = program.sub_group_size
    starts = [[block_start(access, fragment, size, wave, loop) for loop in passes] for wave in range(waves)]
    found: NDArray[np.int64] = block_bits(fragment, size) + 8 * np.array(starts, np.int64)[:, :, None, None]
    return found
