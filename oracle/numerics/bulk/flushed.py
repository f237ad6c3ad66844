"""How much sums may fall and rise by partial sums that are flushed (`dot` says why).

A sum falls by no more than its positive terms are read as, and by no more smallest normals than there are of them; it
rises by no more than its negative ones, alike.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mmaspec.oracle.numerics.bulk.operands import Addend, Operand
from mmaspec.oracle.numerics.ordinals import Doubles
from mmaspec.programs.formats import Format


@dataclass(frozen=True, slots=True, eq=False)
class Lost:
    """What flushing may take from sums, and what it may add; each known to a few units in the last place of itself.

    ``unknown`` is for sums beside which it is next to nothing: what it may be at most, of which nothing more is said.
    """

    falls: Doubles | float = 0.0
    rises: Doubles | float = 0.0
    unknown: float = 0.0


NOTHING = Lost()
"""Nothing is flushed."""


def flushed(fmt: Format, left: Operand, right: Operand, addend: Addend, error: Doubles) -> Lost:
    """For sums into a format, given how far they are known anyway.

    Positive and negative terms are added apart, so that each sum is known relative to itself: K + 1 terms of one sign
    err by at most (K + 1) u. Counts are exact in float32.
    """
    most = math.ldexp(left.values.shape[-1] + 1, fmt.emin)
    if error.size and most <= error.min():
        return Lost(unknown=most)
    plus, minus = _parts(left)
    right_plus, right_minus = _parts(right)
    positive = plus @ right_plus + minus @ right_minus + np.maximum(addend.lo, 0.0)
    negative = plus @ right_minus + minus @ right_plus + np.maximum(-addend.hi, 0.0)
    up, down, right_up, right_down = map(_counted, (plus, minus, right_plus, right_minus))
    falling = up @ right_up + down @ right_down + (addend.lo > 0)
    rising = up @ right_down + down @ right_up + (addend.hi < 0)
    smallest = math.ldexp(1.0, fmt.emin)
    return Lost(np.minimum(falling * smallest, positive), np.minimum(rising * smallest, negative))


def _counted(sizes: Doubles) -> NDArray[np.float32]:
    return (sizes > 0).astype(np.float32)


def _parts(operand: Operand) -> tuple[Doubles, Doubles]:
    """The least sizes of the positive and of the negative entries, zeros elsewhere."""
    negative = operand.values < 0
    return np.where(negative, 0.0, operand.least), np.where(negative, operand.least, 0.0)
