"""Arrays of rows: every function there is, and two numbers of rows beside each other."""

from __future__ import annotations

from typing import Any

from mmaspec.strategies.grammar import Array, Chosen, Draft, DrawContext
from mmaspec.strategies.intel_subgroup_mma.arrays.kernel import MadKernel
from mmaspec.strategies.intel_subgroup_mma.arrays.spread import in_two

ROWS = {"one": 1, "two": 2, "four": 4, "eight": 8}
"""Classes of ``rows``."""


def _functions(context: DrawContext[Any], chosen: Chosen) -> Draft:
    """One function, its addend and destination by two classes."""
    kernel = MadKernel(context, context.choices.one_of((1, 1, 2)), rows=ROWS[chosen["rows"]])
    kernel.fragments(a="a", b="b", c="cd", d="cd")
    for name in ("a", "b", "c"):
        kernel.add(kernel.load(name, name.upper(), f"in-{name}", by_wave=True))
    d = "c" if chosen["destination"] == "in-place" else "d"
    if chosen["c-source"] == "result":
        kernel.add(kernel.product("c", "a", "b", "c"), kernel.load("a", "Then", "in-a", by_wave=True))
    kernel.add(kernel.product(d, "a", "b", None if chosen["c-source"] == "literal" else "c"), kernel.store(d))
    return kernel.draft("wild" if kernel.integer else "window", batch=16)


FUNCTIONS = Array(
    name="functions",
    focus=("ISGMMA-OP", "ISGMMA-ACC-COL", "ISGMMA-A-COLS", "ISGMMA-SIGN", "ISGMMA-BIT-TYPES"),
    axes={
        "rows": tuple(ROWS),
        "destination": ("in-place", "apart-fresh"),
        "c-source": ("loaded", "literal", "result"),
    },
    build=_functions,
    rules=("c-source=literal with destination=in-place",),
)
"""Every function, as every row meets every number of rows."""


def _beside(context: DrawContext[Any], chosen: Chosen) -> Draft:
    """Two products of one B, the sums of either in another vector; the first has the rows before."""
    kernel = MadKernel(context, context.choices.one_of((1, 2)), rows=ROWS[chosen["rows-before"]])
    sizes = {"first": kernel.rows, "then": ROWS[chosen["rows"]]}
    kernel.fragments(b="b")
    kernel.add(kernel.load("b", "B", "in-b", by_wave=True))
    looped, inside, stored = chosen["in-loop"] == "first-in-loop", [], []
    for stem, rows in sizes.items():
        with kernel.of(rows=rows):
            kernel.fragment(f"{stem}_a", "a")
            kernel.fragment(f"{stem}_c", "cd")
        kernel.add(kernel.load(f"{stem}_c", f"C-{stem}", "in-c", by_wave=True))
        load = kernel.load(f"{stem}_a", f"A-{stem}", "in-a", 2, by_wave=True, by_loop=looped)
        inside += [load, kernel.product(f"{stem}_c", f"{stem}_a", "b", f"{stem}_c")]
        stored.append(kernel.store(f"{stem}_c"))
    kernel.add(*([kernel.repeat(2, inside)] if looped else inside), *stored)
    return kernel.draft("wild" if kernel.integer else "whole", batch=8)


BESIDE = Array(
    name="rows-beside",
    focus=("ISGMMA-ROW-INDEP", "ISGMMA-OP"),
    axes={"rows": tuple(ROWS), "rows-before": tuple(ROWS), "in-loop": ("no", "first-in-loop")},
    build=_beside,
    rules=tuple(f"rows={name} with rows-before={name}" for name in ROWS),
    fits=in_two(7),
)
"""Functions of one name and different vectors in one kernel."""
