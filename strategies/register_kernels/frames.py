"""Frames (instructions around those of a template, which must not matter) and free programs (random kernels)."""

from __future__ import annotations

from typing import Any

from msgspec.structs import replace

from mmaspec.programs.register_kernels import Fill, Load
from mmaspec.strategies.choices import Choices
from mmaspec.strategies.grammar import Draft, DrawContext
from mmaspec.strategies.regimes.encoding import bits_of
from mmaspec.strategies.register_kernels.builder import Builder
from mmaspec.strategies.register_kernels.templates import FRAGMENTS, Make, constant


def _constant(choices: Choices, builder: Builder, fragment: Any) -> int:
    """Bits of a small constant, so that a frame cannot overflow."""
    fmt = builder.held(fragment)
    if not fmt.is_float:
        return choices.integer(0, min(100, fmt.max_value))
    return bits_of(fmt, 1 if fragment.use != "cd" else choices.one_of((1, -3, 0)))


def frame(make: Make, context: DrawContext[Any], draft: Draft) -> Draft:
    """Fragments overwritten before they are loaded and after their last use; products of no consequence between."""
    choices = context.choices
    program: Any = draft.program
    builder = make(context, program.waves)
    for name, use in FRAGMENTS[:3]:
        builder.fragment(f"frame_{name}", use)
    extra = builder.declared
    fragments = {fragment.name: fragment for fragment in program.fragments} | extra
    body: list[Any] = [Fill(name, _constant(choices, builder, fragment)) for name, fragment in extra.items()]
    for step in program.body:
        if isinstance(step, Load) and choices.chance(40):
            body.append(Fill(step.into, _constant(choices, builder, fragments[step.into])))
        if choices.chance(40):
            body.append(builder.product("frame_c", "frame_a", "frame_b", "frame_c" if choices.chance(70) else None))
        body.append(step)
    body.extend(Fill(name, _constant(choices, builder, fragments[name])) for name in fragments if choices.chance(50))
    if choices.chance(50):
        body.extend((Fill("frame_a", builder.number("a", 1)), Fill("frame_b", builder.number("b", 1))))
        body.extend((Fill("frame_c", 0), builder.product("frame_c", "frame_a", "frame_b", "frame_c")))
    framed = replace(program, fragments=tuple(fragments.values()), body=tuple(body))
    return Draft(framed, draft.regime, max(4, draft.batch // 2), draft.words)


def free(make: Make, context: DrawContext[Any]) -> Draft:
    """Up to ten instructions on a few fragments, each reading only what was written; results are stored."""
    choices = context.choices
    builder = make(context, waves=choices.integer(1, 2))
    names = {"a": ("a0", "a1"), "b": ("b0", "b1"), "cd": ("c0", "c1", "c2")}
    for use, members in names.items():
        for name in members:
            builder.fragment(name, use)  # type: ignore[arg-type]
    held: dict[str, list[str]] = {"a": [], "b": [], "cd": []}
    for step in range(choices.integer(6, 10)):
        ready = bool(held["a"] and held["b"])
        what = choices.weighted([(4, "load"), (1, "fill"), (5, "product")] if ready else [(4, "load"), (1, "fill")])
        if what == "product":
            d = choices.one_of(names["cd"])
            c = choices.one_of(held["cd"]) if held["cd"] and choices.chance(80) else None
            builder.add(builder.product(d, choices.one_of(held["a"]), choices.one_of(held["b"]), c), builder.store(d))
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
    builder.add(builder.product("c2", held["a"][0], held["b"][0], None), builder.store("c2"))
    return builder.draft("wild" if builder.integer else "normal")
