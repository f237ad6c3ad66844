"""The array of vectors that are stored as a matrix of one kind and loaded as one of another, of the same type."""

from __future__ import annotations

from typing import Any

from mmaspec.programs.register_kernels import Store
from mmaspec.strategies.grammar import Array, Chosen, Draft, DrawContext
from mmaspec.strategies.intel_subgroup_mma.arrays.kernel import EightRowsKernel
from mmaspec.strategies.intel_subgroup_mma.arrays.shared import same_vector
from mmaspec.strategies.intel_subgroup_mma.arrays.spread import in_one

WAVES = {"one": 1, "three": 3}
"""Classes of ``waves``."""

_KINDS = {"a-as-b": ("a", "b"), "b-as-a": ("b", "a"), "b-as-cd": ("b", "c")}
"""Classes of ``reinterpreted`` -> the fragment that is stored, and the one that is loaded."""


def _build(context: DrawContext[Any], chosen: Chosen) -> Draft:
    stored, loaded = _KINDS[chosen["reinterpreted"]]
    kernel = EightRowsKernel(context, WAVES[chosen["waves"]])
    kernel.fragments(a="a", b="b", c="cd", d="cd")
    for name in ("a", "b", "c"):
        kernel.add(kernel.load(name, name.upper(), f"in-{name}", by_wave=True))
    here = kernel.mine("m", stored)
    kernel.add(Store(stored, "m", here), kernel.load_at(loaded, "m", here))
    kernel.add(kernel.product("d", "a", "b", "c"), kernel.store("d"), kernel.store(loaded, "kept"))
    kernel.add(kernel.product("d", "a", "b", "d"), kernel.store("d", "more"))
    return kernel.draft("full", batch=4)


RELOADED = Array(
    name="vectors-of-factors",
    focus=("ISGMMA-MEM-FREE", "ISGMMA-A-COLS", "ISGMMA-B-COL", "ISGMMA-ACC-COL"),
    axes={"reinterpreted": tuple(_KINDS), "waves": tuple(WAVES)},
    build=_build,
    rows=("int",),
    fits=in_one(0, same_vector),
)
"""A of eight rows, B and the accumulator are all eight words."""
