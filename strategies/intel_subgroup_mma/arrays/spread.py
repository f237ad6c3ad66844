"""Arrays in some of a device's forms, by turns: where it does not matter which of them a kernel has."""

from __future__ import annotations

from collections.abc import Callable

from mmaspec.oracle.spec import Row
from mmaspec.programs.intel_subgroup_mma.caps import FORMS, Caps, Form
from mmaspec.strategies.register_kernels.arrays.kernel import Fits, both


def in_one(turn: int, fits: Fits | None = None) -> Fits:
    """One form."""
    return both(_alone(turn, lambda _: 0), fits)


def in_two(turn: int, fits: Fits | None = None) -> Fits:
    """One form of integers and one of floats."""
    return both(_alone(turn, lambda form: form.integer), fits)


def one_of_each_width() -> Fits:
    """The first form of every width and accumulator, with signs: constants are packed in the same way in the others."""
    return _alone(0, lambda form: (form.bits, form.acc))


def signed_alike(row: Row[Form], _: object, __: str, ___: str) -> bool:
    """A and B both have signs, so that sums go either way, or neither has."""
    return row.entry.a[0] == row.entry.b[0]


def _alone(turn: int, kind: Callable[[Form], object]) -> Fits:
    """Of the forms of a device that are of one kind, one by turns."""

    def chosen(row: Row[Form], caps: Caps, _: str, __: str) -> bool:
        alike = [FORMS[name] for name in caps.in_reach if kind(FORMS[name]) == kind(row.entry)]
        return alike[turn % len(alike)] == row.entry

    return chosen
