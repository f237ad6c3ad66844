"""Class mutants and those of pairs and triples of classes: all of them, or so many drawn."""

from __future__ import annotations

import hashlib
from bisect import bisect
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import accumulate, combinations
from math import prod

from mmaspec.strategies.axes.measure import inexpressible
from mmaspec.strategies.axes.observation import Observer
from mmaspec.strategies.axes.reached import Class, classes_of
from mmaspec.strategies.axes.space import Space

PATIENCE = 200
"""Draws in vain for each one that is wanted, after which there are no more."""


@dataclass(frozen=True, slots=True)
class Mutant:
    """A device that is wrong exactly where something of a group has these classes, of axes in the space's order."""

    group: str
    classes: tuple[Class, ...]

    @property
    def text(self) -> str:
        """``product: float-sum=tie, float-terms=two``."""
        return f"{self.group}: {', '.join('='.join(one) for one in self.classes)}"


def axes_of(mutants: Iterable[Mutant]) -> frozenset[str]:
    """The axes of their classes."""
    return frozenset(axis for mutant in mutants for axis, _ in mutant.classes)


def every(space: Space, observer: Observer) -> tuple[Mutant, ...]:
    """One for every class that a program can have, group by group."""
    return tuple(
        Mutant(group, ((axis, name),)) for group, axes in _axes(space, observer).items() for axis, name in _flat(axes)
    )


def _flat(axes: dict[str, list[str]]) -> Iterator[Class]:
    for axis, names in axes.items():
        yield from ((axis, name) for name in names)


def _axes(space: Space, observer: Observer) -> dict[str, dict[str, list[str]]]:
    """Group -> axis -> classes that a program can have."""
    found: dict[str, dict[str, list[str]]] = {}
    for group in space.group:
        mute = inexpressible(space, observer, group)
        for name, axis in space.axis.items():
            if group in axis.groups:
                there = [one for one in axis.classes if (name, one) not in mute]
                if there:
                    found.setdefault(group, {})[name] = there
    return found


def drawn(space: Space, observer: Observer, strength: int, number: int, seed: int) -> tuple[Mutant, ...]:
    """So many of the combinations of ``strength`` classes of one group that no rule excludes, each as likely.

    Which ones follows from a hash of the seed; fewer only where there are no more.
    """
    axes = _axes(space, observer)
    lots = [(group, names) for group, there in axes.items() for names in combinations(there, strength)]
    ends = list(accumulate(prod(len(axes[group][name]) for name in names) for group, names in lots))
    excluded = [frozenset(map(frozenset, map(classes_of, rule.together))) for rule in space.impossible]
    found: dict[Mutant, None] = {}
    for turn in range(PATIENCE * number if ends else 0):
        at = _hashed(seed, strength, turn) % ends[-1]
        lot = bisect(ends, at)
        group, names = lots[lot]
        one = Mutant(group, tuple(_nth(axes[group], names, at - (ends[lot - 1] if lot else 0))))
        if not any(_has(one, rule) for rule in excluded):
            found.setdefault(one)
        if len(found) == number:
            break
    return tuple(found)


def _nth(axes: dict[str, list[str]], names: tuple[str, ...], number: int) -> Iterator[Class]:
    for name in names:
        number, at = divmod(number, len(axes[name]))
        yield name, axes[name][at]


def _has(mutant: Mutant, rule: frozenset[frozenset[Class]]) -> bool:
    return all(any(one in side for one in mutant.classes) for side in rule)


def _hashed(seed: int, strength: int, turn: int) -> int:
    return int.from_bytes(hashlib.sha256(f"{seed}/{strength}/{turn}".encode()).digest()[:16], "big")


def sample(mutants: tuple[Mutant, ...], number: int, seed: int) -> tuple[Mutant, ...]:
    """So many of them, as the seed has it, in their own order."""
    ranked = sorted(range(len(mutants)), key=lambda at: _hashed(seed, 1, at))
    return tuple(mutants[at] for at in sorted(ranked[:number]))
