"""Integer sums that leave their range in every pass of a loop, or in some of them, with and without clamp."""

from __future__ import annotations

from typing import Any

from mmaspec.programs.amd_rdna3_wmma.program import Plain, Repeat
from mmaspec.strategies.amd_rdna3_wmma.arrays.kernel import Kernel
from mmaspec.strategies.grammar import Array, Chosen, Draft, DrawContext

PASSES = {"two": 2, "four": 4}
"""Classes of ``repeat-count``."""


def _build(context: DrawContext[Any], chosen: Chosen) -> Draft:
    kernel = Kernel(context, context.choices.weighted(((3, 1), (1, 2))))
    kernel.fragments(a="a", b="b", c="cd", d="cd")
    passes, clamp = PASSES[chosen["repeat-count"]], chosen["clamp"] == "on"
    signs = (chosen["signs"] in ("signed", "a-signed"), chosen["signs"] == "signed")
    carried = chosen["c-source"] == "result"
    if carried:
        kernel.add(kernel.load("c", "C", "in-c"))
    body: list[Plain] = [kernel.load(name, name.upper(), f"in-{name}", passes, by_loop=True) for name in "ab"]
    if not carried:
        body.append(kernel.load("c", "C", "in-c", passes, by_loop=True))
    d = "c" if carried else "d"
    other = not clamp if chosen["neighbour"] == "other-clamp" else clamp
    body += [kernel.wmma(d, "a", "b", "c", signs, clamp), kernel.store(d, "out", passes, by_loop=True)]
    if chosen["neighbour"] != "none":
        kernel.fragments(e="cd")
        body += [kernel.wmma("e", "a", "b", d, signs, other), kernel.store("e", "next", passes, by_loop=True)]
    kernel.add(Repeat(passes, tuple(body)))
    return kernel.draft("overflow", batch=6)


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
    build=_build,
    rows=("int",),
)
"""One product in a loop, stored in every pass, and another one that goes on from it."""
