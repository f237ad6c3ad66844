"""Frames and free programs: instructions that are none of a template's business, and kernels without a subject."""

from __future__ import annotations

from typing import Any

from msgspec.structs import replace

from mmaspec.oracle.spec import Row
from mmaspec.programs.amd_rdna3_wmma.program import Fill, Fragment, Instruction, Load, WmmaProgram
from mmaspec.strategies.amd_rdna3_wmma.builder import Kernel
from mmaspec.strategies.amd_rdna3_wmma.templates import ONE_HALF
from mmaspec.strategies.choices import Choices
from mmaspec.strategies.grammar import Draft


def _constant(draw: Choices, fragment: Fragment) -> int:
    """Bits of a small constant: the frame shall not overflow anything."""
    if fragment.element == "half":
        return ONE_HALF
    if fragment.element == "float":
        return draw.one_of((0x3F800000, 0xC0400000, 0))
    return draw.integer(0, 100)


def frame(draw: Choices, row: Row, caps: Any, draft: Draft) -> Draft:
    """Fragments overwritten before they are loaded and after their last use; products of no consequence between."""
    del caps
    program: WmmaProgram = draft.program
    kernel = Kernel(draw, row, program.waves)
    for name, use in (("frame_a", "a"), ("frame_b", "b"), ("frame_c", "cd")):
        kernel.fragment(name, use)  # type: ignore[arg-type]
    extra = kernel.program().fragments
    fragments = {fragment.name: fragment for fragment in (*program.fragments, *extra)}
    body: list[Instruction] = [Fill(fragment.name, _constant(draw, fragment)) for fragment in extra]
    for step in program.body:
        if isinstance(step, Load) and draw.chance(40):
            body.append(Fill(step.into, _constant(draw, fragments[step.into])))
        if draw.chance(40):
            body.append(kernel.wmma("frame_c", "frame_a", "frame_b", "frame_c" if draw.chance(70) else None))
        body.append(step)
    body.extend(Fill(name, _constant(draw, fragments[name])) for name in fragments if draw.chance(50))
    if draw.chance(50):
        ones = 1 if kernel.integer else ONE_HALF
        body.extend((Fill("frame_a", ones), Fill("frame_b", ones), Fill("frame_c", 0)))
        body.append(kernel.wmma("frame_c", "frame_a", "frame_b", "frame_c"))
    framed = replace(program, fragments=tuple(fragments.values()), body=tuple(body))
    return Draft(framed, draft.regime, max(4, draft.batch // 2), draft.words)


def free(draw: Choices, row: Row, caps: Any) -> Draft:
    """Up to ten instructions on a few fragments, each reading only what was written; results are stored."""
    del caps
    kernel = Kernel(draw, row, waves=draw.integer(1, 2))
    names = {"a": ("a0", "a1"), "b": ("b0", "b1"), "cd": ("c0", "c1", "c2")}
    for use, members in names.items():
        for name in members:
            kernel.fragment(name, use)  # type: ignore[arg-type]
    held: dict[str, list[str]] = {"a": [], "b": [], "cd": []}
    for step in range(draw.integer(6, 10)):
        ready = bool(held["a"] and held["b"])
        what = draw.weighted([(4, "load"), (1, "fill"), (5, "wmma")] if ready else [(4, "load"), (1, "fill")])
        if what == "wmma":
            d = draw.one_of(names["cd"])
            c = draw.one_of(held["cd"]) if held["cd"] and draw.chance(80) else None
            kernel.add(kernel.wmma(d, draw.one_of(held["a"]), draw.one_of(held["b"]), c), kernel.store(d))
            held["cd"] = [*dict.fromkeys((*held["cd"], d))]
            continue
        use = next((use for use in ("a", "b") if not held[use]), None) or draw.one_of(("a", "b", "cd"))
        into = draw.one_of(names[use])
        if what == "load":
            kernel.add(kernel.load(into, f"X{step}", draw.one_of(("in", "more"))))
        else:
            kernel.add(Fill(into, 0 if use == "cd" else 3 if kernel.integer else ONE_HALF))
        held[use] = [*dict.fromkeys((*held[use], into))]
    for use, name in (("a", "a0"), ("b", "b0")):
        if not held[use]:
            kernel.add(kernel.load(name, f"Last{use.upper()}", "in"))
            held[use] = [name]
    kernel.add(kernel.wmma("c2", held["a"][0], held["b"][0], None), kernel.store("c2"))
    return kernel.draft("wild" if kernel.integer else "normal")
