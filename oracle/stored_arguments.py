"""Programs that store over an argument which they load themselves."""

from __future__ import annotations

from collections.abc import Sequence

from mmaspec.oracle.expectation import Step
from mmaspec.oracle.memory import Memory
from mmaspec.programs.arguments import loaded_arguments
from mmaspec.programs.base import Program, RunTime
from mmaspec.programs.errors import BadInput
from mmaspec.programs.tree import unrolled

WORD = 4
"""Bytes of an argument."""


def check_arguments(program: Program, memory: Memory, steps: Sequence[Step]) -> None:
    """Raise ``BadInput`` where an argument may no longer be what the case says when an instruction loads it.

    ``program`` still loads its arguments, ``memory`` and ``steps`` are those of its execution. What one wave stores
    after its last use changes nothing. A store before that may be seen or not, as a compiler may load at once or where
    the argument is used; and nothing orders a store of one wave and what another one loads.
    """
    order = {place: number for number, (place, _) in enumerate(unrolled(program))}
    for argument in loaded_arguments(program):
        stored = [order[steps[step].place] for step in memory.stores_over(argument.buffer, argument.offset, WORD)]
        if stored and (program.waves > 1 or min(stored) < _last_use(program, argument)):
            where = f"byte {argument.offset} of buffer {argument.buffer}"
            raise BadInput(f"case: the program stores over the argument at {where}, which it may load after that")


def _last_use(program: Program, argument: RunTime) -> int:
    """When the last instruction is executed that has an argument; after all of them where none has it."""
    found = -1
    for number, (_, instruction) in enumerate(unrolled(program)):
        if argument in loaded_arguments(instruction):
            found = number
    return found if found >= 0 else sum(1 for _ in unrolled(program))
