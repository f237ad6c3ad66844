"""Who wrote what an access finds in memory: stores, copies, depths, or nobody since the program began."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from mmaspec.oracle.expectation import Defined
from mmaspec.oracle.hlsl_wave_matrix.addresses import Addresses, access_addresses, cells, copied, element_bytes
from mmaspec.oracle.memory import gather
from mmaspec.programs.base import at
from mmaspec.programs.formats import FORMATS
from mmaspec.programs.hlsl_wave_matrix.program import (
    Copy,
    Load,
    MatrixDepth,
    Stage,
    Store,
    Unstage,
    WaveMatrixProgram,
)
from mmaspec.programs.windows import image_places
from mmaspec.strategies.axes.observation import Subject
from mmaspec.strategies.hlsl_wave_matrix.observations.flow import Event, flow_of

NOBODY = -1
WAVES = 1024
"""More than any group has: a writer is ``turn * WAVES + wave``."""
DWORD = 4


@dataclass(frozen=True, slots=True, eq=False)
class Touch:
    """What one wave touches in one event: bytes of a view, or places of an array in matrix elements."""

    event: Event
    wave: int
    memory: str
    places: Addresses
    writes: bool


def touches(program: WaveMatrixProgram, event: Event) -> Iterator[Touch]:
    """The accesses of every wave in an event; those of a copy are of wave 0."""
    one, loop = event.instruction, event.place.loop
    if isinstance(one, Load | Store):
        matrix, shared = program.matrix(one.matrix), program.array(one.buffer) is not None
        size = 1 if shared else element_bytes(matrix)
        for wave in range(program.waves):
            places = access_addresses(one, matrix, wave, loop, shared=shared)
            yield Touch(event, wave, one.buffer, _spread(places, size), isinstance(one, Store))
    elif isinstance(one, MatrixDepth):
        for wave in range(program.waves):
            place = np.array([at(one.offset, wave, loop)], np.int64)
            yield Touch(event, wave, one.buffer, _spread(place, DWORD), True)
    elif isinstance(one, Copy):
        array = program.array(one.array)
        assert array is not None
        addresses, places = copied(one, array.element, loop)
        in_buffer = _spread(addresses, FORMATS[array.element].nbytes)
        yield Touch(event, 0, one.buffer, in_buffer, isinstance(one, Unstage))
        yield Touch(event, 0, one.array, places.ravel(), isinstance(one, Stage))


def _spread(places: Addresses, size: int) -> Addresses:
    spread: Addresses = (places.reshape(-1, 1) + np.arange(size)).ravel()
    return spread


@lru_cache(maxsize=4)
def all_touches(subject: Subject) -> tuple[Touch, ...]:
    """Every access of the program, in the order of execution."""
    return tuple(touch for event in flow_of(subject).events for touch in touches(subject.program, event))


@lru_cache(maxsize=4)
def writers(subject: Subject) -> dict[tuple[int, int, str], NDArray[np.int64]]:
    """(turn, wave, memory) of a touch -> who wrote each place before it, of arrays, and of buffers that are written."""
    program: WaveMatrixProgram = subject.program
    moves = all_touches(subject)
    written = {touch.memory for touch in moves if touch.writes}
    buffers = {buffer.name: buffer for buffer in program.buffers}
    sizes = {name: buffer.total for name, buffer in buffers.items() if name in written}
    sizes.update({array.name: array.length * cells(array.element) for array in program.arrays})
    owner = {name: np.full(size, NOBODY, np.int64) for name, size in sizes.items()}
    found: dict[tuple[int, int, str], NDArray[np.int64]] = {}
    pending: list[Touch] = []
    for touch in moves:
        if pending and pending[0].event.turn != touch.event.turn:
            _settle(owner, pending)
            pending = []
        if touch.memory in owner:
            if touch.memory in buffers:
                touch = replace(touch, places=image_places(buffers[touch.memory], touch.places))  # noqa: PLW2901
            found[touch.event.turn, touch.wave, touch.memory] = owner[touch.memory][touch.places]
        pending.append(touch)
    return found


def _settle(owner: dict[str, NDArray[np.int64]], pending: list[Touch]) -> None:
    for touch in pending:
        if touch.writes:
            owner[touch.memory][touch.places] = touch.event.turn * WAVES + touch.wave


def before(subject: Subject, event: Event, wave: int, memory: str) -> NDArray[np.int64]:
    """Who wrote each place that a wave touches in an event; ``NOBODY`` throughout where nobody writes the memory."""
    return writers(subject).get((event.turn, wave, memory), np.full(1, NOBODY, np.int64))


@lru_cache(maxsize=4)
def _contents(subject: Subject) -> dict[int, NDArray[np.uint64]]:
    """Turn of a Store to an array -> what its places hold before, ``(batch, waves, rows, cols)``."""
    program: WaveMatrixProgram = subject.program
    expected = subject.expectation
    if not isinstance(expected, Defined):
        return {}
    buffers = {buffer.name: buffer for buffer in program.buffers}
    held = {
        array.name: np.zeros((subject.case.batch, array.length * cells(array.element)), np.uint64)
        for array in program.arrays
    }
    found: dict[int, NDArray[np.uint64]] = {}
    for event in flow_of(subject).events:
        one = event.instruction
        if isinstance(one, Stage):
            array = program.array(one.array)
            assert array is not None
            addresses, places = copied(one, array.element, event.place.loop)
            nbytes = FORMATS[array.element].nbytes
            there = image_places(buffers[one.buffer], addresses)
            held[one.array][:, places] = gather(expected.images[one.buffer], there, nbytes)
        elif isinstance(one, Store) and one.buffer in held:
            matrix = program.matrix(one.matrix)
            places = np.stack(
                [access_addresses(one, matrix, wave, event.place.loop, shared=True) for wave in range(program.waves)]
            )
            found[event.turn] = held[one.buffer][:, places]
            legal = subject.held(one.matrix, event.place)
            if legal is not None:
                held[one.buffer][:, places] = legal.certain_bits()[0]
    return found


def held_by_target(subject: Subject, event: Event, wave: int) -> NDArray[np.uint64] | None:
    """The elements that the places of a Store hold before it, ``(batch, rows, cols)``."""
    program: WaveMatrixProgram = subject.program
    store, expected = event.instruction, subject.expectation
    assert isinstance(store, Store)
    if program.array(store.buffer) is not None:
        found = _contents(subject).get(event.turn)
        return None if found is None else found[:, wave]
    if not isinstance(expected, Defined):
        return None
    buffer = next(buffer for buffer in program.buffers if buffer.name == store.buffer)
    matrix = program.matrix(store.matrix)
    places = image_places(buffer, access_addresses(store, matrix, wave, event.place.loop))
    return gather(expected.images[store.buffer], places, element_bytes(matrix))
