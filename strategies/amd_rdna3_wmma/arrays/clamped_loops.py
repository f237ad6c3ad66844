"""Integer sums that leave their range in every pass of a loop, or in some of them, with and without clamp."""

from __future__ import annotations

from functools import partial

from mmaspec.strategies.amd_rdna3_wmma.arrays.kernel import WmmaKernel
from mmaspec.strategies.amd_rdna3_wmma.builder import Flags
from mmaspec.strategies.grammar import Array, Chosen
from mmaspec.strategies.register_kernels.arrays.overflowing import PASSES, overflowing


def flags_of(chosen: Chosen) -> tuple[Flags, Flags]:
    """The flags of both products."""
    signs, clamp = (chosen["signs"] in ("signed", "a-signed"), chosen["signs"] == "signed"), chosen["clamp"] == "on"
    return Flags(signs, clamp), Flags(signs, not clamp if chosen["neighbour"] == "other-clamp" else clamp)


CLAMPED_LOOPS = Array(
    name="clamped-loops",
    focus=("RDNA3-IU-CLAMP", "RDNA3-IU-NOCLAMP", "RDNA3-IU-ACC", "RDNA3-TILE"),
    axes={
        "clamp": ("on", "off"),
        "repeat-count": tuple(PASSES),
        "c-source": ("loaded", "result"),
        "signs": ("unsigned", "a-signed", "signed"),
        "neighbour": ("none", "same-clamp", "other-clamp"),
    },
    build=partial(overflowing, WmmaKernel, flags_of),
    rows=("int",),
)
"""One product in a loop, stored in every pass, and another one that goes on from it."""
