"""Checks that a program is well-formed: names, counts and uses. A program that fails here is bad input."""

from __future__ import annotations

from mmaspec.programs.errors import BadInput
from mmaspec.programs.formats import format_named
from mmaspec.programs.intel_subgroup_mma.program import (
    COMPONENT_BYTES,
    Fill,
    Fragment,
    Mad,
    MadProgram,
    Plain,
    Store,
    Use,
)
from mmaspec.programs.register_kernels.well_formed import VECTOR_ALIGNMENT, check_access, check_bits, check_uses
from mmaspec.programs.tree import walk
from mmaspec.programs.well_formed import check_frame, named, where, within

COUNTS = (1, 2, 4, 8, 16)
"""Components of the vectors that the language has types for, but for three."""
SIZES = (4, 8, 16, 32, 64)
"""Sizes of sub-groups that devices have."""
HOLDS: dict[Use, tuple[str, ...]] = {
    "a": ("s8", "u8", "s4", "u4", "f16", "bf16"),
    "b": ("s8", "u8", "s4", "u4", "f16", "bf16"),
    "cd": ("s32", "f32", "f16", "bf16"),
}
"""Use -> what such a fragment can hold."""


def check_well_formed(program: MadProgram) -> None:
    """Raise ``BadInput``, one line, for unknown names and counts out of range."""
    names = {"fragment": [fragment.name for fragment in program.fragments]}
    check_frame(program, alignment=VECTOR_ALIGNMENT, names=names)
    if program.sub_group_size not in SIZES:
        expected = ", ".join(map(str, SIZES))
        raise BadInput(f"program: sub-groups of {program.sub_group_size} work-items; expected one of {expected}")
    if program.last is not None:
        within("program", "work-items of the last sub-group", program.last, 1, program.sub_group_size)
    for fragment in program.fragments:
        _check_fragment(fragment)
    for place, instruction, passes in walk(program):
        _check_instruction(program, instruction, passes, where(place))


def _check_fragment(fragment: Fragment) -> None:
    at = f"fragment {fragment.name}"
    if fragment.count not in COUNTS:
        raise BadInput(f"{at}: {fragment.count} components; expected {', '.join(map(str, COUNTS))}")
    if fragment.holds not in HOLDS[fragment.use]:
        expected = ", ".join(HOLDS[fragment.use])
        raise BadInput(f"{at}: holds {fragment.holds} for the use {fragment.use!r}; expected {expected}")
    bits = 8 * COMPONENT_BYTES[fragment.component]
    element = format_named(fragment.holds).bits
    if element > bits or (fragment.use == "cd" and element != bits):
        raise BadInput(f"{at}: elements of {element} bits in components of {bits} bits")
    if fragment.fill is not None:
        check_bits(fragment.name, fragment.fill, element)


def _check_instruction(program: MadProgram, instruction: Plain, passes: int, at: str) -> None:
    fragments = {fragment.name: fragment for fragment in program.fragments}
    if isinstance(instruction, Mad):
        mad = instruction
        check_uses(at, fragments, ((mad.a, ("a",)), (mad.b, ("b",)), (mad.c, ("cd",)), (mad.d, ("cd",))))
        return
    name = instruction.fragment if isinstance(instruction, Store) else instruction.into
    named(at, "fragment", name, fragments)
    width = format_named(fragments[name].holds).bits
    if isinstance(instruction, Fill):
        check_bits(name, instruction.bits, width)
    else:
        check_access(at, program, instruction, fragments[name], passes, per_byte=8 // min(8, width))
