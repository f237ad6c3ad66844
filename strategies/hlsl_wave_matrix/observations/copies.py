"""Copies of the whole group between buffers and groupshared arrays."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

import numpy as np

from mmaspec.oracle.hlsl_wave_matrix.addresses import cells
from mmaspec.programs.base import at
from mmaspec.programs.formats import FORMATS
from mmaspec.programs.hlsl_wave_matrix.program import Copy, Load, Stage, Store
from mmaspec.strategies.axes.observation import Answer, Look, Subject, Thing
from mmaspec.strategies.hlsl_wave_matrix.observations.provenance import NOBODY, all_touches, before

FAR, FARTHEST = 4096, 65536


def _start(_: Subject, thing: Thing) -> Answer:
    """The first array element of the copy."""
    first = at(thing.of.instruction.offset, 0, thing.of.place.loop)
    return "zero" if first == 0 else "odd" if first % 2 else "even"


def _offset(_: Subject, thing: Thing) -> Answer:
    """Bytes from the view to the copy."""
    start = at(thing.of.instruction.start, 0, thing.of.place.loop)
    if start >= FARTHEST:
        return "beyond-16-bits"
    if start >= FAR:
        return "beyond-12-bits"
    return "zero" if start == 0 else "dword" if start % 8 == 4 else "sixteen" if start % 16 == 0 else None


def _columns(subject: Subject, thing: Thing) -> Answer:
    copy: Copy = thing.of.instruction
    if copy.columns == 1:
        return "one-column"
    array = subject.program.array(copy.array)
    assert array is not None
    size = FORMATS[array.element].nbytes * cells(array.element)
    gap = copy.pitch - copy.columns * size
    if copy.rows == 1 or gap == 0:
        return "whole-pitch"
    return "gap-one" if gap == size else "gap"


def _covers(subject: Subject, thing: Thing) -> Answer:
    """The part of the array, and of the matrices in it, that the copy has."""
    copy: Copy = thing.of.instruction
    array = subject.program.array(copy.array)
    assert array is not None
    own = next(
        touch for touch in all_touches(subject) if touch.event.turn == thing.of.turn and touch.memory == copy.array
    )
    found: set[str] = set()
    if own.places.size == array.length * cells(array.element):
        found.add("whole")
    for touch in all_touches(subject):
        if touch.memory != copy.array or not isinstance(touch.event.instruction, Load | Store):
            continue
        common = np.intersect1d(own.places, touch.places).size
        if common == touch.places.size:
            found.add("matrix" if common == own.places.size else "with-padding")
        elif common:
            found.add("part-of-matrix")
    return found


def _data(subject: Subject, thing: Thing) -> Answer:
    stage: Stage = thing.of.instruction
    if stage.data is not None:
        return "named"
    return "own-results" if (before(subject, thing.of, 0, stage.buffer) != NOBODY).any() else "by-loads"


LOOKS: Mapping[str, Look] = MappingProxyType(
    {
        "copy-start": _start,
        "copy-columns": _columns,
        "copy-rows": lambda _, thing: thing.of.instruction.rows,
        "copy-offset": _offset,
        "copy-covers": _covers,
        "copy-data": _data,
    }
)
"""Axis -> how it is seen in a Stage or an Unstage."""
