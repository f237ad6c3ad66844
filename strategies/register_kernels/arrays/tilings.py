"""The array of cut products: how many tiles, which wave has which, in what order, and where zeros pad them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

from mmaspec.programs.base import Affine
from mmaspec.programs.register_kernels import Store
from mmaspec.strategies.grammar import Array, Chosen, Draft, DrawContext
from mmaspec.strategies.regimes.padded import PADDINGS
from mmaspec.strategies.register_kernels.arrays.kernel import Fits, Kernel
from mmaspec.strategies.register_kernels.builder import Flags

SHAPES: dict[str, tuple[tuple[int, int, int], ...]] = {
    "cube": ((2, 2, 2), (3, 3, 3)),
    "wide": ((1, 2, 2), (2, 3, 2), (2, 4, 2), (2, 5, 2)),
    "tall": ((2, 1, 2), (3, 2, 2), (4, 2, 2), (5, 2, 2)),
    "deeper": ((2, 2, 3), (2, 2, 5), (2, 2, 4)),
    "all-unequal": ((2, 3, 4), (3, 4, 2), (4, 3, 2), (2, 4, 3)),
}
"""Classes of ``tiling-shape``: rows, columns and depth in tiles."""


@dataclass(frozen=True, slots=True)
class Cut:
    """A product of ``m * k`` tiles of A and ``k * n`` of B, and where its tiles are."""

    m: int
    n: int
    k: int
    rows: int
    """Rows of tiles that one wave has."""
    columns: int
    gap: int
    """Blocks from one tile to the next."""
    flags: Flags
    """Of all products."""

    @property
    def waves(self) -> int:
        """Enough for all tiles."""
        return (self.m // self.rows) * (self.n // self.columns)

    def a(self, row: int, step: int) -> Affine:
        """The block of A in the row of a wave's tiles: waves share rows by the column they are in."""
        start = (row * self.k + step) * self.gap
        return self._placed(start, across=0, down=self.rows * self.k * self.gap)

    def b(self, column: int, step: int) -> Affine:
        """The block of B: columns of tiles one after the other, each along k."""
        start = (column * self.k + step) * self.gap
        return self._placed(start, across=self.columns * self.k * self.gap, down=0)

    def d(self, row: int, column: int) -> Affine:
        """The block of D: rows of tiles one after the other."""
        across, down = self.columns, self.rows * self.n
        return self._placed((row * self.n + column) * self.gap, across * self.gap, down * self.gap)

    def _placed(self, start: int, across: int, down: int) -> Affine:
        if self.waves == 1:
            return Affine(start)
        if self.columns == self.n:
            return Affine(start, wave=down)
        if self.rows == self.m:
            return Affine(start, wave=across)
        return Affine(start, wave=across, row=down, grid=self.n // self.columns)


def _cut(make: type[Kernel], context: DrawContext[Any], chosen: Chosen) -> Cut | None:
    owner, gap = chosen["tile-owner"], context.choices.integer(1, 2)
    flags = make.steady(context.choices)
    fitting: list[Cut] = []
    for m, n, k in SHAPES[chosen["tiling-shape"]]:
        own: tuple[int, int] = {
            "one-wave": (m, n),
            "row-a-wave": (1, n),
            "column-a-wave": (m, 1),
            "grid": (1, 1),
            "block-a-wave": (2 if m % 2 == 0 else m, 2 if n % 2 == 0 else n),
        }[owner]
        cut = Cut(m, n, k, own[0], own[1], gap, flags)
        several = cut.waves > 1 or owner == "one-wave"
        # A row of tiles in a single column is one tile a wave.
        told = {"row-a-wave": n > 1, "column-a-wave": m > 1, "grid": m > 1 and n > 1}.get(owner, True)
        apart = owner != "block-a-wave" or (min(own) > 1 and own[0] < m + (own[1] < n) and own != (m, n))
        if several and told and apart:
            fitting.append(cut)
    return context.choices.one_of(fitting) if fitting else None


def _build(make: type[Kernel], context: DrawContext[Any], chosen: Chosen) -> Draft | None:
    cut = _cut(make, context, chosen)
    if cut is None:
        return None
    kernel = make(context, cut.waves)
    for row in range(cut.rows):
        kernel.fragment(f"a{row}", "a")
    for column in range(cut.columns):
        kernel.fragment(f"b{column}", "b")
    for row in range(cut.rows):
        for column in range(cut.columns):
            kernel.fragment(f"c{row}{column}", "cd", 0)
    kernel.add(*_ORDERS[chosen["tile-order"]](kernel, cut))
    if chosen["tile-padding"] == "all-padded":
        return kernel.draft("padded", batch=PADDINGS)
    return kernel.draft("wild" if kernel.integer else kernel.sums, batch=2)


def _loads(kernel: Kernel, cut: Cut, step: int, row: int | None = None, column: int | None = None) -> list[Any]:
    """Loads of tiles of one step along k: of all rows and columns, or of one each."""
    found: list[Any] = []
    for i in range(cut.rows) if row is None else (row,):
        block = cut.a(i, step)
        kernel.cover("left", f"a{i}", block)
        found.append(kernel.load_at(f"a{i}", "left", block, f"A{i}-{step}"))
    for j in range(cut.columns) if column is None else (column,):
        block = cut.b(j, step)
        kernel.cover("right", f"b{j}", block)
        found.append(kernel.load_at(f"b{j}", "right", block, f"B{j}-{step}"))
    return found


def _stored(kernel: Kernel, cut: Cut, row: int, column: int, buffer: str = "result") -> Any:
    block = cut.d(row, column)
    kernel.cover(buffer, f"c{row}{column}", block)
    return Store(f"c{row}{column}", buffer, block)


def _tiles(cut: Cut) -> list[tuple[int, int]]:
    return [(row, column) for row in range(cut.rows) for column in range(cut.columns)]


def _inner(kernel: Kernel, cut: Cut) -> list[Any]:
    """Every tile is finished before the next."""
    found: list[Any] = []
    for row, column in _tiles(cut):
        name = f"c{row}{column}"
        for step in range(cut.k):
            found += _loads(kernel, cut, step, row, column)
            found.append(kernel.product(name, f"a{row}", f"b{column}", name, cut.flags))
        found.append(_stored(kernel, cut, row, column))
    return found


def _outer(kernel: Kernel, cut: Cut, steps: range | None = None, buffer: str = "result") -> list[Any]:
    """All tiles grow in step."""
    found: list[Any] = []
    for step in range(cut.k) if steps is None else steps:
        found += _loads(kernel, cut, step)
        for row, column in _tiles(cut):
            name = f"c{row}{column}"
            found.append(kernel.product(name, f"a{row}", f"b{column}", name, cut.flags))
    return [*found, *(_stored(kernel, cut, row, column, buffer) for row, column in _tiles(cut))]


def _backwards(kernel: Kernel, cut: Cut) -> list[Any]:
    """The last k first."""
    return _outer(kernel, cut, range(cut.k - 1, -1, -1))


def _by_memory(kernel: Kernel, cut: Cut) -> list[Any]:
    """Two sweeps over k, partial results in memory between them, where rounded ones are judged."""
    half = (cut.k + 1) // 2
    first, then = _outer(kernel, cut, range(half), "partial"), _outer(kernel, cut, range(half, cut.k))
    back = [kernel.load_at(f"c{row}{column}", "partial", cut.d(row, column)) for row, column in _tiles(cut)]
    return [*first, *back, *then]


_ORDERS = {
    "k-inner": _inner,
    "k-outer": _outer,
    "k-backwards": _backwards,
    "passes-by-memory": _by_memory,
}
"""Classes of ``tile-order``."""


def tilings(make: type[Kernel], focus: tuple[str, ...], fits: Fits | None = None) -> Array:
    """Products of several tiles, each computed once."""
    return Array(
        name="tilings",
        focus=focus,
        axes={
            "tiling-shape": tuple(SHAPES),
            "tile-owner": ("one-wave", "row-a-wave", "column-a-wave", "block-a-wave", "grid"),
            "tile-order": ("k-inner", "k-outer", "k-backwards", "passes-by-memory"),
            "tile-padding": ("full", "all-padded"),
        },
        build=partial(_build, make),
        fits=fits,
        rules=(
            # A block of two by two is all of it, or one tile.
            "tile-owner=block-a-wave with tiling-shape=cube|deeper",
            # A wave with one tile has no other to grow in step with.
            "tile-owner=grid with tile-order=k-outer",
        ),
    )
