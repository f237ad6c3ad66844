"""What stands in the lines that a shift left free."""

from __future__ import annotations

import numpy as np

from mmaspec.oracle.numerics.ordinals import Flags, to_ordinal
from mmaspec.suites.judging.patterns.region import line_words
from mmaspec.suites.judging.patterns.tile import Positions, Tile


def edge_words(tile: Tile, axis: int, to: Positions, region: Flags) -> str | None:
    """The lines without a source, and what was found there: zeros, the edge again, the same bits; None: no such thing.

    Nothing where every line has a source.
    """
    free = to < 0
    if not free.any():
        return ""
    kept = np.flatnonzero(~free)
    edge = int(to[kept].min() if free[0] else to[kept].max())
    places = np.flatnonzero(region)
    step = int(np.prod(tile.shape[axis + 1 :]))
    line = places // step % tile.shape[axis]
    places, line = places[free[line]], line[free[line]]
    items = tile.items[:, None]
    got = tile.got[items, places]
    single = int(free.sum()) == 1
    if not to_ordinal(tile.legal.fmt, got).any():
        held = "is zero" if single else "are zero"
    elif not tile.unfit(items, places, places).any():
        held = "is kept" if single else "are kept"
    elif not tile.unfit(items, places, places + (edge - line) * step).any():
        held = f"hold {line_words(np.arange(len(to)) == edge, axis)}"
    elif (got == got[0, 0]).all():
        where = "everywhere" if len(places) == int(free.sum()) * tile.size // len(free) else "there"
        held = f"holds the same bits {where}" if single else f"hold the same bits {where}"
    else:
        return None
    return f"; {line_words(free, axis)} {held}"
