"""What the proofs ask of the processor: float64 as IEEE 754 has it, subnormals kept, rounded to nearest."""

from __future__ import annotations

import numpy as np

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


def keep_freed_memory() -> None:
    """Let the C library keep what the engines free, so that their temporaries are not page-faulted each time anew.

    glibc gives memory of a size to the system at once, until it has seen a block of such a size freed; twice that much
    it then keeps. The block is never touched. Elsewhere this does nothing.
    """
    np.empty(_KEPT, np.uint8)


keep_freed_memory()
