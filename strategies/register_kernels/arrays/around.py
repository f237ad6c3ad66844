"""The array of neighbours: what stands directly before and after a product, in loops and after them."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

from mmaspec.programs.register_kernels import Fill
from mmaspec.strategies.grammar import Array, Chosen, Draft, DrawContext
from mmaspec.strategies.register_kernels.arrays.kernel import Fits, Kernel
from mmaspec.strategies.register_kernels.templates import constant

PASSES = 3

AFTER = ("fill-over-result", "load-over-result", "product-same-d", "product-reading-d", "store-operand")
"""Classes of ``statement-after``, all in one case."""


def _build(make: type[Kernel], context: DrawContext[Any], chosen: Chosen) -> Draft:
    kernel = make(context, context.choices.one_of((1, 1, 2)))
    kernel.fragments(a="a", b="b", c="cd", d="cd", e="cd")
    for name in ("a", "b", "c"):
        kernel.add(kernel.load(name, name.upper(), f"in-{name}", by_wave=True))
    place = chosen["in-loop"]
    passes = PASSES if place in ("first-in-loop", "later-in-loop") else 0
    inside: list[Any] = []
    if passes:
        inside.append(kernel.load("a", "Each", "each", passes, by_wave=True, by_loop=True))
    if place == "after-loop":
        kernel.add(kernel.repeat(2, (kernel.load("a", "Each", "each", 2, by_wave=True, by_loop=True), _other(kernel))))
    if place == "later-in-loop":
        inside += [_other(kernel), _store(kernel, "e", passes)]
    for after in AFTER:
        inside += _before(kernel, chosen["statement-before"], passes)
        inside.append(kernel.product("d", "a", "b", "c"))
        inside += _after(kernel, after, passes)
        inside.append(_store(kernel, "d", passes))
    if place == "first-in-loop":
        inside += [_other(kernel), _store(kernel, "e", passes)]
    kernel.add(*([kernel.repeat(passes, tuple(inside))] if passes else inside))
    kernel.add(kernel.product("d", "a", "b", "c"), kernel.store("d"))
    if place == "after-loop":
        kernel.add(kernel.store("e"))
    return kernel.draft("wild" if kernel.integer else kernel.exact, batch=2)


def _other(kernel: Kernel) -> Any:
    """A product of no consequence for the one that is meant."""
    return kernel.product("e", "a", "b", None)


def _store(kernel: Kernel, name: str, passes: int) -> Any:
    return kernel.store(name, "out", max(passes, 1), by_loop=passes > 0)


def _load(kernel: Kernel, name: str, stem: str, passes: int) -> Any:
    return kernel.load(name, f"{stem}-{name}", "near", max(passes, 1), by_wave=True, by_loop=passes > 0)


def _before(kernel: Kernel, kind: str, passes: int) -> Sequence[Any]:
    """The statement of a class of ``statement-before``, with whatever it needs before it."""
    choices = kernel.choices
    if kind == "fill-operand":
        name = choices.one_of(("a", "b"))
        return [Fill(name, constant(kernel, name))]  # type: ignore[arg-type]
    if kind == "fill-c":
        return [Fill("c", constant(kernel, "cd"))]
    if kind == "product-giving-c":
        return [kernel.product("c", "a", "b", None)]
    return [_store(kernel, "c", passes), _other(kernel)]


def _after(kernel: Kernel, kind: str, passes: int) -> Sequence[Any]:
    """The statement of a class of ``statement-after``."""
    choices = kernel.choices
    if kind == "fill-over-result":
        return [Fill("d", constant(kernel, "cd"))]
    if kind == "load-over-result":
        return [_load(kernel, "d", "Over", passes)]
    if kind == "product-same-d":
        return [kernel.product("d", "a", "b", None)]
    if kind == "product-reading-d":
        return [kernel.product("e", "a", "b", "d"), _store(kernel, "e", passes)]
    return [_store(kernel, choices.one_of(("a", "b", "c")), passes)]


def around(make: type[Kernel], focus: tuple[str, ...], fits: Fits | None = None) -> Array:
    """Statements right next to a product: results and operands that are written or read directly after."""
    return Array(
        name="neighbours",
        focus=focus,
        axes={
            "statement-before": ("fill-operand", "fill-c", "product-giving-c", "product-apart"),
            "in-loop": ("first-in-loop", "later-in-loop", "after-loop"),
        },
        build=partial(_build, make),
        fits=fits,
        rules=("in-loop=first-in-loop with statement-before=product-giving-c|product-apart",),
    )
