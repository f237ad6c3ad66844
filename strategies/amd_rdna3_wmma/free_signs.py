"""Signs that change where a kernel is about something else: loops, waves, what comes before, one matrix twice."""

from __future__ import annotations

from msgspec.structs import replace

from mmaspec.programs import tree
from mmaspec.programs.amd_rdna3_wmma.instruction import Bits3, VWmma
from mmaspec.programs.amd_rdna3_wmma.program import WmmaProgram
from mmaspec.strategies.choices import Choices

REGIMES = frozenset({"window", "few-terms", "distinct"})
"""Data whose sums tell as much whatever the signs of their terms are; others are made for sums of a certain kind."""


def signed(choices: Choices, program: WmmaProgram) -> WmmaProgram:
    """In two of three kernels, every instruction on floats with drawn modifiers of A, B and C."""
    if not choices.chance(67):
        return program
    for place, step, _ in tree.walk(program):
        if isinstance(step, VWmma) and not step.integer:
            program = tree.replace(program, place, replace(step, neg_lo=_bits(choices), neg_hi=_bits(choices)))
    return program


def _bits(choices: Choices) -> Bits3:
    return (choices.chance(35), choices.chance(35), choices.chance(35))
