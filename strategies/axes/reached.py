"""How much of a parameter space a list of cases reaches: which classes, and which pairs of classes, and where."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from itertools import combinations, count, product
from typing import NamedTuple

from mmaspec.strategies.axes.observation import Seen
from mmaspec.strategies.axes.space import Impossible, Space

Class = tuple[str, str]
"""An axis and one of its classes."""

Pair = tuple[Class, Class]
"""Classes of two axes of one group; axes in the order of the space."""


class Had(NamedTuple):
    """Something of a group, with its classes by axis; an axis of data may have several at once."""

    group: str
    classes: Mapping[str, frozenset[str]]


@dataclass
class Reached:
    """What was seen so far, by group."""

    space: Space
    classes: dict[str, dict[Class, str]] = field(default_factory=dict)
    """Group -> class -> the first case that has it."""
    _met: dict[str, dict[int, int]] = field(default_factory=dict)
    """Group -> number of a class -> the classes of later axes that were met with it, as bits."""
    _taken: set[tuple[str, frozenset[tuple[str, frozenset[str]]]]] = field(default_factory=set)
    """Groups with the classes of things that were taken in: many things of a case are alike."""

    def add(self, case: str, found: Iterable[Had]) -> list[Had]:
        """Take in what was seen in a case, which has this ID; what of it is like nothing before."""
        new = []
        for had in found:
            alike = (had.group, frozenset(had.classes.items()))
            if alike in self._taken:
                continue
            self._taken.add(alike)
            self._take(case, had)
            new.append(had)
        return new

    @cached_property
    def _classes(self) -> list[Class]:
        return [(name, one) for name, axis in self.space.axis.items() for one in axis.classes]

    @cached_property
    def _number(self) -> dict[str, dict[str, int]]:
        """Axis -> class -> its number; those of later axes are higher."""
        numbers = count()
        return {name: {one: next(numbers) for one in axis.classes} for name, axis in self.space.axis.items()}

    def _take(self, case: str, had: Had) -> None:
        classes = self.classes.setdefault(had.group, {})
        met = self._met.setdefault(had.group, {})
        later = 0
        for name in reversed([name for name in self._number if name in had.classes]):
            mine = 0
            for one in had.classes[name]:
                classes.setdefault((name, one), case)
                number = self._number[name][one]
                met[number] = met.get(number, 0) | later
                mine |= 1 << number
            later |= mine

    def pairs(self, group: str) -> set[Pair]:
        """The pairs of classes that were met."""
        found: set[Pair] = set()
        for number, others in self._met.get(group, {}).items():
            bits = f"{others:b}"[::-1]
            found.update((self._classes[number], self._classes[other]) for other, bit in enumerate(bits) if bit == "1")
        return found


def possible_classes(space: Space, group: str) -> Iterator[Class]:
    """Every class of a group."""
    for name, axis in space.axis.items():
        if group in axis.groups:
            yield from ((name, one) for one in axis.classes)


def possible_pairs(space: Space, group: str) -> Iterator[Pair]:
    """Every pair of classes of two axes of a group that no rule excludes."""
    excluded = excluded_pairs(space)
    axes = [name for name, axis in space.axis.items() if group in axis.groups]
    for first, second in combinations(axes, 2):
        for a, b in product(space.axis[first].classes, space.axis[second].classes):
            if frozenset(((first, a), (second, b))) not in excluded:
                yield (first, a), (second, b)


def never(space: Space, group: str) -> set[Class]:
    """The classes of a group that rules keep from every class of another axis that all things of the group have."""
    excluded = excluded_pairs(space)
    axes = {name: [(name, one) for one in axis.classes] for name, axis in space.axis.items() if group in axis.groups}
    return {
        one
        for name, classes in axes.items()
        for one in classes
        if any(
            other != name and all(frozenset((one, each)) in excluded for each in theirs)
            for other, theirs in axes.items()
        )
    }


def excluded_pairs(space: Space) -> dict[frozenset[Class], Impossible]:
    """The pairs that a rule excludes, with the rule; rules about three classes exclude no pair."""
    found: dict[frozenset[Class], Impossible] = {}
    for rule in space.impossible:
        if len(rule.together) == 2:
            for pair in product(*map(classes_of, rule.together)):
                found.setdefault(frozenset(pair), rule)
    return found


def classes_of(written: str) -> list[Class]:
    """The classes that ``axis=one|other`` stands for."""
    axis, _, classes = written.partition("=")
    return [(axis, one) for one in classes.split("|")]


def contradictions(space: Space, found: Iterable[Seen]) -> Iterator[tuple[Impossible, Seen]]:
    """Things that have classes together which a rule calls impossible: the rule or a look is wrong."""
    for seen in found:
        for rule in space.impossible:
            if all(
                any(one in seen.classes.get(axis, ()) for axis, one in classes_of(written)) for written in rule.together
            ):
                yield rule, seen
