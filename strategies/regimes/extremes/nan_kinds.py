"""The regime of special values: NaN of every kind and infinities, one after the other in every place."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from mmaspec.oracle.source import Source
from mmaspec.programs.formats import Format
from mmaspec.strategies.regimes.floats import normal
from mmaspec.strategies.regimes.request import Request
from mmaspec.strategies.regimes.stream import Words

Mask = NDArray[np.bool_]

PLACES = (
    "a-one", "b-one", "c-one", "a-row", "b-column", "a-word", "a-register", "a-all-but-one", "a-all", "c-diagonal",
    "a-rows-but-one", "cross", "infinity-subnormal", "infinity-least-normal", "c-all", "c-infinity",
)  # fmt: skip
"""Where the special value of an item is."""

KINDS = 6
"""Kinds of NaN, another one in each item."""

ITEMS = 64
"""Items in which A, B and C have all kinds."""


def kinds(fmt: Format) -> tuple[int, ...]:
    """NaN: quiet, signalling, of the least payload, negative, of all ones, and of the bits of a wider infinity."""
    infinite, quiet = fmt.infinity_magnitude, 1 << (fmt.fraction_bits - 1)
    wider = fmt.sign_bit - (1 << max(fmt.fraction_bits - 3, 0))
    return infinite | quiet, infinite | (quiet >> 1), infinite | 1, fmt.sign_bit | infinite | quiet, fmt.mask, wider


def nan_kinds(request: Request) -> dict[str, Words]:
    """Ordinary numbers with one kind of special value in one place; every second matrix of a role has none."""
    drawn = normal(request)
    for role in ("a", "b", "c"):
        for number, source in enumerate(request.of(role)):
            if number % 2 == 0 and source.fmt.infinities and source.fmt.nans == "ieee":
                for item in range(request.batch):
                    _put(drawn[source.name][item], source, item)
    return drawn


def _put(words: Words, source: Source, item: int) -> None:
    """Change the matrices of one item, ``(waves, passes, rows, cols)``; in every wave alike."""
    fmt, place = source.fmt, PLACES[item % len(PLACES)]
    rows, cols = words.shape[-2:]
    turn = item // len(PLACES) * 4
    row, col = (item * 3 + turn + 3) % rows, (item * 5 + turn + 2) % cols
    i, j = np.arange(rows)[:, None], np.arange(cols)[None, :]
    every = np.ones((rows, cols), np.bool_)
    bits, (least, normal_bits) = kinds(fmt)[item % KINDS], (1, 1 << fmt.fraction_bits)
    word = max(32 // fmt.bits, 1)
    where: dict[tuple[str, str], Callable[[], tuple[Mask, int]]] = {
        ("a", "a-one"): lambda: ((i == row) & (j == col), bits),
        ("b", "b-one"): lambda: ((i == row) & (j == col), bits),
        ("c", "c-one"): lambda: ((i == row) & (j == col), bits),
        ("a", "a-row"): lambda: (every & (i == row), bits),
        ("b", "b-column"): lambda: (every & (j == col), bits),
        ("a", "a-word"): lambda: ((i == row) & (j // word == 1), bits),
        ("a", "a-register"): lambda: (every & (j // word == 2), bits),
        ("a", "a-all-but-one"): lambda: ((i != row) | (j != col), bits),
        ("a", "a-all"): lambda: (every, bits),
        ("a", "a-rows-but-one"): lambda: ((i != row) & (j == col), bits),
        ("c", "c-diagonal"): lambda: (i == j, bits),
        ("c", "c-all"): lambda: (every, bits),
        ("c", "c-infinity"): lambda: (every & (i == row), fmt.infinity_magnitude),
        ("a", "cross"): lambda: ((i == row) & (j == col), bits),
        ("b", "cross"): lambda: ((i == row) & (j == col), bits),
        ("a", "infinity-subnormal"): lambda: ((i == row) & (j == 4), fmt.infinity_magnitude),
        ("b", "infinity-subnormal"): lambda: (every & (i == 4), least),
        ("a", "infinity-least-normal"): lambda: ((i == row) & (j == 4), fmt.infinity_magnitude),
        ("b", "infinity-least-normal"): lambda: (every & (i == 4), normal_bits),
    }
    if (source.role, place) in where:
        mask, value = where[source.role, place]()
        words[...] = np.where(mask, np.uint64(value), words)
