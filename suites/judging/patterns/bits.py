"""Elements moved by the bits of their row and column numbers: exchanged, mixed or dropped, as layouts of lanes do.

Any such map is affine over bits, so where a few elements come from tells where all of them do.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from mmaspec.oracle.numerics.ordinals import Flags
from mmaspec.suites.judging.patterns.family import Family
from mmaspec.suites.judging.patterns.found import Kind
from mmaspec.suites.judging.patterns.region import lines_of, within
from mmaspec.suites.judging.patterns.tile import Positions, Tile

_STARTS = 4
"""Elements from which the map is tried to be told."""


def bit_families(tile: Tile) -> Iterator[Family]:
    """The map that the values of some elements tell, if the numbers of rows and columns are powers of two."""
    _, rows, cols = tile.shape
    size = rows * cols
    if size & (size - 1) or size < 4:
        return
    count = size.bit_length() - 1
    wave = int(np.flatnonzero(lines_of(tile.touched, 0))[0])
    steps = 1 << np.arange(count)
    for start in np.linspace(0, size - 1, _STARTS).astype(np.int64):
        origin = _source(tile, wave, int(start))
        if origin is None:
            continue
        ends = [_source(tile, wave, int(start ^ step)) for step in steps]
        known = [end for end in ends if end is not None]
        if len(known) == count:
            yield _family(tile, int(start), origin, [end ^ origin for end in known])
            return


def _source(tile: Tile, wave: int, place: int) -> int | None:
    """The only element of the wave whose legal sets hold what was found at one, in every item that is compared."""
    size = tile.shape[1] * tile.shape[2]
    there = np.arange(size) + wave * size
    fits = np.ones(size, np.bool_)
    for item in tile.items:
        if tile.judged[item, place + wave * size]:
            fits &= ~tile.unfit(item, np.array([place + wave * size]), there)
    found = np.flatnonzero(fits)
    return int(found[0]) if len(found) == 1 else None


def _family(tile: Tile, start: int, origin: int, moves: list[int]) -> Family:
    _, rows, cols = tile.shape
    size = rows * cols

    def mapped(places: Positions) -> Positions:
        found = np.full(places.shape, origin, np.int64)
        for bit, move in enumerate(moves):
            found ^= np.where((places ^ start) >> bit & 1 == 1, np.int64(move), np.int64(0))
        return found

    def at(members: Positions, positions: Positions) -> Positions:
        in_wave = positions % size
        return np.broadcast_to(positions - in_wave + mapped(in_wave), (len(members), len(positions)))

    kept = len(np.unique(mapped(np.arange(size)))) == size

    def words(_: int, region: Flags) -> tuple[Kind, str] | None:
        if not all(lines_of(region, axis).all() for axis in (1, 2)):
            return None
        kind: Kind = "permutation" if kept else "repetition"
        return kind, _bit_words(moves, int(mapped(np.zeros(1, np.int64))[0]), cols) + within(region, ())

    return Family("elements", 1, at, words, closed=False, cost=float(len(moves) * (len(moves) + 1)))


def _bit_words(moves: list[int], zero: int, cols: int) -> str:
    """What each bit of the source is, where it is not the same bit: r0 is the lowest bit of the row."""
    wide = cols.bit_length() - 1
    names = [f"c{bit}" if bit < wide else f"r{bit - wide}" for bit in range(len(moves))]
    changed: dict[str, str] = {}
    for bit, name in enumerate(names):
        terms = [other for other, move in zip(names, moves, strict=True) if move >> bit & 1]
        terms += ["1"] * (zero >> bit & 1)
        if terms != [name]:
            changed[name] = " xor ".join(terms) or "0"
    if len(changed) == 2 and all(changed.get(value) == key for key, value in changed.items()):
        one, other = sorted(changed, reverse=True)
        return f"bits {one} and {other} of rows r and columns c are exchanged"
    told = ", ".join(f"{name} = {value}" for name, value in reversed(changed.items()))
    return f"values come from the row r and column c with the bits {told}"
