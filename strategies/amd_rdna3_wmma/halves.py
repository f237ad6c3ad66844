"""Templates of builtins with 16-bit C and D: which half of a register holds them, and what stands in the other one."""

from __future__ import annotations

from typing import Any

from mmaspec.programs.amd_rdna3_wmma.caps import Caps
from mmaspec.programs.register_kernels import Fill
from mmaspec.strategies.amd_rdna3_wmma.builder import ProgramBuilder
from mmaspec.strategies.grammar import Draft, DrawContext
from mmaspec.strategies.register_kernels.templates import operands


def _factors(builder: ProgramBuilder, stem: str) -> None:
    """New A and B."""
    builder.add(builder.load("a", f"A{stem}", "left"), builder.load("b", f"B{stem}", "right"))


def each_half(context: DrawContext[Caps]) -> Draft:
    """Products with the same A and B, one of each OPSEL in any order: with a C of two matrices, and one set to zero."""
    choices = context.choices
    builder = ProgramBuilder(context, waves=choices.integer(1, 2))
    operands(builder)
    builder.fragment("c", "cd")
    builder.add(builder.load("c", "C", "addend"))
    first = choices.chance(50)
    for names in ("de", "fg"):
        for name, opsel in zip(names, (first, not first), strict=True):
            builder.fragment(name, "cd")
            builder.add(builder.wmma(name, "a", "b", "c", opsel=opsel), builder.store(name))
        builder.add(Fill("c", 0))
    return builder.draft("few-terms", batch=8)


def two_sums(context: DrawContext[Caps]) -> Draft:
    """Products in place in both halves of one fragment by turns, each stored at once; A and B are new in each.

    What a builtin that is not tied leaves in the other half is no C for the next one, so that C is loaded again.
    """
    choices = context.choices
    builder = ProgramBuilder(context, waves=1)
    for name, use in (("a", "a"), ("b", "b"), ("c", "cd")):
        builder.fragment(name, use)  # type: ignore[arg-type]
    builder.add(builder.load("c", "C", "addend"))
    opsel = choices.chance(50)
    for turn in range(choices.integer(2, 4)):
        _factors(builder, str(turn))
        if turn and not builder.form.tied:
            builder.add(builder.load("c", f"C{turn}", "addend"))
        builder.add(builder.wmma("c", "a", "b", "c", opsel=opsel), builder.store("c"))
        opsel = not opsel
    return builder.draft("few-terms", batch=8)


def kept_apart(context: DrawContext[Caps]) -> Draft:
    """D is another fragment than C and held something else; what it holds beside the result goes on as C."""
    choices = context.choices
    builder = ProgramBuilder(context, waves=choices.integer(1, 2))
    operands(builder)
    for name in ("c", "d", "e"):
        builder.fragment(name, "cd")
    builder.add(builder.load("c", "C", "addend"), builder.load("d", "Old", "addend"))
    opsel = choices.chance(50)
    builder.add(builder.wmma("d", "a", "b", "c", opsel=opsel), builder.store("d"))
    builder.add(builder.wmma("e", "a", "b", "d", opsel=not opsel), builder.store("e"))
    return builder.draft("few-terms", batch=8)


def beside_literal(context: DrawContext[Caps]) -> Draft:
    """A literal of zeros for C, over a D that held something else; and a C that was set to a constant or to zero."""
    choices = context.choices
    builder = ProgramBuilder(context, waves=1)
    operands(builder)
    for name in ("c", "d"):
        builder.fragment(name, "cd")
    opsel = choices.chance(50)
    for old, addend in (("Old0", None), ("Old1", "c")):
        builder.add(builder.load("d", old, "addend"), builder.load("c", f"{old} of C", "addend"))
        if addend:
            builder.add(Fill("c", 0 if choices.chance(50) else builder.number("cd", 3)))
        for flag in (opsel, not opsel):
            builder.add(builder.wmma("d", "a", "b", addend, opsel=flag), builder.store("d"))
            if flag is opsel:
                builder.add(builder.load("d", f"{old} again", "addend"))
    return builder.draft("few-terms", batch=8)


def sparse(context: DrawContext[Any]) -> Draft:
    """C alone, one product, two, and all of them, with OPSEL as it is drawn."""
    choices = context.choices
    builder = ProgramBuilder(context)
    operands(builder, by_wave=True)
    for name in ("c", "d"):
        builder.fragment(name, "cd")
    builder.add(builder.load("c", "C", "addend", by_wave=True))
    builder.add(builder.wmma("d", "a", "b", "c", opsel=choices.chance(50)), builder.store("d"))
    return builder.draft("few-terms")
