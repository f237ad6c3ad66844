"""Which half of a register an element is in, where two matrices share registers."""

from __future__ import annotations

from typing import Literal

import numpy as np

from mmaspec.oracle.expectation import Defined

Half = Literal["", "low", "high"]


def half_of(expected: Defined, number: int) -> Half:
    """The half of its registers that a region takes; empty where it is the only matrix in them.

    A store of such registers writes two regions, element by element next to each other, the low halves first. The
    copies of one matrix, which are stored one by one as well, lie further apart.
    """
    mine = expected.regions[number]
    for other in expected.regions:
        if other is mine or (other.buffer, other.step) != (mine.buffer, mine.step):
            continue
        apart = other.addresses - mine.addresses if other.addresses.shape == mine.addresses.shape else np.zeros(1)
        if (apart == mine.legal.fmt.nbytes).all():
            return "low"
        if (apart == -mine.legal.fmt.nbytes).all():
            return "high"
    return ""
