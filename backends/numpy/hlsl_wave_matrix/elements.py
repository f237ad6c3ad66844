"""Operations of the WaveMatrix device on single elements: with a scalar, with another matrix, casts."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

import numpy as np

from mmaspec.backends.numpy.units.encoding import (
    Doubles,
    Integers,
    bits_of_doubles,
    bits_of_integers,
    doubles_of,
    integers_of,
)
from mmaspec.backends.numpy.units.unit import Bits
from mmaspec.programs.formats import FORMATS


def _truncated(x: Integers, y: Integers) -> Integers:
    """The quotient toward zero; 0 where the divisor is 0."""
    divisor = np.where(y == 0, 1, y)
    size: Integers = np.abs(x) // np.abs(divisor)
    return np.where(y == 0, 0, np.where((x < 0) != (divisor < 0), -size, size))


_FLOATS: Mapping[str, Callable[[Doubles, Doubles], Doubles]] = MappingProxyType(
    {"multiply": np.multiply, "divide": np.divide, "add": np.add, "subtract": np.subtract}
)
_INTEGERS: Mapping[str, Callable[[Integers, Integers], Integers]] = MappingProxyType(
    {"multiply": np.multiply, "divide": _truncated, "add": np.add, "subtract": np.subtract}
)


def apply(operation: str, element: str, x: Bits, y: Bits) -> Bits:
    """One operation in one format. Floats go through float64, whose second rounding never shows; integers wrap."""
    fmt = FORMATS[element]
    if fmt.is_float:
        with np.errstate(all="ignore"):
            return bits_of_doubles(fmt, _FLOATS[operation](doubles_of(fmt, x), doubles_of(fmt, y)))
    return bits_of_integers(fmt, _INTEGERS[operation](integers_of(fmt, x), integers_of(fmt, y)))


def cast(bits: Bits, element: str, to: str) -> Bits:
    """A value in another format: floats to nearest, integers toward zero and clamped."""
    old, new = FORMATS[element], FORMATS[to]
    if old == new:
        return bits
    values: Doubles = doubles_of(old, bits) if old.is_float else integers_of(old, bits).astype(np.float64)
    with np.errstate(all="ignore"):
        if new.is_float:
            return bits_of_doubles(new, values)
        whole = np.trunc(np.nan_to_num(values, nan=0.0))
        return bits_of_integers(new, np.clip(whole, new.min_value, new.max_value).astype(np.int64))
