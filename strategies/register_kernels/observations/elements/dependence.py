"""On which elements of its operands each element depends that an instruction leaves."""

from __future__ import annotations

from typing import Any

import numpy as np

from mmaspec.programs.register_kernels import Fill, Load, Store
from mmaspec.strategies.axes.narrowing import roles
from mmaspec.strategies.axes.observation import COLUMN, ELEMENT, ROW, WHOLE, Dependence, Thing
from mmaspec.strategies.register_kernels.observations.table import Part


def dependence(program: Any, instruction: Any) -> Dependence:
    """Of an instruction that is executed."""
    if isinstance(instruction, Store):
        return Dependence(instruction.fragment, {instruction.fragment: ELEMENT}, stored=True, moved=True)
    if not isinstance(instruction, (Load, Fill)):
        turned = [program.fragment(name).use != use for name, use in ((instruction.a, "a"), (instruction.b, "b"))]
        a, b = (dims[::-1] if other else dims for dims, other in zip((ROW, COLUMN), turned, strict=True))
        operands = [(instruction.a, a), (instruction.b, b), (instruction.d, ELEMENT)]
        c = [] if instruction.c is None else [(instruction.c, ELEMENT)]
        return Dependence(instruction.d, roles([*operands, *c]))
    dims = WHOLE if isinstance(instruction, Fill) else ELEMENT
    return Dependence(instruction.into, {instruction.into: dims}, moved=True)


def part(thing: Thing) -> tuple[int | None, ...]:
    """A part of a table is one element of D, or an operand of one item and wave."""
    if not isinstance(thing.of, Part):
        return ()
    return tuple(int(number) for number in np.unravel_index(thing.of.row, thing.of.table.shape))
