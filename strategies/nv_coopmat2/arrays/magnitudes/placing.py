"""Whether an access with certain numbers is valid and defined, and where it finds room in a buffer."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from msgspec.structs import replace
from numpy.typing import NDArray

from mmaspec.oracle.nv_coopmat2.addresses import address_readings, addresses, touched
from mmaspec.oracle.nv_coopmat2.sources.tensors import MOST_TENSOR
from mmaspec.oracle.nv_coopmat2.tensors.index_functions import Ended
from mmaspec.oracle.nv_coopmat2.tensors.layouts import blocks_of, evaluate
from mmaspec.oracle.nv_coopmat2.validity.tensors import strides_too_small
from mmaspec.programs.base import Buffer
from mmaspec.programs.formats import format_named
from mmaspec.programs.nv_coopmat2.program import (
    CoopMatProgram,
    Decode,
    Layout,
    LoadTensor,
    Matrix,
    StoreTensor,
    View,
)
from mmaspec.programs.windows import around
from mmaspec.strategies.grammar import Draft
from mmaspec.strategies.nv_coopmat2.arrays.magnitudes.shapes import Shape, setters, view_setters
from mmaspec.strategies.nv_coopmat2.builder.extents import MOST

ROOM = MOST - 64
"""Bytes of a buffer that accesses share."""
LINE = 16
FAR_ROOM = (1 << 32) - 16
"""Bytes of a sparse buffer that a descriptor of 32 bits can still cover, in whole lines."""
VAST_ROOM = 1 << 35
"""Bytes of one that only a pointer reaches."""
TRIES = 24
"""Places that are tried for an access."""
BROKEN = [Ended.OUT_OF_BOUNDS, Ended.DIVISION_BY_ZERO, Ended.SIGNED_OVERFLOW, Ended.VIEW_RANK, Ended.WRAPPED]
Bytes = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Footprint:
    """What an access needs: every byte that belongs to it, from the start of its tensor, and the last element of it."""

    taken: Bytes
    last: int
    """The byte at which the last element starts; -1 where there is none."""


def footprint(
    shape: Shape, matrix: Matrix, decode: Decode | None, *, store: bool, room: int = ROOM
) -> Footprint | None:
    """What an access needs; None where the program would be wrong, or the access leaves so many bytes of room."""
    view = shape.view
    layout = Layout("t", setters(None, shape), shape.rank, shape.mode)
    views = () if view is None else (View("v", view_setters(None, view), view.rank, _own(shape), view.permutation),)
    name = None if view is None else "v"
    access: LoadTensor | StoreTensor = LoadTensor(matrix.name, "b", 0, "t", view=name, decode=decode)
    if store:
        access = StoreTensor(matrix.name, "b", 0, "t", view=name)
    program = CoopMatProgram((), (matrix,), (access,), (layout,), 1, views)
    if strides_too_small(program, layout) or (view is not None and not _own(shape) and view.rank != shape.rank):
        return None
    parts, last = [], -1
    for reading in address_readings(program, access):
        found = addresses(program, access, 0, reading)
        if found.max() >= room or np.isin(found, [one.value for one in BROKEN]).any():
            return None
        parts.append(touched(program, access, 0, reading)[0])
        last = max(last, int(found.max()))
        if store and np.unique(parts[-1]).size != parts[-1].size:
            return None
    whole = [] if store else _whole(program, matrix, decode, room)
    return Footprint(np.unique(np.concatenate([*parts, *whole])), max(last, -1))


def _own(shape: Shape) -> bool:
    return shape.view is not None and (shape.view.dimensions is not None or shape.view.unset)


def _whole(program: CoopMatProgram, matrix: Matrix, decode: Decode | None, room: int) -> list[Bytes]:
    """The bytes of a tensor that is filled as a whole."""
    t = evaluate(program, "t", 0, 0)
    counts = blocks_of(t, t.layout_dimension)
    size = int(np.prod([float(count) for count in counts]))
    step = format_named(matrix.component).nbytes if decode is None else decode.struct_bytes
    if not 0 < size <= MOST_TENSOR or sum((n - 1) * s for n, s in zip(counts, t.stride, strict=True)) * step > room:
        return []
    index = np.zeros(counts, np.int64)
    for axis, stride in enumerate(t.stride):
        index += (np.arange(counts[axis]) * stride).reshape([-1 if axis == at else 1 for at in range(t.ldim)])
    return [(index.reshape(-1, 1) * step + np.arange(step)).ravel()]


class Room:
    """A buffer whose bytes are given out, each once."""

    size = ROOM

    def __init__(self) -> None:
        self.taken: NDArray[np.bool_] = np.zeros(ROOM, np.bool_)
        self.end = 0

    def start(self, found: Bytes, first: int, *, fixed: bool) -> int | None:
        """A multiple of 16 from which nobody else has any of these bytes, the first if it is ``fixed``; or None."""
        start, last = first, int(found.max(initial=0))
        for turn in range(1 if fixed else TRIES):
            if start + last >= self.size:
                return None
            if self.free(found + start):
                return start
            start += LINE * (1 + turn * turn)
        return None

    def free(self, wanted: Bytes) -> bool:
        """Whether nobody has any of these bytes."""
        return not self.taken[wanted].any()

    def take(self, found: Bytes, start: int) -> None:
        """Give the bytes away."""
        self.taken[found + start] = True
        self.end = max(self.end, start + int(found.max(initial=0)) + 1)


class FarRoom(Room):
    """A sparse buffer, of which only the bytes that are given out are known."""

    def __init__(self, size: int) -> None:
        self.size = size
        self.given: list[Bytes] = []
        self.end = 0

    def free(self, wanted: Bytes) -> bool:
        """Whether nobody has any of these bytes."""
        return not any(np.isin(wanted, given).any() for given in self.given)

    def take(self, found: Bytes, start: int) -> None:
        """Give the bytes away."""
        self.given.append(found + start)
        self.end = max(self.end, start + int(found.max(initial=0)) + 1)

    def sparse(self, buffer: Buffer) -> Buffer:
        """The buffer as large as it has to be, with windows around what is given out."""
        return around(replace(buffer, size=-(-self.end // LINE) * LINE), self.given)


def with_windows(draft: Draft, rooms: Mapping[str, FarRoom]) -> Draft:
    """The draft, those of its buffers sparse that have such rooms."""
    buffers = tuple(rooms[one.name].sparse(one) if one.name in rooms else one for one in draft.program.buffers)
    return dataclasses.replace(draft, program=replace(draft.program, buffers=buffers))
