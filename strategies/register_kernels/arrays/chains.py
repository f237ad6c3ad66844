"""The array of many accumulators: chains side by side, long ones, and as many live registers as a kernel can have."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

from mmaspec.programs.register_kernels import Fill
from mmaspec.strategies.grammar import Array, Chosen, Draft, DrawContext
from mmaspec.strategies.register_kernels.arrays.kernel import Fits, Kernel
from mmaspec.strategies.register_kernels.templates import constant

ACCUMULATORS: dict[str, tuple[int, ...]] = {
    "three": (3,), "four": (4,), "five-to-eight": (5, 6), "nine-to-sixteen": (9,), "more": (17,),
}  # fmt: skip
"""Classes of ``accumulators``."""

LENGTHS: dict[str, tuple[int, ...]] = {
    "five-to-seven": (5, 7),
    "eight": (8,),
    "nine-to-fifteen": (9,),
    "sixteen": (16,),
    "long": (18,),
}
"""Classes of ``chain-length``; and of ``repeat-count`` where it is a loop."""

Registers = Mapping[str, tuple[int, int]]

REGISTERS: Registers = {
    "many": (68, 92), "ninety-six": (96, 96), "upper": (100, 124), "half": (128, 128),
    "upper-half": (132, 236), "full": (244, 256), "spills": (260, 400),
}  # fmt: skip
"""Classes of ``live-registers``: fewest and most that are aimed at."""

FITTING: dict[str, tuple[str, ...]] = {
    "many": ("three", "four", "five-to-eight"),
    "ninety-six": ("four", "five-to-eight"),
    "upper": ("three", "five-to-eight"),
    "half": ("four", "nine-to-sixteen"),
    "full": ("nine-to-sixteen", "more"),
    "spills": ("more",),
}
"""Accumulators that leave room for fewer registers than that; as many as there are classes of."""

MANY = 48
"""Products for which one item is enough."""


def _build(make: type[Kernel], registers: Registers, context: DrawContext[Any], chosen: Chosen) -> Draft | None:
    kernel, choices = make(context), context.choices
    count = choices.one_of(ACCUMULATORS[choices.one_of(FITTING.get(chosen["live-registers"], tuple(ACCUMULATORS)))])
    length = choices.one_of(LENGTHS[chosen["chain-length"]])
    kernel.fragments(a="a", b="b")
    sums = [kernel.fragment(f"c{n}", "cd") for n in range(count)]
    if chosen["chain-start"] == "result":
        kernel.fragment("start", "cd")
        length -= 1  # the product that starts from the result is the first
    ballast = _ballast(kernel, registers[chosen["live-registers"]])
    if ballast is None:
        return None
    _starts(kernel, chosen["chain-start"], sums)
    looped = chosen["in-loop"] != "no"
    inside: list[Any] = []
    for step in range(1 if looped else length):
        inside.append(kernel.load("a", f"A{step}", "in-a", length, by_loop=looped))
        inside.append(kernel.load("b", f"B{step}", "in-b", length, by_loop=looped))
        inside += [kernel.product(name, "a", "b", name) for name in sums]
    kernel.add(*([kernel.repeat(length, tuple(inside))] if looped else inside))
    for name in (*sums, *ballast):
        kernel.add(kernel.store(name))
    batch = 1 if count * length > MANY else 2
    return kernel.draft("full" if kernel.integer else kernel.sums, batch=batch)


def _ballast(kernel: Kernel, aimed: tuple[int, int]) -> list[str] | None:
    """Fragments that are loaded first and stored last, so that so many registers are live; None where too many are."""
    low, high = aimed
    own = {name: max(size // kernel.lanes // 4, 1) for name, size in kernel.sizes.items()}
    wide, live = own["c0"], sum(own.values())
    aims = [aim for aim in range(low, high + 1) if aim >= live and (aim - live) % wide == 0]
    if not aims:
        return None
    more = (kernel.choices.one_of(aims[:8]) - live) // wide
    names = [kernel.fragment(f"kept{n}", "cd") for n in range(more)]
    kernel.add(*(kernel.load(name, name.capitalize(), "kept") for name in names))
    return names


def _starts(kernel: Kernel, kind: str, sums: list[str]) -> None:
    """What the accumulators hold first: a class of ``chain-start``."""
    if kind == "result":
        kernel.add(kernel.load("a", "First", "first"), kernel.load("b", "Second", "first"))
        kernel.add(kernel.product("start", "a", "b", None))
        # The first of them goes on with the chain; the others start from its result.
        kernel.add(*(kernel.product(name, "a", "b", "start") for name in sums))
        return
    for name in sums:
        if kind == "filled":
            kernel.add(Fill(name, constant(kernel, "cd")))
        else:
            kernel.add(kernel.load(name, f"Start-{name}", "starts"))


def chains(
    make: type[Kernel], focus: tuple[str, ...], fits: Fits | None = None, registers: Registers = REGISTERS
) -> Array:
    """Sums side by side, as many as the registers hold."""
    return Array(
        name="accumulators",
        focus=focus,
        axes={
            "chain-length": ("eight", "nine-to-fifteen", "sixteen", "long"),
            "live-registers": tuple(registers),
            "chain-start": ("loaded", "filled", "result"),
            "in-loop": ("no", "first-in-loop"),
        },
        build=partial(_build, make, registers),
        fits=fits,
        rules=(
            "chain-length=nine-to-fifteen|sixteen|long with in-loop=no",
            "live-registers=full|spills with in-loop=no",
        ),
        costly=("chain-length=sixteen|long", "live-registers=full|spills"),
    )
