"""The ends of what there is: far blocks, long chains, many sub-groups, as little as can be, vectors seen as others."""

from __future__ import annotations

from mmaspec.strategies.intel_subgroup_mma.arrays.kernel import MadKernel
from mmaspec.strategies.register_kernels.arrays.extremes import (
    AGAIN,
    BYTES,
    COPY,
    EDGES,
    FAR,
    FULL,
    LONG_CHAIN,
    MANY_FACTORS,
    Scenes,
    extremes,
)


def _two(kernel: MadKernel) -> None:
    """Two fragments, which are only moved."""
    kernel.fragments(a="a", b="b")
    for name in ("b", "a"):
        kernel.add(kernel.load(name, name.upper(), f"in-{name}"))
    kernel.add(kernel.store("a"), kernel.store("b"))


def _bytes(kernel: MadKernel) -> None:
    """A result as the elements of a factor, where all three have one vector."""
    kernel.rows = 8
    BYTES["bytes"](kernel)


_TWO: Scenes = {"two": _two}
_OWN_BYTES: Scenes = {"bytes": _bytes}

EXTREMES = extremes(
    MadKernel,
    ("ISGMMA-BY-VALUE", "ISGMMA-MEM-FREE", "ISGMMA-STORE-ONLY"),
    FAR | LONG_CHAIN | FULL | MANY_FACTORS | COPY | _TWO | AGAIN | _OWN_BYTES | EDGES,
    {
        # What takes no windows gets all of their buffers: one kernel is enough.
        "far": ({"a-i8", "b-i8"},),
        "long": ({"a-f16", "acc-f32"}, {"a-i8", "b-u8"}),
        "full": ({"bits-16", "acc-f32"},),
        "many": ({"bits-16", "acc-f32"}, {"a-i8", "b-i8"}, {"a-u4", "b-u4"}),
        "copy": ({"a-u4", "b-i4"},),
        "two": ({"a-i8", "b-u8"},),
        "again": ({"b-u8"},),
        # Products of f16 leave no range of f32.
        "edges": ({"acc-f32", "a-bf16"}, {"acc-bf16"}, {"acc-f16"}),
        "bytes": ({"n8", "a-i8", "b-i8"}, {"n8", "a-u4", "b-i4"}),
    },
)
"""The ends."""
