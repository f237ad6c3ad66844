"""A program as an HLSL compute shader, for a reader to try."""

from __future__ import annotations

from collections.abc import Iterator

from mmaspec.oracle.hlsl_wave_matrix.addresses import cells
from mmaspec.oracle.hlsl_wave_matrix.wave_sizes import wave_size
from mmaspec.programs.base import Affine, Index, Literal, RunTime
from mmaspec.programs.formats import FORMATS
from mmaspec.programs.hlsl_wave_matrix.caps import WaveMmaCaps
from mmaspec.programs.hlsl_wave_matrix.program import (
    Add,
    Barrier,
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
    Simple,
    Stage,
    Store,
    SumAccumulate,
    WaveMatrixProgram,
    is_packed,
)
from mmaspec.programs.hlsl_wave_matrix.well_formed import declared
from mmaspec.programs.outside import in_one_wave

TYPES = {
    "f16": "float16_t",
    "f32": "float32_t",
    "f64": "float64_t",
    "s8": "int8_t4_packed",
    "u8": "uint8_t4_packed",
    "s16": "int16_t",
    "u16": "uint16_t",
    "s32": "int32_t",
    "u32": "uint32_t",
}
"""Element -> type of the shading language."""

RESERVED = frozenset(
    {"in", "out", "inout", "wave", "lane", "i", "pass", "matrix", "vector", "uniform", "half", "float", "int"}
)
"""Words of the language, or of the text below, that a program may use as names."""

CLASSES = {
    "left": "WaveMatrixLeft",
    "right": "WaveMatrixRight",
    "accumulator": "WaveMatrixAccumulator",
    "left-col-acc": "WaveMatrixLeftColAcc",
    "right-row-acc": "WaveMatrixRightRowAcc",
}


def text(program: WaveMatrixProgram, caps: WaveMmaCaps) -> str:
    """The program in HLSL, one shader with an entry point of its own."""
    size = wave_size(program, caps)
    program = program if program.waves > 1 else in_one_wave(program)
    threads = program.threads or size * program.waves
    lines = [*_bindings(program), *_arrays(program)]
    lines += [f"static const uint GROUP_SIZE = {threads};"] if program.arrays else []
    lines += ["", f"[wavesize({size})]", f"[numthreads({threads}, 1, 1)]"]
    lines += ["void CSMain(uint groupIndex : SV_GroupIndex)", "{"]
    if program.waves > 1:
        lines.append(f"    const uint wave = groupIndex / {size};")
    if _names_lanes(program):
        lines.append("    const uint lane = WaveGetLaneIndex();")
    lines += [f"    {_declaration(matrix)}" for matrix in program.matrices]
    for number, instruction in enumerate(program.body):
        if isinstance(instruction, Repeat | Branch):
            loop = f"pass{number + 1}"
            head = f"for (uint {loop} = 0; {loop} < {instruction.count}; ++{loop})"
            if isinstance(instruction, Branch):
                head, loop = f"if (WaveGetLaneIndex() < {instruction.lanes})", "0"
            lines += [f"    {head}", "    {"]
            lines += [f"        {line}" for nested in instruction.body for line in _lines(program, nested, loop)]
            lines.append("    }")
        else:
            lines += [f"    {line}" for line in _lines(program, instruction, "0")]
    return "\n".join([*lines, "}", ""])


def _names_lanes(node: object) -> bool:
    """Whether some argument or branch of a program differs between lanes."""
    if isinstance(node, tuple):
        return any(_names_lanes(one) for one in node)
    if getattr(node, "lane", 0):
        return True
    names: tuple[str, ...] = getattr(node, "__struct_fields__", ())
    return any(_names_lanes(getattr(node, name)) for name in names)


def _identifier(name: str) -> str:
    plain = "".join(letter if letter.isascii() and letter.isalnum() else "_" for letter in name)
    return f"{plain}_" if plain in RESERVED else plain if plain[:1].isalpha() else f"x{plain}"


def _bindings(program: WaveMatrixProgram) -> Iterator[str]:
    views, targets = 0, 0
    for buffer in program.buffers:
        comment = f"// {buffer.size} bytes, the view at {buffer.base} of its allocation"
        if buffer.name in program.read_only:
            yield f"ByteAddressBuffer {_identifier(buffer.name)} : register(t{views}); {comment}"
            views += 1
        else:
            yield f"RWByteAddressBuffer {_identifier(buffer.name)} : register(u{targets}); {comment}"
            targets += 1


def _arrays(program: WaveMatrixProgram) -> Iterator[str]:
    for array in program.arrays:
        yield f"groupshared {TYPES[array.element]} {_identifier(array.name)}[{array.length}];"


def _declaration(matrix: Matrix) -> str:
    depth = f" // written for K = {matrix.k}" if matrix.k else ""
    return f"{CLASSES[matrix.kind]}<{TYPES[matrix.element]}, {matrix.m}, {matrix.n}> {_identifier(matrix.name)};{depth}"


def _index(index: Index, loop: str) -> str:
    if isinstance(index, RunTime):
        return f"{_identifier(index.buffer)}.Load({index.offset})"
    if not isinstance(index, Affine):
        return str(index)
    across, down = (f"(wave % {index.grid})", f"(wave / {index.grid})") if index.grid else ("wave", "0")
    named = ((index.wave, across), (index.row, down), (index.loop, loop), (index.lane, "lane"))
    terms = [f"{factor} * {name}" for factor, name in named if factor and name != "0"]
    return " + ".join([*([str(index.base)] if index.base or not terms else []), *terms])


def _orientation(index: Index, loop: str) -> str:
    if isinstance(index, int):
        return "true" if index else "false"
    if isinstance(index, Affine) and index.lane:
        return f"bool(({_index(index, loop)}) & 1)"
    return f"bool({_index(index, loop)})"


def _value(instruction: Fill | ScalarOperation, matrix: Matrix) -> str:
    value = instruction.value
    wide = 32 if is_packed(matrix) else FORMATS[matrix.element].bits
    bits = f"uint{wide}_t(0x{value.bits:x})" if isinstance(value, Literal) else ""
    if not isinstance(value, Literal):
        bits = f"{_identifier(value.buffer)}.Load<uint{wide}_t>({value.offset})"
    if instruction.lane:
        bits = f"uint{wide}_t({bits} + {instruction.lane} * lane)"  # operators make 32 bits of 16
    if is_packed(matrix):
        return f"({TYPES[matrix.element]})({bits})"
    return f"as{'float' if FORMATS[matrix.element].is_float else 'int'}{'16' if wide == 16 else ''}({bits})"


def _lines(program: WaveMatrixProgram, instruction: Simple, loop: str) -> list[str]:
    if isinstance(instruction, Barrier):
        return ["GroupMemoryBarrierWithGroupSync();"]
    if isinstance(instruction, Copy):
        return _copy(program, instruction, loop)
    return [_statement(program, instruction, loop)]


def _copy(program: WaveMatrixProgram, copy: Copy, loop: str) -> list[str]:
    """A loop over all elements, dealt out to the threads of the group."""
    array = program.array(copy.array)
    element = array.element if array else "u32"
    size = FORMATS[element].nbytes * cells(element)
    kind, count = TYPES[element], copy.rows * copy.columns
    to = f"{_identifier(copy.array)}[{_index(copy.offset, loop)} + i]"
    at = f"{_index(copy.start, loop)} + i / {copy.columns} * {copy.pitch} + i % {copy.columns} * {size}"
    buffer = _identifier(copy.buffer)
    move = f"{to} = {buffer}.Load<{kind}>({at});" if isinstance(copy, Stage) else f"{buffer}.Store<{kind}>({at}, {to});"
    return [f"for (uint i = groupIndex; i < {count}; i += GROUP_SIZE) {move}"]


def _statement(program: WaveMatrixProgram, instruction: Method, loop: str) -> str:
    matrix = _identifier(instruction.matrix)
    match instruction:
        case Load() | Store():
            verb = "Load" if isinstance(instruction, Load) else "Store"
            arguments = [
                _identifier(instruction.buffer),
                _index(instruction.offset, loop),
                _index(instruction.stride, loop),
            ]
            if not declared(program, instruction.matrix).is_fragment:
                arguments.append(f"/*bColMajor*/{_orientation(instruction.col_major, loop)}")
            arguments += [str(instruction.alignment)] if instruction.alignment else []
            return f"{matrix}.{verb}({', '.join(arguments)});"
        case Multiply() | MultiplyAccumulate():
            verb = type(instruction).__name__
            return f"{matrix}.{verb}({_identifier(instruction.left)}, {_identifier(instruction.right)});"
        case SumAccumulate() | Add():
            return f"{matrix}.{type(instruction).__name__}({_identifier(instruction.operand)});"
        case MatrixDepth():
            where = _index(instruction.offset, loop)
            return f"{_identifier(instruction.buffer)}.Store({where}, {matrix}.MatrixDepth());"
        case Fill() | ScalarOperation():
            value = _value(instruction, declared(program, instruction.matrix))
            return f"{matrix}.{type(instruction).__name__}({value});"
