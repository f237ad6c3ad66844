"""What each instruction of a well-formed program names, and which numbers its arguments may be."""

from __future__ import annotations

from mmaspec.programs.arguments import argument_values
from mmaspec.programs.base import Affine, FromBuffer, Index, Literal
from mmaspec.programs.errors import BadInput
from mmaspec.programs.formats import FORMATS
from mmaspec.programs.hlsl_linalg.components import COMPONENTS, SCALARS
from mmaspec.programs.hlsl_linalg.program import (
    AccumulatorLayout,
    Beyond,
    Cast,
    Convert,
    ConvertLayout,
    Copy,
    CountElements,
    InterlockedAccumulate,
    LinalgProgram,
    Load,
    MemoryBias,
    MultiplyVector,
    ReadElements,
    Simple,
    Splat,
    Store,
    Unstage,
    VectorAccumulate,
    VectorLoad,
    VectorStore,
    WriteElements,
)
from mmaspec.programs.hlsl_linalg.removed import FromThreadVectors, GetThreadVector, Operate, Unary
from mmaspec.programs.well_formed import MAX_ARGUMENT, MAX_ELEMENTS, check_argument, check_uniform, named, within

WORD = 4
"""Bytes of what plain code of a shader loads and stores at once, at least where nothing narrower is named."""


def scalar_bytes(component: str) -> int:
    """Bytes of the HLSL scalar that holds a component, or several."""
    return FORMATS[SCALARS[COMPONENTS[component].scalar]].nbytes


def check_instruction(program: LinalgProgram, instruction: Simple, passes: int, at: str) -> None:
    """Raise ``BadInput`` for a name of the wrong kind, or a number out of range. ``at`` says where it stands."""
    _check_kinds(program, instruction, at)
    match instruction:
        case Splat() | Operate():
            _check_scalar(program, instruction, at)
        case Load() | Store() | InterlockedAccumulate():
            _check_access(program, instruction, passes, at)
        case ReadElements() | WriteElements():
            _check_elements(program, instruction, passes, at)
        case Beyond():
            _check_beyond(program, instruction, passes, at)
        case CountElements() | AccumulatorLayout():
            _check_plain(program, instruction.buffer, instruction.offset, passes, at, WORD, target=True)
        case VectorLoad() | VectorStore():
            size = scalar_bytes(program.vector(instruction.vector).component)
            target = isinstance(instruction, VectorStore)
            _check_plain(program, instruction.buffer, instruction.offset, passes, at, size, target=target)
        case VectorAccumulate():
            _buffer(program, instruction.buffer, at)
            within(at, "alignment", instruction.align, 0, MAX_ARGUMENT)
            _check_index(program, "offset", instruction.offset, passes, at)
        case MultiplyVector() if isinstance(instruction.bias, MemoryBias):
            bias = instruction.bias
            _check_plain(program, bias.buffer, bias.offset, passes, at, scalar_bytes(bias.component), target=False)
        case Copy():
            _check_copy(program, instruction, passes, at)
        case ConvertLayout():
            _check_conversion(program, instruction, at)
        case GetThreadVector():
            within(at, "index", instruction.index, 0, MAX_ELEMENTS)
        case _:
            pass


_MATRICES = ("matrix", "a", "b", "operand")
_VECTORS = ("vector", "column", "row", "bias")
"""Fields of instructions that name a matrix or a vector; what ``source`` names depends on the instruction."""


def _check_kinds(program: LinalgProgram, instruction: Simple, at: str) -> None:
    matrices: list[str] = [*_MATRICES]
    vectors: list[str] = [*_VECTORS]
    if isinstance(instruction, Cast | Unary):
        matrices.append("source")
    elif isinstance(instruction, Convert | MultiplyVector | FromThreadVectors):
        vectors.append("source")
    for kind, fields, known in (
        ("matrix", matrices, [each.name for each in program.matrices]),
        ("vector", vectors, [each.name for each in program.vectors]),
    ):
        for field in fields:
            name = getattr(instruction, field, None)
            if isinstance(name, str):
                named(at, kind, name, known)


def _buffer(program: LinalgProgram, name: str, at: str) -> None:
    named(at, "buffer", name, (buffer.name for buffer in program.buffers))


def _bits(at: str, what: str, value: int, width: int) -> None:
    if not 0 <= value < 1 << width:
        raise BadInput(f"{at}: {what} {value:#x}; expected {width} bits")


def _check_index(program: LinalgProgram, what: str, index: Index, passes: int, at: str) -> None:
    """An argument of which every lane may have its own value."""
    check_argument(at, what, index, program.waves, passes, 0, MAX_ARGUMENT)
    if isinstance(index, Affine) and index.lane:
        last = Affine(index.base + index.lane * (program.wave_size - 1), index.wave, index.loop, index.grid, index.row)
        check_argument(at, what, last, program.waves, passes, 0, MAX_ARGUMENT)


def _check_plain(
    program: LinalgProgram, name: str, index: Index, passes: int, at: str, size: int, *, target: bool
) -> None:
    """What plain code of the shader loads or stores: it begins at a multiple of its size, in a buffer it may write."""
    _buffer(program, name, at)
    if target and name in program.read_only:
        raise BadInput(f"{at}: buffer {name!r} is read-only")
    _check_index(program, "offset", index, passes, at)
    lane = index.lane if isinstance(index, Affine) else 0
    if lane % size or any(value % size for value in argument_values(index, program.waves, passes)):
        raise BadInput(f"{at}: an offset that is no multiple of {size}, the size of what lies there")


def _check_scalar(program: LinalgProgram, one: Splat | Operate, at: str) -> None:
    width = FORMATS[SCALARS[one.scalar]].bits
    match one.value:
        case Literal(bits=bits):
            _bits(at, "value", bits, width)
        case FromBuffer() as scalar:
            _check_plain(program, scalar.buffer, scalar.offset, 1, at, width // 8, target=False)
    _bits(at, "step of a lane", one.lane, width)
    _bits(at, "step of a wave", one.wave, width)


def _check_beyond(program: LinalgProgram, beyond: Beyond, passes: int, at: str) -> None:
    size = scalar_bytes(program.matrix(beyond.matrix).component)
    _check_plain(program, beyond.buffer, beyond.offset, passes, at, max(WORD, size), target=True)
    within(at, "past", beyond.past, 0, MAX_ARGUMENT)
    _bits(at, "value", beyond.value, 8 * size)


def _check_access(program: LinalgProgram, access: Load | Store | InterlockedAccumulate, passes: int, at: str) -> None:
    shared = program.array(access.memory) is not None
    if shared and access.align:
        raise BadInput(f"{at}: access to an array with an alignment")
    if not shared:
        _buffer(program, access.memory, at)
        if isinstance(access, InterlockedAccumulate) and access.target is not None:
            raise BadInput(f"{at}: only an array is accumulated in a type that is named")
    within(at, "alignment", access.align, 0, MAX_ARGUMENT)
    _check_index(program, "offset", access.offset, passes, at)
    _check_index(program, "stride", access.stride, passes, at)


def _check_elements(program: LinalgProgram, loop: ReadElements | WriteElements, passes: int, at: str) -> None:
    size = scalar_bytes(program.matrix(loop.matrix).component)
    _check_plain(program, loop.buffer, loop.offset, passes, at, size, target=isinstance(loop, ReadElements))
    _check_plain(program, loop.buffer, loop.stride, passes, at, size, target=False)
    for what in ("offset", "stride"):
        check_uniform(at, what, getattr(loop, what))
    if isinstance(loop, WriteElements):
        within(at, "modulo", loop.modulo, 0, MAX_ELEMENTS)
        within(at, "remainder", loop.keep, 0, max(loop.modulo - 1, 0))


def _check_copy(program: LinalgProgram, copy: Copy, passes: int, at: str) -> None:
    named(at, "groupshared array", copy.array, (array.name for array in program.arrays))
    array = program.array(copy.array)
    assert array is not None
    size = FORMATS[SCALARS[array.element]].nbytes
    _check_plain(program, copy.buffer, copy.start, passes, at, size, target=isinstance(copy, Unstage))
    check_argument(at, "offset", copy.offset, 1, passes, 0, MAX_ARGUMENT)
    within(at, "elements over all passes", passes * copy.count, 1, MAX_ELEMENTS)
    for what in ("start", "offset"):
        index = getattr(copy, what)
        if isinstance(index, Affine) and (index.wave or index.row or index.lane):
            raise BadInput(f"{at}: {what} differs in the group")


def _check_conversion(program: LinalgProgram, conversion: ConvertLayout, at: str) -> None:
    _buffer(program, conversion.source, at)
    _buffer(program, conversion.target, at)
    within(at, "m =", conversion.m, 1, MAX_ELEMENTS)
    within(at, "n =", conversion.n, 1, MAX_ELEMENTS)
    within(at, "elements", conversion.m * conversion.n, 1, MAX_ELEMENTS)
    for what in ("source_offset", "target_offset", "source_stride", "target_stride"):
        within(at, what.replace("_", " "), getattr(conversion, what), 0, MAX_ARGUMENT)
