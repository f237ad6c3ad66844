"""A program as an HLSL compute shader, for a reader to try."""

from __future__ import annotations

from collections.abc import Iterator

from mmaspec.oracle.hlsl_wave_matrix.caps import DATATYPES, WaveMmaCaps
from mmaspec.oracle.hlsl_wave_matrix.check import declared, is_packed
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
)
from mmaspec.oracle.program import Affine, Index, Literal, RunTime

ANY_WAVE_SIZE = 32
"""Lanes per wave in the text where the device requires none."""

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

RESERVED = frozenset({"in", "out", "inout", "wave", "pass", "matrix", "vector", "uniform", "half", "float", "int"})
"""Words of the language, or of the text below, that a program may use as names."""

CLASSES = {"left": "WaveMatrixLeft", "right": "WaveMatrixRight", "accumulator": "WaveMatrixAccumulator"}


def text(program: WaveMatrixProgram, caps: WaveMmaCaps) -> str:
    """The program in HLSL, one shader with an entry point of its own."""
    size = wave_size(program, caps)
    lines = [*_bindings(program), ""]
    lines += [f"[wavesize({size})]", f"[numthreads({size * program.waves}, 1, 1)]"]
    lines += ["void CSMain(uint groupIndex : SV_GroupIndex)", "{"]
    if program.waves > 1:
        lines.append(f"    const uint wave = groupIndex / {size};")
    lines += [f"    {_declaration(matrix)}" for matrix in program.matrices]
    for number, instruction in enumerate(program.body):
        if isinstance(instruction, Repeat):
            loop = f"pass{number + 1}"
            lines += [f"    for (uint {loop} = 0; {loop} < {instruction.count}; ++{loop})", "    {"]
            lines += [f"        {_statement(program, nested, loop)}" for nested in instruction.body]
            lines.append("    }")
        else:
            lines.append(f"    {_statement(program, instruction, '0')}")
    return "\n".join([*lines, "}", ""])


def wave_size(program: WaveMatrixProgram, caps: WaveMmaCaps) -> int:
    """Lanes per wave that the caps require for the program's operands (WM-CAPS-WAVESIZE)."""
    for matrix in program.matrices:
        datatype = DATATYPES.get(matrix.element)
        answer = caps.answer(datatype, matrix.m, matrix.n) if datatype and matrix.kind != "accumulator" else None
        if answer is not None and answer.required_wave_size:
            return answer.required_wave_size
    return ANY_WAVE_SIZE


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


def _declaration(matrix: Matrix) -> str:
    depth = f" // written for K = {matrix.k}" if matrix.k else ""
    return f"{CLASSES[matrix.kind]}<{TYPES[matrix.element]}, {matrix.m}, {matrix.n}> {_identifier(matrix.name)};{depth}"


def _index(index: Index, loop: str) -> str:
    if isinstance(index, RunTime):
        return f"{_identifier(index.buffer)}.Load({index.offset})"
    if not isinstance(index, Affine):
        return str(index)
    terms = [str(index.base)] if index.base or not (index.wave or index.loop) else []
    terms += [f"{index.wave} * wave"] if index.wave else []
    terms += [f"{index.loop} * {loop}"] if index.loop and loop != "0" else []
    return " + ".join(terms) or "0"


def _orientation(index: Index, loop: str) -> str:
    if isinstance(index, int):
        return "true" if index else "false"
    return f"bool({_index(index, loop)})"


def _value(fill: Fill, matrix: Matrix) -> str:
    name = TYPES[matrix.element]
    if isinstance(fill.value, Literal):
        bits = f"0x{fill.value.bits:x}u"
        conversions = {"f32": "asfloat({})", "f16": "asfloat16(uint16_t({}))", "s32": "asint({})"}
        return conversions.get(matrix.element, name + "({})").format(bits)
    buffer, offset = _identifier(fill.value.buffer), fill.value.offset
    if is_packed(matrix):
        return f"{name}({buffer}.Load({offset}))"
    return f"{buffer}.Load<{name}>({offset})"


def _statement(program: WaveMatrixProgram, instruction: Simple, loop: str) -> str:
    matrix = _identifier(instruction.matrix)
    match instruction:
        case Fill():
            return f"{matrix}.Fill({_value(instruction, declared(program, instruction.matrix))});"
        case Load() | Store():
            verb = "Load" if isinstance(instruction, Load) else "Store"
            arguments = [
                _identifier(instruction.buffer),
                _index(instruction.offset, loop),
                _index(instruction.stride, loop),
            ]
            arguments.append(f"/*bColMajor*/{_orientation(instruction.col_major, loop)}")
            arguments += [str(instruction.alignment)] if instruction.alignment else []
            return f"{matrix}.{verb}({', '.join(arguments)});"
        case Multiply():
            return f"{matrix}.Multiply({_identifier(instruction.left)}, {_identifier(instruction.right)});"
        case MultiplyAccumulate():
            return f"{matrix}.MultiplyAccumulate({_identifier(instruction.left)}, {_identifier(instruction.right)});"
