"""Checks that a decoded program is well-formed: names exist, numbers are in range.

What fails here is no breach of the specification but input that cannot be used.
"""

from __future__ import annotations

from collections.abc import Iterable

from mmaspec.programs.errors import BadInput
from mmaspec.programs.formats import FORMATS
from mmaspec.programs.hlsl_linalg.components import SCALARS
from mmaspec.programs.hlsl_linalg.operands import reads, writes
from mmaspec.programs.hlsl_linalg.program import (
    Barrier,
    Branch,
    ConvertLayout,
    Copy,
    Instruction,
    LinalgProgram,
    SharedArray,
)
from mmaspec.programs.hlsl_linalg.well_formed_instructions import check_instruction
from mmaspec.programs.tree import walk
from mmaspec.programs.well_formed import MAX_ELEMENTS, check_frame, named, where, within

VIEW_ALIGNMENT = 16
"""Direct3D places the view of a byte-address buffer on a multiple of 16 bytes."""
MAX_EXTENT = 2048
"""The most that M or N may be: twice what any rule allows, so that rules can see a matrix that is only too large."""
MAX_THREADS = 1024
"""Direct3D's largest thread group."""
MAX_WAVE = 128
"""Direct3D's largest wave."""
MAX_WIDTH = 1024
"""The longest vector of HLSL."""
MAX_SHARED = 1 << 20
"""Bytes of an array: beyond what a thread group has, so that rules can see a program that is only too large."""


def check_well_formed(program: LinalgProgram) -> None:
    """Raise ``BadInput``, one line, for the first reason why this is not a well-formed program."""
    names = {
        "buffer or array": [*(buffer.name for buffer in program.buffers), *(array.name for array in program.arrays)],
        "matrix or vector": [*(m.name for m in program.matrices), *(vector.name for vector in program.vectors)],
    }
    check_frame(program, alignment=VIEW_ALIGNMENT, names=names)
    for name in program.read_only:
        named("program: read-only", "buffer", name, (buffer.name for buffer in program.buffers))
    _check_group(program)
    for array in program.arrays:
        _check_array(array)
    for matrix in program.matrices:
        within(f"matrix {matrix.name}", "m =", matrix.m, 1, MAX_EXTENT)
        within(f"matrix {matrix.name}", "n =", matrix.n, 1, MAX_EXTENT)
    for vector in program.vectors:
        within(f"vector {vector.name}", "length", vector.length, 1, MAX_EXTENT)
    _check_places(program)
    for place, instruction, passes in walk(program):
        at = where(place)
        _check_size(program, (*reads(instruction), writes(instruction)), passes, at)
        check_instruction(program, instruction, passes, at)


def _check_group(program: LinalgProgram) -> None:
    size = program.wave_size
    if not 1 <= size <= MAX_WAVE or size & (size - 1):
        raise BadInput(f"program: waves of {size} lanes; expected a power of two up to {MAX_WAVE}")
    within("program", "threads of the group", program.group, 1, MAX_THREADS)
    if not size * (program.waves - 1) < program.group <= size * program.waves:
        raise BadInput(f"program: {program.group} threads are not {program.waves} waves of {size}")


def _check_array(array: SharedArray) -> None:
    at = f"array {array.name}"
    within(at, "length", array.length, 1, MAX_SHARED)
    within(at, "width", array.width, 0, MAX_WIDTH)
    nbytes = array.length * max(array.width, 1) * FORMATS[SCALARS[array.element]].nbytes
    within(at, "size in bytes", nbytes, 1, MAX_SHARED)


def _check_places(program: LinalgProgram) -> None:
    """What stands where: conversions of layouts around the shader, and what the whole group does in no branch."""
    commands = [isinstance(instruction, ConvertLayout) for instruction in program.body]
    shader = [number for number, command in enumerate(commands) if not command]
    if shader and any(commands[shader[0] : shader[-1]]):
        raise BadInput("program: a conversion of layouts stands inside the shader; expected before or after all of it")
    for instruction in program.body:
        if isinstance(instruction, Branch):
            within("program", "lanes of a branch", instruction.lanes, 0, program.wave_size)
            within("program", "waves of a branch", instruction.waves, 0, program.waves)
    for number, instruction in enumerate(program.body):
        for inner in getattr(instruction, "body", ()):
            at = f"program: instruction {number + 1}"
            if isinstance(inner, ConvertLayout):
                raise BadInput(f"{at}: a conversion of layouts inside a loop or branch")
            if isinstance(inner, Barrier | Copy) and not whole_group(program, instruction):
                raise BadInput(
                    f"{at}: a barrier or a copy by the whole group inside a branch that not all threads take"
                )


def whole_wave(program: LinalgProgram, instruction: Instruction) -> bool:
    """Whether all lanes of a wave go into a branch, or none; True of what is no branch."""
    return not isinstance(instruction, Branch) or instruction.lanes in (0, program.wave_size)


def whole_group(program: LinalgProgram, instruction: Instruction) -> bool:
    """Whether all threads of the group go into a branch; True of what is no branch."""
    if not isinstance(instruction, Branch):
        return True
    return whole_wave(program, instruction) and instruction.waves in (0, program.waves)


def _check_size(program: LinalgProgram, names: Iterable[str | None], passes: int, at: str) -> None:
    """Everything that an instruction reads or writes is declared, and has few enough elements over all passes."""
    known = {m.name: program.instances(m.scope) * m.m * m.n for m in program.matrices}
    known.update({vector.name: program.group * vector.length for vector in program.vectors})
    for name in names:
        if name is None:
            continue
        named(at, "matrix or vector", name, known)
        count = known[name] * passes
        if count > MAX_ELEMENTS:
            raise BadInput(f"{at}: {count} elements over all threads and passes; expected at most {MAX_ELEMENTS}")
