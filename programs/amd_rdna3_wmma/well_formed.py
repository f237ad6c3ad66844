"""Checks that a program is well-formed: names, counts and uses. A program that fails here is bad input."""

from __future__ import annotations

from mmaspec.programs.amd_rdna3_wmma.program import (
    ELEMENT_BYTES,
    Fill,
    Fragment,
    Load,
    Plain,
    Store,
    Wmma,
    WmmaProgram,
)
from mmaspec.programs.base import FromBuffer
from mmaspec.programs.errors import BadInput
from mmaspec.programs.tree import walk
from mmaspec.programs.well_formed import check_argument, check_elements, check_frame, check_uniform, named, where

MAX_BLOCK = 1 << 20
"""The highest number of a block: 2^20 blocks of the smallest fragment are more than a buffer may hold."""
VECTOR_ALIGNMENT = 32
"""Bytes of the widest vector; a kernel may only read vectors at multiples of their size."""
FACTORS = ("a", "b")
"""Uses of the fragments that a call takes as A or B, in either place."""
SLOTS = (2, 4, 8, 16)
"""Slots of the vectors that the language has types for here."""


def check_well_formed(program: WmmaProgram) -> None:
    """Raise ``BadInput``, one line, for unknown names and counts out of range."""
    names = {"fragment": [fragment.name for fragment in program.fragments]}
    check_frame(program, alignment=VECTOR_ALIGNMENT, names=names)
    for fragment in program.fragments:
        _check_fragment(fragment)
    for place, instruction, passes in walk(program):
        _check_instruction(program, instruction, passes, where(place))


def _check_fragment(fragment: Fragment) -> None:
    if fragment.count not in SLOTS:
        raise BadInput(f"fragment {fragment.name}: {fragment.count} slots; expected 2, 4, 8 or 16")
    if fragment.fill is not None:
        _check_bits(fragment, fragment.fill)


def _check_bits(fragment: Fragment, bits: int) -> None:
    packed = fragment.use != "cd" and fragment.element == "int"
    width = 8 if packed else 8 * ELEMENT_BYTES[fragment.element]
    if not 0 <= bits < 1 << width:
        raise BadInput(f"fragment {fragment.name}: {bits:#x} is not an element of {width} bits")


def _check_instruction(program: WmmaProgram, instruction: Plain, passes: int, at: str) -> None:
    fragments = {fragment.name: fragment for fragment in program.fragments}
    if isinstance(instruction, Wmma):
        _check_wmma(program, instruction, fragments, at)
        return
    name = instruction.fragment if isinstance(instruction, Store) else instruction.into
    named(at, "fragment", name, fragments)
    if isinstance(instruction, Fill):
        _check_bits(fragments[name], instruction.bits)
        return
    named(at, "buffer", instruction.buffer, (buffer.name for buffer in program.buffers))
    check_uniform(at, "block", instruction.block)
    check_argument(at, "block", instruction.block, program.waves, passes, 0, MAX_BLOCK)
    check_elements(at, program, passes, program.wave_size * fragments[name].vector_bytes)
    if isinstance(instruction, Load) and instruction.replicas:
        copies = program.wave_size // 16
        if fragments[name].use == "cd" or instruction.data is None or len(instruction.replicas) != copies - 1:
            raise BadInput(f"{at}: load of {name}: replicas name the data of {copies - 1} further copies of A or B")


def _check_wmma(program: WmmaProgram, wmma: Wmma, fragments: dict[str, Fragment], at: str) -> None:
    for name, uses in ((wmma.a, FACTORS), (wmma.b, FACTORS), (wmma.c, ("cd",)), (wmma.d, ("cd",))):
        if name is None:
            continue
        named(at, "fragment", name, fragments)
        if fragments[name].use not in uses:
            expected = " or ".join(map(repr, uses))
            raise BadInput(f"{at}: fragment {name} is declared to hold {fragments[name].use!r}; expected {expected}")
    for flag in (wmma.a_sign, wmma.b_sign, wmma.clamp):
        if isinstance(flag, FromBuffer):
            named(at, "buffer", flag.buffer, (buffer.name for buffer in program.buffers))
