"""The smallest mistake: of every element that is meant, contents next to its own that are not legal."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from mmaspec.oracle.numerics.legal import Legal
from mmaspec.oracle.numerics.ordinals import Bits, Flags, from_ordinal


def mistaken(legal: Legal, got: Bits, where: Flags, *, shifted: bool) -> Bits:
    """What a device leaves that is wrong in these elements, each the first of what is tried that is not legal.

    An element of which everything is legal stays as it is. All arrays are ``(batch, waves, rows, cols)``.
    """
    found, open_ = got.copy(), where & (legal.why == 0)
    for tried in _candidates(legal, got, shifted=shifted):
        if not open_.any():
            break
        wrong = open_ & legal.illegal(tried)
        found[wrong] = tried[wrong]
        open_ &= ~wrong
    return found


def _candidates(legal: Legal, got: Bits, *, shifted: bool) -> Iterator[Bits]:
    """A neighbour, where elements are moved; the next code; what lies just beyond the interval; an infinity, a zero.

    The next code of a float is the one further from zero: a subnormal that became a zero may be right later on.
    """
    fmt = legal.fmt
    if shifted:
        yield np.roll(got, -1, axis=-1)
        yield np.roll(got, -1, axis=-2)
    yield got + np.uint64(1) & np.uint64(fmt.mask) if fmt.is_float else got ^ np.uint64(1)
    highest, lowest = np.int64(fmt.max_ordinal), np.int64(fmt.min_ordinal)
    yield from_ordinal(fmt, np.clip(np.minimum(legal.hi, highest - 1) + 1, lowest, highest))
    yield from_ordinal(fmt, np.clip(np.maximum(legal.lo, lowest + 1) - 1, lowest, highest))
    for ordinal in (highest, np.int64(0)):
        yield from_ordinal(fmt, np.full(got.shape, ordinal))
