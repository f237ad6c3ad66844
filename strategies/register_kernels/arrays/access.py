"""The array of block numbers: of loads and stores, by wave, pass and place, from a buffer's start to far into it."""

from __future__ import annotations

from functools import partial
from typing import Any

from mmaspec.programs.base import Affine, Index
from mmaspec.programs.register_kernels import Store
from mmaspec.strategies.choices import Choices
from mmaspec.strategies.grammar import Array, Chosen, Draft, DrawContext
from mmaspec.strategies.register_kernels.arrays.kernel import BASES, LARGEST, STEPS, VIEWS, WAVES, Fits, Kernel, places

TARGETS = {"load-a": "a", "load-b": "b", "load-c": "c", "store-d": "d"}
"""Classes of ``argument-of`` -> the fragment; of ``store-operand`` any that is read."""

DRAWS = 20
"""Strides that are drawn before two blocks count as bound to meet."""


def grids(kind: str, waves: int) -> list[int]:
    """The widths of a class of ``argument-grid``."""
    inner = [width for width in range(2, waves) if waves % width == 0]
    return {
        "none": [0],
        "one": [1],
        "even": [width for width in inner if width & (width - 1) == 0],
        "odd": [width for width in inner if width & (width - 1)],
        "ragged": [width for width in range(2, waves) if waves % width],
        "all": [waves] if waves > 1 else [],
        "wider": [waves + 1, waves + 5],
    }[kind]


def block_numbers(choices: Choices, chosen: Chosen) -> tuple[Affine, int, int] | None:
    """A block number of the chosen classes, waves and passes for which all places differ; 0 passes: no loop."""
    waves = choices.one_of(WAVES[chosen["waves"]])
    widths = grids(chosen["argument-grid"], waves)
    if not widths:
        return None
    block = Affine(
        choices.one_of(BASES[chosen["argument-base"]]),
        wave=choices.one_of(STEPS[chosen["argument-wave"]]),
        loop=choices.one_of(STEPS[chosen["argument-loop"]]),
        grid=choices.one_of(widths),
        row=choices.one_of(STEPS[chosen["argument-row"]]),
    )
    if not block.loop:
        passes, apart = 0, places(block, waves)
    else:
        several = choices.integer(2, 3)
        passes = several if len(set(places(block, waves, several))) >= several * (waves if block.wave else 1) else 1
        apart = places(block, waves, passes)
    expected = (waves if block.wave else 1) * max(passes, 1)
    return (block, waves, passes) if len(set(apart)) == expected else None


def _slack(choices: Choices, kind: str, vector: int, block: int) -> int:
    """Bytes behind the last block for a class of ``buffer-fit``."""
    return {
        "exact": 0,
        "one-vector-more": vector,
        "part-of-block": vector * choices.integer(2, min(20, block // vector - 1)),
        "whole-block": block,
        "much": block * choices.integer(2, 3) + vector * choices.integer(0, 1),
        "unaligned-end": vector * choices.integer(0, 3) + 4 * choices.integer(1, max(min(3, vector // 4 - 1), 1)),
    }[kind]


def _build(make: type[Kernel], context: DrawContext[Any], chosen: Chosen) -> Draft | None:
    found = None
    for _ in range(DRAWS):
        found = found or block_numbers(context.choices, chosen)
    if found is None:
        return None
    block, waves, passes = found
    kernel = make(context, waves)
    kernel.fragments(a="a", b="b", c="cd", d="cd")
    target = TARGETS.get(chosen["argument-of"]) or kernel.choices.one_of(("a", "b", "c"))
    kernel.room("own", VIEWS[chosen["buffer-base"]])
    kernel.cover("own", target, block, max(passes, 1))
    size = kernel.sizes[target]
    if kernel.rooms["own"].end > LARGEST:
        return None
    kernel.rooms["own"].slack = _slack(kernel.choices, chosen["buffer-fit"], size // kernel.lanes, size)
    index: Index = block
    if chosen["argument-kind"] == "literal":
        index = block.base
    elif chosen["argument-kind"] == "run-time":
        index = kernel.argument(block.base)
    body = _body(kernel, chosen["argument-of"].startswith("store"), target, index, passes)
    kernel.add(*body)
    pure = chosen["argument-of"] == "store-operand"
    return kernel.draft("distinct" if pure else "wild" if kernel.integer else kernel.sums, batch=2)


def _body(kernel: Kernel, stores: bool, target: str, index: Index, passes: int) -> list[Any]:
    """Loads, product and store, the one that is meant in a loop if there are passes."""
    by_loop = passes > 0
    inside: list[Any] = []
    outside: list[Any] = []
    for name in ("a", "b", "c"):
        if name == target and not stores:
            inside.append(kernel.load_at(name, "own", index, name.upper()))
        else:
            # What is stored has to differ from pass to pass.
            mine = by_loop and stores and name == (target if target != "d" else "a")
            load = kernel.load(name, name.upper(), f"in-{name}", max(passes, 1), by_wave=kernel.waves > 1, by_loop=mine)
            (inside if mine else outside).append(load)
    inside.append(kernel.product("d", "a", "b", "c"))
    if stores:
        inside.append(Store(target, "own", index))
    if not stores or target != "d":
        inside.append(kernel.store("d", "out", max(passes, 1), by_loop=by_loop))
    return [*outside, kernel.repeat(passes, tuple(inside))] if by_loop else [*outside, *inside]


def access(make: type[Kernel], focus: tuple[str, ...], fits: Fits | None = None) -> Array:
    """Every statement that has a block number, with every kind of block number."""
    return Array(
        name="block-numbers",
        focus=focus,
        axes={
            "argument-of": ("load-a", "load-b", "load-c", "store-d", "store-operand"),
            "argument-kind": ("literal", "run-time", "per-wave", "per-pass", "per-wave-and-pass", "per-place"),
            "argument-base": ("zero", "four", "large"),
            "argument-wave": ("zero", "one", "large"),
            "argument-loop": ("zero", "one", "large"),
            "argument-grid": ("none", "one", "even", "odd", "ragged", "all", "wider"),
            "argument-row": ("zero", "one", "two", "three-or-more"),
            "waves": ("one", "nine-to-fifteen", "seventeen-to-31"),
            "buffer-base": ("zero", "whole-256", "odd-128", "odd-32"),
            "buffer-fit": ("one-vector-more", "part-of-block", "much", "unaligned-end"),
        },
        build=partial(_build, make),
        rules=(
            "argument-kind=literal|run-time|per-pass with argument-wave=one|large",
            "argument-kind=literal|run-time|per-wave with argument-loop=one|large",
            "argument-kind=per-wave|per-wave-and-pass|per-place with argument-wave=zero",
            "argument-kind=per-pass|per-wave-and-pass with argument-loop=zero",
            "argument-kind=literal|run-time|per-wave|per-pass|per-wave-and-pass "
            "with argument-grid=one|even|odd|ragged|all|wider",
            "argument-kind=per-place with argument-grid=none",
            "argument-grid=none with argument-row=one|two|three-or-more",
            # Rows that are all at one place would put two waves on one block.
            "argument-row=zero with argument-grid=even|odd|ragged",
            "argument-row=zero with argument-grid=one with waves=nine-to-fifteen|seventeen-to-31",
            "argument-row=one|two with argument-wave=one with argument-grid=odd|ragged",
            "argument-row=one with argument-wave=one with argument-grid=even",
            "waves=one with argument-grid=even|odd|ragged|all",
            "argument-of=store-d|store-operand with argument-wave=zero with waves=nine-to-fifteen|seventeen-to-31",
        ),
        fits=fits,
    )
