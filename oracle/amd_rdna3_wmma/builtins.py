"""The builtins' names and signatures, as the document's table and the compiler's own declarations give them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from mmaspec.programs.amd_rdna3_wmma.program import ElementType

_NAME = re.compile(
    r"([a-z]+[0-9]+)_([0-9]{1,9})x([0-9]{1,9})x([0-9]{1,9})_([a-z]+[0-9]+)(_tied)?_w([0-9]{1,9})",
)

COMBINATIONS = frozenset(
    {("f32", "f16"), ("f32", "bf16"), ("f16", "f16"), ("bf16", "bf16"), ("i32", "iu8"), ("i32", "iu4")}
)
"""(format of C and D, format of A and B): six, each for both wave sizes (RDNA3-OPS)."""

SIXTEEN_BITS = ("f16", "bf16")
"""Formats of C and D of which a register holds an element in one half; these forms take OPSEL and may be tied."""

_OPERAND_VECTOR: dict[str, tuple[ElementType, int]] = {
    "f16": ("half", 16),
    "bf16": ("short", 16),
    "iu8": ("int", 4),
    "iu4": ("int", 2),
}
_ACCUMULATOR_VECTOR: dict[tuple[str, int], tuple[ElementType, int]] = {
    ("f32", 32): ("float", 8),
    ("i32", 32): ("int", 8),
    ("f16", 32): ("half", 16),
    ("bf16", 32): ("short", 16),
    ("f32", 64): ("float", 4),
    ("i32", 64): ("int", 4),
    ("f16", 64): ("half", 8),
    ("bf16", 64): ("short", 8),
}


@dataclass(frozen=True, slots=True)
class Builtin:
    """A name ``<C, D format>_<M>x<N>x<K>_<A, B format>[_tied]_w<wave size>``, taken apart."""

    accumulator: str
    shape: tuple[int, int, int]
    operand: str
    wave_size: int
    tied: bool = False

    @property
    def joined(self) -> bool:
        """Whether some builtin has these formats; of tied ones only those with 16-bit C and D."""
        known = (self.accumulator, self.operand) in COMBINATIONS
        return known and (self.accumulator in SIXTEEN_BITS or not self.tied)

    @property
    def exists(self) -> bool:
        """Whether this is one of the twelve, or of the four tied ones."""
        return self.joined and self.shape == (16, 16, 16) and self.wave_size in (32, 64)

    @property
    def halves(self) -> bool:
        """Whether C and D have 16 bits an element, and OPSEL is an argument."""
        return self.joined and self.accumulator in SIXTEEN_BITS

    @property
    def integer(self) -> bool:
        """Whether this is an integer form, which takes sign flags and clamp."""
        return self.accumulator == "i32"

    @property
    def operand_vector(self) -> tuple[ElementType, int]:
        """Element and slots of the vectors of A and B; ``KeyError`` for other formats."""
        return _OPERAND_VECTOR[self.operand]

    @property
    def accumulator_vector(self) -> tuple[ElementType, int]:
        """Element and slots of the vectors of C and D; ``KeyError`` for other formats."""
        return _ACCUMULATOR_VECTOR[self.accumulator, self.wave_size]


@lru_cache(maxsize=256)
def parse(name: str) -> Builtin | None:
    """A builtin's name without its prefix, taken apart; None where it does not follow the syntax."""
    match = _NAME.fullmatch(name)
    if match is None:
        return None
    accumulator, m, n, k, operand, tied, wave_size = match.groups()
    return Builtin(accumulator, (int(m), int(n), int(k)), operand, int(wave_size), tied is not None)
