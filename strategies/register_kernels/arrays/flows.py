"""The array of memory flows: what is read and written where, and what a load brings into a fragment that held else."""

from __future__ import annotations

from functools import partial
from typing import Any

from mmaspec.programs.base import Affine
from mmaspec.programs.register_kernels import Fill, Store, Use
from mmaspec.strategies.grammar import Array, Chosen, Draft, DrawContext
from mmaspec.strategies.register_kernels.arrays.kernel import WAVES, Fits, Kernel

USES: dict[str, Use] = {"a": "a", "b": "b", "cd": "cd"}
"""Classes of ``fragment-use``."""

FACTORS: tuple[Use, ...] = ("a", "b")

FLOW = ("other-blocks", "read-back", "write-twice", "in-place", "read-write-read")
"""Classes of ``memory-flow``, all in one case."""

WAYS = ("uninitialised", "filled", "loaded", "operand", "result", "accumulator")
"""Classes of ``load-into``; A and B are not results, C is not overwritten as an operand."""

TURNS = ("first", "second", "third", "fourth", "fifth")
"""Which of them the first flow has."""


def _build(make: type[Kernel], context: DrawContext[Any], chosen: Chosen) -> Draft:
    """One flow after the other, each with another way into the fragment; over the turns all meet all."""
    kernel = make(context, context.choices.one_of(WAVES[chosen["waves"]]))
    use = USES[chosen["fragment-use"]]
    kernel.fragments(a="a", b="b", c="cd", d="cd", first=use, then=use)
    _operands(kernel)
    ways = [way for way in WAYS if way != "operand"] if use == "cd" else WAYS[:4]
    for number, flow in enumerate(FLOW):
        last = kernel.fragment(f"last{number}", use)
        _section(kernel, flow, ways[(number + TURNS.index(chosen["turn"])) % len(ways)], last)
    return kernel.draft("wild" if kernel.integer else kernel.sums, batch=2 if kernel.waves == 1 else 1)


def _section(kernel: Kernel, flow: str, way: str, last: str) -> None:
    """One flow in a buffer of its own, and a product with what was loaded in its end."""
    use = kernel.uses[last]
    kernel.add(kernel.load("first", f"First-{last}", "in", by_wave=True))
    kernel.add(kernel.load("then", f"Then-{last}", "in", by_wave=True))
    if use == "cd" and kernel.choices.chance(50):
        kernel.add(kernel.product("then", "a", "b", "first"))
    buffer = f"m-{last}"
    kernel.room(buffer, 160)
    kernel.next(buffer, "first", kernel.choices.integer(0, 2))
    here, there = kernel.mine(buffer, "first"), kernel.mine(buffer, "first")
    if use == "cd":
        kernel.add(kernel.product("d", "a", "b", "c"), kernel.store("d", "more"))
    again = _flow(kernel, flow, last, here, there)
    _prepared(kernel, way, last)
    kernel.add(again, kernel.store(last))
    a, b = (last if use == name else name for name in ("a", "b"))
    kernel.add(kernel.product("d", a, b, last if use == "cd" else "c"), kernel.store("d"))


def _operands(kernel: Kernel) -> None:
    for name in ("a", "b", "c"):
        kernel.add(kernel.load(name, name.upper(), f"in-{name}", by_wave=True))


def _flow(kernel: Kernel, flow: str, last: str, here: Affine, there: Affine) -> Any:
    """The accesses of a class of ``memory-flow``; and the load that comes last, which is not among them yet."""
    buffer = f"m-{last}"
    again, fresh = kernel.load_at(last, buffer, here), kernel.load(last, f"New-{last}", "in", by_wave=True)
    if flow in ("other-blocks", "in-place", "read-write-read"):
        kernel.add(kernel.load_at("first", buffer, here, f"Here-{last}"))
    if flow == "other-blocks":
        kernel.add(Store("first", buffer, there))
        return fresh
    if flow == "read-back":
        kernel.add(Store("first", buffer, here))
        return again
    if flow == "write-twice":
        kernel.add(Store("first", buffer, here), Store("then", buffer, here))
        return fresh if kernel.choices.chance(50) else again
    kernel.add(Store("then", buffer, here))
    return again if flow == "read-write-read" else fresh


def _prepared(kernel: Kernel, kind: str, last: str) -> None:
    """What the fragment of the last load holds before: a class of ``load-into``."""
    if kind == "filled":
        kernel.add(Fill(last, kernel.choices.integer(1, min(60, kernel.element(kernel.uses[last]).mask))))
    elif kind in ("loaded", "operand"):
        kernel.add(kernel.load(last, f"Old-{last}", "in", by_wave=True))
        if kind == "operand":
            a, b = (last if kernel.uses[last] == name else name for name in ("a", "b"))
            kernel.add(kernel.load("c", f"Again-{last}", "in-c", by_wave=True), kernel.product("d", a, b, "c"))
        else:
            kernel.add(kernel.store(last, "more"), kernel.store("first", "more"))
    elif kind == "result":
        kernel.add(kernel.product(last, "a", "b", "c"))
    elif kind == "accumulator":
        kernel.add(kernel.load(last, f"Old-{last}", "in", by_wave=True), kernel.product(last, "a", "b", last))
        kernel.add(kernel.store(last, "more"))


def flows(make: type[Kernel], focus: tuple[str, ...], fits: Fits | None = None) -> Array:
    """Reads and writes of one buffer, and the loads that see what was written."""
    return Array(
        name="memory-flows",
        focus=focus,
        axes={"fragment-use": tuple(USES), "waves": ("one", "two", "thirty-two"), "turn": TURNS},
        build=partial(_build, make),
        fits=fits,
        costly=("waves=thirty-two",),
    )


def _bytes_of_words(make: type[Kernel], context: DrawContext[Any], chosen: Chosen) -> Draft | None:
    """Words of one vector type seen as bytes of the other; all lanes hold the same, so that copies are equal."""
    kernel = make(context, context.choices.one_of(WAVES[chosen["waves"]]))
    kernel.fragments(a="a", b="b", c="cd", d="cd", word="cd")
    kind, choices = chosen["reinterpreted"], kernel.choices
    if kernel.sizes["b" if kind == "cd-as-b" else "a"] != kernel.sizes["word"]:
        return None
    _operands(kernel)
    here = kernel.mine("m", "d")
    if kind.startswith("a-as"):
        kernel.add(kernel.product("d", "a", "b", "c"), kernel.store("d"))
        kernel.add(Store("a", "m", here), kernel.load_at("word", "m", here), kernel.product("d", "a", "b", "word"))
        kernel.add(kernel.store("d"))
        return kernel.draft("wild", batch=2)
    kernel.add(Fill("word", choices.integer(1 << 28, (1 << 31) - 1)))
    if chosen["store-source"] == "result-apart":
        kernel.add(*(Fill(use, choices.integer(2, kernel.element(use).mask)) for use in FACTORS))
        kernel.add(kernel.product("d", "a", "b", "word", kernel.wraps))
    side = kind[-1]
    kernel.add(
        Store("d" if chosen["store-source"] == "result-apart" else "word", "m", here), kernel.load_at(side, "m", here)
    )
    other = "b" if side == "a" else "a"
    kernel.add(kernel.load(other, "Other", "in", by_wave=True), kernel.product("d", "a", "b", "c"), kernel.store("d"))
    kernel.add(kernel.store(side))
    return kernel.draft("wild", batch=2)


def reinterpreted(
    make: type[Kernel], focus: tuple[str, ...], fits: Fits | None = None, a_as_addend: str = "a-as-c"
) -> Array:
    """What was stored as a vector of words, loaded as one of bytes, and the other way round."""
    return Array(
        name="bytes-of-words",
        focus=focus,
        axes={
            "reinterpreted": ("cd-as-a", "cd-as-b", a_as_addend),
            "store-source": ("filled", "result-apart", "a-after"),
            "waves": ("one", "three"),
        },
        build=partial(_bytes_of_words, make),
        rules=(
            f"reinterpreted={a_as_addend} with store-source=filled|result-apart",
            "reinterpreted=cd-as-a|cd-as-b with store-source=a-after",
        ),
        rows=("int",),
        fits=fits,
    )
