"""The arrays of data: two products whose matrices go through patterns, special values and the ends of their ranges."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from types import MappingProxyType
from typing import Any

from mmaspec.strategies.grammar import Array, Chosen, Draft, DrawContext
from mmaspec.strategies.regimes import patterns, rounding
from mmaspec.strategies.regimes.extremes import infinities, integer_ends, nan_kinds, single_terms
from mmaspec.strategies.register_kernels.arrays.kernel import Kernel
from mmaspec.strategies.register_kernels.builder import Flags

ITEMS = {
    "patterns": patterns.ITEMS,
    "nan-kinds": nan_kinds.ITEMS,
    "infinities": infinities.ITEMS,
    "rounding": rounding.ITEMS,
    "single-terms": single_terms.ITEMS,
    "integer-ends": integer_ends.ENDS + integer_ends.PLACES,
}
"""Regime -> the items in which it has all of its kinds."""

FlagsOf = Callable[[Chosen], Flags]
"""The flags of the calls of a case."""


def no_flags(_: Chosen) -> Flags:
    """Nothing is said: the calls have none."""
    return None


def _build(make: type[Kernel], flags_of: FlagsOf, context: DrawContext[Any], chosen: Chosen) -> Draft:
    kernel = make(context)
    kernel.fragments(a="a", b="b", c="cd", d="cd")
    flags = flags_of(chosen)
    for name in ("a", "b", "c"):
        kernel.add(kernel.load(name, f"{name.upper()}0", "in"))
    d = "c" if chosen["destination"] == "in-place" else "d"
    kernel.add(kernel.product(d, "a", "b", "c", flags), kernel.store(d))
    for name in ("a", "b"):
        kernel.add(kernel.load(name, f"{name.upper()}1", "in"))
    if chosen["c-source"] == "loaded":
        kernel.add(kernel.load("c", "C1", "in"), kernel.product(d, "a", "b", "c", flags))
    else:
        kernel.add(kernel.product(d, "a", "b", d, flags))
    kernel.add(kernel.store(d))
    items = integer_ends.items_by_depth(kernel.depth) if chosen["data"] == "ends-by-depth" else ITEMS[chosen["data"]]
    return kernel.draft(chosen["data"], batch=items)


_AXES = {"destination": ("in-place", "apart-fresh"), "c-source": ("loaded", "result")}


def float_data(make: type[Kernel], focus: tuple[str, ...]) -> Array:
    """Operands in patterns, NaN of every kind, and sums that are tied or end their range."""
    return Array(
        name="float-data",
        focus=focus,
        axes={"data": ("patterns", "nan-kinds", "infinities", "rounding", "single-terms"), **_AXES},
        build=partial(_build, make, no_flags),
        rows=("float",),
    )


def integer_data(
    make: type[Kernel],
    focus: tuple[str, ...],
    flags_of: FlagsOf = no_flags,
    axes: Mapping[str, tuple[str, ...]] = MappingProxyType({}),
    rules: tuple[str, ...] = (),
    ends: str = "integer-ends",
) -> Array:
    """Operands in patterns, and sums at the ends of the range of products and of 32 bits; ``axes`` are of flags.

    ``ends`` names the regime of those sums.
    """
    return Array(
        name="integer-data",
        focus=focus,
        axes={"data": ("patterns", ends), **axes, **_AXES},
        build=partial(_build, make, flags_of),
        rules=rules,
        rows=("int",),
    )
