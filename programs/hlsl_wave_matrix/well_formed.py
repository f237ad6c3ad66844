"""Whether something decoded is a program at all: names exist, numbers are in range.

What fails here is no breach of the specification but input that cannot be used.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from mmaspec.oracle.hlsl_wave_matrix.caps_support import wave_sizes
from mmaspec.programs.base import Affine, FromBuffer, Index, Literal, RunTime, at
from mmaspec.programs.errors import BadInput
from mmaspec.programs.formats import FORMATS
from mmaspec.programs.hlsl_wave_matrix.caps import DATATYPES, WaveMmaCaps
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
    Repeat,
    ScalarOperation,
    Store,
    SumAccumulate,
    Unstage,
    WaveMatrixProgram,
    simple_instructions,
)

VIEW_ALIGNMENT = 16
"""Direct3D places the view of a byte-address buffer on a multiple of 16 bytes."""
MAX_WAVES = 32
MAX_PASSES = 256
MAX_EXTENT = 1024
MAX_ELEMENTS = 1 << 22
"""Most elements that a single instruction may move or compute over all waves and passes."""
MAX_ARGUMENT = (1 << 32) - 1
MAX_THREADS = 1024
"""Direct3D's largest thread group."""


def check_names(program: WaveMatrixProgram, caps: WaveMmaCaps) -> None:
    """Raise ``BadInput``, one line, for the first thing that makes this no program for these caps."""
    _check_buffers(program)
    _check_arrays(program)
    _expect(1 <= program.waves <= MAX_WAVES, f"program: {program.waves} waves; expected 1 to {MAX_WAVES}")
    _unique("matrix", (matrix.name for matrix in program.matrices))
    for matrix in program.matrices:
        _check_matrix(matrix, caps)
    _check_threads(program, caps)
    for instruction in program.body:
        if isinstance(instruction, Repeat):
            _expect(
                1 <= instruction.count <= MAX_PASSES, f"repeat: {instruction.count} passes; expected 1 to {MAX_PASSES}"
            )
        elif isinstance(instruction, Branch):
            _expect(1 <= instruction.lanes <= MAX_THREADS, f"branch: {instruction.lanes} lanes; expected 1 or more")
    for instruction, passes in simple_instructions(program):
        if isinstance(instruction, Method):
            _check_method(program, instruction, passes)
        elif isinstance(instruction, Copy):
            _check_copy(program, instruction, passes)


def _expect(condition: bool, message: str) -> None:
    if not condition:
        raise BadInput(message)


def _unique(what: str, names: Iterable[str]) -> None:
    seen: set[str] = set()
    for name in names:
        _expect(name not in seen, f"program: two {what} declarations named {name!r}")
        seen.add(name)


def _check_buffers(program: WaveMatrixProgram) -> None:
    _unique("buffer", (buffer.name for buffer in program.buffers))
    for buffer in program.buffers:
        _expect(0 <= buffer.size <= 1 << 26, f"buffer {buffer.name}: {buffer.size} bytes; expected 0 to 2^26")
        fits = 0 <= buffer.base <= 1 << 16 and buffer.base % VIEW_ALIGNMENT == 0
        _expect(
            fits, f"buffer {buffer.name}: view at {buffer.base}; expected a multiple of {VIEW_ALIGNMENT} up to 2^16"
        )
    names = {buffer.name for buffer in program.buffers}
    for name in program.read_only:
        _expect(name in names, f"program: read-only buffer {name!r} is not declared")


def _check_arrays(program: WaveMatrixProgram) -> None:
    names = [buffer.name for buffer in program.buffers] + [array.name for array in program.arrays]
    _unique("buffer or array", names)
    for array in program.arrays:
        _expect(1 <= array.length <= 1 << 20, f"array {array.name}: {array.length} elements; expected 1 to 2^20")


def _check_threads(program: WaveMatrixProgram, caps: WaveMmaCaps) -> None:
    """A group that whole waves fill has as many of them as the program says; others are for WM-TG-DIVIS."""
    if not program.threads:
        return
    _expect(1 <= program.threads <= MAX_THREADS, f"program: {program.threads} threads; expected 1 to {MAX_THREADS}")
    for size in sorted(wave_sizes(program, caps)):
        fits = program.threads % size or program.threads // size == program.waves
        _expect(bool(fits), f"program: {program.threads} threads are not {program.waves} waves of {size}")


def _check_matrix(matrix: Matrix, caps: WaveMmaCaps) -> None:
    factor = matrix.kind in FACTORS
    for name in ("m", "n", "k") if factor else ("m", "n"):
        extent = getattr(matrix, name)
        _expect(1 <= extent <= MAX_EXTENT, f"matrix {matrix.name}: {name} = {extent}; expected 1 to {MAX_EXTENT}")
    if not factor:
        _expect(matrix.k == 0, f"matrix {matrix.name}: an accumulator has no k")
        return
    datatype = DATATYPES.get(matrix.element)
    answer = caps.answer(datatype, matrix.m, matrix.n) if datatype else None
    if answer is not None:
        # K is a constant of the device (WM-K-UNIQUE), which a program has to be written for.
        _expect(
            matrix.k == answer.k, f"matrix {matrix.name}: written for K = {matrix.k}; the caps report K = {answer.k}"
        )


def _check_method(program: WaveMatrixProgram, instruction: Method, passes: int) -> None:
    matrix = declared(program, instruction.matrix)
    _expect(
        program.waves * passes * matrix.rows * matrix.cols <= MAX_ELEMENTS,
        f"matrix {matrix.name}: more than {MAX_ELEMENTS} elements over all waves and passes",
    )
    match instruction:
        case Fill() | ScalarOperation():
            _check_scalar(program, instruction, matrix)
        case Load() | Store():
            _check_access(program, instruction, matrix, passes)
        case Multiply() | MultiplyAccumulate():
            declared(program, instruction.left)
            declared(program, instruction.right)
        case SumAccumulate() | Add():
            declared(program, instruction.operand)
        case MatrixDepth():
            _target(program, instruction.buffer)
            _range(instruction.offset, program.waves, passes, MAX_ARGUMENT, f"{matrix.name}: offset")
            _uniform(instruction.offset, f"{matrix.name}: offset")


def _check_scalar(program: WaveMatrixProgram, instruction: Fill | ScalarOperation, matrix: Matrix) -> None:
    width = 32 if is_packed(matrix) else FORMATS[matrix.element].bits
    match instruction.value:
        case Literal(bits=bits):
            _expect(0 <= bits < 1 << width, f"{matrix.name}: value {bits:#x}; expected {width} bits")
        case FromBuffer() as scalar:
            _buffer(program, scalar.buffer)
            _expect(0 <= scalar.offset <= MAX_ARGUMENT, f"{matrix.name}: scalar at byte {scalar.offset}")
    _expect(0 <= instruction.lane < 1 << width, f"{matrix.name}: {instruction.lane} a lane; expected {width} bits")


def _check_access(program: WaveMatrixProgram, access: Load | Store, matrix: Matrix, passes: int) -> None:
    shared = program.array(access.buffer) is not None
    if shared:
        _expect(access.alignment == 0, f"{matrix.name}: access to an array with an alignment")
    else:
        _buffer(program, access.buffer)
        _expect(0 <= access.alignment <= MAX_ARGUMENT, f"{matrix.name}: alignment {access.alignment}")
    if matrix.is_fragment:
        _expect(access.col_major == 0, f"{matrix.name}: a fragment has no orientation")
    for name in ("offset", "stride", "col_major"):
        top = 1 if name == "col_major" else MAX_ARGUMENT
        _range(getattr(access, name), program.waves, passes, top, f"{matrix.name}: {name}")


def _check_copy(program: WaveMatrixProgram, copy: Copy, passes: int) -> None:
    array = program.array(copy.array)
    _expect(array is not None, f"program: no groupshared array named {copy.array!r}")
    if isinstance(copy, Unstage):
        _target(program, copy.buffer)
    _buffer(program, copy.buffer)
    what = f"copy of {copy.array}"
    _expect(copy.rows >= 1 and copy.columns >= 1, f"{what}: {copy.rows} runs of {copy.columns} elements")
    _expect(passes * copy.rows * copy.columns <= MAX_ELEMENTS, f"{what}: more than {MAX_ELEMENTS} elements")
    _expect(0 <= copy.pitch <= MAX_ARGUMENT, f"{what}: pitch {copy.pitch}")
    for name in ("start", "offset"):
        index = getattr(copy, name)
        _uniform(index, f"{what}: {name}")
        _expect(not isinstance(index, Affine) or not (index.wave or index.row), f"{what}: {name} differs in the group")
        _range(index, 1, passes, MAX_ARGUMENT, f"{what}: {name}")


def _target(program: WaveMatrixProgram, name: str) -> None:
    """What plain code of the shader writes to; Stores of matrices are for WM-STORE-TARGET."""
    _buffer(program, name)
    _expect(name not in program.read_only, f"program: buffer {name!r} is read-only")


def _uniform(index: Index, what: str) -> None:
    _expect(not isinstance(index, Affine) or not index.lane, f"{what} differs from lane to lane")


def _range(index: Index, waves: int, passes: int, top: int, what: str) -> None:
    values = list(argument_values(index, waves, passes))
    _expect(min(values) >= 0 and max(values) <= top, f"{what} outside 0 to {top}")


def declared(program: WaveMatrixProgram, name: str) -> Matrix:
    """The matrix of that name; ``BadInput`` if there is none."""
    try:
        return program.matrix(name)
    except KeyError:
        raise BadInput(f"program: no matrix named {name!r}") from None


def _buffer(program: WaveMatrixProgram, name: str) -> None:
    names = [buffer.name for buffer in program.buffers]
    _expect(name in names, f"program: no buffer named {name!r}; there are {', '.join(names) or 'none'}")


def argument_values(index: Index, waves: int, passes: int) -> Iterator[int]:
    """Every value that a resolved argument takes."""
    if isinstance(index, RunTime):
        raise BadInput(f"program: the argument at byte {index.offset} of buffer {index.buffer} is not resolved")
    if isinstance(index, Affine):
        if index.grid < 0:
            raise BadInput(f"program: a grid {index.grid} waves wide")
        for wave in range(waves if index.wave or index.row else 1):
            for loop in range(passes if index.loop else 1):
                yield at(index, wave, loop)
    else:
        yield index


def is_packed(matrix: Matrix) -> bool:
    """Whether four elements share a dword: ``uint8_t4_packed`` or ``int8_t4_packed``."""
    return matrix.element in ("u8", "s8")
