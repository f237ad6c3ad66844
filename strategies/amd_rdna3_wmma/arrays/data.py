"""The arrays of data: two products whose matrices go through patterns, special values and the ends of their ranges."""

from __future__ import annotations

from typing import Any

from mmaspec.strategies.amd_rdna3_wmma.arrays.kernel import Kernel
from mmaspec.strategies.grammar import Array, Chosen, Draft, DrawContext
from mmaspec.strategies.regimes import patterns, rounding
from mmaspec.strategies.regimes.extremes import infinities, integer_ends, nan_kinds

ITEMS = {
    "patterns": patterns.ITEMS,
    "nan-kinds": nan_kinds.ITEMS,
    "infinities": infinities.ITEMS,
    "rounding": rounding.ITEMS,
    "integer-ends": integer_ends.ENDS + integer_ends.PLACES,
}
"""Regime -> the items in which it has all of its kinds."""


def _build(context: DrawContext[Any], chosen: Chosen) -> Draft:
    kernel = Kernel(context)
    kernel.fragments(a="a", b="b", c="cd", d="cd")
    signs = (chosen["a-sign"] == "signed", chosen["b-sign"] == "signed") if kernel.integer else None
    clamp = chosen.get("clamp") == "on"
    for name in ("a", "b", "c"):
        kernel.add(kernel.load(name, f"{name.upper()}0", "in"))
    d = "c" if chosen["destination"] == "in-place" else "d"
    kernel.add(kernel.wmma(d, "a", "b", "c", signs, clamp), kernel.store(d))
    for name in ("a", "b"):
        kernel.add(kernel.load(name, f"{name.upper()}1", "in"))
    if chosen["c-source"] == "loaded":
        kernel.add(kernel.load("c", "C1", "in"), kernel.wmma(d, "a", "b", "c", signs, clamp))
    else:
        kernel.add(kernel.wmma(d, "a", "b", d, signs, clamp))
    kernel.add(kernel.store(d))
    return kernel.draft(chosen["data"], batch=ITEMS[chosen["data"]])


FLAGS = {
    f"{a}-{b}-{clamp}": {"a-sign": a, "b-sign": b, "clamp": clamp}
    for a in ("unsigned", "signed")
    for b in ("unsigned", "signed")
    for clamp in ("off", "on")
}
"""Name -> classes of three axes that always meet all together."""

_AXES = {"destination": ("in-place", "apart-fresh"), "c-source": ("loaded", "result")}

FLOAT_DATA = Array(
    name="float-data",
    focus=("RDNA3-FP-ACC", "RDNA3-FP-NAN", "RDNA3-AB-ROWCOL", "RDNA3-AB-PACK16"),
    axes={"data": ("patterns", "nan-kinds", "infinities", "rounding"), **_AXES},
    build=_build,
    rows=("float",),
)
"""Operands in patterns, NaN of every kind, and sums that are tied or end their range."""

INTEGER_DATA = Array(
    name="integer-data",
    focus=("RDNA3-IU-SIGN", "RDNA3-IU-CLAMP", "RDNA3-IU-NOCLAMP", "RDNA3-IU-DOT-RANGE", "RDNA3-AB-PACK8"),
    axes={
        "data": ("patterns", "integer-ends"),
        "a-sign": ("unsigned", "signed"),
        "b-sign": ("unsigned", "signed"),
        "clamp": ("off", "on"),
        "flags": tuple(FLAGS),
        **_AXES,
    },
    build=_build,
    rules=tuple(
        f"flags={name} with {axis}={other}"
        for name, classes in FLAGS.items()
        for axis, one in classes.items()
        for other in {"clamp": ("off", "on")}.get(axis, ("unsigned", "signed"))
        if other != one
    ),
    rows=("int",),
)
"""Operands in patterns, and sums at the ends of the range of products and of 32 bits."""
