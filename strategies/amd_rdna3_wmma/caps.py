"""Random caps of an RDNA3 device: some of the builtins, in any order, and of one in four some instructions."""

from __future__ import annotations

from mmaspec.programs.amd_rdna3_wmma.caps import FORMS, INSTRUCTIONS, BuiltinName, Caps, InstructionName
from mmaspec.strategies.choices import Choices


def random_caps(choices: Choices) -> Caps:
    """One builtin or more, and perhaps instructions."""
    left: list[BuiltinName] = list(FORMS)
    builtins: list[BuiltinName] = []
    for _ in range(choices.integer(1, len(left))):
        builtins.append(choices.one_of(left))
        left.remove(builtins[-1])
    instructions: tuple[InstructionName, ...] = ()
    if choices.chance(25):
        kept = choices.integer(1, 50)
        instructions = tuple(name for name in INSTRUCTIONS if choices.chance(kept))
    return Caps(builtins=tuple(builtins), instructions=instructions)
