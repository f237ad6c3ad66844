"""The regime of infinite factors: an infinity of A or B meets the smallest and ordinary numbers of the other."""

from __future__ import annotations

from itertools import product

import numpy as np

from mmaspec.oracle.source import Source
from mmaspec.programs.formats import Format
from mmaspec.strategies.regimes.floats import normal
from mmaspec.strategies.regimes.request import Request
from mmaspec.strategies.regimes.stream import Words

OTHERS = ("least", "largest-subnormal", "negative-subnormal", "least-normal", "negative", "as-drawn")
"""What the infinity of an item is multiplied by, in every place that it meets."""

KINDS = tuple(product(OTHERS, ("a", "b"), (False, True)))
"""That, the side of the infinity, and whether it is negative: one after the other, in each item another."""

ITEMS = len(KINDS)
"""Items in which there are all of them."""


def infinities(request: Request) -> dict[str, Words]:
    """Ordinary numbers with one infinite factor; every second matrix of a role has none, nor do addends."""
    drawn = normal(request)
    for role in ("a", "b"):
        for number, source in enumerate(request.of(role)):
            if number % 2 == 0 and source.fmt.infinities:
                for item in range(request.batch):
                    _put(drawn[source.name][item], source, item)
    return drawn


def _put(words: Words, source: Source, item: int) -> None:
    """Change the matrices of one item, ``(waves, passes, rows, cols)``; in every wave alike."""
    fmt, (other, side, negative) = source.fmt, KINDS[item % ITEMS]
    rows, cols = words.shape[-2:]
    k = (item * 5 + 2) % (cols if source.role == "a" else rows)
    if source.role == side:
        line = (item * 3 + 1) % (rows if source.role == "a" else cols)
        place = (..., line, k) if source.role == "a" else (..., k, line)
        words[place] = fmt.infinity_magnitude | (fmt.sign_bit if negative else 0)
    elif other != "as-drawn":
        words[(..., slice(None), k) if source.role == "a" else (..., k, slice(None))] = _bits(fmt, other)


def _bits(fmt: Format, other: str) -> np.uint64:
    normal_bits = 1 << fmt.fraction_bits
    return np.uint64(
        {
            "least": 1,
            "largest-subnormal": normal_bits - 1,
            "negative-subnormal": fmt.sign_bit | (normal_bits >> 1),
            "least-normal": normal_bits,
            "negative": fmt.sign_bit | fmt.bias << fmt.fraction_bits,
        }[other]
    )
