"""The array of crossed factors: a fragment that is A and B of one product, or A of one and B of the next."""

from __future__ import annotations

from typing import Any

from mmaspec.programs.amd_rdna3_wmma.program import Use
from mmaspec.strategies.amd_rdna3_wmma.arrays.kernel import WmmaKernel
from mmaspec.strategies.amd_rdna3_wmma.arrays.spread import one_of_each_form
from mmaspec.strategies.grammar import Array, Chosen, Draft, DrawContext
from mmaspec.strategies.register_kernels.arrays.kernel import WAVES

_OTHER: dict[str, Use] = {"a": "b", "b": "a"}


def _build(context: DrawContext[Any], chosen: Chosen) -> Draft | None:
    """The first factor of the first product is declared with the chosen use. In loops a second product is alike."""
    kernel = WmmaKernel(context, context.choices.one_of(WAVES[chosen["waves"]]))
    use: Use = "a" if chosen["fragment-use"] == "a" else "b"
    kernel.fragments(x=use, c="cd")
    kernel.add(kernel.load("x", "X", "in", by_wave=True), kernel.load("c", "C", "in", by_wave=True))
    looped, left, right = chosen["in-loop"] != "no", "x", "x"
    if chosen["fragment-both-roles"] != "same-product":
        right = kernel.fragment("y", _OTHER[use])
        kernel.add(kernel.load("y", "Y", "in", by_wave=True))
    signs, clamp = (kernel.choices.chance(50), kernel.choices.chance(50)), kernel.choices.chance(50)
    source = None if chosen["c-source"] == "literal" else "c"
    if chosen["c-source"] == "result":
        kernel.add(kernel.wmma("c", left, right, "c", signs, clamp))
    # One sum of both is what a symmetric update of rank 2k is made of.
    d = "c" if chosen["destination"] == "in-place" else kernel.fragment("d", "cd")
    products = [kernel.wmma(d, left, right, source, signs, clamp)]
    if looped or left != right:
        e = d if d == source else kernel.fragment("e", "cd")
        products.append(kernel.wmma(e, right, left, source, signs, clamp))
    kernel.add(*([kernel.repeat(2, tuple(products))] if looped else products))
    kernel.add(*(kernel.store(name) for name in sorted({product.d for product in products} | {"c"})))
    return kernel.draft("full" if kernel.integer else kernel.sums, batch=2)


def _build_signed(context: DrawContext[Any], chosen: Chosen) -> Draft:
    """One fragment of bytes, whose upper halves are set, as both factors: each sign with each.

    Where it is both of one product, sums leave their range, as they do beside it of two fragments: what clamp does to
    them does not hang on which registers A and B are.
    """
    kernel = WmmaKernel(context, context.choices.one_of(WAVES[chosen["waves"]]))
    kernel.fragments(x="a", y="b", c="cd", d="cd")
    for name in ("x", "y", "c"):
        kernel.add(kernel.load(name, name.upper(), "in", by_wave=True))
    as_a, as_b = (sign == "s" for sign in chosen["signs"])
    clamp = chosen["clamp"] == "on"
    if chosen["fragment-both-roles"] == "same-product":
        kernel.add(kernel.wmma("d", "x", "x", "c", (as_a, as_b), clamp), kernel.store("d"))
        kernel.add(kernel.wmma("d", "x", "y", "c", (as_a, as_b), clamp), kernel.store("d"))
    else:
        kernel.fragment("e", "cd")
        other = kernel.choices.chance(50)
        kernel.add(kernel.wmma("d", "x", "y", "c", (as_a, other), clamp))
        kernel.add(kernel.wmma("e", "y", "x", "c", (other, as_b), clamp), kernel.store("d"), kernel.store("e"))
    return kernel.draft("overflow" if chosen["fragment-both-roles"] == "same-product" else "full", batch=2)


SIGNED = Array(
    name="signs-of-both-factors",
    focus=("RDNA3-IU-SIGN", "RDNA3-AB-ROWCOL"),
    axes={
        "fragment-both-roles": ("same-product", "other-product"),
        "signs": ("uu", "us", "su", "ss"),
        "clamp": ("on", "off"),
        "waves": ("one", "three"),
    },
    build=_build_signed,
    rows=("int",),
)
"""A fragment has no sign of its own: each flag reads it anew."""

CROSSED = Array(
    name="crossed-factors",
    focus=("RDNA3-AB-ROWCOL", "RDNA3-MMA"),
    axes={
        "fragment-both-roles": ("same-product", "other-product"),
        "fragment-use": ("a", "b"),
        "c-source": ("loaded", "result", "literal"),
        "destination": ("in-place", "apart-fresh"),
        "in-loop": ("no", "first-in-loop"),
        "waves": ("one", "three"),
    },
    build=_build,
    rules=("c-source=literal with destination=in-place",),
    fits=one_of_each_form(10),
)
"""The vectors of A and B are alike, so that one may be the other, transposed."""
