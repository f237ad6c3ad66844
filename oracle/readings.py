"""Readings of ambiguous clauses: chosen for one expectation, kept open over a run."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from itertools import product

Assignment = tuple[tuple[str, str], ...]
"""One reading per ambiguity, sorted by ambiguity ID."""


class Readings:
    """The readings under which one expectation is computed; records which ones mattered.

    Semantics call ``choose`` only where the readings give different answers *for the data at hand*, so
    that a case in which nothing overflows does not depend on how overflow is read.
    """

    def __init__(
        self, chosen: Mapping[str, str], freely: Mapping[str, str] | None = None, *, alike: bool = False
    ) -> None:
        """``freely`` says what is done where a device may do one thing or another, anew each time.

        ``alike``: what one instruction does several times in one part of a program is chosen once, and so is what a
        program does of one kind in several places, if that may show anywhere.
        """
        self._chosen = dict(chosen)
        self._freely = dict(freely or {})
        self.alike = alike
        self.asked: list[tuple[str, str]] = []
        """Every ambiguity that was asked about, and its reading, in turn."""
        self.offered: dict[str, tuple[str, ...]] = {}
        """Every free choice that was made: what it was about, and its options."""
        self.parts: dict[str, int | None] = {}
        """The part of the program in which alone each of them shows; None: it may show anywhere."""

    def choose(self, ambiguity: str) -> str:
        """The reading of ``ambiguity``; it is noted as consulted. ``KeyError`` for an unknown one."""
        reading = self._chosen[ambiguity]
        self.asked.append((ambiguity, reading))
        return reading

    @property
    def consulted(self) -> set[str]:
        """The ambiguities that mattered."""
        return {ambiguity for ambiguity, _ in self.asked}

    def answered_alike(self, earlier: Assignment) -> bool:
        """Whether these readings are those of an earlier asking; then it is as if they had been asked for again."""
        same = all(self._chosen[ambiguity] == reading for ambiguity, reading in earlier)
        if same:
            self.asked += earlier
        return same

    def decide(self, what: str, options: tuple[str, ...], part: int | None = None) -> str:
        """One of several things that a text leaves free each time, by default the first; ``what`` names the occasion.

        Nothing follows from it for another occasion, unlike from a reading. ``part`` is the only part of the program in
        which it shows, if there is one.
        """
        self.offered[what], self.parts[what] = options, part
        return self._freely.get(what, options[0])

    def choosing(self, freely: Mapping[str, str]) -> Readings:
        """The same readings, with other free choices."""
        return Readings(self._chosen, freely, alike=self.alike)

    def with_fewer_choices(self) -> Readings:
        """The same readings, where less is chosen by itself (``alike``)."""
        return Readings(self._chosen, alike=True)

    @property
    def decided(self) -> dict[str, str]:
        """What each free choice was."""
        return {what: self._freely.get(what, options[0]) for what, options in self.offered.items()}


def combinations(options: Mapping[str, Iterable[str]]) -> Iterator[Assignment]:
    """Every assignment of one reading to each ambiguity, in sorted order."""
    names = sorted(options)
    for choice in product(*(sorted(options[name]) for name in names)):
        yield tuple(zip(names, choice, strict=True))


def explained(
    options: Mapping[str, Iterable[str]], accepted: Iterable[tuple[Assignment, ...]]
) -> dict[Assignment, int]:
    """How many cases of a run each assignment explains.

    ``accepted`` holds, per case that depended on a reading, the partial assignments under which it was legal. What
    explains it extends one of them.
    """
    alike = Counter(accepted)
    found = {}
    for whole in combinations(options):
        chosen = {*whole}
        found[whole] = sum(
            count for case, count in alike.items() if any(chosen.issuperset(partial) for partial in case)
        )
    return found
