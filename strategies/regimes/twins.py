"""Regimes in which operands are alike: B made of A, and C of nothing."""

from __future__ import annotations

import numpy as np

from mmaspec.oracle.source import Source
from mmaspec.strategies.regimes import floats, integers
from mmaspec.strategies.regimes.encoding import two_complement
from mmaspec.strategies.regimes.request import Request
from mmaspec.strategies.regimes.stream import Words

KINDS = 3
"""B is A with the same lines, A itself, and the negative of A's lines, item by item."""


def twins(request: Request) -> dict[str, Words]:
    """The n-th B is made of the n-th A where their shapes allow; in every third item each way.

    Integers are between -127 and 127, or up to 127 where they have no sign, so that each has a negative.
    """
    drawn = _ordinary(request)
    for source in request.of("a", "b"):
        if not source.fmt.is_float:
            low = -127 if source.fmt.signed else 0
            values = request.stream(source.name).between(low, 127, request.shape(source))
            drawn[source.name] = two_complement(source.fmt, values)
    kind = np.arange(request.batch).reshape(-1, 1, 1, 1, 1) % KINDS
    for a, b in zip(request.of("a"), request.of("b"), strict=False):
        left = drawn[a.name]
        if request.shape(a) == request.shape(b) and a.shape[2] == a.shape[3] and a.fmt.bits == b.fmt.bits:
            lines = np.swapaxes(left, -1, -2)
            drawn[b.name] = np.where(kind == 0, lines, np.where(kind == 1, left, _negative(b, lines)))
    return drawn


def zero_addends(request: Request) -> dict[str, Words]:
    """Ordinary factors; every addend is zero, +0 of floats."""
    drawn = _ordinary(request)
    return {
        name: words * np.uint64(0) if name in {s.name for s in request.of("c")} else words
        for name, words in drawn.items()
    }


def _ordinary(request: Request) -> dict[str, Words]:
    whole_floats = all(source.fmt.is_float for source in request.sources)
    return floats.normal(request) if whole_floats else integers.small(request)


def _negative(source: Source, words: Words) -> Words:
    """Of integers without a sign, zero: nothing else is the negative of one."""
    if source.fmt.is_float:
        return words ^ np.uint64(source.fmt.sign_bit)
    return two_complement(source.fmt, -words.astype(np.int64)) if source.fmt.signed else words * np.uint64(0)
