"""Acceptance: how large legal sets are. A legal set that holds nearly everything proves nearly nothing.

It depends on the expectation alone, never on an answer: on case, profile and reading.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mmaspec.oracle.expectation import Defined
from mmaspec.oracle.numerics.legal import share

WEAK_SHARE = 1e-3
"""An element whose legal set accepts a larger share of the representable results proves little."""


@dataclass(frozen=True, slots=True)
class Acceptance:
    """Shares of a format's representable results that the stored elements of one case may hold, 0 to 1.

    median, widest   over the judged elements; 0 where there is none
    unjudged         how many elements are stored but not judged, in all batch items
    judged           how many are judged
    weak             whether each of these accepts too much
    """

    median: float
    widest: float
    unjudged: int
    judged: int = 0
    weak: bool = False


def acceptance(expected: Defined) -> Acceptance:
    """How much the legal sets of ``expected`` accept; the sets are computed for it."""
    shares, unjudged, strong = [np.empty(0)], 0, False
    for region in expected.regions:
        live = np.broadcast_to(region.live, region.legal.shape)
        judged = live & (region.legal.why == 0)
        unjudged += int((live & ~judged).sum())
        accepted = share(region.legal)
        shares.append(accepted[judged])
        # One legal content is as sharp as can be, also where the format has few.
        strong |= bool((judged & (region.legal.exact | (accepted <= WEAK_SHARE))).any())
    found = np.concatenate(shares)
    if not found.size:
        return Acceptance(0.0, 0.0, unjudged)
    return Acceptance(float(np.median(found)), float(found.max()), unjudged, found.size, not strong)
