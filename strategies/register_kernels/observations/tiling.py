"""Cut products: how many tiles, who computes which, in what order, and where they lie."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from itertools import pairwise

import numpy as np

from mmaspec.oracle.numerics.ordinals import Flags, magnitudes
from mmaspec.strategies.axes.observation import Answer, Look, Subject, Thing
from mmaspec.strategies.register_kernels.observations.argument import affine
from mmaspec.strategies.register_kernels.observations.contents import Contents, operand_of
from mmaspec.strategies.register_kernels.observations.matrices import every
from mmaspec.strategies.register_kernels.observations.product import by_memory
from mmaspec.strategies.register_kernels.observations.tiles import Tile, Tiling, tilings_of
from mmaspec.strategies.register_kernels.observations.touched import touched_of


def _shape(_: Subject, thing: Thing) -> Answer:
    m, n, k = thing.of.m, thing.of.n, thing.of.k
    if k == 1:
        return "single" if m == n == 1 else "flat" if m == n else "flat-oblong"
    if m == n:
        return "deep" if m == 1 else "cube" if m == k else "deeper"
    if k in (m, n):
        return "wide" if n > m else "tall"
    return "all-unequal"


def _owner(subject: Subject, thing: Thing) -> Answer:
    tiling: Tiling = thing.of
    by_wave: defaultdict[int, list[Tile]] = defaultdict(list)
    for tile in tiling.tiles:
        by_wave[tile.wave].append(tile)
    gridded = any(affine(event.step.block).grid for event in tiling.moves)  # type: ignore[union-attr]
    found = {"grid"} if gridded and subject.program.waves > 1 else set()
    if len(by_wave) == 1:
        return {*found, "one-wave"}
    for tiles in by_wave.values():
        rows, columns = {tile.row for tile in tiles}, {tile.column for tile in tiles}
        if len(tiles) == 1:
            found.add("tile-a-wave")
        elif len(rows) == 1 and len(tiles) == tiling.n:
            found.add("row-a-wave")
        elif len(columns) == 1 and len(tiles) == tiling.m:
            found.add("column-a-wave")
        elif len(rows) > 1 and len(columns) > 1 and len(rows) * len(columns) == len(tiles):
            found.add("block-a-wave")
    return found


def _order(subject: Subject, thing: Thing) -> Answer:
    tiling: Tiling = thing.of
    found: set[str] = set()
    mine = {id(tile.chain): tile.chain for tile in tiling.tiles if tile.wave == tiling.tiles[0].wave}
    spans = sorted(chain.span for chain in mine.values())
    if all(first[1] < then[0] for first, then in pairwise(spans)):
        found.add("k-inner")
    else:
        steps = list(zip(*(chain.products for chain in mine.values()), strict=True))
        last = [max(event.turn for event in step) for step in steps]
        first = [min(event.turn for event in step) for step in steps]
        if all(end < begin for end, begin in zip(last, first[1:], strict=False)):
            found.add("k-outer")
    if tiling.k > 1:
        places = [step for step in tiling.tiles[0].row if isinstance(step, tuple) and len(step) == 3]
        starts = [place[1] for place in places]
        if len(starts) == tiling.k and {place[0] for place in places} == {places[0][0]}:
            found |= {"k-backwards"} if starts == sorted(set(starts), reverse=True) else set()
        if any(by_memory(subject, event.reads.get("c")) for chain in mine.values() for event in chain.products):
            found.add("passes-by-memory")
    return found


def _memory(subject: Subject, thing: Thing) -> Answer:
    """Of A, B and D, each by where its tiles begin."""
    tiling: Tiling = thing.of
    grid, found = tiling.in_order(), set()
    touched = touched_of(subject)
    a = [_starts(row[0].row) for row in grid]
    b = [_starts(tile.column) for tile in grid[0]]
    stored = {
        id(event.reads["store"].product): touched.of[event.turn] for event in tiling.stores if event.reads["store"]
    }
    d = [[stored.get(id(tile.chain.products[-1])) for tile in row] for row in grid]
    size = _sizes(subject, tiling)
    for lines, along, across, block in (
        (a, "k-adjacent", "column-of-tiles", size["a"]),
        (b, "k-adjacent", "row-of-tiles", size["b"]),
    ):
        if all(line is not None for line in lines):
            found |= set(_lie([line for line in lines if line is not None], along, across, block))
    if all(one is not None for row in d for one in row):
        places = [
            [(t[tile.wave].buffer, t[tile.wave].start) for t, tile in zip(ts, row, strict=True) if t]
            for ts, row in zip(d, grid, strict=True)
        ]
        found |= set(_lie(places, "row-of-tiles", "column-of-tiles", size["d"]))
    return found


def _sizes(subject: Subject, tiling: Tiling) -> dict[str, int]:
    event = tiling.products[0].call
    names = {"a": event.a, "b": event.b, "d": event.d}
    return {role: subject.program.lanes * subject.program.fragment(name).vector_bytes for role, name in names.items()}


def _starts(line: tuple[object, ...]) -> list[tuple[str, int]] | None:
    found = [(str(step[0]), int(step[1])) for step in line if isinstance(step, tuple) and len(step) == 3]
    return found if len(found) == len(line) else None


def _lie(lines: list[list[tuple[str, int]]], along: str, across: str, block: int) -> Iterator[str]:
    """Each line lies along one dimension; the lines follow one another across it."""
    if len({name for line in lines for name, _ in line}) != 1 or len(lines) * len(lines[0]) < 2:
        return
    at = np.array([[start for _, start in line] for line in lines], np.int64)
    steps = {axis: np.unique(np.diff(at, axis=axis)) for axis in (0, 1) if at.shape[axis] > 1}
    if any(step.size > 1 for step in steps.values()):
        yield "scattered"
        return
    sizes = {axis: abs(int(step[0])) for axis, step in steps.items()}
    if sizes.get(1) == block:
        yield along
    if sizes.get(0) == block:
        yield across
    if sizes and min(sizes.values()) > block:
        yield "spaced"


def zero_tail(one: Contents, axis: int) -> Flags:
    """Per item: whether the last line along an axis is all zero, in a matrix that is not."""
    values = magnitudes(one.fmt, one.bits) if one.fmt.is_float else one.bits
    zero = values == 0
    tail = np.take(zero, -1, axis=axis)
    found: Flags = tail.all(axis=-1) & ~every(zero) & every(one.known)
    return found


def padding(rows: Flags, columns: Flags, k_a: Flags, k_b: Flags) -> set[str]:
    """Classes of padded matrices, over all items."""
    k = k_a & k_b
    classes = {
        "rows-padded": rows,
        "columns-padded": columns,
        "k-padded": k,
        "k-padded-one-side": k_a ^ k_b,
        "all-padded": rows & columns & k,
        "full": ~(rows | columns | k_a | k_b),
    }
    return {name for name, here in classes.items() if here.any()}


def _padding(subject: Subject, thing: Thing) -> Answer:
    """The last row and column of tiles, at the last k; an operand with the other one of its product."""
    if thing.group == "operand":
        event, one = thing.of.event, thing.of
        a, b = (operand_of(subject, event, role) for role in "ab")
        tails = [zero_tail(a, -2), zero_tail(b, -1), zero_tail(a, -1), zero_tail(b, -2)]
        return padding(*(tail.reshape(-1)[one.item : one.item + 1] for tail in tails))
    tile = thing.of.in_order()[-1][-1]
    a, b = (operand_of(subject, tile.chain.products[-1], role) for role in "ab")
    tails = [zero_tail(a, -2), zero_tail(b, -1), zero_tail(a, -1), zero_tail(b, -2)]
    return padding(*(tail[:, tile.wave] for tail in tails))


def things(subject: Subject) -> Iterator[Thing]:
    """Every whole product; of those that every wave makes alike, the first wave's."""
    seen: set[frozenset[int]] = set()
    for tiling in tilings_of(subject):
        key = frozenset(id(tile.chain) for tile in tiling.tiles)
        if key not in seen or tiling.m * tiling.n > 1:
            seen.add(key)
            yield Thing("tiling", tiling)


LOOKS: dict[str, Look] = {
    "m-tiles": lambda _, thing: thing.of.m,
    "n-tiles": lambda _, thing: thing.of.n,
    "k-tiles": lambda _, thing: thing.of.k,
    "tiling-shape": _shape,
    "tile-owner": _owner,
    "tile-order": _order,
    "tile-memory": _memory,
    "tile-padding": _padding,
}
