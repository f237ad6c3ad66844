"""Sums of few terms: what wide bounds of a dense sum hide, above all in formats of few bits, shows in them."""

from __future__ import annotations

import numpy as np

from mmaspec.programs.formats import Format
from mmaspec.strategies.regimes.floats import ordinary, scalar
from mmaspec.strategies.regimes.integers import wild
from mmaspec.strategies.regimes.request import Request
from mmaspec.strategies.regimes.stream import Words

COUNTS = 4
"""One product, two, none, or as many as there are, item by item, and wave by wave and pass by pass."""

_EXPONENTS = {"a": 4, "b": 4, "c": 6}
"""Role -> the largest exponent, up or down: no sum of all products leaves the range of f16."""


INFINITE = 4
"""In one item of so many, one row of the first left factor has an infinity: what it meets is one number."""


def few_terms(request: Request) -> dict[str, Words]:
    """In each row of left factors so many elements are not zero; in a quarter of the items addends are zero.

    Bounds of sums of 16 bits are wide, so that some results stand for certain: those of zeros, and infinities, which
    every later sum of a chain keeps.
    """
    floats = all(source.fmt.is_float for source in request.sources)
    drawn = _floats(request) if floats else wild(request)
    item = np.arange(request.batch).reshape(-1, 1, 1, 1, 1)
    for source in request.of("a"):
        waves, passes, rows, depth = (np.arange(count) for count in source.shape)
        turn = item + waves.reshape(-1, 1, 1, 1) + passes.reshape(-1, 1, 1)
        kept = np.array([1, 2, 0, len(depth)])[turn % COUNTS]
        place = (depth - 5 * rows[:, None] - item) % len(depth)
        drawn[source.name] = np.where(place < kept, drawn[source.name], np.uint64(0))
    for source in request.of("a")[:1] if floats else ():
        if source.fmt.infinities:
            _infinite_rows(drawn[source.name], source.fmt)
    for source in request.of("c"):
        drawn[source.name] = np.where(item // COUNTS % 4 == 3, np.uint64(0), drawn[source.name])
    return drawn


def _infinite_rows(words: Words, fmt: Format) -> None:
    """One infinity in one row, of the first pass: ``(batch, waves, passes, rows, depth)``."""
    for item in range(1, len(words), INFINITE):
        row, k = item // INFINITE * 5 % words.shape[-2], item * 3 % words.shape[-1]
        words[item, :, 0, row, k] = fmt.infinity_magnitude


def _floats(request: Request) -> dict[str, Words]:
    """Normal numbers of many sizes, none of them zero."""
    drawn = {}
    for source in request.sources:
        stream, shape = request.stream(source.name), request.shape(source)
        if source.role == "scalar":
            drawn[source.name] = scalar(stream, source.fmt, shape)
        else:
            reach = _EXPONENTS[source.role]
            drawn[source.name] = ordinary(stream, source.fmt, -reach, reach, 0, shape)
    return drawn
