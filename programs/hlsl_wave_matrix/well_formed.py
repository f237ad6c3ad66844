"""Checks that a decoded program is well-formed: names exist, numbers are in range.

What fails here is no breach of the specification but input that cannot be used.
"""

from __future__ import annotations

from mmaspec.programs.base import Affine, FromBuffer, Literal
from mmaspec.programs.errors import BadInput
from mmaspec.programs.formats import FORMATS
from mmaspec.programs.hlsl_wave_matrix.program import (
    FACTORS,
    Add,
    Branch,
    Copy,
    Fill,
    Load,
    Matrix,
    MatrixDepth,
    Method,
    Multiply,
    MultiplyAccumulate,
    ScalarOperation,
    Store,
    SumAccumulate,
    Unstage,
    WaveMatrixProgram,
    is_packed,
)
from mmaspec.programs.tree import walk
from mmaspec.programs.well_formed import (
    MAX_ARGUMENT,
    MAX_ELEMENTS,
    check_argument,
    check_elements,
    check_frame,
    check_uniform,
    named,
    where,
    within,
)

VIEW_ALIGNMENT = 16
"""Direct3D places the view of a byte-address buffer on a multiple of 16 bytes."""
MAX_EXTENT = 1024
"""The most that M, N or K may be: 16 times the largest M and N that can be asked for."""
MAX_LENGTH = 1 << 20
"""Elements of an array: beyond what a thread group has, so that rules can see a program that is only too large."""
MAX_THREADS = 1024
"""Direct3D's largest thread group."""


def check_well_formed(program: WaveMatrixProgram) -> None:
    """Raise ``BadInput``, one line, for the first reason why this is not a well-formed program."""
    arrays = [array.name for array in program.arrays]
    names = {
        "buffer or array": [*(buffer.name for buffer in program.buffers), *arrays],
        "matrix": [matrix.name for matrix in program.matrices],
    }
    check_frame(program, alignment=VIEW_ALIGNMENT, names=names)
    for name in program.read_only:
        _buffer("program: read-only", program, name)
    for array in program.arrays:
        within(f"array {array.name}", "length", array.length, 1, MAX_LENGTH)
    for matrix in program.matrices:
        _check_matrix(matrix)
    if program.threads:
        within("program", "threads", program.threads, 1, MAX_THREADS)
    if program.wave_size:
        within("program", "wave size", program.wave_size, 1, MAX_THREADS)
    for instruction in program.body:
        if isinstance(instruction, Branch):
            within("program", "lanes of a branch", instruction.lanes, 1, MAX_THREADS)
    for place, instruction, passes in walk(program):
        if isinstance(instruction, Method):
            _check_method(program, instruction, passes, where(place))
        elif isinstance(instruction, Copy):
            _check_copy(program, instruction, passes, where(place))


def _expect(condition: bool, message: str) -> None:
    if not condition:
        raise BadInput(message)


def _check_matrix(matrix: Matrix) -> None:
    factor = matrix.kind in FACTORS
    for name in ("m", "n", "k") if factor else ("m", "n"):
        extent = getattr(matrix, name)
        _expect(1 <= extent <= MAX_EXTENT, f"matrix {matrix.name}: {name} = {extent}; expected 1 to {MAX_EXTENT}")
    if not factor:
        _expect(matrix.k == 0, f"matrix {matrix.name}: an accumulator has no k")


def _check_method(program: WaveMatrixProgram, instruction: Method, passes: int, at: str) -> None:
    matrix = declared(program, instruction.matrix, at)
    check_elements(at, program, passes, matrix.rows * matrix.cols)
    match instruction:
        case Fill() | ScalarOperation():
            _check_scalar(program, instruction, matrix, at)
        case Load() | Store():
            _check_access(program, instruction, matrix, passes, at)
        case Multiply() | MultiplyAccumulate():
            declared(program, instruction.left, at)
            declared(program, instruction.right, at)
        case SumAccumulate() | Add():
            declared(program, instruction.operand, at)
        case MatrixDepth():
            _target(at, program, instruction.buffer)
            check_argument(at, "offset", instruction.offset, program.waves, passes, 0, MAX_ARGUMENT)
            check_uniform(at, "offset", instruction.offset)


def _check_scalar(program: WaveMatrixProgram, instruction: Fill | ScalarOperation, matrix: Matrix, at: str) -> None:
    width = 32 if is_packed(matrix) else FORMATS[matrix.element].bits
    match instruction.value:
        case Literal(bits=bits):
            _expect(0 <= bits < 1 << width, f"{at}: value {bits:#x}; expected {width} bits")
        case FromBuffer() as scalar:
            _buffer(at, program, scalar.buffer)
            within(at, "scalar at byte", scalar.offset, 0, MAX_ARGUMENT)
    _expect(0 <= instruction.lane < 1 << width, f"{at}: {instruction.lane} a lane; expected {width} bits")


def _check_access(program: WaveMatrixProgram, access: Load | Store, matrix: Matrix, passes: int, at: str) -> None:
    if program.array(access.buffer) is not None:
        _expect(access.alignment == 0, f"{at}: access to an array with an alignment")
    else:
        _buffer(at, program, access.buffer)
        within(at, "alignment", access.alignment, 0, MAX_ARGUMENT)
    if matrix.is_fragment:
        _expect(access.col_major == 0, f"{at}: a fragment has no orientation")
    for name in ("offset", "stride", "col_major"):
        top = 1 if name == "col_major" else MAX_ARGUMENT
        check_argument(at, name, getattr(access, name), program.waves, passes, 0, top)


def _check_copy(program: WaveMatrixProgram, copy: Copy, passes: int, at: str) -> None:
    named(at, "groupshared array", copy.array, (array.name for array in program.arrays))
    if isinstance(copy, Unstage):
        _target(at, program, copy.buffer)
    _buffer(at, program, copy.buffer)
    _expect(copy.rows >= 1 and copy.columns >= 1, f"{at}: {copy.rows} runs of {copy.columns} elements")
    within(at, "elements over all passes", passes * copy.rows * copy.columns, 1, MAX_ELEMENTS)
    within(at, "pitch", copy.pitch, 0, MAX_ARGUMENT)
    for name in ("start", "offset"):
        index = getattr(copy, name)
        check_uniform(at, name, index)
        _expect(not isinstance(index, Affine) or not (index.wave or index.row), f"{at}: {name} differs in the group")
        check_argument(at, name, index, 1, passes, 0, MAX_ARGUMENT)


def _target(at: str, program: WaveMatrixProgram, name: str) -> None:
    """What plain code of the shader writes to; Stores of matrices are for WM-STORE-TARGET."""
    _buffer(at, program, name)
    _expect(name not in program.read_only, f"{at}: buffer {name!r} is read-only")


def declared(program: WaveMatrixProgram, name: str, at: str = "program") -> Matrix:
    """The matrix of that name; ``BadInput`` if there is none."""
    named(at, "matrix", name, (matrix.name for matrix in program.matrices))
    return program.matrix(name)


def _buffer(at: str, program: WaveMatrixProgram, name: str) -> None:
    named(at, "buffer", name, (buffer.name for buffer in program.buffers))
