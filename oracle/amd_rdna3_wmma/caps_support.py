"""The support that caps give to a program."""

from __future__ import annotations

from mmaspec.oracle.amd_rdna3_wmma.builtins import parse
from mmaspec.programs.amd_rdna3_wmma.caps import Caps
from mmaspec.programs.amd_rdna3_wmma.program import Wmma, WmmaProgram
from mmaspec.programs.errors import BadInput
from mmaspec.programs.tree import walk
from mmaspec.programs.well_formed import where


def check_in_reach(program: WmmaProgram, caps: Caps) -> None:
    """Raise ``BadInput`` for a builtin that exists, but that is not checked under these caps."""
    for place, step, _ in walk(program):
        builtin = parse(step.builtin) if isinstance(step, Wmma) else None
        if builtin is not None and builtin.exists and step.builtin not in caps.builtins:
            reach = ", ".join(caps.builtins)
            raise BadInput(f"{where(place)}: builtin {step.builtin} is not among those in reach: {reach}")
