"""One circumstance of an operation on matrices removed at a time."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from mmaspec.oracle.nv_coopmat2.program import (
    Combine,
    Convert,
    CoopMatProgram,
    Operation,
    Reduce,
    Splat,
)
from mmaspec.oracle.nv_coopmat2.toggling import FRESH, exchanged
from mmaspec.oracle.program import Literal, Place
from mmaspec.oracle.spec import Toggle


def operation_toggles(program: CoopMatProgram, place: Place, instruction: Operation) -> Iterator[Toggle]:
    """The circumstances of an operation: that partial sums are rounded, that the use changes."""
    if isinstance(instruction, Reduce) and instruction.combine.name == "add":
        largest = replace(instruction, combine=Combine("max"))
        yield Toggle("NVCM2-REDUCE-ORDER", exchanged(program, place, largest))
    if isinstance(instruction, Convert):
        old, new = program.matrix(instruction.matrix), program.matrix(instruction.result)
        if old.use != new.use and old.component != new.component:
            yield _without_use(program, place, instruction)


def _without_use(program: CoopMatProgram, place: Place, instruction: Convert) -> Toggle:
    """The same components in a matrix that keeps the use; something else is written where the result was."""
    old, new = program.matrix(instruction.matrix), program.matrix(instruction.result)
    grown = replace(program, matrices=(*program.matrices, replace(old, name=FRESH, component=new.component)))
    kept = exchanged(grown, place, replace(instruction, result=FRESH))
    moved = Place((place.path[0] + 1, *place.path[1:]), place.loop)
    return Toggle("NVCM2-CONVERT-USE", replace(kept, body=(Splat(new.name, Literal(0)), *kept.body)), moved)
