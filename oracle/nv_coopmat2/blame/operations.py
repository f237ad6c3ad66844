"""Ablations of operations on matrices: one circumstance removed at a time."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from mmaspec.oracle.nv_coopmat2.blame.edits import exchanged
from mmaspec.oracle.spec import Ablation
from mmaspec.programs.base import Place
from mmaspec.programs.formats import format_named
from mmaspec.programs.nv_coopmat2.program import Combine, CoopMatProgram, Operation, Reduce


def operation_ablations(program: CoopMatProgram, place: Place, instruction: Operation) -> Iterator[Ablation]:
    """The circumstances of an operation: that partial sums are rounded."""
    if (
        isinstance(instruction, Reduce)
        and instruction.combine.name in ("add", "add-one")
        and format_named(program.matrix(instruction.matrix).component).is_float
    ):
        largest = replace(instruction, combine=Combine("max"))
        yield Ablation("NVCM2-REDUCE-ORDER", exchanged(program, place, largest))
