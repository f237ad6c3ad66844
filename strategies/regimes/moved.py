"""The regime for matrices that are only moved: a different bit pattern everywhere, and of floats every kind of number.

Arithmetic may flush subnormals, make a zero positive or a NaN quiet. A move is no arithmetic.
"""

from __future__ import annotations

import numpy as np

from mmaspec.programs.formats import Format
from mmaspec.strategies.regimes.distinct import distinct
from mmaspec.strategies.regimes.encoding import signed
from mmaspec.strategies.regimes.extremes.limits import not_numbers
from mmaspec.strategies.regimes.floats import fractions
from mmaspec.strategies.regimes.request import Request
from mmaspec.strategies.regimes.stream import ArrayShape, Stream, Words

SHARE = 40
"""Percent of the elements of floats that are no ordinary number."""


def moved(request: Request) -> dict[str, Words]:
    """``distinct``, and between: subnormals, zeros, infinities, NaN and the ends of the range, of both signs.

    A third of those are subnormals.
    """
    drawn = distinct(request)
    for source in request.sources:
        if source.fmt.is_float:
            stream, shape = request.stream(source.name, "special"), request.shape(source)
            here = stream.percent(SHARE, shape)
            drawn[source.name] = np.where(here, _special(stream, source.fmt, shape), drawn[source.name])
    return drawn


def _special(stream: Stream, fmt: Format, shape: ArrayShape) -> Words:
    last = 1 << fmt.fraction_bits
    ends = np.array([1, last - 1, last, last + 1, fmt.largest_magnitude, 0, *not_numbers(fmt)], np.int64)
    subnormals = np.maximum(fractions(stream, fmt, shape), 1)
    magnitudes = np.where(stream.percent(33, shape), subnormals, ends[stream.below(len(ends), shape)])
    return signed(fmt, magnitudes, stream.percent(50, shape))
