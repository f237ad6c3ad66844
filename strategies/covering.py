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
    axes: Mapping[str, Sequence[str]],
    excluded: Collection[Tuple],
    strength: int = 2,
    key: str = "",
    once: Collection[Class] = (),
) -> Covering:
    """Rows that together have every tuple of ``strength`` classes that the rules allow.

    ``excluded`` are classes that may not be together, two or more at a time; one alone excludes the class. Those of
    ``once`` have to be in some row, with whatever classes. Equal arguments give equal rows; ``key`` is any text that
    decides among classes that bring in as much.
    """
    found = _Search(axes, excluded, strength, key, frozenset(once))
    rows: list[Mapping[str, str]] = []
    # What a rule says outright needs no search.
    impossible = {rule for rule in excluded if rule in found.missing}
    found.missing -= impossible
    for start in sorted(found.missing, key=found.order):
        if start not in found.missing:
            continue
        row = found.row(start)
        if row is None:
            impossible.add(start)
            found.missing.discard(start)
        else:
            rows.append({axis: row[axis] for axis in axes})
    return Covering(tuple(rows), frozenset(impossible))


def row_with(
    some: Tuple, axes: Mapping[str, Sequence[str]], excluded: Collection[Tuple], key: str = ""
) -> Mapping[str, str] | None:
    """Any row with these classes; ``key`` decides which. None if the rules allow none."""
    row = _Search(axes, excluded, 1, key, frozenset()).row(some)
    return None if row is None else {axis: row[axis] for axis in axes}


def tuples(axes: Mapping[str, Sequence[str]], strength: int) -> Iterator[Tuple]:
    """Every tuple of classes of so many axes; of all axes where there are fewer."""
    for some in combinations(axes, min(strength, len(axes))):
        for classes in product(*(axes[axis] for axis in some)):
            yield frozenset(zip(some, classes, strict=True))


class _Search:
    """The tuples that are still missing, and how a row is filled."""

    def __init__(
        self,
        axes: Mapping[str, Sequence[str]],
        excluded: Collection[Tuple],
        strength: int,
        key: str,
        once: frozenset[Class],
    ) -> None:
        self.axes = {axis: [(axis, name) for name in names] for axis, names in axes.items()}
        self.strength = min(strength, len(axes))
        self.key = key
        self.never = frozenset(one for rule in excluded if len(rule) == 1 for one in rule)
        self.apart: dict[Class, set[Class]] = {}
        """Class -> what it may not meet, whatever else there is."""
        self.third: dict[Class, dict[Class, set[Class]]] = {}
        """Class -> another -> what may not meet them both."""
        self.rules: dict[Class, list[Tuple]] = {}
        """Class -> what it may not meet: all of these at once, which are three or more."""
        for rule in excluded:
            for one in rule:
                if len(rule) == 2:
                    self.apart.setdefault(one, set()).update(rule - {one})
                elif len(rule) == 3:
                    for other in rule - {one}:
                        self.third.setdefault(one, {}).setdefault(other, set()).update(rule - {one, other})
                elif len(rule) > 3:
                    self.rules.setdefault(one, []).append(rule - {one})
        draw = Counted(f"covering {key}")
        self.turn = {one: draw.integer(0, 1 << 40) for classes in self.axes.values() for one in classes}
        # Those with many classes come first, while the row is still open to all of them.
        self.first = sorted(self.axes, key=lambda axis: (-len(self.axes[axis]), axis))
        self.once = once
        self.missing: set[Tuple] = {some for some in tuples(axes, strength) if once.isdisjoint(some)}
        self.missing |= {frozenset((one,)) for one in once}
        self.steps = 0

    def order(self, some: Tuple) -> list[int]:
        """In which order tuples start rows: by chance, but always the same."""
        return sorted(self.turn[one] for one in some)

    def row(self, start: Tuple) -> dict[str, str] | None:
        """A row with these classes, its tuples no longer missing; None if the rules allow none."""
        self.steps = 0
        banned: frozenset[Class] = self.never
        row: dict[str, str] = {}
        for one in sorted(start, key=self.turn.__getitem__):
            if one in banned:
                return None
            row[one[0]] = one[1]
            banned = self._banned(banned, one, row)
        if not self._filled(row, banned):
            return None
        for some in combinations(row.items(), self.strength):
            self.missing.discard(frozenset(some))
        self.missing -= {frozenset((one,)) for one in self.once.intersection(row.items())}
        return row

    def _banned(self, banned: frozenset[Class], one: Class, row: Mapping[str, str]) -> frozenset[Class]:
        """What a row may no longer have once it has a class."""
        found = set(self.apart.get(one, ()))
        if third := self.third.get(one):
            found.update(*(third[other] for other in row.items() if other in third))
        for rule in self.rules.get(one, ()):
            left = [other for other in rule if row.get(other[0]) != other[1]]
            if len(left) == 1:
                found.add(left[0])
        return banned | found if found else banned

    def _filled(self, row: dict[str, str], banned: frozenset[Class]) -> bool:
        """Fill the rest of a row; an axis that has one class left comes next, and one that has none ends it."""
        chosen: list[Class] | None = None
        for axis in self.first:
            if axis not in row:
                left = [one for one in self.axes[axis] if one not in banned]
                if not left:
                    return False
                if chosen is None or len(left) == 1:
                    chosen = left
                if len(left) == 1:
                    break
        if chosen is None:
            return True
        if len(chosen) > 1:
            gains = {one: self._gain(one, row) for one in chosen}
            chosen.sort(key=lambda one: (-gains[one], one in self.once, self.turn[one]))
        for one in chosen:
            self.steps += 1
            if self.steps > MOST_STEPS:
                raise Tangled(f"{self.key}: no row with {row} after {MOST_STEPS} steps")
            row[one[0]] = one[1]
            if self._filled(row, self._banned(banned, one, row)):
                return True
            del row[one[0]]
        return False

    def _gain(self, one: Class, row: Mapping[str, str]) -> int:
        """How many missing tuples come in with a class."""
        if self.strength == 1:
            return int(frozenset((one,)) in self.missing)
        return sum(frozenset((one, *some)) in self.missing for some in combinations(row.items(), self.strength - 1))
