"""Rows or columns that hold others without any rule."""

from __future__ import annotations

from collections.abc import Iterator
from math import log2

import numpy as np

from mmaspec.oracle.numerics.ordinals import Flags
from mmaspec.suites.judging.patterns.family import Family
from mmaspec.suites.judging.patterns.found import Kind
from mmaspec.suites.judging.patterns.region import NOUNS, lines_of, listed, within
from mmaspec.suites.judging.patterns.tile import Positions, Tile

_LINES = 64
"""Lines of an axis that are compared with each other, at most."""
_LISTED = 8
_COMPARED = 2
"""Items in which they are."""


def irregular_families(tile: Tile) -> Iterator[Family]:
    """Rows, then columns, of which every wrong one holds exactly one other."""
    for axis in (1, 2):
        if 2 < tile.shape[axis] <= _LINES:
            to = _sources(tile, axis)
            if to is not None:
                yield _family(tile, axis, to)


def _sources(tile: Tile, axis: int) -> Positions | None:
    """The line that each line holds; None where one holds none or may hold several."""
    count = tile.shape[axis]
    step = int(np.prod(tile.shape[axis + 1 :]))
    places = np.flatnonzero(np.ones(tile.size, np.bool_))
    line = places // step % count
    # Elsewhere nothing need have moved.
    other = 3 - axis
    reached = lines_of(tile.touched, other)[np.unravel_index(places, tile.shape)[other]]
    reached &= lines_of(tile.touched, 0)[np.unravel_index(places, tile.shape)[0]]
    to = np.arange(count)
    for one in np.flatnonzero(lines_of(tile.touched, axis)):
        mine = places[reached & (line == one)]
        sources = mine + (np.arange(count)[:, None] - one) * step
        fits = np.ones(count, np.bool_)
        for item in tile.items[:_COMPARED]:
            fits &= ~(tile.unfit(item, mine, sources) & tile.judged[item, mine]).any(1)
        found = np.flatnonzero(fits)
        if len(found) != 1:
            return None
        to[one] = found[0]
    return to


def _family(tile: Tile, axis: int, to: Positions) -> Family:
    count = tile.shape[axis]
    step = int(np.prod(tile.shape[axis + 1 :]))
    moved = np.flatnonzero(to != np.arange(count))
    kept = len(np.unique(to)) == count
    one, several = NOUNS[axis]

    def at(members: Positions, positions: Positions) -> Positions:
        line = positions // step % count
        return np.broadcast_to(positions + (to[line] - line) * step, (len(members), len(positions)))

    def words(_: int, region: Flags) -> tuple[Kind, str]:
        kind: Kind = "permutation" if kept else "repetition"
        if len(moved) > _LISTED:
            says = f"{several} {'are permuted' if kept else 'hold others'}: {one} {moved[0]} holds {one} {to[moved[0]]}"
            return kind, f"{says}, {moved[1]} {to[moved[1]]}, {moved[2]} {to[moved[2]]} and so on" + within(
                region, (axis,)
            )
        says = f"{several} {listed(moved.tolist())} hold {several} {listed(to[moved].tolist())}"
        return kind, says + within(region, (axis,))

    return Family(several, 1, at, words, closed=False, cost=len(moved) * log2(count))
