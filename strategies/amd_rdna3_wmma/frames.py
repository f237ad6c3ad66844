"""Frames (instructions around those of a template, which must not matter) and free programs (random kernels)."""

from __future__ import annotations

from msgspec.structs import replace

from mmaspec.programs.amd_rdna3_wmma.caps import Caps
from mmaspec.programs.amd_rdna3_wmma.program import Fill, Fragment, Instruction, Load, WmmaProgram
from mmaspec.strategies.amd_rdna3_wmma.builder import ProgramBuilder
from mmaspec.strategies.amd_rdna3_wmma.templates import ONE_HALF, constant
from mmaspec.strategies.choices import Choices
from mmaspec.strategies.grammar import Draft, DrawContext


def _constant(choices: Choices, fragment: Fragment) -> int:
    """Bits of a small constant, so that a frame cannot overflow."""
    if fragment.element == "half":
        return ONE_HALF
    if fragment.element == "float":
        return choices.one_of((0x3F800000, 0xC0400000, 0))
    return choices.integer(0, 100)


def frame(context: DrawContext[Caps], draft: Draft) -> Draft:
    """Fragments overwritten before they are loaded and after their last use; products of no consequence between."""
    choices = context.choices
    program: WmmaProgram = draft.program
    builder = ProgramBuilder(context, program.waves)
    for name, use in (("frame_a", "a"), ("frame_b", "b"), ("frame_c", "cd")):
        builder.fragment(name, use)  # type: ignore[arg-type]
    extra = builder.program().fragments
    fragments = {fragment.name: fragment for fragment in (*program.fragments, *extra)}
    body: list[Instruction] = [Fill(fragment.name, _constant(choices, fragment)) for fragment in extra]
    for step in program.body:
        if isinstance(step, Load) and choices.chance(40):
            body.append(Fill(step.into, _constant(choices, fragments[step.into])))
        if choices.chance(40):
            body.append(builder.wmma("frame_c", "frame_a", "frame_b", "frame_c" if choices.chance(70) else None))
        body.append(step)
    body.extend(Fill(name, _constant(choices, fragments[name])) for name in fragments if choices.chance(50))
    if choices.chance(50):
        ones = 1 if builder.integer else ONE_HALF
        body.extend((Fill("frame_a", ones), Fill("frame_b", ones), Fill("frame_c", 0)))
        body.append(builder.wmma("frame_c", "frame_a", "frame_b", "frame_c"))
    framed = replace(program, fragments=tuple(fragments.values()), body=tuple(body))
    return Draft(framed, draft.regime, max(4, draft.batch // 2), draft.words)


def free(context: DrawContext[Caps]) -> Draft:
    """Up to ten instructions on a few fragments, each reading only what was written; results are stored."""
    choices = context.choices
    builder = ProgramBuilder(context, waves=choices.integer(1, 2))
    names = {"a": ("a0", "a1"), "b": ("b0", "b1"), "cd": ("c0", "c1", "c2")}
    for use, members in names.items():
        for name in members:
            builder.fragment(name, use)  # type: ignore[arg-type]
    held: dict[str, list[str]] = {"a": [], "b": [], "cd": []}
    for step in range(choices.integer(6, 10)):
        ready = bool(held["a"] and held["b"])
        what = choices.weighted([(4, "load"), (1, "fill"), (5, "wmma")] if ready else [(4, "load"), (1, "fill")])
        if what == "wmma":
            d = choices.one_of(names["cd"])
            c = choices.one_of(held["cd"]) if held["cd"] and choices.chance(80) else None
            builder.add(builder.wmma(d, choices.one_of(held["a"]), choices.one_of(held["b"]), c), builder.store(d))
            held["cd"] = [*dict.fromkeys((*held["cd"], d))]
            continue
        use = next((use for use in ("a", "b") if not held[use]), None) or choices.one_of(("a", "b", "cd"))
        into = choices.one_of(names[use])
        if what == "load":
            builder.add(builder.load(into, f"X{step}", choices.one_of(("in", "more"))))
        else:
            builder.add(Fill(into, constant(builder, use)))  # type: ignore[arg-type]
        held[use] = [*dict.fromkeys((*held[use], into))]
    for use, name in (("a", "a0"), ("b", "b0")):
        if not held[use]:
            builder.add(builder.load(name, f"Last{use.upper()}", "in"))
            held[use] = [name]
    builder.add(builder.wmma("c2", held["a"][0], held["b"][0], None), builder.store("c2"))
    return builder.draft("wild" if builder.integer else "normal")
