"""The support that caps give to a program."""

from __future__ import annotations

from mmaspec.oracle.amd_rdna3_wmma.builtins import Builtin, parse
from mmaspec.oracle.amd_rdna3_wmma.modifiers import as_builtin
from mmaspec.programs.amd_rdna3_wmma.caps import FORMS, Caps
from mmaspec.programs.amd_rdna3_wmma.program import (
    ELEMENT_BYTES,
    AnyWmma,
    Fragment,
    Store,
    VWmma,
    Wmma,
    WmmaProgram,
)
from mmaspec.programs.errors import BadInput
from mmaspec.programs.tree import walk
from mmaspec.programs.well_formed import where


def check_in_reach(program: WmmaProgram, caps: Caps) -> None:
    """Raise ``BadInput`` for what exists in the language, but is not checked under these caps.

    That is a builtin or an instruction out of reach, a call that compilers take or refuse as they convert vectors, an
    instruction with other registers than it takes, and a fragment of a vector that no builtin in reach takes, loaded or
    stored outside any call: which elements such a vector holds, and where, nobody says.
    """
    for place, step, _ in walk(program):
        if isinstance(step, VWmma):
            _check_instruction(program, step, caps, where(place))
        builtin = parse(step.builtin) if isinstance(step, Wmma) else None
        if not isinstance(step, Wmma) or builtin is None or not builtin.exists:
            continue
        if step.builtin not in caps.in_reach:
            reach = ", ".join(caps.in_reach)
            raise BadInput(f"{where(place)}: builtin {step.builtin} is not among those in reach: {reach}")
        _check_not_converted(program, step, builtin, where(place))
    steps = [step for _, step, _ in walk(program)]
    called = {name for step in steps if isinstance(step, AnyWmma) for name in (step.a, step.b, step.c, step.d)}
    moved = {step.fragment if isinstance(step, Store) else step.into for step in steps if not isinstance(step, AnyWmma)}
    for fragment in program.fragments:
        if fragment.name in moved - called and not _holds_a_matrix(program, fragment):
            kind = {"a": "A", "b": "B", "cd": "C or D"}[fragment.use]
            raise BadInput(
                f"fragment {fragment.name}: {fragment.element}{fragment.count} holds no {kind} "
                f"of a builtin in reach in wave{program.wave_size}"
            )


def _check_instruction(program: WmmaProgram, step: VWmma, caps: Caps, at: str) -> None:
    """An assembler sees registers only, and refuses any other number of them."""
    name = f"{step.opcode}_w{program.wave_size}"
    if name not in caps.instructions_in_reach:
        reach = ", ".join(caps.instructions_in_reach) or "none"
        raise BadInput(f"{at}: instruction {name} is not among those in reach: {reach}")
    builtin = as_builtin(step, program.wave_size)
    vectors = [(fragment, builtin.operand_vector) for fragment in (step.a, step.b)]
    vectors += [(fragment, builtin.accumulator_vector) for fragment in (step.c, step.d) if fragment is not None]
    for fragment, (element, count) in vectors:
        held = program.fragment(fragment)
        if (held.element, held.count) != (element, count):
            raise BadInput(f"{at}: fragment {fragment} is {held.type_name}; {name} takes {element}{count}")


def _check_not_converted(program: WmmaProgram, wmma: Wmma, builtin: Builtin, at: str) -> None:
    """Vectors of one size that differ in their elements alone are converted by some compilers, and refused by others.

    Clang converts them for HIP unless it is told ``-flax-vector-conversions=none``.
    """
    vectors = [(program.fragment(name), builtin.operand_vector) for name in (wmma.a, wmma.b)]
    vectors += [(program.fragment(name), builtin.accumulator_vector) for name in (wmma.c, wmma.d) if name is not None]
    if any(each.vector_bytes != ELEMENT_BYTES[element] * count for each, (element, count) in vectors):
        return
    for each, (element, count) in vectors:
        if (each.element, each.count) != (element, count):
            raise BadInput(
                f"{at}: fragment {each.name} is {each.type_name}; the builtin takes {element}{count}, to which "
                "some compilers convert it: such calls are not judged"
            )


def _holds_a_matrix(program: WmmaProgram, fragment: Fragment) -> bool:
    """Whether some builtin in reach takes a vector like the fragment's where the fragment is declared to be used."""
    vector = (fragment.element, fragment.count)
    known = (parse(name) for name in FORMS)
    taken = (builtin for builtin in known if builtin is not None and builtin.wave_size == program.wave_size)
    if fragment.use == "cd":
        return any(builtin.accumulator_vector == vector for builtin in taken)
    return any(builtin.operand_vector == vector for builtin in taken)
