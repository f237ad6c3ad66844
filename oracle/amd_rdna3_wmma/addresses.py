"""Where the elements of A, B, C and D stand in the registers of a wave, element by element.

A register place is (lane, VGPR, first bit). A fragment of 16-bit C or D holds two matrices, one in the low and one in
the high halves of its registers: here they stand side by side, in columns 0-15 and 16-31.

The document shows the layouts in figures and in the loops of its sample; the closed forms for wave64 are those of the
vendor's matrix instruction calculator, which the document points to.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mmaspec.oracle.register_kernels.layouts import made_once
from mmaspec.programs.amd_rdna3_wmma.program import Fragment, Load, Store, WmmaProgram
from mmaspec.programs.base import at
from mmaspec.programs.formats import Format, format_named

TILE = 16
"""M, N and K of every instruction."""

VGPR_BYTES = 4
"""A VGPR is 32 bits wide in each lane."""

HALF = 16
"""Bits of the halves of a VGPR between which OPSEL chooses."""


@dataclass(frozen=True, slots=True)
class Register:
    """One element's place in the registers of a wave."""

    lane: int
    vgpr: int
    bit: int


def operand_register(line: int, k: int, bits: int) -> Register:
    """First copy of element k of a line: row ``line`` of A or column ``line`` of B.

    RDNA3-AB-ROWCOL: the lane is the line. RDNA3-AB-PACK16, RDNA3-AB-PACK8, RDNA3-AB-PACK4: ``32 / bits`` elements a
    VGPR, k ascending from the low end.
    """
    per_vgpr = 32 // bits
    return Register(lane=line, vgpr=k // per_vgpr, bit=bits * (k % per_vgpr))


def replica(register: Register, copy: int) -> Register:
    """The same element in the next groups of sixteen lanes (RDNA3-W32-REPLICATE, RDNA3-W64-REPLICATE)."""
    return Register(register.lane + TILE * copy, register.vgpr, register.bit)


def replicas(wave_size: int) -> int:
    """The number of copies of A and B: one in lanes 0-15 and one in every further group of sixteen."""
    return wave_size // TILE


def accumulator_register(i: int, j: int, wave_size: int, *, high: bool = False) -> Register:
    """The one place of C[i, j] or D[i, j] (RDNA3-CD-NOREP).

    RDNA3-CD-W32: VGPR i/2, lane 16*(i mod 2) + j. RDNA3-CD-W64: VGPR i/4, lane 16*(i mod 4) + j. RDNA3-CD-UNPACKED: one
    element a VGPR, whatever its width. RDNA3-OPSEL-LOW, RDNA3-OPSEL-HIGH: one of 16 bits in bits 15:0, or in 31:16.
    """
    rows_a_vgpr = wave_size // TILE
    return Register(lane=TILE * (i % rows_a_vgpr) + j, vgpr=i // rows_a_vgpr, bit=HALF if high else 0)


def slot(register: Register, bits: int) -> int:
    """The slot of the lane's vector that a register place is (RDNA3-OPSEL-SLOT), where an element is a slot."""
    return register.vgpr * (8 * VGPR_BYTES // bits) + register.bit // bits


_FORMATS = {"half": "f16", "short": "bf16", "float": "f32", "int": "s32"}


def element_format(fragment: Fragment) -> Format:
    """The format of a fragment's elements; packed integers of A and B are read by sign flags, so unsigned here."""
    if fragment.use != "cd" and fragment.element == "int":
        return format_named(f"u{fragment.element_bits}")
    return format_named(_FORMATS[fragment.element])


def extent(fragment: Fragment, wave_size: int) -> tuple[int, int]:
    """(rows, cols) of what a fragment holds: 16x16 for every vector that a builtin takes, two of them for halves."""
    if fragment.use == "cd":
        rows = fragment.vector_bytes // VGPR_BYTES * (wave_size // TILE)
        return rows, 2 * TILE if fragment.halves else TILE
    depth = 8 * fragment.vector_bytes // fragment.element_bits
    return (TILE, depth) if fragment.use == "a" else (depth, TILE)


def matrices(fragment: Fragment) -> tuple[slice, ...]:
    """The columns of each matrix that a fragment holds: of one, or of that in the low and that in the high halves."""
    return (slice(0, TILE), slice(TILE, 2 * TILE)) if fragment.halves else (slice(None),)


def places(fragment: Fragment, wave_size: int) -> Callable[[int, int], tuple[Register, ...]]:
    """(row, col) of what the fragment holds -> every register place that holds this element."""
    bits = fragment.element_bits
    copies = range(replicas(wave_size))
    if fragment.use == "a":
        return lambda row, col: tuple(replica(operand_register(row, col, bits), copy) for copy in copies)
    if fragment.use == "b":
        return lambda row, col: tuple(replica(operand_register(col, row, bits), copy) for copy in copies)
    return lambda row, col: (accumulator_register(row, col % TILE, wave_size, high=col >= TILE),)


def vector_bit(register: Register, vector_bytes: int) -> int:
    """First bit of a register place in a block: one vector after the other by lane, a vector's VGPRs in order."""
    return 8 * (register.lane * vector_bytes + register.vgpr * VGPR_BYTES) + register.bit


@made_once
def block_bits(fragment: Fragment, wave_size: int) -> NDArray[np.int64]:
    """First bits from the start of a block, shape ``(copies, rows, cols)``."""
    rows, cols = extent(fragment, wave_size)
    where = places(fragment, wave_size)
    cells = [[[vector_bit(r, fragment.vector_bytes) for r in where(i, j)] for j in range(cols)] for i in range(rows)]
    return np.array(cells, np.int64).transpose(2, 0, 1)


def register_bits(program: WmmaProgram, name: str) -> NDArray[np.int64]:
    """Every bit of every element in the registers of a wave, ``(copies, rows, cols, bits)``: as a block is loaded."""
    fragment = program.fragment(name)
    return block_bits(fragment, program.wave_size)[..., None] + np.arange(fragment.element_bits)


def block_bytes(fragment: Fragment, wave_size: int) -> int:
    """Bytes of one fragment of one wave in memory."""
    return wave_size * fragment.vector_bytes


def block_start(access: Load | Store, fragment: Fragment, wave_size: int, wave: int, loop: int) -> int:
    """Byte of the view at which the accessed block begins (RDNA3-MEM-FREE: the kernel's own arithmetic)."""
    return at(access.block, wave, loop) * block_bytes(fragment, wave_size)


def access_bits(
    access: Load | Store, fragment: Fragment, wave_size: int, waves: int, passes: range
) -> NDArray[np.int64]:
    """First bits of all elements in the view that a load or store touches: ``(copies, waves, passes, rows, cols)``."""
    bits = block_bits(fragment, wave_size)[:, None, None]
    if waves == len(passes) == 1:
        return bits + 8 * block_start(access, fragment, wave_size, 0, passes[0])
    blocks = [[at(access.block, wave, loop) for loop in passes] for wave in range(waves)]
    starts = np.array(blocks, np.int64) * (8 * block_bytes(fragment, wave_size))
    found: NDArray[np.int64] = bits + starts[:, :, None, None]
    return found
