"""Arrays of the RDNA3 matrix builtins: programs that show every class of the parameter space they can."""

from __future__ import annotations

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

ARRAYS: tuple[Array, ...] = (
    ACCESS, FLOWS, REINTERPRETED, SHARED, WORDS, ADDENDS, AROUND, FILLS, LOOPS, CHAINS, TILINGS, PROGRAMS,
    FLOAT_DATA, INTEGER_DATA, CLAMPED_LOOPS, EXTREMES, COPIES, CROSSED, SIGNED, OTHER_HALVES, HALVES_IN_TURN, SUMS,
    FLOAT_INSTRUCTIONS, INTEGER_INSTRUCTIONS,
)  # fmt: skip
"""All of them."""
