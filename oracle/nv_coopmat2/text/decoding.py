"""Decode functions as GLSL: the struct that each one points to, and its body."""

from __future__ import annotations

from collections.abc import Iterator
from math import prod

from mmaspec.oracle.nv_coopmat2.tensors.decoding import SCALE_BYTES
from mmaspec.oracle.nv_coopmat2.text.glsl_names import COMPONENTS
from mmaspec.programs.nv_coopmat2.program import (
    Component,
    CoopMatProgram,
    Decode,
    Echo,
    LoadTensor,
    Nibbles,
    Simple,
    StoreTensor,
)

EXTENSION = "GL_EXT_buffer_reference"
"""What pointers to structs need beside the extensions that every program asks for."""

Key = tuple[Decode, Component]


def decode_functions(program: CoopMatProgram) -> dict[Key, str]:
    """The decode functions that a program uses, and their names: one for each function and component type."""
    found: dict[Key, str] = {}
    for instruction, _ in program.written():
        key = key_of(program, instruction)
        if key is not None:
            found.setdefault(key, f"decode{len(found)}")
    return found


def key_of(program: CoopMatProgram, instruction: Simple) -> Key | None:
    """The key of the decode function of an instruction; None if it has none."""
    if not isinstance(instruction, LoadTensor | StoreTensor) or instruction.decode is None:
        return None
    decode = instruction.decode
    return decode, decode.component or program.matrix(instruction.matrix).component


def definitions(functions: dict[Key, str]) -> Iterator[str]:
    """Struct and function of each."""
    for (decode, component), name in functions.items():
        struct = f"Struct_{name}"
        align = SCALE_BYTES if decode.struct_bytes % SCALE_BYTES == 0 else 1
        reference = f"layout(buffer_reference, std430, buffer_reference_align = {align}) buffer"
        yield f"{'struct' if decode.by_value else reference} {struct} {{"
        yield from (f"    {field};" for field in _fields(decode))
        yield "};"
        rank, how = len(decode.block), decode.qualifier
        yield (
            f"{COMPONENTS[component]} {name}({how} {struct} s, {how} uint32_t blockCoord[{rank}], "
            f"{how} uint32_t coordInBlock[{rank}])"
        )
        yield "{"
        yield from (f"    {line}" for line in _body(decode, COMPONENTS[component]))
        yield "}"
        yield ""


def _fields(decode: Decode) -> Iterator[str]:
    if isinstance(decode, Echo):
        yield f"uint8_t bytes[{decode.struct_bytes}]"
        return
    count = prod(decode.block)
    if isinstance(decode, Nibbles):
        used = -(-count // 2)
        yield f"uint8_t pairs[{used}]"
    else:
        used = SCALE_BYTES + count
        yield "float16_t scale"
        yield f"int8_t values[{count}]"
    if decode.struct_bytes > used:
        yield f"uint8_t spare[{decode.struct_bytes - used}]"


def _body(decode: Decode, component: str) -> Iterator[str]:
    if isinstance(decode, Echo):
        terms = [f"{weight}u * blockCoord[{axis}]" for axis, weight in enumerate(decode.block) if weight]
        terms += [f"{weight}u * coordInBlock[{axis}]" for axis, weight in enumerate(decode.within) if weight]
        terms += [f"{decode.byte}u * uint(s.bytes[0])"] if decode.byte else []
        yield f"return {component}({' + '.join(terms) or '0u'});"
        return
    number = "coordInBlock[0]"
    for axis, extent in enumerate(decode.block[1:], 1):
        number = (
            f"({number}) * {extent} + coordInBlock[{axis}]" if axis > 1 else f"{number} * {extent} + coordInBlock[1]"
        )
    yield f"const uint number = {number};"
    if isinstance(decode, Nibbles):
        yield "const int value = int(s.pairs[number / 2]) >> (number % 2 * 4) & 15;"
        minus = f" - {decode.minus}" if decode.minus > 0 else f" + {-decode.minus}" if decode.minus < 0 else ""
        yield f"return {component}(value{minus});"
    else:
        yield f"return {component}(float(s.scale) * float(s.values[number]));"
