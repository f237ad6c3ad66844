"""A wrong tile: what was found in it, what is legal, and whether elements hold values of other elements.

Elements are numbered: position p of an item is element [wave, row, column] in the order of memory. A *source* has, for
every position, the position that its value is said to come from, -1 where none is.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from mmaspec.oracle.numerics.legal import Legal
from mmaspec.oracle.numerics.ordinals import Bits, Flags, is_nan, to_ordinal

Positions: TypeAlias = NDArray[np.int64]

ITEMS = 6
"""Batch items, those with the most wrong elements, in which every element is compared; in others only wrong ones."""
CLUES = 128
"""Wrong elements on which sources are tried first, at most."""
_ENOUGH = 4 * CLUES
"""Wrong elements among which clues are chosen, at least."""
_MIXED = np.array([0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F], np.uint64)
"""Odd numbers that mix bits."""
_COMPARED = 1 << 20
"""About how many elements clues may be compared with."""


@dataclass(frozen=True, slots=True, eq=False)
class Tile:
    """A tile in every item of a batch; `legal`, `got` and `wrong` have shape (items, positions)."""

    shape: tuple[int, int, int]
    """Waves, rows, columns."""
    legal: Legal
    got: Bits
    wrong: Flags
    items: Positions
    """Those with the most wrong elements, at most `ITEMS`."""
    judged: Flags
    """(items, positions), where what was found tells something."""
    touched: Flags
    """Positions that are wrong in some item, in `shape`."""

    @classmethod
    def of(cls, legal: Legal, got: Bits, wrong: Flags, live: Flags | np.bool_) -> Tile | None:
        """Arguments of shape (items, waves, rows, columns); None where nothing is wrong."""
        batch, waves, rows, cols = legal.shape
        flat = np.asarray(wrong, np.bool_).reshape(batch, -1)
        counts = flat.sum(1)
        items = np.argsort(-counts, kind="stable")[:ITEMS]
        items = items[counts[items] > 0].astype(np.int64)
        if not items.size:
            return None
        touched = flat.any(0).reshape(waves, rows, cols)
        bits = np.asarray(got, np.uint64).reshape(batch, -1)
        judged = np.broadcast_to((legal.why == 0) & live, legal.shape).reshape(batch, -1)
        return cls((waves, rows, cols), legal.reshape(batch, -1), bits, flat, items, judged, touched)

    @property
    def size(self) -> int:
        """Positions in an item."""
        return int(self.wrong.shape[1])

    def unfit(self, items: Positions | np.int64, places: Positions, sources: Positions) -> Flags:
        """Where what was found at a place is not legal at its source in the same item; arguments are broadcast."""
        return self.legal.index((items, sources)).illegal(self.got[items, places])

    def explains(self, source: Positions, region: Flags) -> bool:
        """Whether every wrong element holds a value of its source, and the others of the region do so as well."""
        if (self.touched.ravel() & ~region.ravel()).any():
            return False
        known = source >= 0
        places = np.flatnonzero(region.ravel() & known)
        for item in self.items:
            judged = places[self.judged[item, places]]
            if self.unfit(item, judged, source[judged]).any():
                return False
        for item in np.flatnonzero(self.wrong.any(1)):  # one item's gathers stay in the cache
            wrong = np.flatnonzero(self.wrong[item] & known)
            if self.unfit(item, wrong, source[wrong]).any():
                return False
        return True

    def explained(self, source: Positions) -> int:
        """Wrong elements, in all items, whose source is judged."""
        places = np.flatnonzero(source >= 0)
        wrong = self.wrong[:, places]
        if self.legal.why.any():
            wrong = wrong & (self.legal.why[:, source[places]] == 0)
        return int(wrong.sum())


@dataclass(frozen=True, slots=True, eq=False)
class Clues:
    """Wrong elements, none of them zero or NaN, which every tile has; and where their values fit.

    Rows that are alike, in what is legal and what was found, are looked at once, and so are columns: data of which all
    rows are the same tell no more than one row.
    """

    items: Positions
    places: Positions
    fits: Flags
    """(clues, positions): whether what was found is legal at a position of the same item."""

    @classmethod
    def of(cls, tile: Tile) -> Clues:
        """At most `CLUES`, spread over the items and positions."""
        counts = tile.wrong.sum(1)
        most = np.argsort(-counts, kind="stable")
        # Where few elements of an item are wrong, more items are looked at.
        chosen = most[: max(len(tile.items), int(np.searchsorted(np.cumsum(counts[most]), _ENOUGH)) + 1)]
        chosen = chosen[counts[chosen] > 0]
        rows, places = np.nonzero(tile.wrong[chosen])
        items = chosen[rows]
        values = tile.got[items, places]
        fmt = tile.legal.fmt
        kept = np.flatnonzero((to_ordinal(fmt, values) != 0) & ~is_nan(fmt, values))
        kept = kept[_different(tile, chosen)[rows[kept], places[kept]]]
        room = max(CLUES // 4, min(CLUES, _COMPARED // tile.size))
        if kept.size > room:
            kept = kept[np.linspace(0, kept.size - 1, room).astype(np.int64)]
        items, places = items[kept], places[kept]
        fits = np.zeros((kept.size, tile.size), np.bool_)
        for item in np.unique(items):  # one item's sets need not be copied
            mine = items == item
            fits[mine] = ~tile.legal.index(item).illegal(tile.got[item, places[mine]][:, None])
        return cls(items, places, fits)


def _different(tile: Tile, items: Positions) -> Flags:
    """(items, positions): which elements stand in the first of all rows that are alike, and of all such columns."""
    shape = (len(items), *tile.shape)
    contents = tile.got[items] * _MIXED[0] + tile.legal.lo[items].astype(np.uint64) * _MIXED[1]
    lines = contents.reshape(shape)
    different: Flags = _first_of_alike(lines)[..., :, None] & _first_of_alike(lines.swapaxes(2, 3))[..., None, :]
    return different.reshape(len(items), -1)


def _first_of_alike(lines: Bits) -> Flags:
    """Which lines along the last axis, of shape without it, no line before is equal to; by a hash."""
    weights = np.random.default_rng(0).integers(1, 1 << 63, lines.shape[-1], np.uint64) | np.uint64(1)
    hashes = ((lines ^ lines >> np.uint64(29)) * weights).sum(-1)
    first = np.zeros(hashes.size, np.bool_)
    first[np.unique(hashes, return_index=True)[1]] = True
    return first.reshape(hashes.shape)
