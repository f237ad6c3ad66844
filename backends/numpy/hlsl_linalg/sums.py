"""Sums of two numbers of one format, as atomic operations and accumulators make them."""

from __future__ import annotations

import numpy as np

from mmaspec.backends.numpy.units.encoding import bits_of_doubles, bits_of_integers, doubles_of, integers_of
from mmaspec.backends.numpy.units.unit import Bits
from mmaspec.programs.formats import Format


def add(fmt: Format, x: Bits, y: Bits) -> Bits:
    """The sum, to nearest, ties to even; integers wrap. A float64 has room enough for its own rounding not to show."""
    if not fmt.is_float:
        return bits_of_integers(fmt, integers_of(fmt, x) + integers_of(fmt, y))
    with np.errstate(all="ignore"):
        return bits_of_doubles(fmt, doubles_of(fmt, x) + doubles_of(fmt, y))
