"""Whether a wrong tile is a permutation, transposition, shift or repetition of legal values, and which, in words."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from mmaspec.oracle.numerics.legal import Legal
from mmaspec.oracle.numerics.ordinals import Bits, Flags
from mmaspec.suites.judging.patterns.bits import bit_families
from mmaspec.suites.judging.patterns.evidence import FEWEST
from mmaspec.suites.judging.patterns.family import Family, claim
from mmaspec.suites.judging.patterns.found import Pattern
from mmaspec.suites.judging.patterns.irregular import irregular_families
from mmaspec.suites.judging.patterns.leak import leak
from mmaspec.suites.judging.patterns.lines import line_families, open_shifts
from mmaspec.suites.judging.patterns.planes import plane_families
from mmaspec.suites.judging.patterns.tile import Clues, Tile

__all__ = ["Pattern", "pattern"]


def pattern(legal: Legal, got: Bits, wrong: Flags, live: Flags | None = None) -> Pattern | None:
    """The simplest pattern that explains every wrong element; all arguments of shape (batch, waves, rows, cols).

    `live`, broadcast to that shape, is False where something else was stored later, so that `got` tells nothing.

    None where there is none, or where the data could not tell: values all alike, zeros, or legal sets so wide that what
    was found fits many places.
    """
    if np.unique(got[np.broadcast_to(wrong, got.shape)]).size == 1:
        return None  # one value wherever something is wrong is nobody's: an empty register, a constant
    tile = Tile.of(legal, got, wrong, np.True_ if live is None else live)
    if tile is None:
        return None
    clues = Clues.of(tile)
    if len(clues.places) < FEWEST:
        return None
    for family in _families(tile):
        found = claim(family, tile, clues)
        if found is not None:
            return found
    return leak(tile, clues)


def _families(tile: Tile) -> Iterator[Family]:
    yield from line_families(tile)
    yield from plane_families(tile)
    yield from bit_families(tile)
    yield from open_shifts(tile)
    yield from irregular_families(tile)
