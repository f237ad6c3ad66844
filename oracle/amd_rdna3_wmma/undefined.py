"""Undefined behaviour: one function for each clause, which tells whether a valid program has it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from mmaspec.oracle.amd_rdna3_wmma.addresses import block_bytes, block_start
from mmaspec.oracle.amd_rdna3_wmma.caps_support import check_in_reach
from mmaspec.oracle.amd_rdna3_wmma.rule_context import Context
from mmaspec.oracle.rule_context import broken
from mmaspec.programs.amd_rdna3_wmma.caps import Caps
from mmaspec.programs.amd_rdna3_wmma.program import Fill, Fragment, Load, Store, Wmma, WmmaProgram
from mmaspec.programs.amd_rdna3_wmma.well_formed import check_well_formed
from mmaspec.programs.tree import unrolled
from mmaspec.programs.windows import image_places, within


def replicate_broken(context: Context) -> bool:
    """RDNA3-REPLICATE-BROKEN: an operand whose copies differ between groups of sixteen lanes has no stated result."""
    unequal: set[str] = set()
    for _, step in unrolled(context.program):
        if isinstance(step, Load):
            differ = any(name != step.data for name in step.replicas)
            unequal = unequal | {step.into} if differ else unequal - {step.into}
        elif isinstance(step, Fill):
            unequal = unequal - {step.into}
        elif isinstance(step, Wmma) and not unequal.isdisjoint((step.a, step.b)):
            return True
    return False


def unset(context: Context) -> bool:
    """RDNA3-UNSET: a fragment that nothing has written holds nothing; the language leaves reading it undefined."""
    held = {fragment.name for fragment in context.program.fragments if fragment.fill is not None}
    for _, step in unrolled(context.program):
        if isinstance(step, (Load, Fill)):
            held.add(step.into)
            continue
        read = (step.a, step.b, step.c) if isinstance(step, Wmma) else (step.fragment,)
        if any(name is not None and name not in held for name in read):
            return True
        if isinstance(step, Wmma):
            held.add(step.d)
    return False


class Span(NamedTuple):
    """The stretch of memory that one wave's lanes load or store in one instruction, a vector each."""

    buffer: str
    start: int
    end: int
    wave: int
    fragment: Fragment
    writes: bool


def _spans(program: WmmaProgram) -> Iterator[Span]:
    """Every load and store, wave by wave and pass by pass, in program order."""
    for place, step in unrolled(program):
        if not isinstance(step, (Load, Store)):
            continue
        fragment: Fragment = program.fragment(step.into if isinstance(step, Load) else step.fragment)
        size = block_bytes(fragment, program.wave_size)
        for wave in range(program.waves):
            start = block_start(step, fragment, program.wave_size, wave, place.loop)
            yield Span(step.buffer, start, start + size, wave, fragment, isinstance(step, Store))


class _Marks:
    """A mark for every few bytes of every buffer, -1 at first: vectors lie at multiples of the smallest one's size."""

    def __init__(self, program: WmmaProgram) -> None:
        self._granule = min((fragment.vector_bytes for fragment in program.fragments), default=1)
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
        own = np.repeat(mine, span.fragment.vector_bytes // granule)
        if not buffer.windows:
            first, last = span.start // granule, min(span.end // granule, marks.size)
            return slice(first, last), own[: max(0, last - first)]
        starts = np.arange(span.start, span.end, granule, dtype=np.int64)
        inside = within(buffer, starts) & (starts < buffer.size)
        return image_places(buffer, starts[inside]), own[inside]


def bounds(context: Context) -> bool:
    """RDNA3-BOUNDS: a kernel that reads or writes beyond its buffers has no meaning in the language."""
    program = context.program
    sizes = {buffer.name: buffer.size for buffer in program.buffers}
    return any(span.end > sizes[span.buffer] for span in _spans(program))


def race(context: Context) -> bool:
    """RDNA3-RACE: what one lane writes no other lane may touch: a lane is a thread, and nothing orders two of them."""
    program = context.program
    owner = _Marks(program)
    lanes = np.arange(program.wave_size)
    for span in sorted(set(_spans(program)), key=lambda span: not span.writes):
        mine = span.wave * program.wave_size + lanes
        if owner.others(span, mine):
            return True
        if span.writes:
            owner.put(span, mine)
    return False


def alias(context: Context) -> bool:
    """RDNA3-ALIAS: what was stored as a vector of one type is loaded as one of that type, not of another."""
    program = context.program
    kinds = {fragment.name: (fragment.element, fragment.count) for fragment in program.fragments}
    numbers = {kind: number for number, kind in enumerate(dict.fromkeys(kinds.values()))}
    stored = _Marks(program)
    for span in _spans(program):
        mine = np.full(program.wave_size, numbers[kinds[span.fragment.name]])
        if span.writes:
            stored.put(span, mine)
        elif stored.others(span, mine):
            return True
    return False


RULES: Mapping[str, Callable[[Context], bool]] = MappingProxyType(
    {
        "RDNA3-REPLICATE-BROKEN": replicate_broken,
        "RDNA3-UNSET": unset,
        "RDNA3-BOUNDS": bounds,
        "RDNA3-RACE": race,
        "RDNA3-ALIAS": alias,
    }
)
"""Clause -> whether a program crosses it."""


def undefined(program: WmmaProgram, caps: Caps) -> frozenset[str]:
    """Every clause by which a valid, resolved program has undefined behaviour."""
    check_well_formed(program)
    check_in_reach(program, caps)
    return broken(RULES, Context(program, caps))
