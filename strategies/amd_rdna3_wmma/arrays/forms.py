"""The array of several builtins: their sums in one variable, beside a product of a third one."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from mmaspec.oracle.spec import Row
from mmaspec.programs.amd_rdna3_wmma.caps import Caps, Form
from mmaspec.strategies.amd_rdna3_wmma.arrays.kernel import WmmaKernel
from mmaspec.strategies.amd_rdna3_wmma.arrays.spread import one_of_each_format
from mmaspec.strategies.amd_rdna3_wmma.builder import unlike
from mmaspec.strategies.grammar import Array, Chosen, Draft, DrawContext

KINDS: Mapping[str, str] = MappingProxyType({"inputs-change": "same-result", "half-forms-change": "tied-and-untied"})
"""Classes of ``chain-formats`` -> in what the forms of a chain differ."""

THIRD = "float-and-integer"
"""In what the form beside a chain differs from the row's."""


def _build(context: DrawContext[Caps], chosen: Chosen) -> Draft:
    """A chain: products of two builtins by turns, in place; and one of a third builtin, which has all its own."""
    kernel = WmmaKernel(context, context.choices.one_of((1, 2)))
    kernel.fragments(a="a", b="b", c="cd")
    _load(kernel, "a", "b", "c")
    with kernel.other_form(context.caps, KINDS[chosen["chain-formats"]]):
        kernel.fragments(a2="a", b2="b")
        _load(kernel, "a2", "b2")
        second = kernel.product("c", "a2", "b2", "c")
    steps = [kernel.product("c", "a", "b", "c"), second, kernel.product("c", "a", "b", "c")]
    with kernel.other_form(context.caps, THIRD):
        kernel.fragments(a3="a", b3="b", c3="cd")
        _load(kernel, "a3", "b3", "c3")
        third = [kernel.product("c3", "a3", "b3", "c3"), kernel.store("c3")]
    looped = chosen["in-loop"] != "no"
    kernel.add(*([kernel.repeat(2, tuple(steps))] if looped else steps), *third, kernel.store("c"))
    return kernel.draft("full" if kernel.integer else kernel.sums, batch=8)


def _load(kernel: WmmaKernel, *names: str) -> None:
    kernel.add(*(kernel.load(name, name.upper(), f"in-{kernel.uses[name]}", by_wave=True) for name in names))


def _fits(row: Row[Form], caps: Caps, axis: str, name: str) -> bool:
    """Whether a device has builtins that differ from the row's as the class says, and in kind."""
    form = row.entry
    if not unlike(form, caps, THIRD):
        return False
    return axis != "chain-formats" or bool(unlike(form, caps, KINDS[name]))


SUMS = Array(
    name="sums-of-forms",
    focus=("RDNA3-MMA", "RDNA3-TILE", "RDNA3-INPLACE", "RDNA3-OPSEL-OTHER"),
    axes={"chain-formats": tuple(KINDS), "in-loop": ("no", "first-in-loop")},
    build=_build,
    fits=one_of_each_format(1, _fits),
)
"""One accumulator of products of unlike builtins."""
