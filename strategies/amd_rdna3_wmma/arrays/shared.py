"""The array of shared places: one block that several loads read, as one fragment, as two factors, as two types."""

from __future__ import annotations

from typing import Any

from mmaspec.oracle.spec import Row
from mmaspec.programs.amd_rdna3_wmma.program import Affine, Load
from mmaspec.strategies.amd_rdna3_wmma.arrays.kernel import WAVES, Kernel
from mmaspec.strategies.grammar import Array, Chosen, Draft, DrawContext


def _build(context: DrawContext[Any], chosen: Chosen) -> Draft | None:
    kernel = Kernel(context, context.choices.one_of(WAVES[chosen["waves"]]))
    kernel.fragments(a="a", b="b", c="cd", d="cd")
    kernel.room("m", 96)
    kind = chosen["load-place-shared"]
    here = kernel.mine("m", "a")
    if chosen["load-data"] == "background":
        # What lies there nobody knows, and nothing but the next load comes after it.
        kernel.next("void", "c", 3)
        kernel.add(Load("c", "void", kernel.choices.integer(0, 2)))
    kernel.add(kernel.load("b", "B", "in", by_wave=True), kernel.load("c", "C", "in", by_wave=True))
    kernel.add(Load("a", "m", here, "A"))
    if kind == "reloaded":
        named = "A" if chosen["load-data"] == "named-twice" else None
        kernel.add(kernel.wmma("d", "a", "b", "c"), kernel.store("d"), kernel.load("a", "Between", "in", by_wave=True))
        kernel.add(kernel.wmma("d", "a", "b", "c"), kernel.store("d"), Load("a", "m", here, named))
    elif kind == "a-and-b":
        kernel.add(Load("b", "m", here))
    else:
        _other_type(kernel, here)
    kernel.add(kernel.wmma("d", "a", "b", "c"), kernel.store("d"))
    return kernel.draft("wild" if kernel.integer else "window", batch=2)


def _other_type(kernel: Kernel, here: Affine) -> None:
    """C from where A lies: half of it, the same bytes, or those of two."""
    if kernel.sizes["c"] > kernel.sizes["a"]:
        pairs = Affine(-(-kernel.room("m").end // kernel.sizes["c"]), wave=1)
        kernel.cover("m", "c", pairs)
        kernel.fragments(low="a", high="a")
        kernel.add(Load("low", "m", Affine(2 * pairs.base, wave=2), "Low"), kernel.store("low"))
        kernel.add(Load("high", "m", Affine(2 * pairs.base + 1, wave=2), "High"), kernel.store("high"))
        kernel.add(Load("c", "m", pairs))
    else:
        parts = kernel.sizes["a"] // kernel.sizes["c"]
        kernel.add(Load("c", "m", Affine(here.base * parts, wave=parts)))
    kernel.add(kernel.store("c"))


def _fits(row: Row[Any], _: object, axis: str, name: str) -> bool:
    """Blocks of A and C are of different size in half of the forms."""
    differ = row.tags >= {"int", "w32"} or row.tags >= {"float", "w64"}
    return axis != "blocks-overlap" or name != "contained" or differ


SHARED = Array(
    name="shared-places",
    focus=("RDNA3-MEM-FREE", "RDNA3-AB-ROWCOL"),
    axes={
        "load-place-shared": ("reloaded", "a-and-b", "two-types"),
        "load-data": ("named", "named-twice", "background"),
        "blocks-overlap": ("same", "contained"),
        "waves": ("one", "three"),
    },
    build=_build,
    rules=(
        "blocks-overlap=contained with load-place-shared=reloaded|a-and-b",
        "blocks-overlap=contained with load-data=background",
        "load-data=named-twice with load-place-shared=a-and-b|two-types",
    ),
    fits=_fits,
)
"""Several loads of one block."""
