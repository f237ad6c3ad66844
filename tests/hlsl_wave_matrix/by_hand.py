"""Programs over one run of known bytes, written by hand, and what they leave.

One load of words, tight and row by row, puts the bytes into memory; whatever other loads find is then said in terms of
bytes, by no rule of ours.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from mmaspec.oracle.case import Case
from mmaspec.oracle.expect import expect
from mmaspec.oracle.expectation import Defined
from mmaspec.oracle.hlsl_wave_matrix import SPEC
from mmaspec.programs.base import Buffer
from mmaspec.programs.hlsl_wave_matrix.caps import DEFAULT_CAPS
from mmaspec.programs.hlsl_wave_matrix.program import Instruction, Load, Matrix, Store, WaveMatrixProgram
from mmaspec.programs.profile import PRACTICE, Profile

SIZE = 1 << 14
BYTES = ((np.arange(SIZE) * 37 + np.arange(SIZE) // 256 * 11) % 0x6F).astype(np.uint8)
"""The memory: no byte so large that two of them are an infinity or a NaN."""
WORDS = Matrix("M", "accumulator", "s32", 64, 64)
WIDTH = {"u8": 1, "s8": 1, "f16": 2, "f32": 4, "s32": 4}


def program(matrices: tuple[Matrix, ...], *body: Instruction, **fields: Any) -> WaveMatrixProgram:
    """A program over ``in``, which holds the known bytes, and ``out``."""
    buffers = (Buffer("in", SIZE), Buffer("out", SIZE))
    return WaveMatrixProgram(buffers, (WORDS, *matrices), (Load("M", "in", 0, 256, data="M"), *body), **fields)


def answer(made: WaveMatrixProgram, memory: NDArray[np.uint8] = BYTES, profile: Profile = PRACTICE) -> Defined:
    """What is expected of a valid and defined program over these bytes."""
    assert not SPEC.rejected(made, DEFAULT_CAPS)
    assert not SPEC.undefined(made, DEFAULT_CAPS)
    words = memory.view("<u4").astype(np.uint64).reshape(1, 1, 1, 64, 64)
    found = expect(Case(SPEC.name, "by hand", "by hand", made, DEFAULT_CAPS, 1, {"M": words}), profile)
    assert isinstance(found, Defined)
    assert np.array_equal(found.images["in"][0, 64 : 64 + SIZE], memory)
    return found


def acted(found: Defined) -> set[str]:
    """The clauses that acted after the load which puts the bytes there."""
    return {clause for step in found.steps[1:] for clause in step.clauses}


def stored(found: Defined, region: int = -1) -> NDArray[np.uint64]:
    """The bits that one store leaves, which were only moved; shape ``(rows, cols)``."""
    legal = found.regions[region].legal
    assert not legal.why.any()
    assert np.array_equal(legal.lo, legal.hi)
    return legal.bits[0, 0]


def signed(found: Defined, wave: int = 0) -> NDArray[np.int64]:
    """The integers that the last store leaves, which have to be certain; shape ``(rows, cols)``."""
    legal = found.regions[-1].legal
    assert legal.fmt.name == "s32"
    assert not legal.why.any()
    assert np.array_equal(legal.lo, legal.hi)
    return legal.lo[0, wave].astype(np.int64)


def element(address: int, width: int) -> int:
    """The little-endian number of so many bytes at an address of the memory."""
    return int.from_bytes(BYTES[address : address + width].tobytes(), "little")


def elements(shape: tuple[int, int], width: int, start: int, row: int, col: int) -> NDArray[np.uint64]:
    """A matrix whose element (r, c) lies at ``start + r * row + c * col``."""
    found = [[element(start + r * row + c * col, width) for c in range(shape[1])] for r in range(shape[0])]
    return np.array(found, np.uint64)


def tight(matrix: Matrix, buffer: str = "out", offset: int = 0) -> Store:
    """A row-major store without gaps."""
    stride = WIDTH[matrix.element] * (1 if matrix.is_fragment else matrix.cols)
    return Store(matrix.name, buffer, offset, max(4, stride) if matrix.is_fragment else stride)
