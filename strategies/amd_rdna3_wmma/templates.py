"""Templates: a family of kernels for each group of clauses."""

from __future__ import annotations

import struct
from collections.abc import Callable

from mmaspec.programs.amd_rdna3_wmma.caps import Caps
from mmaspec.programs.amd_rdna3_wmma.program import Fill, Plain, Repeat, Use
from mmaspec.strategies.amd_rdna3_wmma.builder import ProgramBuilder
from mmaspec.strategies.choices import Choices
from mmaspec.strategies.grammar import Draft, DrawContext, Template

LAYOUT = (
    "RDNA3-AB-ROWCOL",
    "RDNA3-AB-PACK16",
    "RDNA3-AB-PACK8",
    "RDNA3-W32-REPLICATE",
    "RDNA3-W64-REPLICATE",
    "RDNA3-CD-W32",
    "RDNA3-CD-W64",
    "RDNA3-CD-NOREP",
)
ONE_HALF = 0x3C00
"""1.0 as a half."""

Build = Callable[[DrawContext[Caps]], Draft | None]


def regime_of(choices: Choices, builder: ProgramBuilder) -> str:
    """A regime for a kernel that is not about its data."""
    return "wild" if builder.integer else choices.weighted([(2, "window"), (1, "normal")])


def operands(builder: ProgramBuilder, *, by_wave: bool | None = None) -> None:
    """Fragments a and b, loaded from one buffer or from two."""
    shared = builder.choices.chance(50)
    builder.fragment("a", "a")
    builder.fragment("b", "b")
    builder.add(builder.load("a", "A", "in" if shared else "left", by_wave=by_wave))
    builder.add(builder.load("b", "B", "in" if shared else "right", by_wave=by_wave))


def product(regime: str = "", clamp: bool | None = None) -> Build:
    """D = A*B + C, every fragment one of its own; signs are drawn."""

    def build(context: DrawContext[Caps]) -> Draft:
        choices = context.choices
        builder = ProgramBuilder(context)
        operands(builder, by_wave=True if regime else None)
        builder.fragment("c", "cd")
        builder.fragment("d", "cd")
        builder.add(builder.load("c", "C", "addend", by_wave=True if regime else None))
        builder.add(builder.wmma("d", "a", "b", "c", clamp=clamp), builder.store("d"))
        return builder.draft(regime or regime_of(choices, builder))

    return build


def signs(regime: str, clamp: bool | None = None) -> Build:
    """Four products, one for each pair of signs, every one of factors and of an addend of its own."""

    def build(context: DrawContext[Caps]) -> Draft:
        builder = ProgramBuilder(context)
        for name, use in (("a", "a"), ("b", "b"), ("c", "cd"), ("d", "cd")):
            builder.fragment(name, use)  # type: ignore[arg-type]
        left = [(False, False), (False, True), (True, False), (True, True)]
        for n in range(4):
            pair = context.choices.one_of(left)
            left.remove(pair)
            builder.add(builder.load("a", f"A{n}", "left", by_wave=True))
            builder.add(builder.load("b", f"B{n}", "right", by_wave=True))
            builder.add(builder.load("c", f"C{n}", "addend", by_wave=True))
            builder.add(builder.wmma("d", "a", "b", "c", pair, clamp), builder.store("d"))
        return builder.draft(regime)

    return build


def in_place(context: DrawContext[Caps]) -> Draft:
    """C = A*B + C, by more waves than other kernels have."""
    builder = ProgramBuilder(context, waves=context.choices.integer(4, 6))
    operands(builder)
    builder.fragment("c", "cd")
    builder.add(builder.load("c", "C", "addend"), builder.wmma("c", "a", "b", "c"), builder.store("c"))
    return builder.draft(regime_of(context.choices, builder))


def zero_literal(context: DrawContext[Caps]) -> Draft:
    """D = A*B + 0 with a literal vector of zeros, over a fragment that held something else."""
    choices = context.choices
    builder = ProgramBuilder(context)
    operands(builder)
    builder.fragment("d", "cd")
    if choices.chance(50):
        builder.add(builder.load("d", "Old", "addend"))
    builder.add(builder.wmma("d", "a", "b", None), builder.store("d"))
    return builder.draft(regime_of(choices, builder))


def zero_filled(context: DrawContext[Caps]) -> Draft:
    """C holds something else, is set to zero, and used in place."""
    builder = ProgramBuilder(context)
    operands(builder)
    builder.fragment("c", "cd")
    builder.add(builder.load("c", "Old", "addend"), Fill("c", 0))
    builder.add(builder.wmma("c", "a", "b", "c"), builder.store("c"))
    return builder.draft(regime_of(context.choices, builder))


def filled(context: DrawContext[Caps]) -> Draft:
    """Constants other than zero, as every factor and addend of products that are exact; and stored as they are."""
    builder = ProgramBuilder(context)
    operands(builder)
    builder.fragment("c", "cd", constant(builder, "cd"))
    builder.fragment("d", "cd")
    builder.add(builder.wmma("d", "a", "b", "c"), builder.store("d"), builder.store("c"))
    builder.add(Fill("c", constant(builder, "cd")), builder.store("c"), builder.wmma("d", "a", "b", "c"))
    builder.add(builder.store("d"))
    uses: list[Use] = ["a", "b"] if context.choices.chance(50) else ["b", "a"]
    for use in uses:
        builder.add(Fill(use, constant(builder, use)), builder.store(use))
        builder.add(builder.wmma("d", "a", "b", "c"), builder.store("d"))
    return builder.draft("wild" if builder.integer else "whole")


def constant(builder: ProgramBuilder, use: Use) -> int:
    """Bits of any element for integers; for floats a number of few bits, with which sums of whole numbers are exact.

    A product is then a multiple of 1/64 below 2^6, the addend one of 1/256 below 2^8.
    """
    choices = builder.choices
    if builder.integer:
        return choices.integer(1, (1 << (32 if use == "cd" else 8)) - 1)
    unit, top, code = (256, 1 << 15, "<fI") if use == "cd" else (8, 32, "<eH")
    value = (2 * choices.integer(0, top - 1) + 1) / unit
    bits: int = struct.unpack(f"<{code[2]}", struct.pack(code[:2], -value if choices.chance(50) else value))[0]
    return bits


def tiles(context: DrawContext[Caps]) -> Draft:
    """A larger K: a loop over tiles of A and B, the sum carried in one fragment; sometimes stored in every pass."""
    choices = context.choices
    builder = ProgramBuilder(context, waves=choices.integer(1, 2))
    count = choices.integer(2, 4)
    shared = choices.chance(50)
    builder.fragment("a", "a")
    builder.fragment("b", "b")
    if choices.chance(30):  # the sample's way: zero where it is declared
        builder.fragment("c", "cd", 0)
    else:
        builder.fragment("c", "cd")
        builder.add(builder.load("c", "C", "addend"))
    body: list[Plain] = [
        builder.load("a", "A", "in" if shared else "left", count, by_loop=True),
        builder.load("b", "B", "in" if shared else "right", count, by_loop=choices.chance(70)),
        builder.wmma("c", "a", "b", "c"),
    ]
    if choices.chance(30):
        body.append(builder.store("c", "running", count, by_loop=True))
    builder.add(Repeat(count, tuple(body)), builder.store("c"))
    return builder.draft(regime_of(choices, builder))


def chain(context: DrawContext[Caps]) -> Draft:
    """The same without a loop: two or three products, each adding to the one before, alternating in place or not."""
    choices = context.choices
    builder = ProgramBuilder(context, waves=choices.integer(1, 2))
    for name, use in (("a", "a"), ("b", "b"), ("c", "cd"), ("d", "cd")):
        builder.fragment(name, use)  # type: ignore[arg-type]
    builder.add(builder.load("c", "C", "addend"))
    held = "c"
    for k in range(choices.integer(2, 3)):
        builder.add(builder.load("a", f"A{k}", "left"), builder.load("b", f"B{k}", "right"))
        result = held if choices.chance(40) else ("d" if held == "c" else "c")
        builder.add(builder.wmma(result, "a", "b", held))
        held = result
    builder.add(builder.store(held))
    return builder.draft(regime_of(choices, builder))


def reuse(context: DrawContext[Caps]) -> Draft:
    """A block of four tiles: two As times two Bs, each fragment used twice, results next to each other."""
    choices = context.choices
    builder = ProgramBuilder(context, waves=choices.integer(1, 2))
    for use in ("a", "b"):
        for n in (0, 1):
            builder.fragment(f"{use}{n}", use)
            builder.add(builder.load(f"{use}{n}", f"{use.upper()}{n}", "in"))
    builder.fragment("c", "cd")
    builder.add(builder.load("c", "C", "addend"))
    for i in (0, 1):
        for j in (0, 1):
            builder.fragment(f"d{i}{j}", "cd")
            builder.add(builder.wmma(f"d{i}{j}", f"a{i}", f"b{j}", "c"))
    builder.add(*(builder.store(f"d{i}{j}") for i, j in ((1, 0), (0, 0), (1, 1), (0, 1))))
    return builder.draft(regime_of(choices, builder))


def registers(context: DrawContext[Caps]) -> Draft:
    """No product: fragments go from some blocks to others, through shared buffers and at several offsets."""
    choices = context.choices
    builder = ProgramBuilder(context, waves=choices.integer(2, 3))
    for n, use in enumerate(("cd", "a", "b")):
        builder.fragment(f"r{n}", use)  # type: ignore[arg-type]
        for copy in range(choices.integer(1, 2)):
            builder.add(builder.load(f"r{n}", f"R{n}{copy}", "in"), builder.store(f"r{n}"))
    return builder.draft("distinct", batch=8)


def constants(context: DrawContext[Caps]) -> Draft:
    """Ones times ones on zeros, all of them constants of the kernel; one wave, or several doing the same."""
    choices = context.choices
    builder = ProgramBuilder(context)
    declared = choices.chance(50)
    for name, use in (("a", "a"), ("b", "b")):
        builder.fragment(name, use, ONE_HALF if declared else None)  # type: ignore[arg-type]
        if not declared:
            builder.add(Fill(name, ONE_HALF))
    builder.fragment("c", "cd", 0)
    builder.add(builder.wmma("c", "a", "b", "c" if choices.chance(70) else None), builder.store("c"))
    return builder.draft("normal", batch=4)


_MMA = ("RDNA3-MMA", *LAYOUT)

TEMPLATES = (
    Template("product", _MMA, product()),
    Template("product-normal", (*_MMA, "RDNA3-FP-ACC"), product("normal"), ("float",)),
    Template("product-wild", ("RDNA3-FP-ACC",), product("wild"), ("float",)),
    Template("product-subnormal", ("RDNA3-FP-ACC",), product("subnormal"), ("float",)),
    Template("product-cancelling", ("RDNA3-FP-ACC",), product("cancelling"), ("float",)),
    Template("product-near-tie", ("RDNA3-FP-ACC",), product("near-tie"), ("float",)),
    Template("product-overflow-edge", ("RDNA3-FP-ACC", "RDNA3-FP-NAN"), product("overflow-edge"), ("float",)),
    Template("product-specials", ("RDNA3-FP-NAN",), product("specials"), ("float",)),
    Template("signs", ("RDNA3-IU-SIGN", "RDNA3-IU-DOT-RANGE"), signs("wild"), ("int",)),
    Template("sums-wrap", ("RDNA3-IU-NOCLAMP", "RDNA3-IU-ACC"), signs("overflow", clamp=False), ("int",)),
    Template("sums-clamp", ("RDNA3-IU-CLAMP", "RDNA3-IU-ACC"), signs("overflow", clamp=True), ("int",)),
    Template("clamp-idle", ("RDNA3-IU-CLAMP",), product("small", clamp=True), ("int",)),
    Template("in-place", ("RDNA3-INPLACE",), in_place),
    Template("zero-literal", ("RDNA3-ZERO-C",), zero_literal),
    Template("zero-filled", ("RDNA3-ZERO-C", "RDNA3-INPLACE"), zero_filled),
    Template("filled", ("RDNA3-MEM-FREE", "RDNA3-MMA"), filled),
    Template("tiles", ("RDNA3-TILE",), tiles, weight=2),
    Template("chain", ("RDNA3-TILE", "RDNA3-INPLACE"), chain),
    Template("reuse", ("RDNA3-TILE", "RDNA3-MEM-FREE"), reuse),
    Template("registers", ("RDNA3-MEM-FREE", "RDNA3-STORE-ONLY"), registers),
    Template("constants", ("RDNA3-AB-PACK16", "RDNA3-ZERO-C"), constants, ("f16",)),
)
