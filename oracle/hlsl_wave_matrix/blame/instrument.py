"""The instrumented program: every intermediate state is stored, so that the first wrong instruction shows."""

from __future__ import annotations

from msgspec.structs import replace

from mmaspec.oracle.hlsl_wave_matrix.addresses import BUFFER_ALIGNMENT, memory_row_bytes
from mmaspec.oracle.spec import PLAIN, Instrumented
from mmaspec.programs.base import Affine, Buffer, Literal, Place, RunTime
from mmaspec.programs.formats import format_named
from mmaspec.programs.hlsl_wave_matrix.operands import writes
from mmaspec.programs.hlsl_wave_matrix.program import Fill, Load, Simple, Store, WaveMatrixProgram, is_packed
from mmaspec.programs.tree import at, instrument
from mmaspec.programs.tree import replace as replaced
from mmaspec.programs.unused import unused


def instrumented_otherwise(program: WaveMatrixProgram, instruction: Simple) -> Instrumented:
    """The same with all stores in the other orientation than that after an instruction has."""
    return _stored(program, 0 if _col_major(instruction) else 1)


def _col_major(instruction: Simple) -> int | Affine | RunTime:
    """The orientation in which the matrix that an instruction writes is stored."""
    col_major = instruction.col_major if isinstance(instruction, Load) else 0
    return replace(col_major, lane=0) if isinstance(col_major, Affine) else col_major


def instrumented(program: WaveMatrixProgram) -> Instrumented:
    """After every instruction that writes a matrix, a tight Store into a buffer of its own.

    It goes row-major, except that it keeps the orientation of a Load from a buffer: the fewer circumstances the
    store adds, the surer is the place that it shows.
    The buffer of an instruction in a loop holds all its passes, one after the other; ``shows`` names the
    first of them.
    """
    return _stored(program, None)


def filled(program: WaveMatrixProgram, place: Place) -> WaveMatrixProgram | None:
    """A Fill in place of what an instruction writes into its matrix; None where it writes none, or is a Fill."""
    instruction: Simple = at(program, place)
    name = writes(instruction)
    if name is None or isinstance(instruction, Fill):
        return None
    matrix = program.matrix(name)
    bits = PLAIN if is_packed(matrix) else PLAIN & format_named(matrix.element).mask
    return replaced(program, place, Fill(name, Literal(bits)))


def _stored(program: WaveMatrixProgram, all_as: int | None) -> Instrumented:
    """The same; every store in the orientation ``all_as``, if that is given."""
    taken = {buffer.name for buffer in program.buffers}

    def stored(place: Place, instruction: Simple, passes: int) -> tuple[Store, Buffer] | None:
        name = writes(instruction)
        if name is None:
            return None
        matrix = program.matrix(name)
        col_major = _col_major(instruction) if all_as is None else all_as
        orientations = (col_major,) if isinstance(col_major, int) else (0, 1)
        row = max(memory_row_bytes(matrix, orientation) for orientation in orientations)
        if matrix.is_fragment:
            row = memory_row_bytes(matrix, 0) // matrix.cols
        stride = -(-row // BUFFER_ALIGNMENT) * BUFFER_ALIGNMENT
        lines = max(matrix.cols if orientation else matrix.rows for orientation in orientations)
        tile = (matrix.rows * matrix.cols if matrix.is_fragment else lines) * stride
        seen = unused("seen-" + ".".join(str(step + 1) for step in place.path), taken)
        buffer = Buffer(seen, tile * program.waves * passes)
        return Store(matrix.name, buffer.name, Affine(0, tile, tile * program.waves), stride, col_major), buffer

    return Instrumented(*instrument(program, stored))
