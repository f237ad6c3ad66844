"""Larger products cut into tiles: found by which tiles of D have the same blocks of A, or the same of B."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from mmaspec.strategies.axes.observation import Subject
from mmaspec.strategies.register_kernels.observations.chains import Chain, chains_of
from mmaspec.strategies.register_kernels.observations.flow import Event, Held, flow_of
from mmaspec.strategies.register_kernels.observations.touched import touched_of

Line = tuple[object, ...]
"""What stands along k in a row of tiles of A, or in a column of tiles of B."""

MOST = 16
"""Tiles along a dimension, at most."""


@dataclass(frozen=True, slots=True, eq=False)
class Tile:
    """One tile of D: the chain of one wave that makes it."""

    wave: int
    chain: Chain
    row: Line
    column: Line


@dataclass(frozen=True, slots=True, eq=False)
class Tiling:
    """A whole product: ``m * n`` tiles of D, each of ``k`` products."""

    m: int
    n: int
    k: int
    tiles: list[Tile]
    products: list[Event]
    loads: list[Event]
    stores: list[Event]

    @property
    def moves(self) -> list[Event]:
        """Its loads and stores."""
        return [*self.loads, *self.stores]

    def in_order(self) -> list[list[Tile]]:
        """Rows of tiles, in the order in which they are first computed."""
        rows = list(dict.fromkeys(tile.row for tile in self.tiles))
        columns = list(dict.fromkeys(tile.column for tile in self.tiles))
        at = {(tile.row, tile.column): tile for tile in self.tiles}
        return [[at[row, column] for column in columns] for row in rows]


def identity(subject: Subject, held: Held | None, wave: int) -> object:
    """Equal for what is surely one matrix: the same bytes as the same store left them, or the same constant."""
    if held is None or held.by is None or held.load is None:
        return id(held) if held is None or held.fill is None else ("fill", held.fill)
    touched = touched_of(subject)
    touch = touched.of[held.load.turn][wave]
    stored = touched.stored_before(touch)
    return (touch.buffer, touch.start, stored[0].event.turn if stored else -1)


@lru_cache(maxsize=4)
def tilings_of(subject: Subject) -> tuple[Tiling, ...]:
    """Every product that is whole: each row of tiles with each column, once."""
    tiles: list[Tile] = []
    for chain in chains_of(subject):
        for wave in range(subject.program.waves):
            row = tuple(identity(subject, event.reads["a"], wave) for event in chain.products)
            column = tuple(identity(subject, event.reads["b"], wave) for event in chain.products)
            tiles.append(Tile(wave, chain, row, column))
    found = (_whole(subject, lot) for lot in _lots(tiles))
    return tuple(tiling for tiling in found if tiling is not None)


def _lots(tiles: list[Tile]) -> Iterator[list[Tile]]:
    """Tiles tied by rows or columns, each wave's own copy of a product for itself."""
    lots: list[tuple[set[object], list[Tile]]] = []
    for tile in tiles:
        keys: set[object] = {("row", tile.row), ("column", tile.column)}
        joined = [lot for lot in lots if lot[0] & keys]
        lots = [lot for lot in lots if not lot[0] & keys]
        lots.append((keys.union(*(lot[0] for lot in joined)), [one for _, some in joined for one in some] + [tile]))
    for _, lot in lots:
        if len({(tile.row, tile.column) for tile in lot}) == len(lot):
            yield lot
        else:
            for wave in {tile.wave for tile in lot}:
                yield [tile for tile in lot if tile.wave == wave]


def _whole(subject: Subject, lot: list[Tile]) -> Tiling | None:
    rows, columns = {tile.row for tile in lot}, {tile.column for tile in lot}
    pairs = {(tile.row, tile.column) for tile in lot}
    depth = len(lot[0].row)
    steps = set(zip(lot[0].row, lot[0].column, strict=True))
    if len(pairs) != len(lot) or len(rows) * len(columns) != len(lot) or len(steps) != depth:
        return None
    if max(len(rows), len(columns), depth) > MOST:
        return None
    unique = {id(event): event for tile in lot for event in tile.chain.products}
    products = sorted(unique.values(), key=lambda event: event.turn)
    loads = {
        held.load.turn: held.load
        for event in products
        for held in event.reads.values()
        if held is not None and held.load
    }
    made = {id(event.leaves) for event in products}
    stores = [event for event in flow_of(subject).stores if id(event.reads["store"]) in made]
    lot = sorted(lot, key=lambda tile: (tile.chain.products[0].turn, tile.wave))
    return Tiling(len(rows), len(columns), depth, lot, products, [loads[turn] for turn in sorted(loads)], stores)
