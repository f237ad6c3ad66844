"""The array of whole kernels: products around loops, one buffer for all, both forms, results that nobody reads."""

from __future__ import annotations

from functools import partial
from typing import Any

from mmaspec.programs.register_kernels import Store
from mmaspec.strategies.grammar import Array, Chosen, Draft, DrawContext
from mmaspec.strategies.register_kernels.arrays.kernel import Fits, Kernel

PASSES = 3

Forms = tuple[str, tuple[str, ...]]
"""The axis of the forms that a kernel has, and its classes for two of them."""
ONE_FORM = "one"
"""Its class for one."""


class _Placed:
    """Statements whose matrices lie in buffers by a class of ``buffer-sharing``."""

    def __init__(self, kernel: Kernel, sharing: str) -> None:
        self.kernel = kernel
        self.buffers = {
            "all-in-one": {"a": "all", "b": "all", "c": "all", "d": "all"},
            "c-and-d": {"a": "left", "b": "right", "c": "sums", "d": "sums"},
            "a-and-c": {"a": "left", "b": "right", "c": "left", "d": "out"},
        }[sharing]

    def load(self, name: str, data: str, passes: int = 0) -> Any:
        use = self.kernel.uses[name]
        buffer = self.buffers["c" if use == "cd" else use]
        return self.kernel.load_at(name, buffer, self.kernel.mine(buffer, name, passes), data)

    def store(self, name: str, passes: int = 0) -> Store:
        buffer = self.buffers["d"]
        return Store(name, buffer, self.kernel.mine(buffer, name, passes))

    def loop(self, a: str, b: str, c: str, stem: str) -> Any:
        """A product over k in place."""
        inside: list[Any] = [self.load(a, f"{stem}A", PASSES), self.load(b, f"{stem}B", PASSES)]
        return self.kernel.repeat(PASSES, (*inside, self.kernel.product(c, a, b, c)))


def _build(make: type[Kernel], forms: Forms, context: DrawContext[Any], chosen: Chosen) -> Draft:
    kernel = make(context, context.choices.one_of((1, 2, 3)))
    placed = _Placed(kernel, chosen["buffer-sharing"])
    kernel.fragments(a="a", b="b", c="cd", d="cd")
    kernel.add(placed.load("a", "A"), placed.load("b", "B"), placed.load("c", "C"))
    shape = chosen["body-shape"]
    if shape == "both":
        kernel.add(kernel.product("c", "a", "b", "c"), placed.loop("a", "b", "c", "Loop"))
        kernel.add(kernel.product("c", "a", "b", "c"), placed.store("c"))
    elif shape == "two-loops":
        kernel.add(placed.loop("a", "b", "c", "One"), placed.store("c"), placed.loop("a", "b", "c", "Two"))
        kernel.add(placed.store("c"))
    else:
        kernel.add(kernel.product("d", "a", "b", "c"), placed.store("d"))
    if chosen[forms[0]] != ONE_FORM:
        _other_form(kernel, placed, context.caps, chosen[forms[0]])
    if shape == "two-loops" and chosen["dead-results"] != "none":
        copied: list[Any] = [placed.load("a", "Copied", 2), placed.store("a", 2)]
        kernel.add(kernel.repeat(2, tuple(copied)))
    if chosen["dead-results"] == "dead-load":
        kernel.fragment("unread", "b")
        kernel.add(placed.load("unread", "Unread"), placed.load("a", "Again"))
    kernel.add(kernel.product("d", "a", "b", "c"))
    kernel.add(placed.store("c") if chosen["dead-results"] == "dead-last" else placed.store("d"))
    return kernel.draft("wild" if kernel.integer else kernel.sums, batch=2)


def _other_form(kernel: Kernel, placed: _Placed, caps: Any, kind: str) -> None:
    """A product of another form, in waves of the same size."""
    with kernel.other_form(caps, kind):
        kernel.fragments(other_a="a", other_b="b", other_c="cd")
        kernel.add(*(placed.load(f"other_{name}", f"Other{name.upper()}") for name in ("a", "b", "c")))
        kernel.add(kernel.product("other_c", "other_a", "other_b", "other_c"), placed.store("other_c"))


def programs(make: type[Kernel], focus: tuple[str, ...], forms: Forms, fits: Fits | None = None) -> Array:
    """Kernels with more than one product; ``forms`` is an axis of the forms in one."""
    return Array(
        name="whole-kernels",
        focus=focus,
        axes={
            "body-shape": ("straight", "both", "two-loops"),
            "buffer-sharing": ("c-and-d", "a-and-c", "all-in-one"),
            forms[0]: (ONE_FORM, *forms[1]),
            "dead-results": ("none", "dead-last", "dead-load"),
        },
        build=partial(_build, make, forms),
        fits=fits,
    )
