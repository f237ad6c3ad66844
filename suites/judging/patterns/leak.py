"""Values of other items of the batch: the same elements, left behind by another program run."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from mmaspec.oracle.numerics.ordinals import Flags
from mmaspec.suites.judging.patterns.evidence import BITS, FEWEST
from mmaspec.suites.judging.patterns.found import Pattern
from mmaspec.suites.judging.patterns.region import regions, within
from mmaspec.suites.judging.patterns.tile import Clues, Positions, Tile


def leak(tile: Tile, clues: Clues) -> Pattern | None:
    """The other items that wrong elements hold the values of, None where there are none or the data cannot tell."""
    batch = len(tile.wrong)
    others = np.arange(batch)
    fits = ~tile.legal.index((others[None], clues.places[:, None])).illegal(
        tile.got[clues.items, clues.places][:, None]
    )
    wrong_items = int(np.count_nonzero(tile.wrong.any(1)))
    for says, source in _sources(batch, 1 if wrong_items == 1 else batch):
        to = source[clues.items]
        good = (to < 0) | fits[np.arange(len(to)), np.maximum(to, 0)]
        if good.all() and _enough(tile, clues, fits, to) and _explains(tile, source):
            items = np.flatnonzero(tile.wrong.any(1))
            where = next(regions(tile, np.arange(tile.size)))
            share = f", in {len(items)} of {batch} items" if 2 * len(items) < batch else ""
            explained = int(tile.wrong[items[source[items] >= 0]].sum())
            return Pattern("item", says + within(where, ()) + share, explained, "items")
    return None


def _sources(batch: int, farthest: int) -> Iterator[tuple[str, Positions]]:
    """A single wrong item does not tell a rule by which values come from far away."""
    items = np.arange(batch)
    for by in range(1, min(batch, farthest + 1)):
        far = "" if by == 1 else f"{by} "
        yield f"items hold the values of the item {far}before", np.where(items >= by, items - by, -1)
        yield f"items hold the values of the item {far}after", np.where(items + by < batch, items + by, -1)
        yield f"items hold the values of the item {far}before, cyclically", (items - by) % batch
    for mask in range(1, 1 << (min(batch, farthest) - 1).bit_length()):
        other = items ^ mask
        yield f"items i and i xor {mask} are exchanged", np.where(other < batch, other, -1)
    # Data that items share look like those of any item; only the first and the last are likely to leak into all.
    for one in (0, batch - 1):
        yield f"items hold the values of item {one}", np.full(batch, one)


def _enough(tile: Tile, clues: Clues, fits: Flags, to: Positions) -> bool:
    """As `evidence.enough`: other items, other positions of the source, other wrong values, in which a value fits."""
    known = to >= 0
    if int(known.sum()) < FEWEST or 2 * int(known.sum()) < len(to):
        return False
    places, items, sources, fits = clues.places[known], clues.items[known], to[known], fits[known]
    got = tile.got[items, places]
    each, count = np.arange(len(places)), len(places)
    apart = np.ones_like(fits)
    apart[each, items] = apart[each, sources] = False
    there = np.ones((count, tile.size), np.bool_)
    there[each, places] = False
    beside = ~np.stack(
        [tile.legal.index(item).illegal(value) for item, value in zip(sources, got[:, None], strict=True)]
    )
    held = ~tile.legal.index((sources, places)).illegal(got[:, None])
    across = (sources[:, None] != sources) | (places[:, None] != places)
    shares = [
        (int((hits & among).sum()) + 1) / (int(among.sum()) + 1)
        for hits, among in ((fits, apart), (beside, there), (held, across))
        if among.any()
    ]
    bits = -count * math.log2(max(shares)) if shares else 0.0
    return bits >= BITS + math.log2(6 * len(tile.wrong))


def _explains(tile: Tile, source: Positions) -> bool:
    places = np.flatnonzero(tile.touched.ravel())
    for item in np.flatnonzero(tile.wrong.any(1)):
        if source[item] < 0:
            continue
        judged = places[tile.judged[item, places]] if item in tile.items else np.flatnonzero(tile.wrong[item])
        if tile.legal.index((source[item], judged)).illegal(tile.got[item, judged]).any():
            return False
    return True
