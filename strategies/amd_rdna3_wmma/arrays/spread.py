"""Arrays in some of a device's builtins, by turns: where it does not matter which of them a kernel calls."""

from __future__ import annotations

from collections.abc import Callable

from mmaspec.oracle.spec import Row
from mmaspec.programs.amd_rdna3_wmma.caps import FORMS, Caps, Form
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
    """Of the builtins of a device that are of one kind, one by turns; no instructions."""

    def chosen(row: Row[Form], caps: Caps, _: str, __: str) -> bool:
        if row.entry.instruction:
            return False
        alike = [FORMS[name] for name in caps.in_reach if kind(FORMS[name]) == kind(row.entry)]
        return alike[turn % len(alike)] == row.entry

    return chosen
