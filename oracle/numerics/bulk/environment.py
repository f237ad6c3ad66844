"""What the proofs ask of the processor: float64 as IEEE 754 has it, subnormals kept, rounded to nearest."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from itertools import product

import numpy as np

from mmaspec.oracle.numerics.ordinals import Doubles

_KEPT = 8 << 20
"""Bytes; the temporaries of one chunk take about 2 MiB."""

_ONE, _ODD, _HALF_UNIT = 1.0, 1 + 2.0**-52, 2.0**-53
_TINY, _HUGE = 2.0**-1074, 2.0**1000


def require_ieee() -> None:
    """Raise RuntimeError where this thread's float64 flushes subnormals or does not round to nearest, ties to even.

    Other libraries of a process may have changed the mode of the processor. Every proof of `bulk`, `rounded` and
    `verdict` stands on this, so they ask each time; it takes less than a microsecond.
    """
    if _TINY * _HUGE != 2.0**-74 or (2.0**-74 / _HUGE) != _TINY:
        raise RuntimeError("this thread's float64 arithmetic flushes subnormals, so nothing computed with it is exact")
    nearest = _ONE + _HALF_UNIT == _ONE and _ODD + _HALF_UNIT == 1 + 2.0**-51 and -_ONE - _HALF_UNIT == -_ONE
    if not nearest:
        raise RuntimeError("this thread's float64 arithmetic does not round to nearest, so no error bound holds")
    if not specials_spread():
        raise RuntimeError("this numpy's matrix product skips NaN and Inf beside zeros, so specials would be missed")


_SHAPES = ((1, 1, 1), (1, 5, 1), (1, 5, 7), (7, 5, 1), (16, 16, 16), (33, 64, 17))
"""M, K and N for which BLAS has ways of its own: dot, vector times matrix, small and blocked products."""


@cache
def specials_spread(multiply: Callable[[Doubles, Doubles], Doubles] = np.matmul) -> bool:
    """Whether matrix products show NaN and Inf that face only zeros, in every way in which they may be computed.

    The engines look for specials in sums, and a BLAS that skips zero factors would hide them.
    """
    for (m, k, n), special, batch in product(_SHAPES, (np.nan, np.inf, -np.inf), ((), (2,))):
        left, right = np.zeros((*batch, m, k)), np.zeros((*batch, k, n))
        left[..., -1, -1] = special
        with np.errstate(invalid="ignore"):
            row = multiply(left, right)[..., -1, :]
            column = multiply(right.swapaxes(-1, -2), left.swapaxes(-1, -2))[..., :, -1]
        if not (np.isnan(row).all() and np.isnan(column).all()):
            return False
    return True


def keep_freed_memory() -> None:
    """Let the C library keep what the engines free, so that their temporaries are not page-faulted each time anew.

    glibc gives memory of a size to the system at once, until it has seen a block of such a size freed; twice that much
    it then keeps. The block is never touched. Elsewhere this does nothing.
    """
    np.empty(_KEPT, np.uint8)


keep_freed_memory()
