"""The array of unequal copies: A and B whose further copies differ, moved from place to place by loads and stores.

No product may take them; but a vector is what every lane has of it, and a store writes each lane's own.
"""

from __future__ import annotations

from typing import Any

from msgspec.structs import replace

from mmaspec.programs.amd_rdna3_wmma.program import Load
from mmaspec.programs.register_kernels import Store
from mmaspec.strategies.amd_rdna3_wmma.arrays.kernel import WmmaKernel
from mmaspec.strategies.amd_rdna3_wmma.arrays.spread import one_of_each_operand
from mmaspec.strategies.grammar import Array, Chosen, Draft, DrawContext
from mmaspec.strategies.register_kernels.arrays.kernel import WAVES


def _build(context: DrawContext[Any], chosen: Chosen) -> Draft:
    """Both factors are copied, and before or after it they are equal and multiplied."""
    kernel = WmmaKernel(context, context.choices.one_of(WAVES[chosen["waves"]]))
    kernel.fragments(a="a", b="b", c="cd", d="cd")
    kernel.add(kernel.load("c", "C", "in-c", by_wave=True))
    equal = [kernel.load(name, name.upper(), f"in-{name}", by_wave=True) for name in ("a", "b")]
    moved: list[Any] = [step for name in ("a", "b") for step in _moved(kernel, name, chosen["which-copies"])]
    product = [*equal, kernel.product("d", "a", "b", "c"), kernel.store("d")]
    steps = (*product, *moved) if chosen["load-into"] == "loaded" else (*moved, *product)
    kernel.add(*([kernel.repeat(2, steps)] if chosen["in-loop"] == "only-in-loop" else steps))
    return kernel.draft("wild" if kernel.integer else kernel.sums, batch=2)


def _moved(kernel: WmmaKernel, name: str, which: str) -> tuple[Any, ...]:
    """Unequal copies loaded, stored elsewhere, loaded from there without a name, and stored again."""
    load = kernel.load(name, f"{name.upper()}-lower", f"in-{name}", by_wave=True)
    assert isinstance(load, Load)
    others = [f"{name.upper()}-copy-{n}" for n in range(kernel.wave_size // 16 - 1)]
    if which == "last":
        others[:-1] = [f"{name.upper()}-lower"] * (len(others) - 1)
    here = kernel.mine(f"moved-{name}", name)
    return (
        replace(load, replicas=tuple(others)),
        Store(name, f"moved-{name}", here),
        kernel.load_at(name, f"moved-{name}", here),
        kernel.store(name, f"again-{name}"),
    )


_AXES = {
    "load-into": ("uninitialised", "loaded"),
    "which-copies": ("every", "last"),
    "in-loop": ("no", "only-in-loop"),
    "waves": ("one", "three"),
}


def drawn(context: DrawContext[Any]) -> Draft:
    """The same with classes that are drawn: the template."""
    return _build(context, {axis: context.choices.one_of(classes) for axis, classes in _AXES.items()})


COPIES = Array(
    name="unequal-copies",
    focus=("RDNA3-MEM-FREE", "RDNA3-STORE-ONLY"),
    axes=_AXES,
    build=_build,
    fits=one_of_each_operand(3),
)
"""Vectors that are no matrix's."""
