"""The regime of least products: normal factors whose products their own format has only as subnormals, or as zeros."""

from __future__ import annotations

import numpy as np

from mmaspec.oracle.source import Source
from mmaspec.strategies.regimes.encoding import scaled, signed
from mmaspec.strategies.regimes.floats import normal
from mmaspec.strategies.regimes.request import Request
from mmaspec.strategies.regimes.stream import Words

LARGEST = 7
"""Of the significands, so that sums of many products are exact."""


def least_products(request: Request) -> dict[str, Words]:
    """Factors near the least normal number of their formats; addends are zeros in every second item, else so small.

    Where the accumulator begins above such products, the right factors are larger.
    """
    drawn = normal(request)
    acc, factors = request.accumulator, (*request.of("a"), *request.of("b"))
    if not factors or any(not source.fmt.is_float for source in factors):
        return drawn
    left = max(source.fmt.emin for source in request.of("a"))
    right = max(*(source.fmt.emin for source in request.of("b")), acc.emin - left)
    for source in request.of("a"):
        drawn[source.name] = _numbers(request, source, left)
    for source in request.of("b"):
        drawn[source.name] = _numbers(request, source, right)
    for source in request.of("c"):
        least = max(left + right, source.fmt.emin)
        words = _numbers(request, source, least)
        words[::2] = 0
        drawn[source.name] = words
    return drawn


def _numbers(request: Request, source: Source, exponent: int) -> Words:
    """Small numbers of either sign from a power of two on; of few values, so that some are equal."""
    stream, shape = request.stream(source.name, "least"), request.shape(source)
    magnitudes = scaled(source.fmt, stream.between(1, min(LARGEST, (1 << source.fmt.precision) - 1), shape), exponent)
    return signed(source.fmt, magnitudes.astype(np.int64), stream.percent(50, shape))
