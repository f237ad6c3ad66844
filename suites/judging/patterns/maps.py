"""Maps of the lines of one axis, 0 to count - 1, to those whose values they hold; -1 where it is none of them."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import Literal, NamedTuple

import numpy as np

from mmaspec.suites.judging.patterns.tile import Positions

Name = Literal[
    "reversed", "xor", "rotated", "slid", "one", "rotated in groups", "repeated", "first of group", "stretched",
    "multiplied", "dealt",
]  # fmt: skip


CLOSED: frozenset[Name] = frozenset({"reversed", "xor", "rotated", "rotated in groups", "dealt"})
"""Under these, every line goes to one place."""


class Map(NamedTuple):
    """One map under its name, with the numbers that its words need."""

    name: Name
    numbers: tuple[int, ...]


@lru_cache(maxsize=64)
def maps(count: int) -> tuple[tuple[tuple[Map, ...], Positions], ...]:
    """Families of maps, the simplest first: their names, and the maps as an array (maps, lines)."""
    lines = np.arange(count, dtype=np.int64)
    families = [_reversed, _xor, _rotated, _one, _rotated_in_groups, _repeated, _dealt, _slid]
    made = [list(family(lines)) for family in families]
    return tuple((tuple(name for name, _ in each), np.stack([to for _, to in each])) for each in made if each)


Made = Iterator[tuple[Map, Positions]]


def _reversed(lines: Positions) -> Made:
    if len(lines) > 2:
        yield Map("reversed", ()), lines[::-1]


def _xor(lines: Positions) -> Made:
    for mask in range(1, 1 << (len(lines) - 1).bit_length()):
        other = lines ^ mask
        yield Map("xor", (mask,)), np.where(other < len(lines), other, lines)


def _rotated(lines: Positions) -> Made:
    count = len(lines)
    for by in range(1, count):
        if 2 * by != count:  # that is an exchange
            yield Map("rotated", (by,)), (lines - by) % count


def _slid(lines: Positions) -> Made:
    count = len(lines)
    for by in range(1, count // 2 + 1):
        yield Map("slid", (by,)), np.where(lines >= by, lines - by, -1)
        yield Map("slid", (-by,)), np.where(lines + by < count, lines + by, -1)


def _one(lines: Positions) -> Made:
    for line in lines:
        yield Map("one", (int(line),)), np.full_like(lines, line)


def _divisors(count: int) -> list[int]:
    return [size for size in range(2, count) if count % size == 0]


def _rotated_in_groups(lines: Positions) -> Made:
    for size in _divisors(len(lines)):
        for by in range(1, size):
            if 2 * by != size:
                yield Map("rotated in groups", (size, by)), lines // size * size + (lines - by) % size


def _repeated(lines: Positions) -> Made:
    count = len(lines)
    for size in _divisors(count):
        for start in range(0, count, size):
            yield Map("repeated", (size, start)), lines % size + start
        for which in range(size):
            yield Map("first of group", (size, which)), lines // size * size + which
        yield Map("stretched", (size,)), lines // size
        yield Map("multiplied", (size,)), lines * size % count


def _dealt(lines: Positions) -> Made:
    for size in _divisors(len(lines)):
        yield Map("dealt", (size,)), lines % size * (len(lines) // size) + lines // size
