"""Multiply-add on integers: exact, with the specification's word on overflow."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from .formats import Format
from .legal import Legal
from .ordinals import Bits, Flags


class Overflow(StrEnum):
    """What happens to a sum that leaves the accumulator's range."""

    WRAP = "wrap"
    SATURATE = "saturate"
    SATURATE_STEP = "saturate-step"
    UNDEFINED = "undefined"


@dataclass(frozen=True, slots=True, eq=False)
class IntSum:
    """The legal contents of D, and where some order or step could leave the range of the accumulator."""

    legal: Legal
    overflowed: Flags


def multiply_add_int(
    *, a_fmt: Format, a: Bits, b_fmt: Format, b: Bits, c: Legal, overflow: Overflow
) -> IntSum:
    """Legal contents of A*B + C in the integer format of C; shapes as in `contract.multiply_add`."""
    raise NotImplementedError
