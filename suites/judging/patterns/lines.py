"""Rows, columns or waves as wholes: exchanged, reversed, rotated, shifted, repeated."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from mmaspec.oracle.numerics.ordinals import Flags
from mmaspec.suites.judging.patterns.edges import edge_words
from mmaspec.suites.judging.patterns.family import Family
from mmaspec.suites.judging.patterns.line_words import Said, words
from mmaspec.suites.judging.patterns.maps import Maps, maps
from mmaspec.suites.judging.patterns.region import NOUNS, lines_of, within
from mmaspec.suites.judging.patterns.tile import Positions, Tile


def line_families(tile: Tile) -> Iterator[Family]:
    """Families along rows, columns and waves, the simplest of each first."""
    along = [(axis, maps(tile.shape[axis])) for axis in (1, 2, 0) if tile.shape[axis] > 1]
    for simplicity in range(max((len(made) for _, made in along), default=0)):
        for axis, made in along:
            if simplicity < len(made):
                yield _family(tile, axis, made[simplicity], any_edge=False)


def open_shifts(tile: Tile) -> Iterator[Family]:
    """Lines shifted, whatever stands in those that were left free."""
    for axis in (1, 2):
        for kind in maps(tile.shape[axis]):
            if kind.name == "slid":
                yield _family(tile, axis, kind, any_edge=True)


def _family(tile: Tile, axis: int, kind: Maps, *, any_edge: bool) -> Family:
    step = int(np.prod(tile.shape[axis + 1 :]))
    count = tile.shape[axis]

    def at(members: Positions, positions: Positions) -> Positions:
        line = positions // step % count
        to = kind.of(members, line)
        return np.where(to < 0, np.int64(-1), positions + (to - line) * step)

    def says(member: int, region: Flags) -> Said:
        to = kind.of(np.array([member]), np.arange(count))
        said = words(kind.name, kind.numbers[member], to, axis, lines_of(region, axis))
        edge = edge_words(tile, axis, to, region)
        if said is None or (edge is None and not any_edge):
            return None
        return said[0], said[1] + within(region, (axis,)) + (
            "; the edge holds something else" if edge is None else edge
        )

    return Family(NOUNS[axis][1], len(kind.numbers), at, says, closed=kind.closed)
