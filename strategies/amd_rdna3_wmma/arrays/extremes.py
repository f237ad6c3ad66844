"""Kernels at the ends of what there is: far blocks, long chains, full groups in loops, and as little as can be."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

from msgspec.structs import replace

from mmaspec.oracle.spec import Row
from mmaspec.programs.amd_rdna3_wmma.program import Fill, Load, Repeat, RunTime, Store
from mmaspec.programs.base import Word
from mmaspec.strategies.amd_rdna3_wmma.arrays.kernel import Kernel
from mmaspec.strategies.amd_rdna3_wmma.templates import ONE_HALF
from mmaspec.strategies.grammar import Array, Chosen, Draft, DrawContext

HUGE = 1 << 16
"""A block number in the upper half of a word; blocks of it lie 32 MiB behind the start of a view, or further."""
BITS_24 = 1 << 24
LONG = 130


def _operands(kernel: Kernel) -> None:
    kernel.fragments(a="a", b="b", c="cd")
    for name in ("a", "b", "c"):
        kernel.add(kernel.load(name, name.upper(), f"in-{name}", by_wave=False))


def _far(kernel: Kernel) -> None:
    """Operands beyond 32 MiB, by a literal and by a word; a result at 16 MiB."""
    _operands(kernel)
    for name, block in (("a", HUGE), ("b", RunTime("words", 8))):
        kernel.cover("far", name, HUGE + (name == "b"))
        kernel.add(Load(name, "far", block, f"{name}-far"))
    kernel.words.append(Word("words", 8, HUGE + 1))
    kernel.room("words").end = 16
    last = BITS_24 // kernel.sizes["c"]
    kernel.cover("out-far", "c", last)
    for name in ("far", "out-far"):
        kernel.room(name).sparse = True
    kernel.add(kernel.wmma("c", "a", "b", "c"), Store("c", "out-far", last))


def _long(kernel: Kernel) -> None:
    """A chain of more than 128 products, in loops, of which two are short."""
    _operands(kernel)
    for count in (6, 8, LONG):
        kernel.add(Repeat(count, (kernel.wmma("c", "a", "b", "c"),)))
    kernel.add(kernel.store("c"))


def _full(kernel: Kernel) -> None:
    """Every wave that a group can have, in a loop and with constants."""
    _operands(kernel)
    kernel.add(Repeat(2, (kernel.wmma("c", "a", "b", "c"),)), kernel.store("c"))
    for name in ("a", "c"):
        kernel.add(Fill(name, 3 if kernel.integer else ONE_HALF if name == "a" else 0x4040_0000))
        kernel.add(kernel.wmma("c", "a", "b", "c"), kernel.store("c"))


def _copy(kernel: Kernel) -> None:
    """One fragment, which is only moved."""
    kernel.fragments(a="a")
    kernel.add(kernel.load("a", "A", "in"), kernel.store("a"))


def _two(kernel: Kernel) -> None:
    """Two fragments, whose further copies hold something else for a time, in which no product takes them."""
    kernel.fragments(a="a", b="b")
    copies = kernel.wave_size // 16 - 1
    for name in ("a", "b"):
        load = kernel.load(name, name.upper(), f"in-{name}")
        kernel.add(replace(load, replicas=tuple(f"{name}-copy-{n}" for n in range(copies))))
        kernel.add(kernel.load(name, f"{name}-equal", f"in-{name}"), kernel.store(name))


def _again(kernel: Kernel) -> None:
    """The same product twice, a load between that nothing reads, and a chain; then two sums that begin alike."""
    _operands(kernel)
    kernel.fragments(d="cd", e="cd")
    same = kernel.wmma("d", "a", "b", "c")
    kernel.add(same, replace(same, d="e"), kernel.store("d"))
    kernel.add(kernel.load("a", "Unread", "in-a"), kernel.load("a", "Next", "in-a"))
    kernel.add(kernel.wmma("e", "a", "b", "e"), kernel.store("e"))
    # Two rows of tiles of which the first tile is one matrix.
    kernel.add(kernel.load("a", "Common", "in-a"), kernel.load("b", "Common-b", "in-b"))
    first = kernel.wmma("d", "a", "b", None)
    kernel.add(first, replace(first, d="e"), kernel.load("b", "Then-b", "in-b"))
    for name in ("d", "e"):
        kernel.add(kernel.load("a", f"Then-{name}", "in-a"), kernel.wmma(name, "a", "b", name), kernel.store(name))


def _bytes(kernel: Kernel) -> None:
    """A result as the bytes of a factor of the next product of its chain; all lanes hold the same."""
    kernel.fragments(a="a", b="b", c="cd")
    for side in ("a", "b"):
        kernel.add(*(Fill(name, kernel.choices.integer(2, 255)) for name in ("a", "b", "c")))
        kernel.add(kernel.wmma("c", "a", "b", "c", clamp=False))
        here = kernel.mine(f"bytes-{side}", "c")
        kernel.add(Store("c", f"bytes-{side}", here), Load(side, f"bytes-{side}", here))
        kernel.add(kernel.wmma("c", "a", "b", "c"), kernel.store("c"))


Scene = Callable[[Kernel], None]
SCENES: Mapping[str, Scene] = MappingProxyType(
    {"far": _far, "long": _long, "full": _full, "copy": _copy, "two": _two, "again": _again, "bytes": _bytes}
)
ONLY: Mapping[str, frozenset[str]] = MappingProxyType(
    {
        "far": frozenset({"int", "w32"}),  # the smallest blocks: what takes no windows gets all of their buffers
        "long": frozenset({"w32"}),
        "full": frozenset({"w32"}),
        "bytes": frozenset({"int", "w64"}),  # where A, B and C have one vector type
    }
)
"""Tags that a row must have for a scene; of the others every row has a case."""


def _build(context: DrawContext[Any], chosen: Chosen) -> Draft:
    scene = chosen["scene"]
    kernel = Kernel(context, 32 if scene == "full" else 1)
    SCENES[scene](kernel)
    return kernel.draft("full" if kernel.integer else "window", batch=1)


def _fits(row: Row[Any], _: object, axis: str, name: str) -> bool:
    return axis != "scene" or row.tags >= ONLY.get(name, frozenset())


EXTREMES = Array(
    name="extremes",
    focus=("RDNA3-MEM-FREE", "RDNA3-MMA", "RDNA3-INPLACE", "RDNA3-STORE-ONLY"),
    axes={"scene": tuple(SCENES)},
    build=_build,
    fits=_fits,
)
"""The ends."""
