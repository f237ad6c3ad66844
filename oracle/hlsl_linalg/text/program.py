"""A program as an HLSL compute shader of a revision, with what the command list does around it as comments."""

from __future__ import annotations

from collections.abc import Iterator

from mmaspec.oracle.hlsl_linalg.text.apart import apart
from mmaspec.oracle.hlsl_linalg.text.source import source_component
from mmaspec.oracle.hlsl_linalg.text.statements import lines
from mmaspec.oracle.hlsl_linalg.text.words import component, identifier, type_name, type_of, vector_type
from mmaspec.programs.hlsl_linalg.caps import LinalgCaps
from mmaspec.programs.hlsl_linalg.components import COMPONENTS, Revision
from mmaspec.programs.hlsl_linalg.program import (
    Branch,
    ConvertLayout,
    Instruction,
    LinalgProgram,
    Matrix,
    Repeat,
    SharedArray,
    Vector,
)

HEADER = "dx/linalg.h"
"""The header that declares all of it; the text of 2025-09-19 names none."""


def text(program: LinalgProgram, caps: LinalgCaps) -> str:
    """The program in HLSL, one shader with an entry point of its own; of the caps the revision of the text counts."""
    revision = caps.revision
    program = apart(program)
    commands = [isinstance(instruction, ConvertLayout) for instruction in program.body]
    first = commands.index(False) if False in commands else len(commands)
    last = len(commands) - (commands[::-1].index(False) if False in commands else 0)
    numbered = list(enumerate(program.body))
    before, shader, after = numbered[:first], numbered[first:last], numbered[last:]
    out = [f"#include <{HEADER}>"] if revision == "later" else []
    out += ["using namespace dx::linalg;", "", *_bindings(program)]
    out += [_array(array) for array in program.arrays]
    out += [f"static const uint GROUP_SIZE = {program.group};"] if program.arrays else []
    out += [line for number, instruction in before for line in _instruction(program, number, instruction, revision)]
    out += ["", f"[WaveSize({program.wave_size})]", f"[numthreads({program.group}, 1, 1)]"]
    out += ["void CSMain(uint groupIndex : SV_GroupIndex)", "{"]
    body = [f"const uint wave = groupIndex / {program.wave_size};", "const uint lane = WaveGetLaneIndex();"]
    body += [line for matrix in program.matrices for line in _matrix(matrix, revision)]
    body += [_vector(vector) for vector in program.vectors]
    body += [line for number, instruction in shader for line in _instruction(program, number, instruction, revision)]
    out += [f"    {line}" for line in body] + ["}"]
    out += [line for number, instruction in after for line in _instruction(program, number, instruction, revision)]
    return "\n".join([*out, ""])


def _instruction(program: LinalgProgram, number: int, instruction: Instruction, revision: Revision) -> list[str]:
    """The lines of an instruction, a loop or a branch."""
    if not isinstance(instruction, Repeat | Branch):
        return lines(program, instruction, "0", revision)
    loop = f"pass{number + 1}"
    head = f"for (uint {loop} = 0; {loop} < {instruction.count}; ++{loop})"
    if isinstance(instruction, Branch):
        parts = [f"lane < {instruction.lanes}"] if instruction.lanes else []
        parts += [f"wave < {instruction.waves}"] if instruction.waves else []
        head, loop = f"if ({' && '.join(parts) or 'true'})", "0"
    inner = [f"    {line}" for nested in instruction.body for line in lines(program, nested, loop, revision)]
    return [head, "{", *inner, "}"]


def _bindings(program: LinalgProgram) -> Iterator[str]:
    views, targets = 0, 0
    for buffer in program.buffers:
        comment = f"// {buffer.size} bytes, the view at {buffer.base} of its allocation"
        if buffer.name in program.read_only:
            yield f"ByteAddressBuffer {identifier(buffer.name)} : register(t{views}); {comment}"
            views += 1
        else:
            yield f"RWByteAddressBuffer {identifier(buffer.name)} : register(u{targets}); {comment}"
            targets += 1


def _array(array: SharedArray) -> str:
    element = type_of(array.element)
    kind = f"vector<{element}, {array.width}>" if array.width else element
    return f"groupshared {kind} {identifier(array.name)}[{array.length}];"


def _vector(vector: Vector) -> str:
    """A vector's variable; of a packed one, what its words hold."""
    held = "" if COMPONENTS[vector.component].native else f" // {vector.length} components {vector.component}"
    return f"{vector_type(vector)} {identifier(vector.name)};{held}"


def _matrix(matrix: Matrix, revision: Revision) -> list[str]:
    named = component if revision == "later" else source_component
    kind = f"Matrix<{named(matrix.component)}, {matrix.m}, {matrix.n}"
    kind += f", MatrixUse::{matrix.use}, MatrixScope::{matrix.scope}>"
    return [f"using {type_name(matrix)} = {kind};", f"{type_name(matrix)} {identifier(matrix.name)};"]
