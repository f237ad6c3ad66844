"""Where a valid program leaves what the document defines; such programs are never sent to a backend."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from mmaspec.oracle.hlsl_wave_matrix.addresses import Addresses, access_addresses, element_bytes
from mmaspec.oracle.hlsl_wave_matrix.caps import WaveMmaCaps
from mmaspec.oracle.hlsl_wave_matrix.check import is_packed
from mmaspec.oracle.hlsl_wave_matrix.program import (
    Fill,
    Load,
    Store,
    WaveMatrixProgram,
    simple_instructions,
)
from mmaspec.oracle.program import FromBuffer


def undefined(program: WaveMatrixProgram, _caps: WaveMmaCaps) -> frozenset[str]:
    """Boundaries that a valid, resolved program crosses.

    WM-BOUNDS: an access outside a view (WM-AMB-14: the document does not mention it).
    WM-HAZARD: a byte that one access stores and another one, of any wave or pass, loads or stores. The
    lanes of a wave share an access in a way that is not exposed, and there is no barrier between.
    """
    stored = {buffer.name: np.zeros(buffer.size, np.int64) for buffer in program.buffers}
    loaded = {buffer.name: np.zeros(buffer.size, np.bool_) for buffer in program.buffers}
    crossed: set[str] = set()

    def touch(name: str, addresses: Addresses, size: int, *, store: bool) -> None:
        spread: NDArray[np.int64] = (addresses.reshape(-1, 1) + np.arange(size)).ravel()
        if spread.min() < 0 or spread.max() >= stored[name].size:
            crossed.add("WM-BOUNDS")
        elif store:
            np.add.at(stored[name], spread, 1)
        else:
            loaded[name][spread] = True

    for instruction, passes in simple_instructions(program):
        match instruction:
            case Fill(value=FromBuffer() as scalar):
                matrix = program.matrix(instruction.matrix)
                size = 4 if is_packed(matrix) else element_bytes(matrix)
                touch(scalar.buffer, np.array([scalar.offset]), size, store=False)
            case Load() | Store():
                matrix = program.matrix(instruction.matrix)
                for wave in range(program.waves):
                    for loop in range(passes):
                        addresses = access_addresses(instruction, matrix, wave, loop)
                        touch(
                            instruction.buffer, addresses, element_bytes(matrix), store=isinstance(instruction, Store)
                        )
            case _:
                pass
    for name, times in stored.items():
        if (times > 1).any() or (loaded[name] & (times > 0)).any():
            crossed.add("WM-HAZARD")
    return frozenset(crossed)
