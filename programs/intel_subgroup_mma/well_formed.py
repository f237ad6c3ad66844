"""Checks that a program is well-formed: names, counts and uses. A program that fails here is bad input."""

from __future__ import annotations

from mmaspec.programs.errors import BadInput
from mmaspec.programs.formats import format_named
from mmaspec.programs.intel_subgroup_mma.program import (
    COMPONENT_BYTES,
    Fill,
    Load,
    Mad,
    MadProgram,
    Plain,
    Store,
    Use,
    Variable,
)
from mmaspec.programs.tree import walk
from mmaspec.programs.well_formed import (
    check_argument,
    check_elements,
    check_frame,
    check_uniform,
    named,
    where,
    within,
)

MAX_BLOCK = 1 << 20
"""The highest number of a block: 2^20 blocks of the smallest vector are more than a buffer may hold."""
VECTOR_ALIGNMENT = 32
"""Bytes of the widest vector; a kernel may only read vectors at multiples of their size."""
COUNTS = (1, 2, 4, 8, 16)
"""Components of the vectors that the language has types for, but for three."""
SIZES = (4, 8, 16, 32, 64)
"""Sizes of sub-groups that devices have."""
HOLDS: dict[Use, tuple[str, ...]] = {
    "a": ("s8", "u8", "s4", "u4", "f16", "bf16"),
    "b": ("s8", "u8", "s4", "u4", "f16", "bf16"),
    "acc": ("s32", "f32", "f16", "bf16"),
}
"""Use -> what such a variable can hold."""


def check_well_formed(program: MadProgram) -> None:
    """Raise ``BadInput``, one line, for unknown names and counts out of range."""
    names = {"variable": [variable.name for variable in program.variables]}
    check_frame(program, alignment=VECTOR_ALIGNMENT, names=names)
    if program.sub_group_size not in SIZES:
        expected = ", ".join(map(str, SIZES))
        raise BadInput(f"program: sub-groups of {program.sub_group_size} work-items; expected one of {expected}")
    if program.last is not None:
        within("program", "work-items of the last sub-group", program.last, 1, program.sub_group_size)
    for variable in program.variables:
        _check_variable(variable)
    for place, instruction, passes in walk(program):
        _check_instruction(program, instruction, passes, where(place))


def _check_variable(variable: Variable) -> None:
    at = f"variable {variable.name}"
    if variable.count not in COUNTS:
        raise BadInput(f"{at}: {variable.count} components; expected {', '.join(map(str, COUNTS))}")
    if variable.holds not in HOLDS[variable.use]:
        expected = ", ".join(HOLDS[variable.use])
        raise BadInput(f"{at}: holds {variable.holds} for the use {variable.use!r}; expected {expected}")
    bits = 8 * COMPONENT_BYTES[variable.component]
    element = format_named(variable.holds).bits
    if element > bits or (variable.use == "acc" and element != bits):
        raise BadInput(f"{at}: elements of {element} bits in components of {bits} bits")
    if variable.fill is not None:
        _check_bits(variable, variable.fill)


def _check_bits(variable: Variable, bits: int) -> None:
    width = format_named(variable.holds).bits
    if not 0 <= bits < 1 << width:
        raise BadInput(f"variable {variable.name}: {bits:#x} is not an element of {width} bits")


def _check_instruction(program: MadProgram, instruction: Plain, passes: int, at: str) -> None:
    variables = {variable.name: variable for variable in program.variables}
    if isinstance(instruction, Mad):
        _check_mad(instruction, variables, at)
        return
    name = instruction.variable if isinstance(instruction, Store) else instruction.into
    named(at, "variable", name, variables)
    if isinstance(instruction, Fill):
        _check_bits(variables[name], instruction.bits)
        return
    _check_access(program, instruction, variables[name], passes, at)


def _check_access(program: MadProgram, access: Load | Store, variable: Variable, passes: int, at: str) -> None:
    named(at, "buffer", access.buffer, (buffer.name for buffer in program.buffers))
    check_uniform(at, "block", access.block)
    check_argument(at, "block", access.block, program.waves, passes, 0, MAX_BLOCK)
    per_byte = 8 // min(8, format_named(variable.holds).bits)
    check_elements(at, program, passes, program.sub_group_size * variable.vector_bytes * per_byte)


def _check_mad(mad: Mad, variables: dict[str, Variable], at: str) -> None:
    uses: tuple[tuple[str | None, Use], ...] = ((mad.a, "a"), (mad.b, "b"), (mad.acc, "acc"), (mad.d, "acc"))
    for name, use in uses:
        if name is None:
            continue
        named(at, "variable", name, variables)
        if variables[name].use != use:
            raise BadInput(f"{at}: variable {name} is declared to hold {variables[name].use!r}; expected {use!r}")
