"""Families of sources: tried on the clues all at once, and those that fit on the whole tile."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from math import log2

import numpy as np

from mmaspec.oracle.numerics.ordinals import Flags
from mmaspec.suites.judging.patterns.evidence import enough
from mmaspec.suites.judging.patterns.found import Kind, Pattern
from mmaspec.suites.judging.patterns.region import regions
from mmaspec.suites.judging.patterns.tile import Clues, Positions, Tile

_TRIED = 8
"""Members of a family that fit all clues and are compared with the tile; with more, the values are too much alike."""


@dataclass(frozen=True, slots=True)
class Family:
    """Sources that are named alike."""

    axis: str
    """What moves, as `Pattern.axis` says it."""
    size: int
    at: Callable[[Positions, Positions], Positions]
    """The source position of members, (members, 1), at positions, (positions,): -1 for none."""
    words: Callable[[int, Flags], tuple[Kind, str] | None]
    """Of a member, and the region of the tile to which it applies; None: not claimed there."""
    closed: bool = True
    """Values change places, so that those of a region come from that region; else some are repeated or lost."""
    cost: float = 0.0
    """Bits that it took to find the family, beyond choosing a member."""
    regions: Callable[[Tile, Positions], Iterator[Flags]] = regions


def claim(family: Family, tile: Tile, clues: Clues) -> Pattern | None:
    """The member that explains the tile; None where there is none, or where several do in different ways."""
    found: Pattern | None = None
    chosen: Positions | None = None
    touched = tile.touched.ravel()
    for member in _fitting(family, clues):
        source = family.at(np.array([[member]]), np.arange(tile.size))[0]
        if not enough(tile, clues, source, log2(family.size) + family.cost):
            continue
        said = next(_said(family, tile, member, source), None)
        if said is None:
            continue
        if chosen is not None and (source[touched] != chosen[touched]).any():
            return None
        if found is None:
            chosen = source
            found = Pattern(*said, tile.explained(source), family.axis)
    return found


def _said(family: Family, tile: Tile, member: int, source: Positions) -> Iterator[tuple[Kind, str]]:
    """What a source says of the regions that it explains and that can be told."""
    for region in family.regions(tile, source):
        if family.closed and not region.ravel()[source[region.ravel()]].all():
            continue
        if tile.explains(source, region) and (said := family.words(member, region)) is not None:
            yield said


def _fitting(family: Family, clues: Clues) -> list[int]:
    members = np.arange(family.size)[:, None]
    sources = family.at(members, clues.places)
    fits = clues.fits[np.arange(len(clues.places)), np.maximum(sources, 0)] | (sources < 0)
    # An edge that nothing moved to may have a source of none, but not most of what is wrong.
    enough_known = 2 * (sources >= 0).sum(1) >= len(clues.places)
    fitting = np.flatnonzero(fits.all(1) & enough_known).tolist()
    return fitting if len(fitting) <= _TRIED else []
