"""Templates: families of kernels that say nothing of what a product is but by the builder that they take."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from mmaspec.programs.register_kernels import Fill, Use
from mmaspec.strategies.choices import Choices
from mmaspec.strategies.grammar import Draft, DrawContext
from mmaspec.strategies.register_kernels.builder import Builder

Make = type[Builder]
"""The builder of a specification."""

Build = Callable[[DrawContext[Any]], Draft | None]

Call = Callable[[Any, str, str, str, str], Any]
"""A product as a method of a builder makes it."""

Family = Callable[[Make, DrawContext[Any]], Draft]
"""A template but for its builder, which comes first."""

FRAGMENTS: tuple[tuple[str, Use], ...] = (("a", "a"), ("b", "b"), ("c", "cd"), ("d", "cd"))

WIDE = 24
"""Bits of precision from which a float holds many more numbers than one of 16 bits."""


def regime_of(choices: Choices, builder: Builder) -> str:
    """A regime for a kernel that is not about its data."""
    return "wild" if builder.integer else choices.weighted(builder.regimes)


def operands(builder: Builder, *, by_wave: bool | None = None) -> None:
    """Fragments a and b, loaded from one buffer or from two."""
    shared = builder.choices.chance(50)
    builder.fragment("a", "a")
    builder.fragment("b", "b")
    builder.add(builder.load("a", "A", "in" if shared else "left", by_wave=by_wave))
    builder.add(builder.load("b", "B", "in" if shared else "right", by_wave=by_wave))


def constant(builder: Builder, use: Use) -> int:
    """Bits of any element for integers; for floats a number of few bits, with which sums of whole numbers are exact.

    A product is then a multiple of 1/64 below 2^6, an addend of many bits one of 1/256 below 2^8.
    """
    choices, fmt = builder.choices, builder.element(use)
    if not fmt.is_float:
        return choices.integer(1, fmt.mask)
    wide = fmt.precision >= WIDE
    value = 2 * choices.integer(0, (1 << 15 if wide else 32) - 1) + 1
    return builder.number(use, -value if choices.chance(50) else value, -8 if wide else -3)


def product(make: Make, context: DrawContext[Any], *, regime: str = "", call: Call | None = None) -> Draft:
    """D = A*B + C, every fragment one of its own; flags are drawn, or as a method of the builder has them."""
    choices = context.choices
    builder = make(context)
    operands(builder, by_wave=True if regime else None)
    builder.fragment("c", "cd")
    builder.fragment("d", "cd")
    builder.add(builder.load("c", "C", "addend", by_wave=True if regime else None))
    called = builder.product("d", "a", "b", "c") if call is None else call(builder, "d", "a", "b", "c")
    builder.add(called, builder.store("d"))
    return builder.draft(regime or regime_of(choices, builder))


def in_place(make: Make, context: DrawContext[Any]) -> Draft:
    """C = A*B + C, by more waves than other kernels have."""
    builder = make(context, waves=context.choices.integer(4, 6))
    operands(builder)
    builder.fragment("c", "cd")
    builder.add(builder.load("c", "C", "addend"), builder.product("c", "a", "b", "c"), builder.store("c"))
    return builder.draft(regime_of(context.choices, builder))


def zero_literal(make: Make, context: DrawContext[Any]) -> Draft:
    """D = A*B + 0 with a literal vector of zeros, over a fragment that held something else."""
    choices = context.choices
    builder = make(context)
    operands(builder)
    builder.fragment("d", "cd")
    if choices.chance(50):
        builder.add(builder.load("d", "Old", "addend"))
    builder.add(builder.product("d", "a", "b", None), builder.store("d"))
    return builder.draft(regime_of(choices, builder))


def zero_filled(make: Make, context: DrawContext[Any]) -> Draft:
    """C holds something else, is set to zero, and used in place."""
    builder = make(context)
    operands(builder)
    builder.fragment("c", "cd")
    builder.add(builder.load("c", "Old", "addend"), Fill("c", 0))
    builder.add(builder.product("c", "a", "b", "c"), builder.store("c"))
    return builder.draft(regime_of(context.choices, builder))


def filled(make: Make, context: DrawContext[Any]) -> Draft:
    """Constants other than zero, as every factor and addend of products that are exact; and stored as they are."""
    builder = make(context)
    operands(builder)
    builder.fragment("c", "cd", constant(builder, "cd"))
    builder.fragment("d", "cd")
    builder.add(builder.product("d", "a", "b", "c"), builder.store("d"), builder.store("c"))
    builder.add(Fill("c", constant(builder, "cd")), builder.store("c"), builder.product("d", "a", "b", "c"))
    builder.add(builder.store("d"))
    uses: list[Use] = ["a", "b"] if context.choices.chance(50) else ["b", "a"]
    for use in uses:
        builder.add(Fill(use, constant(builder, use)), builder.store(use))
        builder.add(builder.product("d", "a", "b", "c"), builder.store("d"))
    return builder.draft("wild" if builder.integer else builder.exact)


def tiles(make: Make, context: DrawContext[Any]) -> Draft:
    """A larger K: a loop over tiles of A and B, the sum carried in one fragment; sometimes stored in every pass."""
    choices = context.choices
    builder = make(context, waves=choices.integer(1, 2))
    count = choices.integer(2, 4)
    shared = choices.chance(50)
    builder.fragment("a", "a")
    builder.fragment("b", "b")
    if choices.chance(30):  # zero where it is declared, as the loops of samples have it
        builder.fragment("c", "cd", 0)
    else:
        builder.fragment("c", "cd")
        builder.add(builder.load("c", "C", "addend"))
    body: list[Any] = [
        builder.load("a", "A", "in" if shared else "left", count, by_loop=True),
        builder.load("b", "B", "in" if shared else "right", count, by_loop=choices.chance(70)),
        builder.product("c", "a", "b", "c"),
    ]
    if choices.chance(30):
        body.append(builder.store("c", "running", count, by_loop=True))
    builder.add(builder.repeat(count, body), builder.store("c"))
    return builder.draft(regime_of(choices, builder))


def chain(make: Make, context: DrawContext[Any]) -> Draft:
    """The same without a loop: two or three products, each adding to the one before, alternating in place or not."""
    choices = context.choices
    builder = make(context, waves=choices.integer(1, 2))
    for name, use in FRAGMENTS:
        builder.fragment(name, use)
    builder.add(builder.load("c", "C", "addend"))
    held = "c"
    for k in range(choices.integer(2, 3)):
        builder.add(builder.load("a", f"A{k}", "left"), builder.load("b", f"B{k}", "right"))
        result = held if choices.chance(40) else ("d" if held == "c" else "c")
        builder.add(builder.product(result, "a", "b", held))
        held = result
    builder.add(builder.store(held))
    return builder.draft(regime_of(choices, builder))


def reuse(make: Make, context: DrawContext[Any]) -> Draft:
    """A block of four tiles: two As times two Bs, each fragment used twice, results next to each other."""
    choices = context.choices
    builder = make(context, waves=choices.integer(1, 2))
    for use in ("a", "b"):
        for n in (0, 1):
            builder.fragment(f"{use}{n}", use)
            builder.add(builder.load(f"{use}{n}", f"{use.upper()}{n}", "in"))
    builder.fragment("c", "cd")
    builder.add(builder.load("c", "C", "addend"))
    for i in (0, 1):
        for j in (0, 1):
            builder.fragment(f"d{i}{j}", "cd")
            builder.add(builder.product(f"d{i}{j}", f"a{i}", f"b{j}", "c"))
    builder.add(*(builder.store(f"d{i}{j}") for i, j in ((1, 0), (0, 0), (1, 1), (0, 1))))
    return builder.draft(regime_of(choices, builder))


def registers(make: Make, context: DrawContext[Any]) -> Draft:
    """No product: fragments go from some blocks to others to the bit, through shared buffers and at several offsets."""
    choices = context.choices
    builder = make(context, waves=choices.integer(2, 3))
    uses: tuple[Use, ...] = ("cd", "a", "b")
    for n, use in enumerate(uses):
        builder.fragment(f"r{n}", use)
        for copy in range(choices.integer(1, 2)):
            builder.add(builder.load(f"r{n}", f"R{n}{copy}", "in"), builder.store(f"r{n}"))
    return builder.draft("moved", batch=8)


def constants(make: Make, context: DrawContext[Any]) -> Draft:
    """Ones times ones on zeros, all of them constants of the kernel; one wave, or several doing the same."""
    choices = context.choices
    builder = make(context)
    declared = choices.chance(50)
    for name, use in FRAGMENTS[:2]:
        one = builder.number(use, 1)
        builder.fragment(name, use, one if declared else None)
        if not declared:
            builder.add(Fill(name, one))
    builder.fragment("c", "cd", 0)
    builder.add(builder.product("c", "a", "b", "c" if choices.chance(70) else None), builder.store("c"))
    return builder.draft("normal", batch=4)
