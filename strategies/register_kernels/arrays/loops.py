"""The array of loops: what goes from pass to pass, what stays, where a pass stores, and what comes after."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

from msgspec.structs import replace

from mmaspec.oracle.spec import Row
from mmaspec.programs.base import Affine
from mmaspec.programs.register_kernels import Fill, Store
from mmaspec.strategies.grammar import Array, Chosen, Draft, DrawContext
from mmaspec.strategies.register_kernels.arrays.kernel import Fits, Kernel, both
from mmaspec.strategies.register_kernels.templates import constant

COUNTS: dict[str, tuple[int, ...]] = {
    "nine-to-fifteen": (9,),
    "many": (130, 140),
}
"""Classes of ``repeat-count``; the array of accumulators and that of fills have others."""

WAVES = ((3, 1), (1, 3), (1, 4), (1, 6), (1, 8), (1, 16))
"""How often a kernel of few passes has how many waves."""

APART = ("nothing", "stale-c", "memory")
"""Classes of ``loop-carries`` in which D is not C."""


def _build(make: type[Kernel], context: DrawContext[Any], chosen: Chosen) -> Draft:
    few = chosen["repeat-count"] != "many"
    kernel = make(context, context.choices.weighted(WAVES) if few else 1)
    kernel.fragments(a="a", b="b", c="cd", d="cd", e="cd")
    passes = context.choices.one_of(COUNTS[chosen["repeat-count"]])
    after: list[Any] = []
    inside = _operands(kernel, chosen["loop-invariant"], passes, after)
    kernel.add(kernel.repeat(passes, (*inside, *_sums(kernel, chosen, passes), *after)))
    result = "d" if chosen["loop-carries"] in APART else "c"
    kernel.add(*_ending(kernel, chosen["after-loop"], result))
    return kernel.draft("full" if kernel.integer else kernel.sums, batch=2 if few and kernel.waves <= 4 else 1)


def _operands(kernel: Kernel, kind: str, passes: int, after: list[Any]) -> list[Any]:
    """Loads of A and B by a class of ``loop-invariant``; those at the end of a pass go to ``after``."""
    outside = {"a-outside": "a", "b-outside": "b", "both-outside": "ab"}.get(kind, "")
    inside: list[Any] = []
    for name in ("a", "b"):
        if name in outside:
            kernel.add(kernel.load(name, name.upper(), f"in-{name}"))
        elif kind == "a-reloaded-same" and name == "a":
            inside.append(kernel.load("a", "A", "in-a"))
        elif kind == "first-pass-only":
            kernel.add(kernel.load(name, f"{name.upper()}-first", f"in-{name}"))
            after.append(kernel.load(name, name.upper(), f"in-{name}", passes, by_loop=True))
        else:
            inside.append(kernel.load(name, name.upper(), f"in-{name}", passes, by_loop=True))
    return inside


def _sums(kernel: Kernel, chosen: Chosen, passes: int) -> list[Any]:
    """The products of a pass and its stores, by classes of ``loop-carries``, ``loop-reset`` and ``loop-stores``."""
    carries, stores, reset = chosen["loop-carries"], chosen["loop-stores"], chosen["loop-reset"]
    body: list[Any] = []
    where = f"acc-{stores}"
    here: Affine | None = None
    if stores in ("over-input", "next-input"):
        # C is loaded from where the pass stores, or where the pass before it stored.
        first = kernel.next(where, "c", (passes + 1) * kernel.waves)
        step = 1 if stores == "next-input" or carries != "memory" else 0
        here = Affine(first, wave=passes + 1, loop=step)
        body.append(kernel.load_at("c", where, here, "C" if stores == "over-input" and step else None))
        if not (stores == "over-input" and step):
            kernel.add(kernel.load("c", "C", "in-c"), Store("c", where, replace(here, loop=0)))
    elif reset == "load":
        body.append(kernel.load("c", "C", "in-c", passes, by_loop=True))
    elif reset != "literal":
        kernel.add(kernel.load("c", "C", "in-c"))
    body += _calls(kernel, carries, "c" if reset != "literal" else None)
    result = "d" if carries in APART else "c"
    if here is not None:
        body.append(Store(result, where, replace(here, base=here.base + (stores == "next-input"))))
    elif stores == "same-place":
        body.append(kernel.store(result))
    elif stores == "own-place":
        body.append(kernel.store(result, "out", passes, by_loop=True))
    if reset == "fill-last":
        body.append(Fill("c", constant(kernel, "cd")))
    return body


def _calls(kernel: Kernel, carries: str, c: str | None) -> Sequence[Any]:
    """The products of a pass; the accumulators that they need are loaded before the loop."""
    call = kernel.product
    if carries in ("accumulators", "swapped"):
        kernel.add(kernel.load("d", "D", "in-c"))
    return {
        "accumulators": lambda: [call("c", "a", "b", "c"), call("d", "a", "b", "d")],
        "apart-and-back": lambda: [call("d", "a", "b", "c"), call("c", "a", "b", "d")],
        "swapped": lambda: [call("e", "a", "b", "c"), call("c", "a", "b", "d"), call("d", "a", "b", "e")],
        "stale-c": lambda: [call("d", "a", "b", "c")],
        "nothing": lambda: [call("d", "a", "b", c)],
        "memory": lambda: [call("d", "a", "b", "c")],
    }[carries]()


def _ending(kernel: Kernel, kind: str, result: str) -> list[Any]:
    """What stands after the loop: a class of ``after-loop``."""
    if kind == "product":
        return [kernel.product("e", "a", "b", result), kernel.store("e")]
    if kind == "operands-used":
        return [kernel.store(result), kernel.product("e", "a", "b", None), kernel.store("e")]
    if kind == "old-c-used":
        return [kernel.store(result), kernel.store("c")]
    other = kernel.load("a", "Other", "other"), kernel.load("b", "More", "other")
    return [*other, kernel.product("e", "a", "b", None), kernel.store("e")]


def _known(row: Row[Any], _: object, axis: str, name: str) -> bool:
    """Rounded results that are loaded again are not known, and nothing that they reach is judged."""
    return axis != "loop-carries" or name != "memory" or row.entry.integer


def loops(make: type[Kernel], focus: tuple[str, ...], fits: Fits | None = None) -> Array:
    """Loops of one pass, and of more than templates have."""
    return Array(
        name="loops",
        focus=focus,
        axes={
            "repeat-count": tuple(COUNTS),
            "loop-carries": ("nothing", "accumulators", "apart-and-back", "swapped", "stale-c", "memory"),
            "loop-invariant": ("a-outside", "b-outside", "both-outside", "a-reloaded-same", "first-pass-only"),
            "loop-stores": ("none", "own-place", "same-place", "over-input", "next-input"),
            "loop-reset": ("no", "literal", "fill-last", "load"),
            "after-loop": ("product", "operands-used", "old-c-used", "nothing"),
        },
        build=partial(_build, make),
        fits=both(_known, fits),
        rules=(
            "loop-carries=nothing with loop-reset=no",
            "loop-carries=nothing with loop-stores=next-input",
            "loop-carries=accumulators|apart-and-back|swapped|stale-c with loop-reset=literal|fill-last|load",
            "loop-carries=memory with loop-reset=no|literal|fill-last",
            "loop-carries=memory with loop-stores=none|own-place|same-place",
            "loop-carries=accumulators|apart-and-back|swapped|stale-c with loop-stores=over-input|next-input",
            "loop-reset=literal|fill-last with loop-stores=over-input|next-input",
            "after-loop=old-c-used with loop-carries=nothing|accumulators|apart-and-back|swapped|memory",
            "loop-invariant=first-pass-only with loop-carries=nothing",
            "loop-invariant=first-pass-only with after-loop=operands-used",
            # What a pass leaves is judged only where it is stored.
            "after-loop=nothing with loop-stores=none|same-place",
        ),
        costly=("repeat-count=many",),
    )
