"""Programs of many tensor accesses, each with one number of a certain magnitude."""

from __future__ import annotations

from dataclasses import replace
from itertools import count
from typing import Any

import numpy as np

from mmaspec.oracle.spec import Row
from mmaspec.programs.base import GUARD, Literal
from mmaspec.programs.nv_coopmat2.caps import CoopMatCaps
from mmaspec.programs.nv_coopmat2.program import (
    USE_A,
    USE_ACCUMULATOR,
    USE_B,
    ArrayType,
    Decode,
    Echo,
    LoadTensor,
    Matrix,
    Splat,
    StoreTensor,
)
from mmaspec.strategies.grammar import Array, Chosen, Draft, DrawContext
from mmaspec.strategies.nv_coopmat2.arrays.magnitudes.families import FAMILIES, Task
from mmaspec.strategies.nv_coopmat2.arrays.magnitudes.far_tasks import far_parts
from mmaspec.strategies.nv_coopmat2.arrays.magnitudes.placing import (
    ROOM,
    FarRoom,
    Footprint,
    Room,
    footprint,
    with_windows,
)
from mmaspec.strategies.nv_coopmat2.arrays.magnitudes.shapes import Shape, setters, view_setters
from mmaspec.strategies.nv_coopmat2.arrays.magnitudes.tasks import FAR_FROM, Number, parts, start_of, width_of
from mmaspec.strategies.nv_coopmat2.arrays.magnitudes.views import VIEW_FAMILIES, dressed
from mmaspec.strategies.nv_coopmat2.builder.program import ProgramBuilder
from mmaspec.strategies.nv_coopmat2.features import DECODING, TENSORS, has
from mmaspec.strategies.nv_coopmat2.templates.plain import load, store
from mmaspec.strategies.nv_coopmat2.templates.tensors import OLD_BITS

PER_CASE = 16
MOST_PARTS = 48
TRIES = 40
FAR_PER_CASE = 20
MOST_PLACES = 48
"""Places apart that an access of a sparse buffer has at most."""
FIRST = 60
"""Lines among which a tensor starts, if there is room."""
PLAIN = 28
"""Tries after which nothing is put on a layout any more."""
UNITS: dict[int, tuple[ArrayType, ...]] = {
    1: ("uint8_t",), 2: ("uint16_t",), 4: ("uint",), 8: ("uvec2",), 16: ("uvec4",),
}  # fmt: skip
ARRAYS: tuple[ArrayType, ...] = ("", "", "uint8_t", "uint16_t", "uint", "uvec2", "uvec4")


def _shape(task: Task, number: Number) -> Shape:
    if number.axis == "byte-offset":
        base = 16 * task.choices.integer(0, min(40, task.number // 16))
        if number.room:
            base = 16 * task.choices.integer(0, task.number // 32)
        index = replace(task, number=(task.number - base) // task.width)
        shape = FAMILIES["linear-index"](index)
        shape.base = base
        return shape
    family = VIEW_FAMILIES.get(number.axis) or FAMILIES[number.axis]
    shape = family(task)
    if number.offset:
        found = start_of(number.offset, number.room // 2) if number.room else start_of(number.offset)
        assert found is not None, number
        shape.base, shape.unit = found[0] * found[1], found[1]
    return shape


class _Case:
    """A program that grows access by access."""

    def __init__(self, context: DrawContext[CoopMatCaps], room: int = 0) -> None:
        self.room = room
        """Bytes of its sparse buffers; 0: it has none."""
        self.builder: ProgramBuilder = ProgramBuilder(context, most_waves=1)
        self.rooms: dict[str, Room] = {}
        self.loaded: dict[int, Matrix] = {}

    def add(self, number: Number) -> bool:
        """An access that has the number; False where none was found."""
        choices = self.builder.choices
        entry = self.builder.entry
        uses = {USE_A: entry.a, USE_B: entry.b, USE_ACCUMULATOR: entry.c}
        fitting = [use for use, component in uses.items() if width_of(component) in number.widths]
        for attempt in range(TRIES):
            use = choices.one_of(fitting)
            matrix = self._matrix(use)
            least, most = number.ends
            near = most if number.room else min(most, least + max(16, least // 2))
            value = choices.integer(least, near) if most > least else least
            width = width_of(matrix.component)
            value = -(-value // width) * width if number.axis == "byte-offset" else value
            task = Task(choices, min(value, most), matrix.rows, matrix.cols, width, number.store, number.room)
            shape = dressed(task, _shape(task, number), matrix.component, plainly=attempt >= PLAIN)
            decode = self._decode(shape, number)
            found = footprint(shape, matrix, decode, store=number.store, room=number.room or ROOM)
            if found is None or not _kept(number, task, shape, found) or _too_far(shape, found, number.room or ROOM):
                continue
            if number.room and not _far(found):
                continue
            self._placed(number, shape, matrix, decode, found)
            return True
        return False

    def _room(self, stem: str, found: Footprint, first: int, *, fixed: bool) -> tuple[str, int]:
        """A buffer, and the byte of it at which the access finds room; buffers are added while there is none."""
        for turn in count(1):
            name = stem if turn == 1 else f"{stem}{turn}"
            room = self.rooms.setdefault(name, FarRoom(self.room) if self.room else Room())
            start = room.start(found.taken, first, fixed=fixed)
            if start is not None:
                room.take(found.taken, start)
                self.builder.used[name] = room.end
                return name, start
        raise AssertionError  # an empty buffer has room

    def _matrix(self, use: int) -> Matrix:
        if use not in self.loaded:
            self.loaded[use] = self.builder.matrix(use)
            self.builder.add(load(self.builder, self.loaded[use]))
        return self.loaded[use]

    def _decode(self, shape: Shape, number: Number) -> Decode | None:
        choices = self.builder.choices
        if (
            number.store
            or "index" in shape.kept
            or not has(self.builder.caps, DECODING)
            or not choices.chance(60 if shape.blocks else 10)
        ):
            return None
        weights = tuple(choices.integer(0, 9) for _ in shape.sizes)
        inside = tuple(choices.integer(1, 5) for _ in shape.sizes)
        return Echo(choices.one_of((1, 2, 3, 16)), weights, inside, byte=choices.integer(0, 1))

    def _placed(self, number: Number, shape: Shape, matrix: Matrix, decode: Decode | None, found: Footprint) -> None:
        builder, choices = self.builder, self.builder.choices
        first = 16 * choices.integer(0, FIRST) if shape.base is None else shape.base
        stem = "vast" if self.room else "far" if number.store else "near"
        buffer, base = self._room(stem, found, first, fixed=shape.base is not None)
        array = choices.one_of(UNITS[shape.unit] if shape.unit else ARRAYS)
        unit = builder.unit(array, matrix)
        if base % unit:
            array, unit = "uint8_t", 1
        share = choices.one_of((0, 0, 50, 100))
        tensor = builder.layout(setters(builder, shape, share), rank=shape.rank, mode=shape.mode)
        view = None
        if shape.view is not None:
            own = shape.view.dimensions is not None or shape.view.unset
            calls = view_setters(builder, shape.view, share)
            view = builder.view(calls, rank=shape.view.rank, own=own, permutation=shape.view.permutation)
        where = builder.argument(base // unit)
        if number.store:
            builder.add(StoreTensor(matrix.name, buffer, where, tensor, array, view=view))
            return
        if shape.view is not None and shape.view.clip is not None:
            builder.add(Splat(matrix.name, Literal(OLD_BITS[matrix.component])))
        builder.add(
            LoadTensor(matrix.name, buffer, where, tensor, array, builder.name("T"), view=view, decode=decode),
            store(builder, matrix),
        )


def _kept(number: Number, task: Task, shape: Shape, found: Footprint) -> bool:
    """Whether the last element still lies where it should."""
    last = {"byte-offset": task.number - (shape.base or 0), "linear-index": task.number * task.width}
    return number.axis not in last or found.last == last[number.axis]


def _too_far(shape: Shape, found: Footprint, room: int) -> bool:
    """Whether no buffer has room for it."""
    return (shape.base or 16 * FIRST) + int(found.taken.max(initial=0)) >= room


def _far(found: Footprint) -> bool:
    """Whether an access reaches far, in few enough places for windows."""
    return found.last >= FAR_FROM and int((np.diff(found.taken) > 2 * GUARD).sum()) < MOST_PLACES


def _built(context: DrawContext[CoopMatCaps], chosen: Chosen) -> Draft | None:
    case = _Case(context)
    for number in parts(context.caps, PER_CASE)[context.row.name][int(chosen["part"]) - 1]:
        if not case.add(number):
            return None
    return _drawn(case)


def _drawn(case: _Case) -> Draft:
    """The finished program, its sparse buffers with windows."""
    draft = case.builder.draft("distinct", batch=1, exact=case.builder.choices.chance(50))
    return with_windows(draft, {name: room for name, room in case.rooms.items() if isinstance(room, FarRoom)})


def _far_built(context: DrawContext[CoopMatCaps], chosen: Chosen) -> Draft | None:
    numbers = far_parts(context.caps, FAR_PER_CASE)[context.row.name][int(chosen["part"]) - 1]
    case = _Case(context, max(number.room for number in numbers))
    for number in numbers:
        if not case.add(number):
            return None
    return _drawn(case)


def _far_fits(row: Row[Any], caps: CoopMatCaps, _: str, name: str) -> bool:
    return has(caps, TENSORS) and int(name) <= len(far_parts(caps, FAR_PER_CASE).get(row.name, ()))


def _fits(row: Row[Any], caps: CoopMatCaps, _: str, name: str) -> bool:
    return has(caps, TENSORS) and int(name) <= len(parts(caps, PER_CASE).get(row.name, ()))


MAGNITUDES = Array(
    name="tensor-magnitudes",
    focus=(
        "NVCM2-STRIDE-SUM", "NVCM2-SETDIM", "NVCM2-OFFSET", "NVCM2-SPANCOORD", "NVCM2-SETBLOCK", "NVCM2-VIEW-LINEAR",
        "NVCM2-VIEW-UNRAVEL", "NVCM2-BYTEADDR",
    ),
    axes={"part": tuple(f"{turn + 1}" for turn in range(MOST_PARTS))},
    build=_built,
    fits=_fits,
)  # fmt: skip
"""Ten accesses a case."""

FAR_MAGNITUDES = Array(
    name="tensor-far",
    focus=MAGNITUDES.focus,
    axes={"part": tuple(f"{turn + 1}" for turn in range(MOST_PARTS))},
    build=_far_built,
    fits=_far_fits,
)
"""Accesses whose strides, dimensions, offsets and indices have 19 to 32 bits, in sparse buffers."""
