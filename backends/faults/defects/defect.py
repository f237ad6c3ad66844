"""What is said of a defect before it is planted in the machine of a specification."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from mmaspec.backends.faults.defects.defective_unit import Deviation

EVERY_SPEC = ("amd-rdna3-wmma", "hlsl-wave-matrix", "nv-coopmat2")
LINES = ("hlsl-wave-matrix", "nv-coopmat2")
"""Specifications that say nothing of registers: under RDNA3 some defects of k are wrong layouts, which are faults."""

Role = Literal["sum", "addend", "addend-value", "nan", "int", "int-addend", "int-range", "sign", "wrap"]
"""What a defect breaks, in the words of no specification: each names a clause for it, or none."""


@dataclass(frozen=True, slots=True)
class Defect:
    """A deviation of the arithmetic unit.

    ``rows`` are tags of the caps rows where it differs from a legal unit. ``window``: only exact sums of small
    integers show it, so it is a defect only where those are required.
    """

    name: str
    behaves_as_if: str
    imitates: str
    deviation: Deviation
    rows: tuple[str, ...] = ("float",)
    role: Role = "sum"
    window: bool = False
    specs: tuple[str, ...] = EVERY_SPEC
