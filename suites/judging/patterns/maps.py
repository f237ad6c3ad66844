"""Maps of the lines of one axis, 0 to count - 1, to those whose values they hold; -1 where it is none of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

import numpy as np

from mmaspec.suites.judging.patterns.tile import Positions

Name = Literal[
    "reversed", "xor", "rotated", "one", "rotated in groups", "repeated", "one of each group", "stretched",
    "multiplied", "dealt", "slid",
]  # fmt: skip


@dataclass(frozen=True, slots=True)
class Maps:
    """Maps under one name, which differ in numbers."""

    name: Name
    closed: bool
    """Every line goes to one place, none is lost."""
    numbers: tuple[tuple[int, ...], ...]
    """Of each map."""
    to: Callable[..., Positions]
    """Of lines, and for each number an array, the lines that they hold; all are broadcast."""

    def of(self, members: Positions, lines: Positions) -> Positions:
        """The maps with these indices, at these lines; both are broadcast."""
        table = np.array(self.numbers, np.int64).reshape(len(self.numbers), -1)
        to = self.to(lines, *(column[members] for column in table.T))
        return np.broadcast_to(to, np.broadcast_shapes(members.shape, lines.shape))


@lru_cache(maxsize=64)
def maps(count: int) -> tuple[Maps, ...]:
    """The maps of so many lines, the simplest first."""
    groups = [size for size in range(2, count) if count % size == 0]
    sizes = tuple((size,) for size in groups)
    # Half a turn of a power of two is an exchange.
    turns = [by for by in range(1, count) if 2 * by != count or count & (count - 1)]

    def exchanged(line: Positions, mask: Positions) -> Positions:
        return np.where(line ^ mask < count, line ^ mask, line)

    def slid(line: Positions, by: Positions) -> Positions:
        return np.where((line >= by) & (line - by < count), line - by, -1)

    made = (
        Maps("reversed", True, ((0,),) * (count > 2), lambda line, _: count - 1 - line),
        Maps("xor", True, tuple((mask,) for mask in range(1, 1 << (count - 1).bit_length())), exchanged),
        Maps("rotated", True, tuple((by,) for by in turns), lambda line, by: (line - by) % count),
        Maps("one", False, tuple((which,) for which in range(count)), lambda _, which: which),
        Maps(
            "rotated in groups",
            True,
            tuple((size, by) for size in groups for by in range(1, size) if 2 * by != size),
            lambda line, size, by: line // size * size + (line - by) % size,
        ),
        Maps(
            "repeated",
            False,
            tuple((size, start) for size in groups for start in range(0, count, size)),
            lambda line, size, start: line % size + start,
        ),
        Maps(
            "one of each group",
            False,
            tuple((size, which) for size in groups for which in range(size)),
            lambda line, size, which: line // size * size + which,
        ),
        Maps("stretched", False, sizes, lambda line, size: line // size),
        Maps("multiplied", False, sizes, lambda line, size: line * size % count),
        Maps("dealt", True, sizes, lambda line, size: line % size * (count // size) + line // size),
        Maps("slid", False, tuple((by * way,) for by in range(1, count // 2 + 1) for way in (1, -1)), slid),
    )
    return tuple(each for each in made if each.numbers)
