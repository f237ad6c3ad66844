"""Where the elements of A, B, C and D stand in the registers of a wave, element by element.

A register place is (lane, VGPR, first bit). The document shows the layouts in figures and in the loops of its sample;
the closed forms for wave64 are those of the vendor's matrix instruction calculator, which the document points to.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from mmaspec.programs.amd_rdna3_wmma.program import ELEMENT_BYTES, Fragment, Load, Store, WmmaProgram
from mmaspec.programs.base import at
from mmaspec.programs.formats import Format, format_named

TILE = 16
"""M, N and K of every instruction."""

VGPR_BYTES = 4
"""A VGPR is 32 bits wide in each lane."""


@dataclass(frozen=True, slots=True)
class Register:
    """One element's place in the registers of a wave."""

    lane: int
    vgpr: int
    bit: int


def operand_register(line: int, k: int, bits: int) -> Register:
    """First copy of element k of a line: row ``line`` of A or column ``line`` of B.

    RDNA3-AB-ROWCOL: the lane is the line. RDNA3-AB-PACK16, RDNA3-AB-PACK8: ``32 / bits`` elements a VGPR, k
    ascending from the low end.
    """
    per_vgpr = 32 // bits
    return Register(lane=line, vgpr=k // per_vgpr, bit=bits * (k % per_vgpr))


def replica(register: Register, copy: int) -> Register:
    """The same element in the next groups of sixteen lanes (RDNA3-W32-REPLICATE, RDNA3-W64-REPLICATE)."""
    return Register(register.lane + TILE * copy, register.vgpr, register.bit)


def replicas(wave_size: int) -> int:
    """The number of copies of A and B: one in lanes 0-15 and one in every further group of sixteen."""
    return wave_size // TILE


def accumulator_register(i: int, j: int, wave_size: int) -> Register:
    """The one place of C[i, j] or D[i, j] (RDNA3-CD-NOREP).

    RDNA3-CD-W32: VGPR i/2, lane 16*(i mod 2) + j. RDNA3-CD-W64: VGPR i/4, lane 16*(i mod 4) + j.
    """
    rows_a_vgpr = wave_size // TILE
    return Register(lane=TILE * (i % rows_a_vgpr) + j, vgpr=i // rows_a_vgpr, bit=0)


def element_format(fragment: Fragment) -> Format:
    """The format of a fragment's elements; the bytes of A and B are read by sign flags, so ``u8`` here."""
    if fragment.use != "cd" and fragment.element == "int":
        return format_named("u8")
    return format_named({"half": "f16", "short": "u16", "float": "f32", "int": "s32"}[fragment.element])


def extent(fragment: Fragment, wave_size: int) -> tuple[int, int]:
    """(rows, cols) of the matrix that a fragment holds; 16x16 for every vector that a builtin takes."""
    if fragment.use == "cd":
        return fragment.vector_bytes // VGPR_BYTES * (wave_size // TILE), TILE
    depth = fragment.vector_bytes // element_format(fragment).nbytes
    return (TILE, depth) if fragment.use == "a" else (depth, TILE)


def places(fragment: Fragment, wave_size: int) -> Callable[[int, int], tuple[Register, ...]]:
    """(row, col) of the fragment's matrix -> every register place that holds this element."""
    bits = element_format(fragment).bits
    copies = range(replicas(wave_size))
    if fragment.use == "a":
        return lambda row, col: tuple(replica(operand_register(row, col, bits), copy) for copy in copies)
    if fragment.use == "b":
        return lambda row, col: tuple(replica(operand_register(col, row, bits), copy) for copy in copies)
    return lambda row, col: (accumulator_register(row, col, wave_size),)


def vector_address(register: Register, vector_bytes: int) -> int:
    """Byte of a register place in a block: one vector after the other by lane, a vector's VGPRs in order."""
    return register.lane * vector_bytes + register.vgpr * VGPR_BYTES + register.bit // 8


@cache
def block_addresses(fragment: Fragment, wave_size: int) -> NDArray[np.int64]:
    """Bytes from the start of a block, shape ``(copies, rows, cols)``."""
    rows, cols = extent(fragment, wave_size)
    where = places(fragment, wave_size)
    cells = [
        [[vector_address(r, fragment.vector_bytes) for r in where(i, j)] for j in range(cols)] for i in range(rows)
    ]
    found = np.array(cells, np.int64).transpose(2, 0, 1)
    found.setflags(write=False)
    return found


def register_bits(program: WmmaProgram, name: str) -> NDArray[np.int64]:
    """Bits of every element in the registers of a wave, ``(copies, rows, cols, bits)``: a block as it is loaded."""
    fragment = program.fragment(name)
    width = np.arange(element_format(fragment).bits)
    return 8 * block_addresses(fragment, program.wave_size)[..., None] + width


def block_bytes(fragment: Fragment, wave_size: int) -> int:
    """Bytes of one fragment of one wave in memory."""
    return wave_size * fragment.count * ELEMENT_BYTES[fragment.element]


def block_start(access: Load | Store, fragment: Fragment, wave_size: int, wave: int, loop: int) -> int:
    """Byte of the view at which the accessed block begins (RDNA3-MEM-FREE: the kernel's own arithmetic)."""
    return at(access.block, wave, loop) * block_bytes(fragment, wave_size)


def access_addresses(
    access: Load | Store, fragment: Fragment, wave_size: int, waves: int, passes: range
) -> NDArray[np.int64]:
    """Bytes of the view that a load or store touches, shape ``(copies, waves, passes, rows, cols)``."""
    starts = [[block_start(access, fragment, wave_size, wave, loop) for loop in passes] for wave in range(waves)]
    start = np.array(starts, np.int64)[None, :, :, None, None]
    found: NDArray[np.int64] = block_addresses(fragment, wave_size)[:, None, None] + start
    return found
