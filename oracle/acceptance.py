"""Acceptance: how large legal sets are. A legal set that holds nearly everything proves nearly nothing.

It depends on the expectation alone, never on an answer: on case, profile and reading.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

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


class Tally:
    """The acceptance of a batch that comes in parts. Equal shares are counted, as there are few different ones."""

    def __init__(self) -> None:
        self._shares = np.empty(0)
        self._counts = np.empty(0, np.int64)
        self._unjudged = 0
        self._strong = False

    def add(self, expected: Defined) -> None:
        """Count a part."""
        found, unjudged, strong = _shares(expected)
        self._unjudged += unjudged
        self._strong |= strong
        shares, counts = np.unique(found, return_counts=True)
        self._shares, where = np.unique(np.concatenate([self._shares, shares]), return_inverse=True)
        self._counts = np.bincount(where, np.concatenate([self._counts, counts]), self._shares.size).astype(np.int64)

    def acceptance(self) -> Acceptance:
        """That of all parts so far, as of one."""
        size = int(self._counts.sum())
        if not size:
            return Acceptance(0.0, 0.0, self._unjudged)
        middle = np.searchsorted(np.cumsum(self._counts), [(size - 1) // 2, size // 2], side="right")
        median = float(np.mean(self._shares[middle]))
        return Acceptance(median, float(self._shares[-1]), self._unjudged, size, not self._strong)


def acceptance(expected: Defined) -> Acceptance:
    """How much the legal sets of ``expected`` accept; the sets are computed for it."""
    found, unjudged, strong = _shares(expected)
    if not found.size:
        return Acceptance(0.0, 0.0, unjudged)
    return Acceptance(float(np.median(found)), float(found.max()), unjudged, found.size, not strong)


def _shares(expected: Defined) -> tuple[NDArray[np.float64], int, bool]:
    """The shares of all judged elements, the number of the others, and whether one judged element accepts little."""
    shares, unjudged, strong = [np.empty(0)], 0, False
    for region in expected.regions:
        live = np.broadcast_to(region.live, region.legal.shape)
        judged = live & (region.legal.why == 0)
        unjudged += int((live & ~judged).sum())
        accepted = share(region.legal)
        shares.append(accepted[judged])
        # One legal content is as sharp as can be, also where the format has few.
        strong |= bool((judged & (region.legal.exact | (accepted <= WEAK_SHARE))).any())
    return np.concatenate(shares), unjudged, strong
