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

SPEC = "nv-coopmat2"
BYTES = 1 << 20

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
    "element-offset-size": 1 << 18,
}
"""Axis -> the first number that is too large for a buffer of a megabyte, or that nothing defined has."""

LOADS_ONLY = ("block-size",)


@dataclass(frozen=True)
class Number:
    """A magnitude that some access has: an axis of numbers and a class, in loads or in stores."""

    axis: str
    name: str
    store: bool

    @property
    def ends(self) -> tuple[int, int]:
        """The least and the largest number of the class, of those that can be."""
        one = space_of(SPEC).axis[self.axis].classes[self.name]
        assert one.least is not None, self
        assert one.most is not None, self
        return one.least, min(one.most, REACH[self.axis] - 1)

    @property
    def widths(self) -> tuple[int, ...]:
        """The sizes of components, in bytes, with which it can be: bytes at odd places belong to 8 bits."""
        least, most = self.ends
        if self.axis == "byte-offset" and least == most:
            return tuple(width for width in (1, 2, 4, 8) if least % width == 0)
        return (1, 2, 4, 8)


@cache
def numbers() -> tuple[Number, ...]:
    """Every magnitude."""
    found = []
    for axis, reach in REACH.items():
        for name, one in space_of(SPEC).axis[axis].classes.items():
            if one.least is None or one.least >= reach:
                continue
            if axis == "element-offset-size" and offset_unit(one.least, one.most or 0) is None:
                continue
            found += [Number(axis, name, store) for store in (False, True) if not (store and axis in LOADS_ONLY)]
    return tuple(found)


def offset_unit(least: int, most: int) -> tuple[int, int] | None:
    """An offset between two numbers, and the size of the elements that it counts: it lies at 16 bytes."""
    for unit in (16, 8, 4, 2, 1):
        step = 16 // unit
        number = -(-least // step) * step
        if number <= most and number * unit < BYTES - 4096:
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
        fitting = [row for row in rows if _fits(row, number)]
        if fitting:
            least = min(len(held[row.name]) for row in fitting)
            shortest = [row for row in fitting if len(held[row.name]) == least]
            held[shortest[turn % len(shortest)].name].append(number)
    return {name: tuple(_cut(found, per_case)) for name, found in held.items()}


def _fits(row: Row[Property], number: Number) -> bool:
    widths = {width_of(component) for component in (row.entry.a, row.entry.b, row.entry.c)}
    return not widths.isdisjoint(number.widths)


def _cut(found: Sequence[Number], per_case: int) -> list[tuple[Number, ...]]:
    """Cases of about one size; blocks, which may be read in two ways, stand together."""
    ordered = sorted(found, key=lambda number: number.axis != "block-size")
    count = -(-len(ordered) // per_case)
    ends = [turn * len(ordered) // count for turn in range(count + 1)]
    return [tuple(ordered[first:last]) for first, last in pairwise(ends)]
