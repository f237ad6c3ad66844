"""How much a verdict accepts: a legal set that holds nearly everything proves nearly nothing."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mmaspec.oracle.expectation import Defined
from mmaspec.oracle.numerics.legal import share


@dataclass(frozen=True, slots=True)
class Acceptance:
    """Shares of a format's representable results that the stored elements of one case may hold, 0 to 1.

    median, widest   over the judged elements; 0 where there is none
    unjudged         how many elements are stored but not judged, in all batch items
    """

    median: float
    widest: float
    unjudged: int


def acceptance(expected: Defined) -> Acceptance:
    """How much the legal sets of ``expected`` accept."""
    shares, unjudged = [np.empty(0)], 0
    for region in expected.regions:
        live = np.broadcast_to(region.live, region.legal.shape)
        judged = live & (region.legal.why == 0)
        unjudged += int((live & ~judged).sum())
        shares.append(share(region.legal)[judged])
    found = np.concatenate(shares)
    if not found.size:
        return Acceptance(0.0, 0.0, unjudged)
    return Acceptance(float(np.median(found)), float(found.max()), unjudged)
