"""One Load or Store as one wave executes it in one pass, with its arguments as numbers."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from mmaspec.oracle.hlsl_wave_matrix.addresses import Addresses, access_addresses, element_bytes
from mmaspec.programs.base import Place, at
from mmaspec.programs.hlsl_wave_matrix.program import Load, Matrix, Store, WaveMatrixProgram
from mmaspec.strategies.axes.observation import Answer, Look, Subject, Thing
from mmaspec.strategies.hlsl_wave_matrix.observations.flow import Event, flow_of

Codes = NDArray[np.uint64]


@dataclass(frozen=True, slots=True, eq=False)
class Access:
    """One wave's execution of a Load or Store."""

    event: Event
    instruction: Load | Store
    matrix: Matrix
    wave: int
    offset: int
    stride: int
    col_major: int
    shared: bool
    base: int
    """Bytes from the allocation to the view; 0 for an array."""

    @property
    def addresses(self) -> Addresses:
        """Bytes of the view, or places in the array in matrix elements, ``(rows, cols)``."""
        return access_addresses(self.instruction, self.matrix, self.wave, self.event.place.loop, shared=self.shared)

    @property
    def size(self) -> int:
        """Bytes of an element in a buffer; one place of an array."""
        return 1 if self.shared else element_bytes(self.matrix)

    @property
    def first(self) -> int:
        """The first byte, or place, that is accessed."""
        return int(self.addresses.min())

    @property
    def end(self) -> int:
        """One beyond the last byte, or place, that is accessed."""
        return int(self.addresses.max()) + self.size

    @property
    def touched(self) -> NDArray[np.int64]:
        """Every byte, or place, that is accessed, in ascending order."""
        return np.unique((self.addresses[..., np.newaxis] + np.arange(self.size)).ravel())


def view(program: WaveMatrixProgram, event: Event, wave: int) -> Access:
    """A Load or Store as a wave executes it."""
    access = event.instruction
    assert isinstance(access, Load | Store)
    offset, stride, col_major = (
        at(i, wave, event.place.loop) for i in (access.offset, access.stride, access.col_major)
    )
    shared = program.array(access.buffer) is not None
    base = 0 if shared else next(buffer.base for buffer in program.buffers if buffer.name == access.buffer)
    matrix = program.matrix(access.matrix)
    return Access(event, access, matrix, wave, offset, stride, int(col_major != 0), shared, base)


def some_of(count: int) -> tuple[int, ...]:
    """The first two and the last of several waves or passes."""
    return tuple(sorted({0, min(1, count - 1), count - 1})) if count else ()


@lru_cache(maxsize=4)
def accesses(subject: Subject) -> tuple[Access, ...]:
    """Every Load and Store, for some waves and passes, where these make a difference."""
    program: WaveMatrixProgram = subject.program
    return tuple(_accesses(program, subject))


def _accesses(program: WaveMatrixProgram, subject: Subject) -> Iterator[Access]:
    flow = flow_of(subject)
    seen: set[tuple[tuple[int, ...], int, int, int]] = set()
    for event in flow.events:
        if not isinstance(event.instruction, Load | Store) or not marked(subject, event.place):
            continue
        for wave in some_of(program.waves):
            found = view(program, event, wave)
            key = (event.path, found.offset, found.stride, found.col_major)
            if key not in seen:
                seen.add(key)
                yield found


def marked(subject: Subject, place: Place) -> bool:
    """Whether a place is one that is looked at: of a loop, the first two passes and the last."""
    if len(place.path) == 1:
        return True
    return place.loop in some_of(subject.program.body[place.path[0]].count)


def of_access(look: Callable[[Access], Answer]) -> Look:
    """A look that wants nothing but the access."""
    return lambda _, thing: look(thing.of)


def loaded_codes(subject: Subject, thing: Thing) -> Codes | None:
    """The bits that a Load found or a Store stores, of its wave: ``(batch, rows, cols)``; None unless all are known."""
    access: Access = thing.of
    place = access.event.place
    if isinstance(access.instruction, Load):
        step = subject.left_by(place)
        legal = None if step is None else step.legal
    else:
        legal = subject.held(access.matrix.name, place)
    if legal is None:
        return None
    codes, known = legal.certain_bits()
    return codes[:, access.wave] if known[:, access.wave].all() else None
