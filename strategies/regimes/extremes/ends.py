"""Integer addends that bring their sums exactly to an end of the range, one short of it, or one beyond."""

from __future__ import annotations

import numpy as np

from mmaspec.oracle.source import Source
from mmaspec.programs.formats import Format
from mmaspec.strategies.regimes.encoding import two_complement
from mmaspec.strategies.regimes.hard import fits
from mmaspec.strategies.regimes.request import Request
from mmaspec.strategies.regimes.stream import Ints, Words

SHARE = 40
"""Percent of the addends that are chosen so; the others leave the range by more, or not at all."""


def meet_the_ends(request: Request, drawn: dict[str, Words]) -> None:
    """Change addends in ``drawn``: the n-th left and right factors are taken to be multiplied onto the n-th addend.

    A sum of positive products meets the upper end and one of negative products the lower, for no addend could
    bring it beyond the other; one of zeros meets either.
    """
    for a, b, c in zip(request.of("a"), request.of("b"), request.of("c"), strict=False):
        if not _exact(a, b, c):
            continue
        sums = (_numbers(a.fmt, drawn[a.name]) @ _numbers(b.fmt, drawn[b.name])).astype(np.int64)
        if not fits(sums.shape, c):
            continue
        stream, shape = request.stream(c.name, "ends"), request.shape(c)
        upper = (sums > 0) | ((sums == 0) & stream.percent(50, shape))
        target = np.where(upper, c.fmt.max_value, c.fmt.min_value) + stream.between(-1, 1, shape)
        values = target - sums
        inside = (values >= c.fmt.min_value) & (values <= c.fmt.max_value)
        chosen = inside & stream.percent(SHARE, shape)
        drawn[c.name] = np.where(chosen, two_complement(c.fmt, np.where(chosen, values, 0)), drawn[c.name])


def _exact(a: Source, b: Source, c: Source) -> bool:
    """Whether these are matrices that can be multiplied, and f64 and int64 hold every number on the way."""
    narrow = a.fmt.bits + b.fmt.bits <= 32 and c.fmt.bits <= 32
    return narrow and not (a.tensor or b.tensor or c.tensor) and a.shape[3] == b.shape[2]


def _numbers(fmt: Format, bits: Words) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
    """The values of integer codes, as f64, whose product of matrices is fast."""
    values: Ints = bits.astype(np.int64)
    if fmt.signed:
        values = values - (values >> (fmt.bits - 1) << fmt.bits)
    return values.astype(np.float64)
