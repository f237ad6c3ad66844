"""The array of products: where C comes from, where D goes, what D held, and how A and B are alike."""

from __future__ import annotations

from functools import partial
from typing import Any

from mmaspec.oracle.spec import Row
from mmaspec.programs.register_kernels import Fill, Store
from mmaspec.strategies.grammar import Array, Chosen, Draft, DrawContext
from mmaspec.strategies.register_kernels.arrays.kernel import Fits, Kernel, both
from mmaspec.strategies.register_kernels.builder import Flags

_TWINS = ("transposed", "negated")


def _build(make: type[Kernel], context: DrawContext[Any], chosen: Chosen) -> Draft | None:
    kernel = make(context, context.choices.one_of((1, 1, 2)))
    kernel.fragments(a="a", b="b", c="cd", d="cd", e="cd")
    flags = kernel.both_signed if chosen.get("equal-contents") == "negated" else None
    kernel.add(kernel.load("a", "A", "in", by_wave=True), kernel.load("b", "B", "in", by_wave=True))
    _addend(kernel, chosen["c-source"], flags)
    source, d = chosen["c-source"], "d"
    if chosen["destination"] == "in-place":
        d = "c"
    elif chosen["destination"] in ("apart-old", "apart-c-live") and chosen["old-d"] != "none":
        _old(kernel, chosen["old-d"], flags)
    kernel.add(kernel.product(d, "a", "b", "c", flags), kernel.store(d))
    if chosen["destination"] == "apart-c-live":
        kernel.add(kernel.store("c"), kernel.product("e", "a", "b", "c", flags), kernel.store("e"))
    if source == "zero-loaded":
        return kernel.draft("zero-addends", batch=4)
    regime = "wild" if kernel.integer else kernel.sums
    return kernel.draft("twins" if chosen.get("equal-contents") in _TWINS else regime, batch=6)


def _addend(kernel: Kernel, source: str, flags: Flags) -> None:
    """Give ``c`` its contents by a class of ``c-source``."""
    if source != "zero-computed":
        kernel.add(kernel.load("c", "C", "addend", by_wave=True))
        if source == "result-of-loop":
            inside = kernel.load("a", "Each", "each", 2, by_wave=True, by_loop=True)
            kernel.add(kernel.repeat(2, (inside, kernel.product("c", "a", "b", "c", flags))))
            kernel.add(kernel.load("a", "After", "after", by_wave=True))
        elif source == "reloaded-result":
            here = kernel.mine("kept", "c")
            kernel.add(
                kernel.product("c", "a", "b", "c", flags), Store("c", "kept", here), kernel.load_at("c", "kept", here)
            )
    else:
        # Of numbers without a sign, so that no device can leave -0.
        kernel.fragments(none="a", ones="b")
        kernel.add(Fill("none", 0), Fill("ones", kernel.number("b", 1)))
        kernel.add(kernel.product("c", "none", "ones", None, flags))


def _old(kernel: Kernel, kind: str, flags: Flags) -> None:
    """What ``d`` holds before: a class of ``old-d``."""
    fmt = kernel.element("cd")
    if kind == "ones":
        kernel.add(Fill("d", fmt.mask))
    elif kind == "nan":
        kernel.add(
            Fill(
                "d", kernel.choices.one_of((fmt.nan_bits, fmt.infinity_magnitude | 1, fmt.sign_bit | fmt.nan_bits | 1))
            )
        )
    else:
        kernel.add(kernel.product("d", "a", "b", None, flags), kernel.store("d"))


def has_zeros(row: Row[Any], _: object, axis: str, name: str) -> bool:
    """Integers have no NaN; a sum of zeros that floats leave has either sign, so that its bits are not known."""
    return name != ("nan" if row.entry.integer else "zero-computed") or axis not in ("old-d", "c-source")


def addends(make: type[Kernel], focus: tuple[str, ...], fits: Fits | None = None, *, square: bool = False) -> Array:
    """Where C comes from and where D goes; where A and B are ``square`` and of one type they may be alike."""
    twins = ("c-source=zero-loaded|result-of-loop with equal-contents=transposed|negated",)
    return Array(
        name="addends",
        focus=focus,
        axes={
            "c-source": ("loaded", "zero-loaded", "zero-computed", "result-of-loop", "reloaded-result"),
            "destination": ("in-place", "apart-old", "apart-c-live"),
            "old-d": ("none", "ones", "nan", "other-result"),
            **({"equal-contents": ("different", *_TWINS)} if square else {}),
        },
        build=partial(_build, make),
        rules=(
            "destination=in-place with old-d=ones|nan|other-result",
            "destination=apart-old with old-d=none",
            *(twins if square else ()),
        ),
        fits=both(has_zeros, fits),
    )
