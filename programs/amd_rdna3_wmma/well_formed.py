"""Checks that a program is well-formed: names, counts and uses. A program that fails here is bad input."""

from __future__ import annotations

from mmaspec.programs.amd_rdna3_wmma.instruction import (
    INLINE_FLOATS,
    LEAST_INLINE,
    MOST_INLINE,
    OPCODES,
    VWmma,
)
from mmaspec.programs.amd_rdna3_wmma.program import (
    AnyWmma,
    Fill,
    Fragment,
    Load,
    Plain,
    Store,
    WmmaProgram,
)
from mmaspec.programs.base import FromBuffer
from mmaspec.programs.errors import BadInput
from mmaspec.programs.register_kernels.well_formed import (
    FACTORS,
    VECTOR_ALIGNMENT,
    check_access,
    check_bits,
    check_buffer,
    check_uses,
)
from mmaspec.programs.tree import walk
from mmaspec.programs.well_formed import check_frame, named, where

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
    check_bits(fragment.name, bits, fragment.element_bits)


def _check_instruction(program: WmmaProgram, instruction: Plain, passes: int, at: str) -> None:
    fragments = {fragment.name: fragment for fragment in program.fragments}
    if isinstance(instruction, AnyWmma):
        _check_product(program, instruction, fragments, at)
        return
    name = instruction.fragment if isinstance(instruction, Store) else instruction.into
    named(at, "fragment", name, fragments)
    if isinstance(instruction, Fill):
        _check_bits(fragments[name], instruction.bits)
        return
    fragment = fragments[name]
    check_access(at, program, instruction, fragment, passes, per_byte=8 // min(8, fragment.element_bits))
    if isinstance(instruction, Load):
        _check_data(program, instruction, fragment, at)


def _check_data(program: WmmaProgram, load: Load, fragment: Fragment, at: str) -> None:
    if load.replicas:
        copies = program.wave_size // 16
        if fragment.use == "cd" or load.data is None or len(load.replicas) != copies - 1:
            raise BadInput(
                f"{at}: load of {fragment.name}: replicas name the data of {copies - 1} further copies of A or B"
            )
    if load.high is not None and not fragment.halves:
        raise BadInput(f"{at}: load of {fragment.name}: high names the data of high halves of 16-bit C or D")


def _check_product(program: WmmaProgram, wmma: AnyWmma, fragments: dict[str, Fragment], at: str) -> None:
    check_uses(at, fragments, ((wmma.a, FACTORS), (wmma.b, FACTORS), (wmma.c, ("cd",)), (wmma.d, ("cd",))))
    if isinstance(wmma, VWmma):
        _check_instruction_alone(wmma, at)
        return
    for flag in (wmma.a_sign, wmma.b_sign, wmma.clamp, wmma.opsel):
        if isinstance(flag, FromBuffer):
            check_buffer(at, flag.buffer, program.buffers)


def _check_instruction_alone(step: VWmma, at: str) -> None:
    if step.opcode not in OPCODES:
        raise BadInput(f"{at}: no opcode {step.opcode!r}; there are {', '.join(OPCODES)}")
    if step.c is not None:
        if step.inline != 0:
            raise BadInput(f"{at}: C is the fragment {step.c} and the constant {step.inline}; expected one of them")
        return
    if isinstance(step.inline, str):
        if step.inline not in INLINE_FLOATS:
            raise BadInput(f"{at}: {step.inline!r} is no inline constant; there are {', '.join(INLINE_FLOATS)}")
        # An assembler takes them in all forms, but which bits they are to bf16 and to integers no text says.
        if step.result not in ("f32", "f16"):
            raise BadInput(
                f"{at}: C of {step.opcode} is the number {step.inline}; only to f32 and f16 it is certain which bits "
                "that is"
            )
    elif not LEAST_INLINE <= step.inline <= MOST_INLINE:
        raise BadInput(f"{at}: {step.inline} is no inline constant; expected {LEAST_INLINE} to {MOST_INLINE}")
