"""Sums and products of two numbers, as accumulators, atomic operations and outer products have them: rounded once."""

from __future__ import annotations

import numpy as np

from mmaspec.backends.numpy.hlsl_linalg.conversions import convert
from mmaspec.backends.numpy.units.encoding import Doubles, bits_of_doubles, bits_of_integers, doubles_of, integers_of
from mmaspec.backends.numpy.units.unit import Bits
from mmaspec.programs.formats import FORMATS, Format


def add(fmt: Format, x: Bits, given: Format, y: Bits) -> Bits:
    """``x`` plus ``y`` (in a format of its own), in the format of ``x``: to nearest, ties to even; integers wrap."""
    if fmt.is_float and given.is_float:
        with np.errstate(all="ignore"):
            return bits_of_doubles(fmt, doubles_of(fmt, x) + doubles_of(given, y))
    if fmt.is_float or given.is_float:
        return add(fmt, x, fmt, convert(y, given, fmt))
    return bits_of_integers(fmt, integers_of(fmt, x) + integers_of(given, y))


def multiply(fmt: Format, left: Format, x: Bits, right: Format, y: Bits) -> Bits:
    """``x`` times ``y`` in another format: to nearest, ties to even; integers wrap.

    A float64 has room for every product of two narrower floats.
    """
    if not left.is_float and not right.is_float:
        whole = integers_of(left, x) * integers_of(right, y)
        return convert(whole.view(np.uint64), FORMATS["s64"], fmt) if fmt.is_float else bits_of_integers(fmt, whole)
    with np.errstate(all="ignore"):
        product = _doubles(left, x) * _doubles(right, y)
    exact = FORMATS["f64"]
    return bits_of_doubles(fmt, product) if fmt.is_float else convert(bits_of_doubles(exact, product), exact, fmt)


def _doubles(fmt: Format, bits: Bits) -> Doubles:
    return doubles_of(fmt, bits) if fmt.is_float else integers_of(fmt, bits).astype(np.float64)
