"""Names that a program gives to a matrix or vector and to a buffer or array as well: a shader has one name for each."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from msgspec.structs import replace

from mmaspec.programs.hlsl_linalg.program import Branch, ConvertLayout, Instruction, LinalgProgram, Repeat
from mmaspec.programs.unused import unused

_VALUES = ("matrix", "vector", "a", "b", "operand", "source", "column", "row", "bias")
"""Fields of instructions that name a matrix or a vector."""


def apart(program: LinalgProgram) -> LinalgProgram:
    """The same program with other names for matrices and vectors that a buffer or array is called by."""
    places = {*(buffer.name for buffer in program.buffers), *(array.name for array in program.arrays)}
    values = [*(matrix.name for matrix in program.matrices), *(vector.name for vector in program.vectors)]
    names = places | set(values)
    new: dict[str, str] = {}
    for name in values:
        if name in places:
            new[name] = unused(f"{name}_value", names)
            names.add(new[name])
    if not new:
        return program
    return replace(
        program,
        matrices=tuple(replace(one, name=new.get(one.name, one.name)) for one in program.matrices),
        vectors=tuple(replace(one, name=new.get(one.name, one.name)) for one in program.vectors),
        body=tuple(_renamed(one, new) for one in program.body),
    )


def _renamed(instruction: Instruction, names: Mapping[str, str]) -> Any:
    """An instruction that calls matrices and vectors by their new names."""
    if isinstance(instruction, Repeat | Branch):
        return replace(instruction, body=tuple(_renamed(one, names) for one in instruction.body))
    if isinstance(instruction, ConvertLayout):  # its source and target lie in buffers
        return instruction
    fields = {field: getattr(instruction, field, None) for field in _VALUES}
    changed = {field: names[one] for field, one in fields.items() if isinstance(one, str) and one in names}
    return replace(instruction, **changed)
