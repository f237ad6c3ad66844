"""Which numbers of 19 bits and more accesses in sparse buffers have, and how they are spread over cases."""

from __future__ import annotations

from functools import cache
from typing import Any

from mmaspec.oracle.spec import Row
from mmaspec.programs.nv_coopmat2.caps import CoopMatCaps, Property
from mmaspec.strategies.axes.space import space_of
from mmaspec.strategies.nv_coopmat2.arrays.magnitudes.placing import FAR_ROOM, VAST_ROOM
from mmaspec.strategies.nv_coopmat2.arrays.magnitudes.tasks import (
    BOTH,
    FAR,
    FAR_FROM,
    OFFSETS,
    SPEC,
    Number,
    cut,
    fits,
    rows_of,
    start_of,
    width_of,
)

CARRIER = "outer-stride"
"""The axis whose accesses have the numbers of ``OFFSETS`` besides."""
LAST = "below-2-32"
"""The byte offset before 4 GiB: no descriptor covers a buffer that has it, as none of 32 bits says its size."""
VAST = (
    Number("linear-index", "at-2-31", store=False, room=VAST_ROOM),
    Number("linear-index", "above-2-31", store=True, room=VAST_ROOM),
    Number("byte-offset", LAST, store=False, room=VAST_ROOM),
    Number("byte-offset", LAST, store=True, room=VAST_ROOM),
)
"""What needs more than 4 GiB, indices in elements of more than a byte."""


@cache
def far_numbers() -> tuple[Number, ...]:
    """Every magnitude, those of accesses with more than 4 GiB last."""
    found = []
    turn = 0
    offsets = [name for name in _classes(OFFSETS) if start_of(name, FAR_ROOM // 2) is not None]
    for axis in FAR:
        if axis == OFFSETS:
            continue
        for name in _classes(axis):
            offset = offsets.pop(0) if axis == CARRIER and offsets else ""
            for store in (False, True):
                turn += not store
                if name != LAST and (axis in BOTH or offset or store == bool(turn % 2)):
                    found.append(Number(axis, name, store, offset, FAR_ROOM))
    assert not offsets, "offsets without an access"
    return (*found, *VAST)


def _classes(axis: str) -> list[str]:
    """The classes of which some number is far, and none too far."""
    classes = space_of(SPEC).axis[axis].classes.items()
    return [name for name, one in classes if (one.most or 0) >= 4 * FAR_FROM and (one.least or 0) < FAR[axis]]


def far_rows(caps: CoopMatCaps) -> tuple[Row[Property], ...]:
    """The first row of each set of widths of components: addresses know nothing else of a row."""
    found: dict[frozenset[int], Row[Any]] = {}
    for row in rows_of(caps):
        found.setdefault(frozenset(width_of(one) for one in (row.entry.a, row.entry.b, row.entry.c)), row)
    return tuple(found.values())


@cache
def far_parts(caps: CoopMatCaps, per_case: int) -> dict[str, tuple[tuple[Number, ...], ...]]:
    """Row -> the numbers of each of its cases: loads, stores and those with more than 4 GiB apart."""
    held: dict[tuple[str, bool, int], list[Number]] = {}
    rows = far_rows(caps)
    for number in far_numbers():
        fitting = [row.name for row in rows if fits(row, number)]
        if fitting and number in VAST:
            held.setdefault((fitting[0], number.store and number.name == LAST, VAST_ROOM), []).append(number)
        elif fitting:
            keys = [(name, number.store, number.room) for name in fitting]
            least = min(keys, key=lambda key: len(held.get(key, ())))
            held.setdefault(least, []).append(number)
    parts: dict[str, list[tuple[Number, ...]]] = {}
    for (name, _, _), found in held.items():
        parts.setdefault(name, []).extend(cut(found, per_case))
    return {name: tuple(found) for name, found in parts.items()}
