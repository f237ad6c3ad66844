"""Covering arrays: few rows in which every allowed pair (triple, ...) of classes of the axes occurs together.

Greedy, one row at a time: the row starts with a tuple that no row has yet, and takes of every other axis the class with
which most new tuples come in. What may not be together is data; a tuple that no allowed row has is found by search, not
taken on faith.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, product

from mmaspec.strategies.choices import Counted

Class = tuple[str, str]
"""An axis, and one of its classes."""

Tuple = frozenset[Class]
"""Classes of different axes."""

MOST_STEPS = 20_000
"""Classes that are tried for one row before the rules are called too tangled."""


class Tangled(RuntimeError):
    """Rules among which no row was found, nor that there is none: a mistake of whoever wrote them."""


@dataclass(frozen=True, slots=True)
class Covering:
    """The rows, each with a class of every axis, and the tuples that no allowed row has."""

    rows: tuple[Mapping[str, str], ...]
    impossible: frozenset[Tuple]


def covering(
    axes: Mapping[str, Sequence[str]], excluded: Collection[Tuple], strength: int = 2, key: str = ""
) -> Covering:
    """Rows that together have every tuple of ``strength`` classes that the rules allow.

    ``excluded`` are classes that may not be together, two or more at a time; one alone excludes the class. Equal
    arguments give equal rows; ``key`` is any text that decides among classes that bring in as much.
    """
    found = _Search(axes, excluded, strength, key)
    rows: list[Mapping[str, str]] = []
    impossible: set[Tuple] = set()
    while found.missing:
        start = min(found.missing, key=found.order)
        row = found.row(start)
        if row is None:
            impossible.add(start)
            found.missing.discard(start)
        else:
            rows.append({axis: row[axis] for axis in axes})
    return Covering(tuple(rows), frozenset(impossible))


def tuples(axes: Mapping[str, Sequence[str]], strength: int) -> Iterator[Tuple]:
    """Every tuple of classes of so many axes; of all axes where there are fewer."""
    for some in combinations(axes, min(strength, len(axes))):
        for classes in product(*(axes[axis] for axis in some)):
            yield frozenset(zip(some, classes, strict=True))


class _Search:
    """The tuples that are still missing, and how a row is filled."""

    def __init__(self, axes: Mapping[str, Sequence[str]], excluded: Collection[Tuple], strength: int, key: str) -> None:
        self.axes = axes
        self.strength = min(strength, len(axes))
        self.key = key
        self.others: dict[Class, list[Tuple]] = {}
        """Class -> what it may not meet: all of these at once."""
        for rule in excluded:
            for one in rule:
                self.others.setdefault(one, []).append(rule - {one})
        every = {one: turn for turn, one in enumerate((axis, name) for axis in axes for name in axes[axis])}
        draw = Counted(f"covering {key}")
        self.turn = {one: draw.integer(0, 1 << 40) for one in every}
        self.missing: set[Tuple] = set(tuples(axes, strength))

    def order(self, some: Tuple) -> list[int]:
        """In which order tuples start rows: by chance, but always the same."""
        return sorted(self.turn[one] for one in some)

    def allowed(self, one: Class, row: Mapping[str, str]) -> bool:
        """Whether a class may join a row."""
        return not any(all(row.get(axis) == name for axis, name in rule) for rule in self.others.get(one, ()))

    def row(self, start: Tuple) -> dict[str, str] | None:
        """A row with these classes, its tuples no longer missing; None if the rules allow none."""
        row: dict[str, str] = {}
        for axis, name in sorted(start, key=lambda one: self.turn[one]):
            if not self.allowed((axis, name), row):
                return None
            row[axis] = name
        left = sorted(set(self.axes) - set(row), key=lambda axis: (-self._wanted(axis), axis))
        self.steps = 0
        if not self._filled(row, left):
            return None
        for some in combinations(row.items(), self.strength):
            self.missing.discard(frozenset(some))
        return row

    def _wanted(self, axis: str) -> int:
        """How many classes an axis has: those with many come first, while the row is still open to all of them."""
        return len(self.axes[axis])

    def _filled(self, row: dict[str, str], left: Sequence[str]) -> bool:
        if not left:
            return True
        axis, *rest = left
        classes = [name for name in self.axes[axis] if self.allowed((axis, name), row)]
        for name in sorted(classes, key=lambda name: (-self._gain((axis, name), row), self.turn[axis, name])):
            self.steps += 1
            if self.steps > MOST_STEPS:
                raise Tangled(f"{self.key}: no row with {row} after {MOST_STEPS} steps")
            row[axis] = name
            if self._filled(row, rest):
                return True
            del row[axis]
        return False

    def _gain(self, one: Class, row: Mapping[str, str]) -> int:
        """How many missing tuples come in with a class."""
        return sum(frozenset((one, *some)) in self.missing for some in combinations(row.items(), self.strength - 1))
