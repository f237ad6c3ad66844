"""The array of products: where C comes from, where D goes, what D held, and how A and B are alike."""

from __future__ import annotations

from typing import Any

from mmaspec.oracle.spec import Row
from mmaspec.programs.amd_rdna3_wmma.program import Fill, Load, Repeat, Store
from mmaspec.strategies.amd_rdna3_wmma.arrays.kernel import Kernel
from mmaspec.strategies.amd_rdna3_wmma.templates import ONE_HALF
from mmaspec.strategies.grammar import Array, Chosen, Draft, DrawContext

_TWINS = ("transposed", "negated")


def _build(context: DrawContext[Any], chosen: Chosen) -> Draft | None:
    kernel = Kernel(context, context.choices.one_of((1, 1, 2)))
    kernel.fragments(a="a", b="b", c="cd", d="cd", e="cd")
    signs = (True, True) if chosen["equal-contents"] == "negated" else None
    kernel.add(kernel.load("a", "A", "in", by_wave=True), kernel.load("b", "B", "in", by_wave=True))
    _addend(kernel, chosen["c-source"], signs)
    source, d = chosen["c-source"], "d"
    if chosen["destination"] == "in-place":
        d = "c"
    elif chosen["destination"] in ("apart-old", "apart-c-live") and chosen["old-d"] != "none":
        _old(kernel, chosen["old-d"], signs)
    kernel.add(kernel.wmma(d, "a", "b", "c", signs), kernel.store(d))
    if chosen["destination"] == "apart-c-live":
        kernel.add(kernel.store("c"), kernel.wmma("e", "a", "b", "c", signs), kernel.store("e"))
    if source == "zero-loaded":
        return kernel.draft("zero-addends", batch=4)
    regime = "wild" if kernel.integer else "window"
    return kernel.draft("twins" if chosen["equal-contents"] in _TWINS else regime, batch=6)


def _addend(kernel: Kernel, source: str, signs: tuple[bool, bool] | None) -> None:
    """Give ``c`` its contents by a class of ``c-source``."""
    if source != "zero-computed":
        kernel.add(kernel.load("c", "C", "addend", by_wave=True))
        if source == "result-of-loop":
            inside = kernel.load("a", "Each", "each", 2, by_wave=True, by_loop=True)
            kernel.add(Repeat(2, (inside, kernel.wmma("c", "a", "b", "c", signs))))
            kernel.add(kernel.load("a", "After", "after", by_wave=True))
        elif source == "reloaded-result":
            here = kernel.mine("kept", "c")
            kernel.add(kernel.wmma("c", "a", "b", "c", signs), Store("c", "kept", here), Load("c", "kept", here))
    else:
        # Of numbers without a sign, so that no device can leave -0.
        kernel.fragments(none="a", ones="b")
        kernel.add(Fill("none", 0), Fill("ones", 1 if kernel.integer else ONE_HALF))
        kernel.add(kernel.wmma("c", "none", "ones", None, signs))


def _old(kernel: Kernel, kind: str, signs: tuple[bool, bool] | None) -> None:
    """What ``d`` holds before: a class of ``old-d``."""
    if kind == "ones":
        kernel.add(Fill("d", 0xFFFF_FFFF))
    elif kind == "nan":
        kernel.add(Fill("d", kernel.choices.one_of((0x7FC0_0000, 0x7F80_0001, 0xFFC0_0001))))
    else:
        kernel.add(kernel.wmma("d", "a", "b", None, signs), kernel.store("d"))


def _fits(row: Row[Any], _: object, axis: str, name: str) -> bool:
    """Integers have no NaN; a sum of zeros that floats leave has either sign, so that its bits are not known."""
    return name != ("nan" if "int" in row.tags else "zero-computed") or axis not in ("old-d", "c-source")


ADDENDS = Array(
    name="addends",
    focus=("RDNA3-MMA", "RDNA3-INPLACE", "RDNA3-ZERO-C"),
    axes={
        "c-source": ("loaded", "zero-loaded", "zero-computed", "result-of-loop", "reloaded-result"),
        "destination": ("in-place", "apart-old", "apart-c-live"),
        "old-d": ("none", "ones", "nan", "other-result"),
        "equal-contents": ("different", *_TWINS),
    },
    build=_build,
    rules=(
        "destination=in-place with old-d=ones|nan|other-result",
        "destination=apart-old with old-d=none",
        "c-source=zero-loaded|result-of-loop with equal-contents=transposed|negated",
    ),
    fits=_fits,
)  # fmt: skip
"""Where C comes from and where D goes."""
