"""The description of a defect, from which it is planted in the reference device of a specification."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from mmaspec.backends.faults.defects.defective_unit import Deviation

Trait = Literal[
    "lines", "registers", "signed-bytes", "unsigned-bytes", "wraps", "nan", "direct-c", "f32-factors", "exact-window"
]
"""What a specification has or demands, as far as it decides which defects are defects there.

``lines``           its accesses are row-major or column-major, and it says nothing of registers
``registers``       it says which register holds what: some defects of k are wrong layouts there, which are faults
``signed-bytes``    all bytes are signed. Elsewhere only some signs reach 2^15 in two products, 2^17 in all, or give
                    negative products; changing the signs then hides a defect that needs them, so that it cannot be told
                    from a wrong sign
``unsigned-bytes``  there are unsigned bytes
``wraps``           it says what becomes of integer sums beyond the range
``nan``             a NaN has to be produced
``direct-c``        C is an operand of its own. What an accumulator holds that can only be filled with one constant is
                    looked at through it, which hides defects of its places
``f32-factors``     there are products of f32
``exact-window``    sums of small integers have to be exact
"""

DefectRole = Literal[
    "sum", "product", "addend", "addend-value", "nan", "int", "int-addend", "int-range", "sign", "wrap"
]
"""What a defect breaks, in the words of no specification: each names a clause for it, or none. *sum*: the accuracy or
the range of a sum of floats; *product*: which terms it has, with which signs, and where it stands."""


@dataclass(frozen=True, slots=True)
class Defect:
    """A deviation of the arithmetic unit.

    ``rows`` are tags of the caps rows where it differs from a legal unit; ``where`` is what a specification has to have
    for it to be a defect.
    """

    name: str
    behaves_as_if: str
    imitates: str
    deviation: Deviation
    rows: tuple[str, ...] = ("float",)
    role: DefectRole = "sum"
    where: Trait | None = None
