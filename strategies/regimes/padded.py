"""Regimes of matrices that are mostly zeros: those that do not fill their tiles, and those of a single element."""

from __future__ import annotations

import numpy as np

from mmaspec.strategies.regimes.encoding import scaled, two_complement
from mmaspec.strategies.regimes.exact_window import window
from mmaspec.strategies.regimes.integers import wild
from mmaspec.strategies.regimes.request import Request
from mmaspec.strategies.regimes.stream import Words

PADDINGS = 5
"""Rows, columns, k in both factors, k in A only, and all of them, item by item."""

_FAR = 3
"""Lines that are zero."""


def padded(request: Request) -> dict[str, Words]:
    """Factors as in the regimes of sums, with zeros behind; addends as they are."""
    drawn = window(request) if all(source.fmt.is_float for source in request.sources) else wild(request)
    kind = np.arange(request.batch).reshape(-1, 1, 1, 1, 1) % PADDINGS
    for source in request.of("a", "b"):
        rows, columns = (_behind(request.shape(source), axis) for axis in (-2, -1))
        own, along_k = (rows, columns) if source.role == "a" else (columns, rows)
        line, k = (kind == 0, (kind == 2) | (kind == 3)) if source.role == "a" else (kind == 1, kind == 2)
        zero = (own & (line | (kind == 4))) | (along_k & (k | (kind == 4)))
        drawn[source.name] = np.where(zero, np.uint64(0), drawn[source.name])
    return drawn


def _behind(shape: tuple[int, ...], axis: int) -> np.ndarray[tuple[int, ...], np.dtype[np.bool_]]:
    """The last lines along an axis."""
    count = shape[axis]
    last = np.arange(count) >= count - min(_FAR, count - 1)
    return last[:, None] if axis == -2 else last[None, :]


PLACES = (15, 32, 0, 47, 16, 63, 31, 48)
"""Rows and columns beside the edges of tiles of 16, and at the ends of four of them."""
_DEPTH = 3


def lone(request: Request) -> dict[str, Words]:
    """One element that is not zero: of an addend where the product of the factors has its own, item by item another."""
    start = int(request.stream("start").below(len(PLACES), (1,))[0])
    turn = start + np.arange(request.batch)
    where = np.array(PLACES)
    row, col, k = where[turn % len(where)], where[(turn * 3 + 1) % len(where)], turn % _DEPTH
    drawn = {}
    for source in request.sources:
        rows, cols = source.shape[2:]
        down, across = {"a": (row, k), "b": (k, col)}.get(source.role, (row, col))
        found = (np.arange(rows)[:, None] == (down % rows)[:, None, None]) & (
            np.arange(cols)[None, :] == (across % cols)[:, None, None]
        )
        values = found.astype(np.int64) * (3 if source.role == "scalar" else 1)
        coded = scaled(source.fmt, values, 0) if source.fmt.is_float else two_complement(source.fmt, values)
        drawn[source.name] = np.broadcast_to(coded.reshape(request.batch, 1, 1, rows, cols), request.shape(source))
    return drawn
