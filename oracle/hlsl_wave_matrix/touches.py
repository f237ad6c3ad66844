"""Every byte of a buffer, and element of an array, that a program reads or writes."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from mmaspec.oracle.hlsl_wave_matrix.addresses import (
    Addresses,
    access_addresses,
    copied,
    element_bytes,
    wave_addresses,
)
from mmaspec.programs.base import FromBuffer, at
from mmaspec.programs.formats import FORMATS
from mmaspec.programs.hlsl_wave_matrix.program import (
    Copy,
    Fill,
    Load,
    MatrixDepth,
    ScalarOperation,
    Simple,
    Stage,
    Store,
    WaveMatrixProgram,
    is_packed,
    simple_instructions,
)

DWORD = 4

Touch = tuple[str, Addresses, bool]
"""Buffer, bytes of the view (or elements of the array), and whether they are written."""


def all_touches(program: WaveMatrixProgram) -> Iterator[Touch]:
    """What every instruction touches in every pass, one instruction after the other."""
    for instruction, passes in simple_instructions(program):
        for loop in range(passes):
            yield from touches_of(program, instruction, loop)


def _spread(addresses: Addresses, size: int) -> Addresses:
    spread: Addresses = (addresses.reshape(-1, 1) + np.arange(size)).ravel()
    return spread


def touches_of(program: WaveMatrixProgram, instruction: Simple, loop: int) -> Iterator[Touch]:
    """The bytes that an instruction touches in one pass, wave by wave."""
    match instruction:
        case Fill() | ScalarOperation() if isinstance(instruction.value, FromBuffer):
            matrix = program.matrix(instruction.matrix)
            size = DWORD if is_packed(matrix) else element_bytes(matrix)
            yield instruction.value.buffer, _spread(np.array([instruction.value.offset]), size), False
        case Load() | Store():
            matrix = program.matrix(instruction.matrix)
            store = isinstance(instruction, Store)
            if program.array(instruction.buffer) is not None:
                everywhere = wave_addresses(instruction, matrix, program.waves, loop, shared=True)
                yield from ((instruction.buffer, one.ravel(), store) for one in everywhere)
                return
            for wave in range(program.waves):
                addresses = access_addresses(instruction, matrix, wave, loop)
                yield instruction.buffer, _spread(addresses, element_bytes(matrix)), store
        case MatrixDepth():
            for wave in range(program.waves):
                yield instruction.buffer, _spread(np.array([at(instruction.offset, wave, loop)]), DWORD), True
        case Copy():
            array = program.array(instruction.array)
            assert array is not None
            addresses, places = copied(instruction, array.element, loop)
            inward = isinstance(instruction, Stage)
            yield instruction.buffer, _spread(addresses, FORMATS[array.element].nbytes), not inward
            yield array.name, places.ravel(), inward
        case _:
            pass
