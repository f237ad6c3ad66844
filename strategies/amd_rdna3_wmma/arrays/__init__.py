"""Arrays of the RDNA3 matrix builtins: programs that show every class of the parameter space they can."""

from __future__ import annotations

from dataclasses import replace

from mmaspec.strategies.amd_rdna3_wmma.arrays.back_to_back import BACK_TO_BACK
from mmaspec.strategies.amd_rdna3_wmma.arrays.clamped_loops import CLAMPED_LOOPS
from mmaspec.strategies.amd_rdna3_wmma.arrays.copies import COPIES
from mmaspec.strategies.amd_rdna3_wmma.arrays.crossed import CROSSED, SIGNED
from mmaspec.strategies.amd_rdna3_wmma.arrays.data import FLOAT_DATA, INTEGER_DATA
from mmaspec.strategies.amd_rdna3_wmma.arrays.extremes import EXTREMES
from mmaspec.strategies.amd_rdna3_wmma.arrays.forms import SUMS
from mmaspec.strategies.amd_rdna3_wmma.arrays.halves import HALVES_IN_TURN, OTHER_HALVES
from mmaspec.strategies.amd_rdna3_wmma.arrays.modifiers import FLOAT_INSTRUCTIONS, INTEGER_INSTRUCTIONS
from mmaspec.strategies.amd_rdna3_wmma.arrays.shared import (
    ACCESS,
    ADDENDS,
    AROUND,
    CHAINS,
    FILLS,
    FLOWS,
    LOOPS,
    PROGRAMS,
    REINTERPRETED,
    SHARED,
    TILINGS,
    WORDS,
)
from mmaspec.strategies.grammar import Array


def below_too(array: Array) -> Array:
    """What an array shows of builtins it shows of instructions: the tags of their rows begin with ``v-``."""
    return replace(array, rows=(*array.rows, *(f"v-{tag}" for tag in array.rows if not tag.startswith("v-"))))


_BOTH: tuple[Array, ...] = (
    ACCESS, FLOWS, REINTERPRETED, SHARED, WORDS, ADDENDS, AROUND, FILLS, LOOPS, CHAINS, TILINGS, PROGRAMS,
    FLOAT_DATA, INTEGER_DATA, CLAMPED_LOOPS, EXTREMES, COPIES, CROSSED, SIGNED, OTHER_HALVES, HALVES_IN_TURN, SUMS,
    FLOAT_INSTRUCTIONS, INTEGER_INSTRUCTIONS, BACK_TO_BACK,
)  # fmt: skip
ARRAYS: tuple[Array, ...] = tuple(map(below_too, _BOTH))
"""All of them."""
