"""Integer multiply-add: exact, then wrapped or saturated once."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from mmaspec.backends.numpy.units.encoding import Integers, bits_of_integers, integers_of
from mmaspec.backends.numpy.units.unit import Bits, Overflow
from mmaspec.programs.formats import Format

_EXACT_DOUBLE = 53
_EXACT_INT = 62


def multiply_add_integers(
    a_fmt: Format, a: Bits, b_fmt: Format, b: Bits, c_fmt: Format, c: Bits, overflow: Overflow
) -> Bits:
    """As ``ArithmeticUnit.multiply_add``, for integer formats."""
    width = a_fmt.bits + b_fmt.bits + max(a.shape[-1], 1).bit_length()
    wide_a, wide_b, wide_c = integers_of(a_fmt, a), integers_of(b_fmt, b), integers_of(c_fmt, c)
    if overflow == "saturate" and max(width, c_fmt.bits) >= _EXACT_INT:
        return _saturated_slowly(a_fmt, a, b_fmt, b, c_fmt, c)
    if width <= _EXACT_DOUBLE:
        # Every partial sum is an integer below 2^53, so the fast product is exact in any order.
        products: Integers = (wide_a.astype(np.float64) @ wide_b.astype(np.float64)).astype(np.int64)
    else:
        products = wide_a @ wide_b  # modulo 2^64, silently: enough for the low bits
    total = products + wide_c
    if overflow == "saturate":
        total = np.clip(total, c_fmt.min_value, c_fmt.max_value)
    return bits_of_integers(c_fmt, total)


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
