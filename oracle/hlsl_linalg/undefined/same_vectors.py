"""Whether the threads of a matrix's scope have the same vectors, which an OuterProduct above Thread scope needs."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Literal

from mmaspec.oracle.hlsl_linalg.participants import Threads, executed
from mmaspec.oracle.hlsl_linalg.rule_context import Context
from mmaspec.oracle.hlsl_linalg.undefined.threads import Rule
from mmaspec.programs.base import Affine, Index
from mmaspec.programs.hlsl_linalg.operands import writes
from mmaspec.programs.hlsl_linalg.program import (
    LinalgProgram,
    MultiplyVector,
    OuterProduct,
    Scope,
    Simple,
    VectorLoad,
)

Same = Literal[0, 1, 2]
"""How far a vector is known to be the same: in its thread, in each wave, in the group."""

_SCOPES: Mapping[Scope, Same] = MappingProxyType({"Thread": 0, "Wave": 1, "ThreadGroup": 2})


def outer_same(context: Context) -> bool:
    """LINALG-OUTER-SAME: an OuterProduct of Wave or ThreadGroup scope whose vectors may differ between its threads."""
    program = context.program
    known: dict[str, Same] = {}
    for _, one, taken in executed(program):
        if isinstance(one, OuterProduct):
            needed = _SCOPES[program.matrix(one.matrix).scope]
            if min(known.get(one.column, 2), known.get(one.row, 2)) < needed:
                return True
        target = writes(one)
        if target in {vector.name for vector in program.vectors}:
            assert target is not None
            known[target] = min(_made(program, one, known), _reached(program, taken, known.get(target, 0)))
    return False


def _made(program: LinalgProgram, one: Simple, known: Mapping[str, Same]) -> Same:
    """How far the vector is the same that an instruction leaves."""
    match one:
        case VectorLoad():
            return _argument(program, one.offset)
        case MultiplyVector():
            parts = [known.get(one.source, 0), _whole(program, _SCOPES[program.matrix(one.matrix).scope])]
            if isinstance(one.bias, str):
                parts.append(known.get(one.bias, 0))
            return min(parts)  # pyright: ignore[reportReturnType]
        case _:
            return 0


def _argument(program: LinalgProgram, index: Index) -> Same:
    if not isinstance(index, Affine):
        return 2
    if index.lane:
        return 0
    return _whole(program, 1 if index.wave or index.row else 2)


def _whole(program: LinalgProgram, same: Same) -> Same:
    """In a group of one wave what a wave has in common the group has."""
    return 2 if same == 1 and program.waves == 1 else same


def _reached(program: LinalgProgram, taken: Threads, before: Same) -> Same:
    """What is left where only some threads write: whole waves keep what each has in common."""
    if taken.all():
        return 2
    waves = (taken[start : start + program.wave_size] for start in range(0, program.group, program.wave_size))
    if all(wave.all() or not wave.any() for wave in waves):
        return min(before, 1)
    return 0


SAME_RULES: Mapping[str, Rule] = MappingProxyType({"LINALG-OUTER-SAME": outer_same})
"""Clause -> whether a program crosses it."""
