"""The array of whole kernels: products around loops, one buffer for all, both forms, results that nobody reads."""

from __future__ import annotations

from typing import Any, cast

from mmaspec.oracle.spec import Row
from mmaspec.programs.amd_rdna3_wmma.caps import FORMS, Caps
from mmaspec.programs.amd_rdna3_wmma.program import Load, Plain, Repeat, Store
from mmaspec.strategies.amd_rdna3_wmma.arrays.kernel import Kernel
from mmaspec.strategies.grammar import Array, Chosen, Draft, DrawContext

PASSES = 3


class _Placed:
    """Statements whose matrices lie in buffers by a class of ``buffer-sharing``."""

    def __init__(self, kernel: Kernel, sharing: str) -> None:
        self.kernel = kernel
        self.buffers = {
            "all-in-one": {"a": "all", "b": "all", "c": "all", "d": "all"},
            "c-and-d": {"a": "left", "b": "right", "c": "sums", "d": "sums"},
            "a-and-c": {"a": "left", "b": "right", "c": "left", "d": "out"},
        }[sharing]

    def load(self, name: str, data: str, passes: int = 0) -> Load:
        use = self.kernel.uses[name]
        buffer = self.buffers["c" if use == "cd" else use]
        return Load(name, buffer, self.kernel.mine(buffer, name, passes), data)

    def store(self, name: str, passes: int = 0) -> Store:
        buffer = self.buffers["d"]
        return Store(name, buffer, self.kernel.mine(buffer, name, passes))

    def loop(self, a: str, b: str, c: str, stem: str) -> Repeat:
        """A product over k in place."""
        inside: list[Plain] = [self.load(a, f"{stem}A", PASSES), self.load(b, f"{stem}B", PASSES)]
        return Repeat(PASSES, (*inside, self.kernel.wmma(c, a, b, c)))


def _build(context: DrawContext[Any], chosen: Chosen) -> Draft:
    kernel = Kernel(context, context.choices.one_of((1, 2, 3)))
    placed = _Placed(kernel, chosen["buffer-sharing"])
    kernel.fragments(a="a", b="b", c="cd", d="cd")
    kernel.add(placed.load("a", "A"), placed.load("b", "B"), placed.load("c", "C"))
    shape = chosen["body-shape"]
    if shape == "both":
        kernel.add(kernel.wmma("c", "a", "b", "c"), placed.loop("a", "b", "c", "Loop"))
        kernel.add(kernel.wmma("c", "a", "b", "c"), placed.store("c"))
    elif shape == "two-loops":
        kernel.add(placed.loop("a", "b", "c", "One"), placed.store("c"), placed.loop("a", "b", "c", "Two"))
        kernel.add(placed.store("c"))
    else:
        kernel.add(kernel.wmma("d", "a", "b", "c"), placed.store("d"))
    if chosen["distinct-builtins"] == "float-and-integer":
        _other_form(kernel, placed, context.caps)
    if shape == "two-loops" and chosen["dead-results"] != "none":
        copied: list[Plain] = [placed.load("a", "Copied", 2), placed.store("a", 2)]
        kernel.add(Repeat(2, tuple(copied)))
    if chosen["dead-results"] == "dead-load":
        kernel.fragment("unread", "b")
        kernel.add(placed.load("unread", "Unread"), placed.load("a", "Again"))
    kernel.add(kernel.wmma("d", "a", "b", "c"))
    kernel.add(placed.store("c") if chosen["dead-results"] == "dead-last" else placed.store("d"))
    return kernel.draft("wild" if kernel.integer else "window", batch=2)


def _other_form(kernel: Kernel, placed: _Placed, caps: Caps) -> None:
    """A product of the other form of the same wave size."""
    mine = (kernel.builtin, kernel.integer)
    kernel.builtin = cast("str", _partner(mine[0], caps))
    kernel.integer = not kernel.integer
    kernel.fragments(other_a="a", other_b="b", other_c="cd")
    kernel.add(*(placed.load(f"other_{name}", f"Other{name.upper()}") for name in ("a", "b", "c")))
    kernel.add(kernel.wmma("other_c", "other_a", "other_b", "other_c"), placed.store("other_c"))
    kernel.builtin, kernel.integer = mine


def _partner(builtin: str, caps: Caps) -> str | None:
    wave = {name: form.wave for name, form in FORMS.items()}
    return next((name for name in caps.in_reach if name != builtin and wave[name] == builtin.rsplit("_", 1)[1]), None)


def _fits(row: Row[Any], caps: Any, axis: str, name: str) -> bool:
    """Both forms take a device that has both for one wave size."""
    return axis != "distinct-builtins" or name == "one" or _partner(row.name, caps) is not None


PROGRAMS = Array(
    name="whole-kernels",
    focus=("RDNA3-TILE", "RDNA3-MEM-FREE", "RDNA3-MMA"),
    axes={
        "body-shape": ("straight", "both", "two-loops"),
        "buffer-sharing": ("c-and-d", "a-and-c", "all-in-one"),
        "distinct-builtins": ("one", "float-and-integer"),
        "dead-results": ("none", "dead-last", "dead-load"),
    },
    build=_build,
    fits=_fits,
)
"""Kernels with more than one product."""
