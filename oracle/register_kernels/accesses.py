"""Loads and stores of one vector by every lane of a wave: whether they stay within their buffers, race, or alias.

For kernels in which each lane moves a vector of its own, one after the other by lane, as those on registers do.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from mmaspec.programs.base import Program, at
from mmaspec.programs.register_kernels import Fragment, Load, RegisterProgram, Store
from mmaspec.programs.tree import unrolled
from mmaspec.programs.windows import image_places, within


class Vector(NamedTuple):
    """The type of a vector in the language, and its size."""

    type_name: str
    nbytes: int


class Span(NamedTuple):
    """The stretch of memory that one wave's lanes load or store in one instruction, a vector each."""

    buffer: str
    start: int
    lanes: int
    wave: int
    vector: Vector
    writes: bool

    @property
    def end(self) -> int:
        """Byte behind the last vector."""
        return self.start + self.lanes * self.vector.nbytes


def accessed(program: RegisterProgram, access: Load | Store) -> Fragment:
    """The fragment that a load writes or a store reads."""
    found: Fragment = program.fragment(access.into if isinstance(access, Load) else access.fragment)
    return found


def block_start(program: RegisterProgram, access: Load | Store, wave: int, loop: int) -> int:
    """Byte of the view at which the accessed block begins: the kernel's own arithmetic."""
    return at(access.block, wave, loop) * program.lanes * accessed(program, access).vector_bytes


def spans(program: RegisterProgram, type_of: Callable[[Fragment], str]) -> Iterator[Span]:
    """Every load and store, wave by wave and pass by pass, in program order.

    ``type_of`` names a fragment's vector type; types that the language lets stand for each other have one name.
    """
    for place, step in unrolled(program):
        if isinstance(step, (Load, Store)):
            fragment = accessed(program, step)
            vector = Vector(type_of(fragment), fragment.vector_bytes)
            for wave in range(program.waves):
                start = block_start(program, step, wave, place.loop)
                yield Span(step.buffer, start, program.lanes, wave, vector, isinstance(step, Store))


class _Marks:
    """A mark for every few bytes of every buffer, -1 at first: vectors lie at multiples of the smallest one's size."""

    def __init__(self, program: Program, spans: Iterable[Span]) -> None:
        self._granule = min((span.vector.nbytes for span in spans), default=1)
        self._buffers = {buffer.name: buffer for buffer in program.buffers}
        self._marks = {
            b.name: np.full(b.total if b.windows else -(-b.size // self._granule), -1, np.int64)
            for b in program.buffers
        }

    def others(self, span: Span, mine: NDArray[np.int64]) -> bool:
        """Whether something there has another mark than this one; ``mine`` has one for each lane's vector."""
        where, own = self._part(span, mine)
        part = self._marks[span.buffer][where]
        return bool(((part != -1) & (part != own)).any())

    def put(self, span: Span, mine: NDArray[np.int64]) -> None:
        """Put these marks there."""
        where, own = self._part(span, mine)
        self._marks[span.buffer][where] = own

    def _part(self, span: Span, mine: NDArray[np.int64]) -> tuple[slice | NDArray[np.int64], NDArray[np.int64]]:
        """Where the marks of these bytes are, and what they should be."""
        marks, granule, buffer = self._marks[span.buffer], self._granule, self._buffers[span.buffer]
        own = np.repeat(mine, span.vector.nbytes // granule)
        if not buffer.windows:
            first, last = span.start // granule, min(span.end // granule, marks.size)
            return slice(first, last), own[: max(0, last - first)]
        starts = np.arange(span.start, span.end, granule, dtype=np.int64)
        inside = within(buffer, starts) & (starts < buffer.size)
        return image_places(buffer, starts[inside]), own[inside]


def beyond(program: Program, spans: Iterable[Span]) -> bool:
    """Whether some access reaches beyond its buffer's view."""
    sizes = {buffer.name: buffer.size for buffer in program.buffers}
    return any(span.end > sizes[span.buffer] for span in spans)


def raced(program: Program, spans: Iterable[Span]) -> bool:
    """Whether one lane touches what another one writes: a lane is a thread, and nothing orders two of them."""
    each = set(spans)
    owner = _Marks(program, each)
    for span in sorted(each, key=lambda span: not span.writes):
        mine = span.wave * span.lanes + np.arange(span.lanes)
        if owner.others(span, mine):
            return True
        if span.writes:
            owner.put(span, mine)
    return False


def aliased(program: Program, spans: Iterable[Span]) -> bool:
    """Whether what was stored as a vector of one type is loaded as one of another; the spans in program order."""
    ordered = tuple(spans)
    numbers = {name: number for number, name in enumerate(dict.fromkeys(span.vector.type_name for span in ordered))}
    stored = _Marks(program, ordered)
    for span in ordered:
        mine = np.full(span.lanes, numbers[span.vector.type_name])
        if span.writes:
            stored.put(span, mine)
        elif stored.others(span, mine):
            return True
    return False
