"""Exact sums of a few float64 arrays, rounded once (Shewchuk's expansions, round to odd)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from mmaspec.backends.numpy.units.encoding import Doubles


def two_sum(x: Doubles, y: Doubles) -> tuple[Doubles, Doubles]:
    """The nearest float64 to ``x + y`` and what it misses, exactly (no overflow)."""
    total = x + y
    shadow = total - x
    return total, (x - (total - shadow)) + (y - shadow)


def sum_to_odd(terms: Sequence[Doubles]) -> Doubles:
    """The exact sum of the terms, rounded to odd: exact, or the one of its two neighbours with an odd last bit.

    Terms are arrays of one shape, finite and far from overflow. A later rounding to a format of at most
    51 significant bits gives what a single rounding of the exact sum would have given.
    """
    # The components do not overlap and grow in magnitude, zeros aside: Shewchuk's GROW-EXPANSION.
    components: list[Doubles] = []
    for term in terms:
        carried = term
        for index, component in enumerate(components):
            carried, components[index] = two_sum(carried, component)
        components.append(carried)
    # From the top, until something is left over. What is lower still is less than the last bit of that rest,
    # so it cannot change the rest's sign, nor carry the sum past the neighbour.
    total = components.pop()
    rest = np.zeros_like(total)
    for component in reversed(components):
        settled = rest != 0
        further, missed = two_sum(total, component)
        total = np.where(settled, total, further)
        rest = np.where(settled, rest, missed)
    return to_odd(total, rest)


def to_odd(nearest: Doubles, rest: Doubles) -> Doubles:
    """``nearest + rest`` rounded to odd, where the exact value lies strictly between ``nearest`` and a neighbour.

    Only the sign of ``rest`` counts; where it is zero, ``nearest`` is the exact value.
    """
    code = nearest.view(np.int64)
    outward = np.signbit(nearest) == np.signbit(rest)
    # Codes of one sign are consecutive, so a step of the code is a step to the neighbour.
    step = np.where(outward, np.int64(1), np.int64(-1))
    moved = (rest != 0) & ((code & 1) == 0)
    return np.where(moved, code + step, code).view(np.float64)
