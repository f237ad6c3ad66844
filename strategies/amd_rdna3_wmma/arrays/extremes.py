"""The ends of what there is, and fragments whose copies differ for a time."""

from __future__ import annotations

from msgspec.structs import replace

from mmaspec.strategies.amd_rdna3_wmma.arrays.kernel import WmmaKernel
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


def _two(kernel: WmmaKernel) -> None:
    """Two fragments, whose further copies hold something else for a time, in which no product takes them."""
    kernel.fragments(a="a", b="b")
    copies = kernel.wave_size // 16 - 1
    for name in ("a", "b"):
        load = kernel.load(name, name.upper(), f"in-{name}")
        kernel.add(replace(load, replicas=tuple(f"{name}-copy-{n}" for n in range(copies))))
        kernel.add(kernel.load(name, f"{name}-equal", f"in-{name}"), kernel.store(name))


_TWO: Scenes = {"two": _two}

_AGAIN = (
    {"w32", "acc-f32", "f16"}, {"w64", "acc-f32", "bf16"}, {"w32", "acc-f16"}, {"w64", "acc-bf16"},
    {"w32", "iu8"}, {"w64", "iu4"},
    {"w32", "v-acc-f32", "f16"}, {"w64", "v-acc-f32", "bf16"}, {"w32", "v-acc-f16"}, {"w64", "v-acc-bf16"},
)  # fmt: skip
"""Tags of rows, of each format one size of waves."""
_EDGES = (
    ("acc-f32", "bf16"), ("acc-f16",), ("acc-bf16",), ("v-acc-f32", "bf16"), ("v-acc-f16",), ("v-acc-bf16",),
)  # fmt: skip
"""Tags of rows in which sums leave their range."""

EXTREMES = extremes(
    WmmaKernel,
    ("RDNA3-MEM-FREE", "RDNA3-MMA", "RDNA3-INPLACE", "RDNA3-STORE-ONLY"),
    FAR | LONG_CHAIN | FULL | MANY_FACTORS | COPY | _TWO | AGAIN | BYTES | EDGES,
    {
        "far": ({"iu8", "w32"}, {"iu4", "w32"}),  # the smallest blocks: what takes no windows gets all of their buffers
        # Registers and the length of a chain are alike in forms of one width.
        "long": ({"w32", "iu8"}, {"w32", "acc-f32", "bf16"}, {"w32", "acc-f16", "tied"}),
        "full": ({"w32"},),
        "many": ({"w32", "acc-f32", "f16"}, {"w32", "acc-bf16", "tied"}, {"w32", "iu8"}, {"w64", "iu4"}),
        "bytes": ({"iu8", "w64"},),  # where A, B and C have one vector type
        # What consecutive products share has nothing to do with their form.
        "again": _AGAIN,
        # Products of f16 leave no range of f32.
        "edges": tuple({"w32", *tags} for tags in _EDGES),
    },
)
"""The ends."""
