"""A program with every intermediate state stored, so that the first wrong instruction can be told."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from mmaspec.oracle.hlsl_wave_matrix.addresses import BUFFER_ALIGNMENT, memory_row_bytes
from mmaspec.oracle.spec import Observed
from mmaspec.programs.base import Affine, Buffer, Place
from mmaspec.programs.hlsl_wave_matrix.program import (
    Barrier,
    Branch,
    Copy,
    Instruction,
    Load,
    MatrixDepth,
    Repeat,
    Simple,
    Store,
    WaveMatrixProgram,
)


def observe(program: WaveMatrixProgram) -> Observed:
    """After every instruction that writes a matrix, a tight Store into a buffer of its own.

    It goes row-major, except that it keeps the orientation of a Load from a buffer: the fewer circumstances the
    store adds, the surer is the place that it shows.
    The buffer of an instruction in a loop holds all its passes, one after the other; ``shows`` names the
    first of them.
    """
    buffers: list[Buffer] = []
    shows: dict[str, Place] = {}

    def watch(instruction: Simple, path: tuple[int, ...], passes: int) -> Iterator[Simple]:
        yield instruction
        if isinstance(instruction, Store | MatrixDepth | Copy | Barrier):
            return
        matrix = program.matrix(instruction.matrix)
        col_major = instruction.col_major if isinstance(instruction, Load) else 0
        if isinstance(col_major, Affine):
            col_major = replace(col_major, lane=0)
        orientations = (col_major,) if isinstance(col_major, int) else (0, 1)
        row = max(memory_row_bytes(matrix, orientation) for orientation in orientations)
        if matrix.is_fragment:
            row = memory_row_bytes(matrix, 0) // matrix.cols
        stride = -(-row // BUFFER_ALIGNMENT) * BUFFER_ALIGNMENT
        lines = max(matrix.cols if orientation else matrix.rows for orientation in orientations)
        tile = (matrix.rows * matrix.cols if matrix.is_fragment else lines) * stride
        name = "seen-" + ".".join(str(step + 1) for step in path)
        buffers.append(Buffer(name, tile * program.waves * passes))
        shows[name] = Place(path)
        yield Store(matrix.name, name, Affine(0, tile, tile * program.waves), stride, col_major)

    body: list[Instruction] = []
    for outer, instruction in enumerate(program.body):
        if isinstance(instruction, Repeat | Branch):
            nested = [
                new
                for inner, simple in enumerate(instruction.body)
                for new in watch(simple, (outer, inner), instruction.count)
            ]
            body.append(replace(instruction, body=tuple(nested)))
        else:
            body.extend(watch(instruction, (outer,), 1))
    return Observed(replace(program, buffers=(*program.buffers, *buffers), body=tuple(body)), shows)
