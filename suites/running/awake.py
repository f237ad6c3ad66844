"""How long cases have been running, counted only while this process runs too.

A machine that sleeps, or a debugger or scheduler that stops everything, would otherwise make each running case look as
if it had hung: clocks go on meanwhile.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection

MOST = 1.0
"""Seconds that one look counts at most: between two there are far fewer."""


class Awake:
    """Counts seconds from look to look, and how many each running case has had."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._last = clock()
        self._since: dict[str, float] = {}
        self.seconds = 0.0
        """Seconds so far, of each look ``MOST`` at most."""

    def look(self, running: Collection[str]) -> None:
        """Count the time since the last look, and for ``running`` cases from their first look on."""
        now = self._clock()
        self.seconds += min(now - self._last, MOST)
        self._last = now
        self._since = {case: self._since.get(case, self.seconds) for case in running}

    def longest(self, limit: float) -> str:
        """The case that has been running longest, if longer than ``limit`` seconds; else empty."""
        found = min(self._since, key=lambda case: (self._since[case], case), default="")
        return found if found and self.seconds - self._since[found] > limit else ""
