"""Whether something decoded is a program at all: names exist, numbers are in range.

What fails here is no breach of the specification but input that cannot be used.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from mmaspec.oracle.errors import BadInput
from mmaspec.oracle.hlsl_wave_matrix.caps import DATATYPES, WaveMmaCaps
from mmaspec.oracle.hlsl_wave_matrix.program import (
    Fill,
    Load,
    Matrix,
    Multiply,
    MultiplyAccumulate,
    Repeat,
    Simple,
    Store,
    WaveMatrixProgram,
    simple_instructions,
)
from mmaspec.oracle.numerics.formats import FORMATS
from mmaspec.oracle.program import Affine, FromBuffer, Index, Literal, RunTime, at

VIEW_ALIGNMENT = 16
"""Direct3D places the view of a byte-address buffer on a multiple of 16 bytes."""
MAX_WAVES = 32
MAX_PASSES = 256
MAX_EXTENT = 1024
MAX_ELEMENTS = 1 << 22
"""Most elements that a single instruction may move or compute over all waves and passes."""
MAX_ARGUMENT = (1 << 32) - 1


def check_names(program: WaveMatrixProgram, caps: WaveMmaCaps) -> None:
    """Raise ``BadInput``, one line, for the first thing that makes this no program for these caps."""
    _check_buffers(program)
    _expect(1 <= program.waves <= MAX_WAVES, f"program: {program.waves} waves; expected 1 to {MAX_WAVES}")
    _unique("matrix", (matrix.name for matrix in program.matrices))
    for matrix in program.matrices:
        _check_matrix(matrix, caps)
    for instruction in program.body:
        if isinstance(instruction, Repeat):
            _expect(
                1 <= instruction.count <= MAX_PASSES, f"repeat: {instruction.count} passes; expected 1 to {MAX_PASSES}"
            )
    for instruction, passes in simple_instructions(program):
        _check_instruction(program, instruction, passes)


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


def _check_matrix(matrix: Matrix, caps: WaveMmaCaps) -> None:
    wanted = ("m", "n") if matrix.kind == "accumulator" else ("m", "n", "k")
    for name in wanted:
        extent = getattr(matrix, name)
        _expect(1 <= extent <= MAX_EXTENT, f"matrix {matrix.name}: {name} = {extent}; expected 1 to {MAX_EXTENT}")
    if matrix.kind == "accumulator":
        _expect(matrix.k == 0, f"matrix {matrix.name}: an accumulator has no k")
        return
    datatype = DATATYPES.get(matrix.element)
    answer = caps.answer(datatype, matrix.m, matrix.n) if datatype else None
    if answer is not None:
        # K is a constant of the device (WM-K-UNIQUE), which a program has to be written for.
        _expect(
            matrix.k == answer.k, f"matrix {matrix.name}: written for K = {matrix.k}; the caps report K = {answer.k}"
        )


def _check_instruction(program: WaveMatrixProgram, instruction: Simple, passes: int) -> None:
    matrix = declared(program, instruction.matrix)
    _expect(
        program.waves * passes * matrix.rows * matrix.cols <= MAX_ELEMENTS,
        f"matrix {matrix.name}: more than {MAX_ELEMENTS} elements over all waves and passes",
    )
    match instruction:
        case Fill(value=Literal(bits=bits)):
            width = 32 if is_packed(matrix) else FORMATS[matrix.element].bits
            _expect(0 <= bits < 1 << width, f"fill {matrix.name}: value {bits:#x}; expected {width} bits")
        case Fill(value=FromBuffer() as scalar):
            _buffer(program, scalar.buffer)
            _expect(0 <= scalar.offset <= MAX_ARGUMENT, f"fill {matrix.name}: offset {scalar.offset}")
        case Load() | Store():
            _buffer(program, instruction.buffer)
            _expect(0 <= instruction.alignment <= MAX_ARGUMENT, f"{matrix.name}: alignment {instruction.alignment}")
            for name in ("offset", "stride", "col_major"):
                values = set(argument_values(getattr(instruction, name), program.waves, passes))
                top = 1 if name == "col_major" else MAX_ARGUMENT
                _expect(min(values) >= 0 and max(values) <= top, f"{matrix.name}: {name} outside 0 to {top}")
        case Multiply() | MultiplyAccumulate():
            declared(program, instruction.left)
            declared(program, instruction.right)


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
        for wave in range(waves if index.wave else 1):
            for loop in range(passes if index.loop else 1):
                yield at(index, wave, loop)
    else:
        yield index


def is_packed(matrix: Matrix) -> bool:
    """Whether four elements share a dword: ``uint8_t4_packed`` or ``int8_t4_packed``."""
    return matrix.element in ("u8", "s8")
