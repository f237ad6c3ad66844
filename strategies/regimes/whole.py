"""The regime for casts and exact arithmetic: small whole numbers in every format."""

from __future__ import annotations

import numpy as np

from mmaspec.strategies.regimes.encoding import scaled, two_complement
from mmaspec.strategies.regimes.request import Request
from mmaspec.strategies.regimes.stream import Words

FACTOR, ADDEND = 3, 100
"""Largest magnitudes: a chain of a few products of K = 64 stays below 2^11, which every float of 11 bits holds."""
_SCALARS = np.array([2, -2, 3, -3, 4, -4, 5, 6])


def whole(request: Request) -> dict[str, Words]:
    """Factors of -3 to 3, addends of -100 to 100, scalars that are neither 0 nor 1.

    Addends in a float format of eight bits go as far as it holds every whole number: to 8 or 16.
    """
    drawn = {}
    for source in request.sources:
        stream, shape, fmt = request.stream(source.name), request.shape(source), source.fmt
        limit = ADDEND if source.role == "c" else FACTOR
        limit = min(limit, 1 << fmt.precision) if fmt.is_float else limit
        low = -limit if fmt.is_float or fmt.signed else 0
        values = stream.between(low, limit, shape)
        if source.role == "scalar":
            values = _SCALARS[stream.below(len(_SCALARS), shape)]
            values = values if low else np.abs(values)
        drawn[source.name] = scaled(fmt, values, 0) if fmt.is_float else two_complement(fmt, values)
    return drawn
