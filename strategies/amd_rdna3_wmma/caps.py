"""Random caps of an RDNA3 device: some of the builtins, in any order."""

from __future__ import annotations

from mmaspec.programs.amd_rdna3_wmma.caps import FORMS, BuiltinName, Caps
from mmaspec.strategies.choices import Choices


def random_caps(choices: Choices) -> Caps:
    """One builtin or more."""
    left: list[BuiltinName] = list(FORMS)
    builtins: list[BuiltinName] = []
    for _ in range(choices.integer(1, len(left))):
        builtins.append(choices.one_of(left))
        left.remove(builtins[-1])
    return Caps(builtins=tuple(builtins))
