"""Arrays in some of a device's builtins or instructions, by turns: which of them a kernel has does not matter."""

from __future__ import annotations

from collections.abc import Callable

from mmaspec.oracle.spec import Row
from mmaspec.programs.amd_rdna3_wmma.caps import Caps, Form
from mmaspec.strategies.register_kernels.arrays.kernel import Fits, both


def in_four(turn: int, fits: Fits | None = None) -> Fits:
    """For each wave size one builtin of integers and one of floats."""
    return both(_alone(turn, lambda form: (form.wave, form.integer)), fits)


def one_of_each_format(turn: int, fits: Fits | None = None) -> Fits:
    """One builtin for every format of A and B and of C and D, of either wave size."""
    return both(_alone(turn, lambda form: (form.result, form.operands)), fits)


def one_of_each_form(turn: int, fits: Fits | None = None) -> Fits:
    """The same, tied and not."""
    return both(_alone(turn, lambda form: (form.result, form.operands, form.tied)), fits)


def one_of_each_operand(turn: int, fits: Fits | None = None) -> Fits:
    """One builtin for every format of A and B in waves of each size."""
    return both(_alone(turn, lambda form: (form.operands, form.wave)), fits)


def _alone(turn: int, kind: Callable[[Form], object]) -> Fits:
    """Of the builtins of a device that are of one kind, one by turns; of its instructions likewise."""

    def chosen(row: Row[Form], caps: Caps, _: str, __: str) -> bool:
        mine = row.entry
        alike = [form for form in caps.forms if form.instruction == mine.instruction and kind(form) == kind(mine)]
        return alike[turn % len(alike)] == mine

    return chosen
