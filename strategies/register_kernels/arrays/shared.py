"""The array of shared places: one block that several loads read, as one fragment, as two factors, as two types."""

from __future__ import annotations

from functools import partial
from typing import Any

from mmaspec.programs.base import Affine
from mmaspec.strategies.grammar import Array, Chosen, Draft, DrawContext
from mmaspec.strategies.register_kernels.arrays.kernel import WAVES, Fits, Kernel


def _build(make: type[Kernel], context: DrawContext[Any], chosen: Chosen) -> Draft | None:
    kernel = make(context, context.choices.one_of(WAVES[chosen["waves"]]))
    kernel.fragments(a="a", b="b", c="cd", d="cd")
    kernel.room("m", 96)
    kind = chosen["load-place-shared"]
    here = kernel.mine("m", "a")
    if chosen["load-data"] == "background":
        # What lies there nobody knows, and nothing but the next load comes after it.
        kernel.next("void", "c", 3)
        kernel.add(kernel.load_at("c", "void", kernel.choices.integer(0, 2)))
    kernel.add(kernel.load("b", "B", "in", by_wave=True), kernel.load("c", "C", "in", by_wave=True))
    kernel.add(kernel.load_at("a", "m", here, "A"))
    if kind == "reloaded":
        named = "A" if chosen["load-data"] == "named-twice" else None
        kernel.add(
            kernel.product("d", "a", "b", "c"), kernel.store("d"), kernel.load("a", "Between", "in", by_wave=True)
        )
        kernel.add(kernel.product("d", "a", "b", "c"), kernel.store("d"), kernel.load_at("a", "m", here, named))
    elif kind == "a-and-b":
        kernel.add(kernel.load_at("b", "m", here))
    else:
        _other_type(kernel, here)
    kernel.add(kernel.product("d", "a", "b", "c"), kernel.store("d"))
    return kernel.draft("wild" if kernel.integer else kernel.sums, batch=2)


def _other_type(kernel: Kernel, here: Affine) -> None:
    """C from where A lies: half of it, the same bytes, or those of two or four."""
    if kernel.sizes["c"] > kernel.sizes["a"]:
        groups = Affine(-(-kernel.room("m").end // kernel.sizes["c"]), wave=1)
        kernel.cover("m", "c", groups)
        count = kernel.sizes["c"] // kernel.sizes["a"]
        for number, name in enumerate(("low", "high", "third", "fourth")[:count]):
            kernel.fragment(name, "a")
            part = Affine(count * groups.base + number, wave=count)
            kernel.add(kernel.load_at(name, "m", part, name.capitalize()), kernel.store(name))
        kernel.add(kernel.load_at("c", "m", groups))
    else:
        parts = kernel.sizes["a"] // kernel.sizes["c"]
        kernel.add(kernel.load_at("c", "m", Affine(here.base * parts, wave=parts)))
    kernel.add(kernel.store("c"))


def shared(make: type[Kernel], focus: tuple[str, ...], fits: Fits | None = None) -> Array:
    """Several loads of one block."""
    return Array(
        name="shared-places",
        focus=focus,
        axes={
            "load-place-shared": ("reloaded", "a-and-b", "two-types"),
            "load-data": ("named", "named-twice", "background"),
            "blocks-overlap": ("same", "contained"),
            "waves": ("one", "three"),
        },
        build=partial(_build, make),
        rules=(
            "blocks-overlap=contained with load-place-shared=reloaded|a-and-b",
            "blocks-overlap=contained with load-data=background",
            "load-data=named-twice with load-place-shared=a-and-b|two-types",
        ),
        fits=fits,
    )
