"""Integer multiply-add: exact, then wrapped or saturated once."""

from __future__ import annotations

from functools import cache

import numpy as np
from numpy.typing import NDArray

from mmaspec.backends.numpy.units.encoding import Doubles, Integers, bits_of_integers, integers_of
from mmaspec.backends.numpy.units.unit import Bits, Overflow
from mmaspec.programs.formats import FORMATS, Format

_EXACT_DOUBLE = 53
_EXACT_INT = 62
_LISTED = 8
"""Bits of an integer whose values are looked up."""


def multiply_add_integers(
    a_fmt: Format, a: Bits, b_fmt: Format, b: Bits, c_fmt: Format, c: Bits, overflow: Overflow
) -> Bits:
    """As ``ArithmeticUnit.multiply_add``, for integer formats."""
    width = a_fmt.bits + b_fmt.bits + max(a.shape[-1], 1).bit_length()
    if overflow == "saturate" and max(width, c_fmt.bits) >= _EXACT_INT:
        return _saturated_slowly(a_fmt, a, b_fmt, b, c_fmt, c)
    if width <= _EXACT_DOUBLE:
        # Every partial sum is an integer below 2^53, so the fast product is exact in any order.
        total: Integers = (_doubles_of(a_fmt, a) @ _doubles_of(b_fmt, b)).astype(np.int64)
    else:
        total = integers_of(a_fmt, a) @ integers_of(b_fmt, b)  # modulo 2^64, silently: enough for the low bits
    total = total + integers_of(c_fmt, c)
    if overflow == "saturate":
        total = np.minimum(np.maximum(total, c_fmt.min_value), c_fmt.max_value)
    return bits_of_integers(c_fmt, total)


def _doubles_of(fmt: Format, bits: Bits) -> Doubles:
    """The values of an integer format, as far as a float64 holds them."""
    if fmt.bits > _LISTED:
        return integers_of(fmt, bits).astype(np.float64)
    return _values(fmt.name).take(bits.astype(np.uint8))


@cache
def _values(name: str) -> Doubles:
    """The values of all bytes in an integer format of at most eight bits."""
    return integers_of(FORMATS[name], np.arange(1 << _LISTED, dtype=np.uint64)).astype(np.float64)


def _saturated_slowly(a_fmt: Format, a: Bits, b_fmt: Format, b: Bits, c_fmt: Format, c: Bits) -> Bits:
    """Operands so wide that int64 cannot hold the sum: Python's integers do."""
    total = _objects(a_fmt, a) @ _objects(b_fmt, b) + _objects(c_fmt, c)
    clamped = np.clip(total, c_fmt.min_value, c_fmt.max_value)
    low: Bits = (clamped & c_fmt.mask).astype(np.uint64)
    return low


def _objects(fmt: Format, bits: Bits) -> NDArray[np.object_]:
    held = bits.astype(object) & fmt.mask
    values: NDArray[np.object_] = np.subtract(held, (held & fmt.sign_bit) << 1)
    return values
