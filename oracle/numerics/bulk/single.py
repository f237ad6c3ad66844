"""Sums that become f32: the processor's conversion proposes a result, exact arithmetic decides whether it is proved.

Conversions are not trusted to round. A proposal r is the value nearest to x for certain if |x - r| is less than half
the distance of r to its nearer neighbour; x is known as v with an error. The difference v - r is exact in float64 where
r lies within a factor of two of v, and where it does not, it is too large to prove anything.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from mmaspec.oracle.numerics.bulk.operands import lowest_bits, lowest_bits_at_most
from mmaspec.oracle.numerics.ordinals import Doubles, Flags
from mmaspec.programs.formats import FORMATS

F32 = FORMATS["f32"]
_SIZE, _EXPONENT = np.uint32(0x7FFF_FFFF), np.uint32(0x7F80_0000)
_HALF_UNIT = np.float64(2.0 ** -(F32.fraction_bits + 1))
_STRICTER = np.float64(1 - 2.0**-50)
"""Pays for the roundings of |v - r| + error."""

Codes = NDArray[np.uint32]


def proposed(v: Doubles, error: Doubles) -> tuple[Codes, Flags]:
    """Bits of the f32 values nearest to numbers within `error` of v, and where that is proved; never for zero.

    Elsewhere, ties included, the bits mean nothing yet.
    """
    with np.errstate(over="ignore", under="ignore"):
        codes = v.astype(np.float32).view(np.uint32)
    return codes, proved(codes, v, error)


def proved(codes: Codes, v: Doubles, error: Doubles) -> Flags:
    """Where codes are for certain those of the f32 values nearest to numbers within `error` of v."""
    off = codes.view(np.float32).astype(np.float64)
    with np.errstate(invalid="ignore"):
        off -= v
    np.abs(off, out=off)
    off += error
    # Half the distance to the neighbour on the side of zero, which is the nearer one; 0 for subnormals, which is safe.
    room = codes & _SIZE
    np.maximum(room, np.uint32(1), out=room)
    room -= np.uint32(1)
    room &= _EXPONENT
    half = room.view(np.float32).astype(np.float64)
    half *= _HALF_UNIT * _STRICTER
    found: Flags = off < half
    return found


def exact_sums(
    operands: tuple[Doubles, Doubles, Doubles], at: NDArray[np.intp], size: Doubles, relative: float
) -> Flags:
    """Which elements, numbered as in C.ravel(), had no rounding error in float64, in whatever order they were added.

    All terms of an element, so all partial sums, are multiples of its smallest lowest bit q; sums of sizes below 2^53 q
    are exact. `size` holds those sums for the elements, known within `relative`.
    """
    a, b, c = operands
    row, j = np.divmod(at, c.shape[-1])
    t, i = np.divmod(row, c.shape[-2])
    # Half of an upper bound within a factor of two is a lower bound.
    alpha = lowest_bits_at_most(a).min(axis=-1, initial=np.inf)
    beta = lowest_bits_at_most(b).min(axis=-2, initial=np.inf)
    quantum = alpha[t, i] * beta[t, j]
    quantum *= 0.25
    np.minimum(quantum, lowest_bits(c.reshape(-1)[at]), out=quantum)
    quantum *= 2.0**53 * (1 - 2 * relative)
    exact: Flags = size < quantum
    return exact
