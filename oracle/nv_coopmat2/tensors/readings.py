"""The readings of the ambiguities in tensor addressing, on which addresses depend beside the program."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product

PARTIAL_BLOCKS, CLIP_END, CLAMP_BITS = "NVCM2-AMB-19", "NVCM2-AMB-04", "NVCM2-AMB-13"
CEILING, FLOOR = "ceiling", "floor"
WRAPS, MATHEMATICAL = "uint32", "mathematical"
ZERO, SIGN = "zero-extended", "sign-extended"


@dataclass(frozen=True, slots=True)
class AddressReading:
    """One reading of each ambiguity that moves addresses.

    partial_blocks   NVCM2-AMB-19: whether a partial block counts in implicit strides (ceiling) or not (floor)
    clip_end         NVCM2-AMB-04: whether the end of a clip region is a sum in 32 bits or a mathematical one
    """

    partial_blocks: str = CEILING
    clip_end: str = WRAPS


ADDRESS_READINGS = tuple(
    AddressReading(blocks, end) for blocks, end in product((CEILING, FLOOR), (WRAPS, MATHEMATICAL))
)
"""Every combination, the default one first."""

DEFAULT = ADDRESS_READINGS[0]
