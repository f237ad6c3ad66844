"""Quadrants, blocks or single elements exchanged with those that lie beside them in both directions."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from mmaspec.oracle.numerics.ordinals import Flags
from mmaspec.suites.judging.patterns.family import Family
from mmaspec.suites.judging.patterns.found import Kind
from mmaspec.suites.judging.patterns.region import line_words, lines_of, regions, within
from mmaspec.suites.judging.patterns.tile import Positions, Tile


class _Block(NamedTuple):
    """Rows and columns, the ends included."""

    top: int
    left: int
    bottom: int
    right: int


def block_exchanges(tile: Tile) -> Family:
    """Element [r, c] with [r xor a, c xor b], neither a nor b being 0."""
    _, rows, cols = tile.shape
    wide = cols

    def at(members: Positions, positions: Positions) -> Positions:
        in_wave = positions % (rows * cols)
        up, over = members // wide, members % wide
        r, c = in_wave // cols ^ up, in_wave % cols ^ over
        there = np.where((r < rows) & (c < cols), positions - in_wave + r * cols + c, positions)
        return np.where((up > 0) & (over > 0), there, np.int64(-1))

    def words(member: int, region: Flags) -> tuple[Kind, str]:
        up, over = member // wide, member % wide
        told = line_words(lines_of(region, 0), 0)
        of_waves = f" in {told}" if told else ""
        first = _lower(region, up)
        second = _opposite(first, up, over)
        tall, broad = first.bottom - first.top + 1, first.right - first.left + 1
        both = np.array_equal(np.any(region, 0), _filled(tile, first) | _filled(tile, second))
        if both and tall <= up & -up and broad <= over & -over:  # within the blocks nothing moved
            if (tall, broad) == (rows // 2, cols // 2):
                quadrants = "upper right and lower left" if first.left else "upper left and lower right"
                return "half", f"the {quadrants} quadrants are exchanged{of_waves}"
            if tall == broad == 1:
                elements = f"[{first.top}, {first.left}] and [{second.top}, {second.left}]"
                return "exchange", f"elements {elements} are exchanged{of_waves}"
            return "exchange", f"blocks {_block_words(first)} and {_block_words(second)} are exchanged{of_waves}"
        if region.all() and (2 * up, 2 * over) == (rows, cols):
            return "half", "opposite quadrants are exchanged"
        return "exchange", f"elements [r, c] and [r xor {up}, c xor {over}] are exchanged" + within(region, ())

    return Family("elements", rows * wide, at, words, regions=_regions)


def _regions(tile: Tile, source: Positions) -> Iterator[Flags]:
    """Two blocks, if most of them is wrong; then boxes."""
    exact = tile.touched.copy()
    exact.ravel()[source[tile.touched.ravel()]] = True
    cols = tile.shape[2]
    place = int(source[0])
    up, over = place // cols, place % cols
    first = _lower(exact, up)
    blocks = _filled(tile, first) | _filled(tile, _opposite(first, up, over))
    if 2 * np.count_nonzero(np.any(exact, 0)) > np.count_nonzero(blocks):
        yield lines_of(exact, 0)[:, None, None] & blocks
    yield from regions(tile, source)


def _lower(region: Flags, up: int) -> _Block:
    """The smallest block that holds those of a region that change places with a later row."""
    places = np.argwhere(region)[:, 1:]
    places = places[places[:, 0] < places[:, 0] ^ up]
    (top, left), (bottom, right) = places.min(0).tolist(), places.max(0).tolist()
    return _Block(top, left, bottom, right)


def _opposite(block: _Block, up: int, over: int) -> _Block:
    rows, cols = (block.top ^ up, block.bottom ^ up), (block.left ^ over, block.right ^ over)
    return _Block(min(rows), min(cols), max(rows), max(cols))


def _filled(tile: Tile, block: _Block) -> Flags:
    filled = np.zeros(tile.shape[1:], np.bool_)
    filled[block.top : block.bottom + 1, block.left : block.right + 1] = True
    return filled


def _block_words(block: _Block) -> str:
    return f"[{block.top} to {block.bottom}, {block.left} to {block.right}]"
