"""How many triples of classes a group of a parameter space has, and how many of them a list of cases has.

There are millions, so they are never listed: for two classes a whole number says, bit by bit, with which third they go.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from itertools import combinations, product

from mmaspec.strategies.axes.reached import Class, classes_of, possible_classes, possible_pairs
from mmaspec.strategies.axes.space import Space

Thirds = dict[tuple[int, int], int]
"""Two classes of a group, by number -> the classes of later axes that were met with both, as bits."""


@dataclass
class Triples:
    """The triples of one group: three classes of three axes, axes in the order of the space."""

    space: Space
    group: str
    met: Thirds = field(default_factory=dict)

    @cached_property
    def _classes(self) -> list[Class]:
        return list(possible_classes(self.space, self.group))

    @cached_property
    def _number(self) -> dict[Class, int]:
        return {one: number for number, one in enumerate(self._classes)}

    @cached_property
    def _axes(self) -> list[str]:
        return list(dict.fromkeys(axis for axis, _ in self._classes))

    @cached_property
    def _later(self) -> dict[str, int]:
        """Axis -> the classes of all axes behind it."""
        found, behind = {}, 0
        for axis in reversed(self._axes):
            found[axis] = behind
            behind |= sum(1 << self._number[axis, one] for one in self.space.axis[axis].classes)
        return found

    def add(self, classes: Mapping[str, Collection[str]]) -> None:
        """Take in one thing with all its classes, by axis."""
        had = [(axis, self._number[axis, one]) for axis in self._axes if axis in classes for one in classes[axis]]
        whole = sum(1 << number for _, number in had)
        for (first, one), (second, other) in combinations(had, 2):
            if first != second:
                self.met[one, other] = self.met.get((one, other), 0) | (whole & self._later[second])

    def possible(self, mute: Collection[Class]) -> Thirds:
        """Those that no rule excludes, and that no class which nothing can express is part of."""
        along = dict.fromkeys(range(len(self._classes)), 0)
        pairs = []
        for pair in possible_pairs(self.space, self.group):
            if not any(one in mute for one in pair):
                one, other = (self._number[each] for each in pair)
                along[one] |= 1 << other
                along[other] |= 1 << one
                pairs.append((one, other, self._later[pair[1][0]]))
        found = {(one, other): along[one] & along[other] & later for one, other, later in pairs}
        for one, other, third in self._excluded():
            if (one, other) in found:
                found[one, other] &= ~(1 << third)
        return found

    def _excluded(self) -> Iterator[tuple[int, int, int]]:
        """The triples that rules about three classes exclude, in the order of their axes."""
        for rule in self.space.impossible:
            if len(rule.together) == 3:
                for triple in product(*map(classes_of, rule.together)):
                    numbers = sorted(self._number[one] for one in triple if one in self._number)
                    if len(numbers) == 3:
                        yield numbers[0], numbers[1], numbers[2]

    def counts(self, mute: Collection[Class]) -> tuple[int, int]:
        """How many are possible, and how many of those were met."""
        possible = self.possible(mute)
        met = sum((thirds & self.met.get(pair, 0)).bit_count() for pair, thirds in possible.items())
        return sum(thirds.bit_count() for thirds in possible.values()), met
