"""Which numbers accesses have, and how they are spread over cases."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from typing import Any

from mmaspec.oracle.spec import Row, spec_named
from mmaspec.programs.nv_coopmat2.caps import CoopMatCaps, Property
from mmaspec.strategies.axes.space import space_of
from mmaspec.strategies.nv_coopmat2.builder.extents import MOST

SPEC = "nv-coopmat2"
OFFSETS = "element-offset-size"
"""An axis whose numbers go with any layout."""

REACH: dict[str, int] = {
    "outer-stride": 1 << 32,
    "inner-stride": 1 << 31,
    "dimension-size": 1 << 32,
    "inner-dimension-size": 1 << 31,
    "slice-offset-size": (1 << 31) + 2,
    "span-size": 1 << 32,
    "block-size": 1 << 17,
    "view-stride-size": 1 << 32,
    "view-dimension-size": 1 << 32,
    "linear-index": 1 << 18,
    "byte-offset": 1 << 18,
    OFFSETS: 1 << 18,
}
"""Axis -> the first number that is too large for a buffer of a megabyte, or that nothing defined has."""

FAR_FROM = 1 << 18
FAR: dict[str, int] = {
    "linear-index": 1 << 32,
    "byte-offset": 1 << 32,
    OFFSETS: 1 << 28,
    "outer-stride": 1 << 32,
    "inner-stride": 1 << 31,
    "dimension-size": 1 << 31,
    "inner-dimension-size": 1 << 31,
    "slice-offset-size": (1 << 31) - 1,
}
"""Axis -> the first number that is too large for a sparse buffer as well. Those below `FAR_FROM` need none."""
BOTH = ("linear-index", "byte-offset", OFFSETS)
"""Axes that have every class in loads and in stores; of the others they take turns."""

LOADS_ONLY = ("block-size",)
CARRIER = "view-stride-size"
"""The axis whose accesses have the numbers of ``OFFSETS`` besides: their tensors are small."""


@dataclass(frozen=True)
class Number:
    """A magnitude that some access has: an axis of numbers and a class, in loads or in stores."""

    axis: str
    name: str
    store: bool
    offset: str = ""
    """A class of ``OFFSETS`` that the access has besides."""
    room: int = 0
    """Bytes of the sparse buffer that the access needs; 0: none."""

    @property
    def ends(self) -> tuple[int, int]:
        """The least and the largest number of the class, of those that can be."""
        one = space_of(SPEC).axis[self.axis].classes[self.name]
        assert one.least is not None, self
        assert one.most is not None, self
        if self.room:
            return max(one.least, FAR_FROM), min(one.most, FAR[self.axis] - 1)
        return one.least, min(one.most, REACH[self.axis] - 1)

    @property
    def widths(self) -> tuple[int, ...]:
        """The sizes of components, in bytes, with which it can be: bytes at odd places belong to 8 bits."""
        least, most = self.ends
        if self.axis == "byte-offset" and least == most:
            return tuple(width for width in (1, 2, 4, 8) if least % width == 0)
        if self.room and self.axis != "byte-offset":
            # In 4 GiB only elements of one byte have indices of 32 bits; in more room they should lie beyond.
            least_width = 2 if self.room >> 33 else 1
            return tuple(w for w in (1, 2, 4, 8) if w >= least_width and (least + 16) * w <= self.room)
        return (1, 2, 4, 8)


@cache
def numbers() -> tuple[Number, ...]:
    """Every magnitude."""
    found = []
    for store in (False, True):
        offsets = [name for name in classes_of(OFFSETS) if start_of(name) is not None]
        for axis in REACH:
            if axis != OFFSETS and not (store and axis in LOADS_ONLY):
                for name in classes_of(axis):
                    offset = offsets.pop() if axis == CARRIER and offsets else ""
                    found.append(Number(axis, name, store, offset))
        assert not offsets, "offsets without an access"
    return tuple(found)


def classes_of(axis: str) -> list[str]:
    """The classes of an axis that need no sparse buffer."""
    classes = space_of(SPEC).axis[axis].classes.items()
    return [name for name, one in classes if one.least is not None and one.least < REACH[axis]]


def start_of(name: str, limit: int = MOST - (1 << 15)) -> tuple[int, int] | None:
    """An offset of a class of ``OFFSETS``, and the size of the elements that it counts: it lies at 16 bytes.

    None where there is none below ``limit`` bytes.
    """
    one = space_of(SPEC).axis[OFFSETS].classes[name]
    least, most = one.least or 0, one.most or 0
    for unit in (16, 8, 4, 2, 1):
        step = 16 // unit
        number = -(-least // step) * step
        if number <= most and number * unit < limit:
            return number, unit
    return None


def rows_of(caps: CoopMatCaps) -> tuple[Row[Property], ...]:
    """The rows that have cases: those of one scope instance, whose matrices are small."""
    every: tuple[Row[Any], ...] = tuple(spec_named(SPEC).rows(caps))
    small = tuple(row for row in every if "flexible" not in row.tags)
    return small or every


def width_of(component: str) -> int:
    """Bytes of a component, by its name."""
    return int(component.lstrip("bfsu")) // 8


@cache
def parts(caps: CoopMatCaps, per_case: int) -> dict[str, tuple[tuple[Number, ...], ...]]:
    """Row -> the numbers of each of its cases. All numbers come up, each in a row with components of a fitting size."""
    rows = rows_of(caps)
    held: dict[str, list[Number]] = {row.name: [] for row in rows}
    for turn, number in enumerate(numbers()):
        fitting = [row for row in rows if fits(row, number)]
        if fitting:
            least = min(len(held[row.name]) for row in fitting)
            shortest = [row for row in fitting if len(held[row.name]) == least]
            held[shortest[turn % len(shortest)].name].append(number)
    return {name: tuple(cut(found, per_case)) for name, found in held.items()}


def fits(row: Row[Property], number: Number) -> bool:
    """Whether some matrix of a row has components of a fitting size."""
    widths = {width_of(component) for component in (row.entry.a, row.entry.b, row.entry.c)}
    return not widths.isdisjoint(number.widths)


def cut(found: Sequence[Number], per_case: int) -> list[tuple[Number, ...]]:
    """Cases of about one size; blocks, which may be read in two ways, stand together."""
    ordered = sorted(found, key=lambda number: number.axis != "block-size")
    count = -(-len(ordered) // per_case)
    ends = [turn * len(ordered) // count for turn in range(count + 1)]
    return [tuple(ordered[first:last]) for first, last in pairwise(ends)]
