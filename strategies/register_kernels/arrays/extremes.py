"""Kernels at the ends of what there is: far blocks, long chains, full groups in loops, and as little as can be."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from msgspec.structs import replace

from mmaspec.oracle.spec import Row
from mmaspec.programs.base import RunTime, Word
from mmaspec.programs.register_kernels import Fill, Store
from mmaspec.strategies.grammar import Array, Chosen, Draft, DrawContext
from mmaspec.strategies.regimes.extremes import range_ends
from mmaspec.strategies.register_kernels.arrays.kernel import Kernel

HALF_WORD, BITS_24, BITS_25 = 1 << 16, 1 << 24, 1 << 25
LONG = 130
MANY = 18
"""Factors of each side that live at once: of most forms more than 256 registers hold."""


def _operands(kernel: Kernel) -> None:
    kernel.fragments(a="a", b="b", c="cd")
    for name in ("a", "b", "c"):
        kernel.add(kernel.load(name, name.upper(), f"in-{name}", by_wave=False))


def _huge(kernel: Kernel, name: str) -> int:
    """A block number in the upper half of a word, of a block 32 MiB behind the start of a view, or further."""
    return max(HALF_WORD, BITS_25 // kernel.sizes[name])


def _far(kernel: Kernel) -> None:
    """Operands beyond 32 MiB, by a literal and by a word; a result at 16 MiB."""
    _operands(kernel)
    a, b = _huge(kernel, "a"), _huge(kernel, "b") + 1
    kernel.cover("far", "a", a)
    kernel.cover("far", "b", b)
    kernel.add(kernel.load_at("a", "far", a, "a-far"), kernel.load_at("b", "far", RunTime("words", 8), "b-far"))
    kernel.words.append(Word("words", 8, b))
    kernel.room("words").end = 16
    last = BITS_24 // kernel.sizes["c"]
    kernel.cover("out-far", "c", last)
    for name in ("far", "out-far"):
        kernel.room(name).sparse = True
    kernel.add(kernel.product("c", "a", "b", "c"), Store("c", "out-far", last))


def _long(kernel: Kernel) -> None:
    """A chain of more than 128 products, in loops, of which four are short: sums of 1 to 19 products are looked at.

    That of sixteen is stored, as little of one product would show in the long sum.
    """
    _operands(kernel)
    for number, count in enumerate((5, 3, 8, 3, LONG)):
        kernel.add(kernel.repeat(count, (kernel.product("c", "a", "b", "c"),)))
        if number in (2, 4):
            kernel.add(kernel.store("c"))


def _full(kernel: Kernel) -> None:
    """Every wave that a group can have, in a loop and with constants."""
    _operands(kernel)
    kernel.add(kernel.repeat(2, (kernel.product("c", "a", "b", "c"),)), kernel.store("c"))
    for name in ("a", "c"):
        kernel.add(Fill(name, kernel.number(kernel.uses[name], 3 if kernel.integer or name == "c" else 1)))
        kernel.add(kernel.product("c", "a", "b", "c"), kernel.store("c"))


def _many(kernel: Kernel) -> None:
    """Many factors that are all loaded before the first product, and used from the last one on."""
    _operands(kernel)
    kernel.fragments(d="cd")
    turns = range(MANY)
    for turn in turns:
        for use in ("a", "b"):
            name = kernel.fragment(f"{use}{turn}", "a" if use == "a" else "b")
            kernel.add(kernel.load(name, name.upper(), f"in-{use}"))
    for turn in reversed(turns):
        kernel.add(kernel.product("d", f"a{turn}", f"b{turn}", "c"), kernel.store("d"))
    kernel.add(kernel.product("c", "a", "b", "c"), kernel.store("c"))


def _copy(kernel: Kernel) -> None:
    """One fragment, which is only moved."""
    kernel.fragments(a="a")
    kernel.add(kernel.load("a", "A", "in"), kernel.store("a"))


def _again(kernel: Kernel) -> None:
    """The same product twice, a load between that nothing reads, and a chain; then two sums that begin alike."""
    _operands(kernel)
    kernel.fragments(d="cd", e="cd")
    same = kernel.product("d", "a", "b", "c")
    kernel.add(same, replace(same, d="e"), kernel.store("d"))
    kernel.add(kernel.load("a", "Unread", "in-a"), kernel.load("a", "Next", "in-a"))
    kernel.add(kernel.product("e", "a", "b", "e"), kernel.store("e"))
    # Two rows of tiles of which the first tile is one matrix.
    kernel.add(kernel.load("a", "Common", "in-a"), kernel.load("b", "Common-b", "in-b"))
    first = kernel.product("d", "a", "b", None)
    _two_rows(kernel, "Then", first, replace(first, d="e"))
    # The same, but that their sums go on from two matrices.
    kernel.add(*(kernel.load(name, f"From-{name}", "in-c") for name in ("d", "e")))
    first = kernel.product("d", "a", "b", "d")
    _two_rows(kernel, "After", first, replace(first, c="e", d="e"))


def _two_rows(kernel: Kernel, stem: str, first: Any, other: Any) -> None:
    """The first products of two sums in ``d`` and ``e``, and the second ones, of another A each."""
    kernel.add(first, other, kernel.load("b", f"{stem}-b", "in-b"))
    for name in ("d", "e"):
        kernel.add(kernel.load("a", f"{stem}-{name}", "in-a"), kernel.product(name, "a", "b", name), kernel.store(name))


def _bytes(kernel: Kernel) -> None:
    """A result as the bytes of a factor of the next product of its chain; all lanes hold the same."""
    kernel.fragments(a="a", b="b", c="cd")
    for side in ("a", "b"):
        for name in ("a", "b", "c"):
            kernel.add(Fill(name, kernel.choices.integer(2, min(255, kernel.element(kernel.uses[name]).mask))))
        kernel.add(kernel.product("c", "a", "b", "c", kernel.wraps))
        here = kernel.mine(f"bytes-{side}", "c")
        kernel.add(Store("c", f"bytes-{side}", here), kernel.load_at(side, f"bytes-{side}", here))
        kernel.add(kernel.product("c", "a", "b", "c"), kernel.store("c"))


def _edges(kernel: Kernel) -> None:
    """One product, whose sums lie where a range ends."""
    _operands(kernel)
    kernel.fragments(d="cd")
    kernel.add(kernel.product("d", "a", "b", "c"), kernel.store("d"))


Scene = Callable[[Any], None]

Scenes = dict[str, Scene]

FAR: Scenes = {"far": _far}
LONG_CHAIN: Scenes = {"long": _long}
FULL: Scenes = {"full": _full}
MANY_FACTORS: Scenes = {"many": _many}
COPY: Scenes = {"copy": _copy}
AGAIN: Scenes = {"again": _again}
BYTES: Scenes = {"bytes": _bytes}
EDGES: Scenes = {"edges": _edges}
"""Scenes that a specification can take, by their classes of the axis ``scene``."""


def _build(make: type[Kernel], scenes: Mapping[str, Scene], context: DrawContext[Any], chosen: Chosen) -> Draft:
    scene = chosen["scene"]
    kernel = make(context, 32 if scene == "full" else 1)
    scenes[scene](kernel)
    if scene == "edges":
        return kernel.draft("range-ends", batch=range_ends.ITEMS)
    return kernel.draft("full" if kernel.integer else kernel.sums, batch=1)


def extremes(
    make: type[Kernel], focus: tuple[str, ...], scenes: Mapping[str, Scene], only: Mapping[str, tuple[set[str], ...]]
) -> Array:
    """The ends. ``only`` has sets of tags, one of which a row must have for a scene; of the others each has a case."""

    def fits(row: Row[Any], _: object, axis: str, name: str) -> bool:
        return axis != "scene" or any(row.tags >= tags for tags in only.get(name, (set[str](),)))

    return Array(
        name="extremes",
        focus=focus,
        axes={"scene": tuple(scenes)},
        build=partial(_build, make, scenes),
        fits=fits,
    )
