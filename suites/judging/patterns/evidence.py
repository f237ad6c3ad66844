"""How unlikely it is that wrong values fit a source by chance.

Legal sets may be so wide, or values so much alike, that any line of a tile fits many others. So each wrong value is
compared with other positions than its source: of the same row, of the same column, of the tile; and the sets of the
sources are compared with the other wrong values. The largest of these shares is taken for the chance that one fits.
"""

from __future__ import annotations

import math

import numpy as np

from mmaspec.oracle.numerics.ordinals import Flags
from mmaspec.suites.judging.patterns.tile import Clues, Positions, Tile

BITS = 24.0
"""A chance of one in 2^24 is neglected, once choosing among the members of a family is paid for."""
FEWEST = 4
"""Clues without which nothing is claimed."""


def enough(tile: Tile, clues: Clues, source: Positions, cost: float) -> bool:
    """Whether the clues tell this source from chance, given the bits that choosing it took."""
    sources = source[clues.places]
    known = (sources >= 0) & (tile.legal.why[clues.items, np.maximum(sources, 0)] == 0)
    count = int(known.sum())
    if count < FEWEST:
        return False
    fits, places, sources = clues.fits[known], clues.places[known], sources[known]
    judged = tile.legal.why[clues.items[known]] == 0
    return -count * math.log2(_chance(tile.shape, fits, judged, places, sources)) >= BITS + cost


def _chance(shape: tuple[int, int, int], fits: Flags, judged: Flags, places: Positions, sources: Positions) -> float:
    """The largest share of comparable positions, other than its source, in which a wrong value would fit."""
    each = np.arange(len(places))
    waves, rows, cols = shape
    others = judged.copy()
    others[each, places] = others[each, sources] = False
    hits, others = (fits & others).reshape(-1, waves, rows, cols), others.reshape(-1, waves, rows, cols)
    wave, row, col = np.unravel_index(places, shape)
    shares = [
        _share(int(hits.sum()), int(others.sum())),
        _share(int(hits[each, wave, :, col].sum()), int(others[each, wave, :, col].sum())),
        _share(int(hits[each, wave, row].sum()), int(others[each, wave, row].sum())),
        _crossed(fits, judged, places, sources),
    ]
    return max(share for share in shares if share is not None)


def _crossed(fits: Flags, judged: Flags, places: Positions, sources: Positions) -> float | None:
    """The share of the other wrong values that the sources' sets hold."""
    apart = judged[:, sources] & (sources[None] != sources[:, None]) & (sources[None] != places[:, None])
    return _share(int((fits[:, sources] & apart).sum()), int(apart.sum()))


def _share(hits: int, among: int) -> float | None:
    return None if not among else (hits + 1) / (among + 1)
