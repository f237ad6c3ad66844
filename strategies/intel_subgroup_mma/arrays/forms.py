"""Arrays of several forms: their sums in one variable, and one factor that several functions take."""

from __future__ import annotations

from typing import Any

from mmaspec.oracle.spec import Row
from mmaspec.programs.intel_subgroup_mma.caps import Form
from mmaspec.programs.register_kernels import Use
from mmaspec.strategies.grammar import Array, Chosen, Draft, DrawContext
from mmaspec.strategies.intel_subgroup_mma.arrays.kernel import MadKernel
from mmaspec.strategies.intel_subgroup_mma.arrays.spread import in_two
from mmaspec.strategies.intel_subgroup_mma.builder import unlike
from mmaspec.strategies.register_kernels.arrays.kernel import Fits


def _sums(context: DrawContext[Any], chosen: Chosen) -> Draft | None:
    """A chain: products of two forms by turns, in place; and both on an addend of their own."""
    kernel = MadKernel(context, context.choices.one_of((1, 2)))
    forms = [kernel.form, context.choices.one_of(unlike(kernel.form, context.caps, chosen["chain-formats"]))]
    kernel.fragments(c="cd")
    kernel.add(kernel.load("c", "C", "in-c", by_wave=True))
    names = []
    for number, form in enumerate(forms):
        a, b = f"a{number}", f"b{number}"
        with kernel.of(form):
            kernel.fragment(a, "a")
            kernel.fragment(b, "b")
            kernel.add(kernel.load(a, a.upper(), "left", by_wave=True), kernel.load(b, b.upper(), "right"))
            names.append((form, a, b))
    steps = []
    for form, a, b in (*names, names[0]):
        with kernel.of(form):
            steps.append(kernel.product("c", a, b, "c"))
    looped = chosen["in-loop"] != "no"
    kernel.add(*([kernel.repeat(2, steps)] if looped else steps), kernel.store("c"))
    return kernel.draft("full" if kernel.integer else "whole", batch=8)


def _has(axis: str) -> Fits:
    """Whether there is a form that differs from the row's in the way that a class of the axis says."""

    def fits(row: Row[Any], caps: Any, asked: str, name: str) -> bool:
        return asked != axis or bool(unlike(row.entry, caps, name))

    return fits


SUMS = Array(
    name="sums-of-forms",
    focus=("ISGMMA-BY-VALUE", "ISGMMA-SIGN", "ISGMMA-INT-ACC", "ISGMMA-BIT-TYPES"),
    axes={"chain-formats": ("signs", "widths", "float-inputs"), "in-loop": ("no", "first-in-loop")},
    build=_sums,
    fits=in_two(1, _has("chain-formats")),
)
"""One accumulator of products of unlike forms: their sums have one format."""


def _factors(context: DrawContext[Any], chosen: Chosen) -> Draft | None:
    """One A with two Bs of different signs, one B with two such As, or both with sums of two formats."""
    kernel = MadKernel(context, context.choices.one_of((1, 2)))
    kind, shared = chosen["fragment-functions"], chosen["shared-operands"]
    found = [form for form in unlike(kernel.form, context.caps, kind) if _alike(form, kernel.form, shared)]
    if not found:
        return None
    kernel.fragments(a="a", b="b", c="cd", d="cd")
    for name in ("a", "b", "c"):
        kernel.add(kernel.load(name, name.upper(), f"in-{name}", by_wave=True))
    first = kernel.product("d", "a", "b", "c")
    with kernel.of(context.choices.one_of(found)):
        kernel.fragments(other_c="cd", other_d="cd")
        kernel.add(kernel.load("other_c", "Other-c", "in-other", by_wave=True))
        factors = {"a": "a", "b": "b"}
        if kind == "signs":
            own: Use = "b" if shared == "a" else "a"
            factors[own] = kernel.fragment(f"other_{own}", own)
            kernel.add(kernel.load(factors[own], f"Other-{own}", f"in-{own}", by_wave=True))
        # Back to back, so that whatever one call leaves for the next is met.
        kernel.add(first, kernel.product("other_d", factors["a"], factors["b"], "other_c"), kernel.store("other_d"))
    kernel.add(kernel.store("d"))
    return kernel.draft("wild" if kernel.integer else "whole", batch=8)


def _alike(one: Form, other: Form, shared: str) -> bool:
    return (shared == "b" or one.a == other.a) and (shared == "a" or one.b == other.b)


FACTORS = Array(
    name="factors-of-forms",
    focus=("ISGMMA-SIGN", "ISGMMA-BIT-TYPES", "ISGMMA-OP"),
    axes={"fragment-functions": ("signs", "accumulators"), "shared-operands": ("a", "b", "a-and-b")},
    rules=(
        "fragment-functions=signs with shared-operands=a-and-b",
        "fragment-functions=accumulators with shared-operands=a|b",
    ),
    build=_factors,
    fits=in_two(2, _has("fragment-functions")),
)
"""One factor that functions of two forms take, one after the other."""
