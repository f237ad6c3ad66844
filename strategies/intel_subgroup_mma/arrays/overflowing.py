"""Integer sums that leave 32 bits in every pass of a loop, or in some of them, and wrap."""

from __future__ import annotations

from functools import partial

from mmaspec.strategies.grammar import Array, Chosen
from mmaspec.strategies.intel_subgroup_mma.arrays.kernel import MadKernel
from mmaspec.strategies.intel_subgroup_mma.arrays.spread import signed_alike
from mmaspec.strategies.register_kernels.arrays.overflowing import PASSES, overflowing
from mmaspec.strategies.register_kernels.builder import Flags


def _no_flags(_: Chosen) -> tuple[Flags, Flags]:
    return None, None


WRAPPING_LOOPS = Array(
    name="wrapping-loops",
    focus=("ISGMMA-INT-WRAP", "ISGMMA-INT-ACC", "ISGMMA-BY-VALUE"),
    axes={
        "repeat-count": tuple(PASSES),
        "c-source": ("loaded", "result"),
        "neighbour": ("none", "goes-on"),
    },
    build=partial(overflowing, MadKernel, _no_flags),
    rows=("int",),
    fits=signed_alike,
)
"""One product in a loop, stored in every pass, and another one that goes on from it."""
