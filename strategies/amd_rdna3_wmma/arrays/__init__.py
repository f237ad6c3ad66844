"""Arrays of the RDNA3 matrix builtins: programs that show every class of the parameter space they can."""

from __future__ import annotations

from mmaspec.strategies.amd_rdna3_wmma.arrays.access import ACCESS
from mmaspec.strategies.amd_rdna3_wmma.arrays.addends import ADDENDS
from mmaspec.strategies.amd_rdna3_wmma.arrays.around import AROUND
from mmaspec.strategies.amd_rdna3_wmma.arrays.chains import CHAINS
from mmaspec.strategies.amd_rdna3_wmma.arrays.clamped_loops import CLAMPED_LOOPS
from mmaspec.strategies.amd_rdna3_wmma.arrays.crossed import CROSSED, SIGNED
from mmaspec.strategies.amd_rdna3_wmma.arrays.data import FLOAT_DATA, INTEGER_DATA
from mmaspec.strategies.amd_rdna3_wmma.arrays.extremes import EXTREMES
from mmaspec.strategies.amd_rdna3_wmma.arrays.fills import FILLS
from mmaspec.strategies.amd_rdna3_wmma.arrays.flows import FLOWS, REINTERPRETED
from mmaspec.strategies.amd_rdna3_wmma.arrays.loops import LOOPS
from mmaspec.strategies.amd_rdna3_wmma.arrays.programs import PROGRAMS
from mmaspec.strategies.amd_rdna3_wmma.arrays.shared import SHARED
from mmaspec.strategies.amd_rdna3_wmma.arrays.tilings import TILINGS
from mmaspec.strategies.amd_rdna3_wmma.arrays.words import WORDS
from mmaspec.strategies.grammar import Array

ARRAYS: tuple[Array, ...] = (
    ACCESS, FLOWS, REINTERPRETED, SHARED, WORDS, ADDENDS, AROUND, FILLS, LOOPS, CHAINS, TILINGS, PROGRAMS,
    FLOAT_DATA, INTEGER_DATA, CLAMPED_LOOPS, EXTREMES, CROSSED, SIGNED,
)  # fmt: skip
"""All of them."""
