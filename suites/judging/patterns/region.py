"""The part of a tile to which a pattern applies, and its words."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

import numpy as np

from mmaspec.oracle.numerics.ordinals import Flags
from mmaspec.suites.judging.patterns.tile import Positions, Tile

NOUNS = (("wave", "waves"), ("row", "rows"), ("column", "columns"))
"""Of each axis of a tile: one line, several."""
NUMBERS = {2: "two", 4: "four", 8: "eight", 16: "16", 32: "32"}
_LISTED = 6


def regions(tile: Tile, source: Positions) -> Iterator[Flags]:
    """Regions that hold all that is wrong, the largest first, in the tile's shape.

    Along each axis: everything, an aligned block, a range, the wrong lines with those they come from, the wrong lines.
    Not if most lines of it have nothing wrong: then nothing shows that the pattern reaches so far.
    """
    options = [_lines(tile, source, axis) for axis in range(3)]
    chosen = sorted(product(*options), key=lambda lines: -np.prod([int(line.sum()) for line in lines]))
    for waves, rows, cols in chosen:
        yield waves[:, None, None] & rows[:, None] & cols


def _lines(tile: Tile, source: Positions, axis: int) -> list[Flags]:
    wrong = lines_of(tile.touched, axis)
    count = len(wrong)
    found = np.flatnonzero(wrong)
    first, last = int(found[0]), int(found[-1])
    span = 1 << (first ^ last).bit_length()
    numbers = np.arange(count)
    moved = source[tile.touched.ravel()]
    closed = wrong.copy()
    closed[np.unravel_index(moved[moved >= 0], tile.shape)[axis]] = True
    block: Flags = np.equal(numbers // span, first // span)
    options: list[Flags] = [np.ones_like(wrong), block, (numbers >= first) & (numbers <= last), closed, wrong]
    different: dict[bytes, Flags] = {
        option.tobytes(): option for option in options if 2 * int(wrong.sum()) > int(option.sum())
    }
    return list(different.values())


def lines_of(region: Flags, axis: int) -> Flags:
    """The waves, rows or columns that a region reaches."""
    waves, rows, cols = np.nonzero(region)
    reached = np.zeros(region.shape[axis], np.bool_)
    reached[(waves, rows, cols)[axis]] = True
    return reached


def within(region: Flags, moved: tuple[int, ...]) -> str:
    """The region along the axes that a pattern does not speak of itself: " in row 8 of wave 1", or nothing."""
    told = [line_words(lines_of(region, axis), axis) for axis in (2, 1, 0) if axis not in moved]
    told = [words for words in told if words]
    return " in " + " of ".join(told) if told else ""


def line_words(lines: Flags, axis: int) -> str:
    """Lines of an axis, "rows 8 to 15"; nothing where that is all of them."""
    one, several = NOUNS[axis]
    found = np.flatnonzero(lines).tolist()
    if lines.all():
        return ""
    if len(found) == 1:
        return f"{one} {found[0]}"
    ranges = _ranges(found)
    if len(ranges) <= 2 and len(found) > 2:
        return f"{several} {' and '.join(ranges)}"
    every = period(lines)
    if every == 2:
        return f"{'odd' if found[0] else 'even'} {several}"
    if every and sum(lines[:every]) == 1:
        return f"{one} {found[0]} of every {NUMBERS[every]}"
    if every and sum(lines[:every]) <= 2:
        return f"{several} {listed(found[: int(sum(lines[:every]))])} of every {NUMBERS[every]}"
    return f"{several} {listed(found)}" if len(found) <= _LISTED else f"{len(found)} of {len(lines)} {several}"


def _ranges(numbers: list[int]) -> list[str]:
    """Runs of neighbours: "8 to 15", "20"."""
    starts = [number for number in numbers if number - 1 not in numbers]
    ends = [number for number in numbers if number + 1 not in numbers]
    return [f"{start} to {end}" if end > start else str(start) for start, end in zip(starts, ends, strict=True)]


def listed(numbers: list[int]) -> str:
    """Numbers as words say them: "1, 2 and 3"."""
    *rest, last = (str(number) for number in numbers)
    return f"{', '.join(rest)} and {last}" if rest else last


def period(lines: Flags) -> int:
    """The number of lines, a power of two, after which the choice repeats, at least twice; 0 where it never does."""
    for every in NUMBERS:
        if len(lines) % every == 0 and every < len(lines) and (lines.reshape(-1, every) == lines[:every]).all():
            return every
    return 0
