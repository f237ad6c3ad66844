"""Arrays of the sub-group matrix functions: programs that show every class of the parameter space they can."""

from __future__ import annotations

from mmaspec.strategies.grammar import Array
from mmaspec.strategies.intel_subgroup_mma.arrays.extremes import EXTREMES
from mmaspec.strategies.intel_subgroup_mma.arrays.forms import FACTORS, SUMS
from mmaspec.strategies.intel_subgroup_mma.arrays.overflowing import WRAPPING_LOOPS
from mmaspec.strategies.intel_subgroup_mma.arrays.reloaded import RELOADED
from mmaspec.strategies.intel_subgroup_mma.arrays.shared import (
    ACCESS,
    ADDENDS,
    AROUND,
    CHAINS,
    FILLS,
    FLOAT_DATA,
    FLOWS,
    INTEGER_DATA,
    LOOPS,
    PROGRAMS,
    REINTERPRETED,
    SHARED,
    TILINGS,
    WORDS,
)
from mmaspec.strategies.intel_subgroup_mma.arrays.sizes import BESIDE, FUNCTIONS

ARRAYS: tuple[Array, ...] = (
    FUNCTIONS, BESIDE, SUMS, FACTORS, ACCESS, FLOWS, REINTERPRETED, RELOADED, SHARED, WORDS, ADDENDS, AROUND, FILLS,
    LOOPS, CHAINS, TILINGS, PROGRAMS, FLOAT_DATA, INTEGER_DATA, WRAPPING_LOOPS, EXTREMES,
)  # fmt: skip
"""All of them."""
