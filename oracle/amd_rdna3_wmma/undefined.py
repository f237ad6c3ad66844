"""Where a valid program leaves what the document and the language define: one function a clause."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from mmaspec.oracle.amd_rdna3_wmma.addresses import block_bytes, block_start
from mmaspec.oracle.amd_rdna3_wmma.caps_support import check_in_reach
from mmaspec.programs.amd_rdna3_wmma.caps import Caps
from mmaspec.programs.amd_rdna3_wmma.program import Fill, Fragment, Load, Store, Wmma, WmmaProgram
from mmaspec.programs.amd_rdna3_wmma.well_formed import check_well_formed
from mmaspec.programs.tree import unrolled


def _replicate_broken(program: WmmaProgram) -> bool:
    """RDNA3-REPLICATE-BROKEN: an operand whose copies differ between groups of sixteen lanes has no stated result."""
    broken: set[str] = set()
    for _, step in unrolled(program):
        if isinstance(step, Load):
            unequal = any(name != step.data for name in step.replicas)
            broken = broken | {step.into} if unequal else broken - {step.into}
        elif isinstance(step, Fill):
            broken = broken - {step.into}
        elif isinstance(step, Wmma) and not broken.isdisjoint((step.a, step.b)):
            return True
    return False


def _unset(program: WmmaProgram) -> bool:
    """RDNA3-UNSET: a fragment that nothing has written holds nothing; the language leaves reading it undefined."""
    held = {fragment.name for fragment in program.fragments if fragment.fill is not None}
    for _, step in unrolled(program):
        if isinstance(step, (Load, Fill)):
            held.add(step.into)
            continue
        read = (step.a, step.b, step.c) if isinstance(step, Wmma) else (step.fragment,)
        if any(name is not None and name not in held for name in read):
            return True
        if isinstance(step, Wmma):
            held.add(step.d)
    return False


Span = tuple[str, int, int, int, bool]
"""Buffer, first byte, byte after the last, wave, whether it writes."""


def _spans(program: WmmaProgram) -> Iterator[Span]:
    """The stretch of memory of every load and store, wave by wave and pass by pass."""
    for place, step in unrolled(program):
        if not isinstance(step, (Load, Store)):
            continue
        fragment: Fragment = program.fragment(step.into if isinstance(step, Load) else step.fragment)
        size = block_bytes(fragment, program.wave_size)
        for wave in range(program.waves):
            start = block_start(step, fragment, program.wave_size, wave, place.loop)
            yield step.buffer, start, start + size, wave, isinstance(step, Store)


def _bounds(program: WmmaProgram) -> bool:
    """RDNA3-BOUNDS: a kernel that reads or writes beyond its buffers has no meaning in the language."""
    sizes = {buffer.name: buffer.size for buffer in program.buffers}
    return any(end > sizes[buffer] for buffer, _, end, _, _ in _spans(program))


def _race(program: WmmaProgram) -> bool:
    """RDNA3-RACE: what one wave writes no other wave may touch, as nothing orders the waves of a kernel."""
    granule = min((block_bytes(fragment, program.wave_size) for fragment in program.fragments), default=1)
    writer = {buffer.name: np.full(-(-buffer.size // granule), -1, np.int64) for buffer in program.buffers}
    spans = sorted(set(_spans(program)), key=lambda span: not span[4])
    for buffer, start, end, wave, writes in spans:
        part = writer[buffer][start // granule : end // granule]
        if ((part != -1) & (part != wave)).any():
            return True
        if writes:
            part[:] = wave
    return False


_UNDEFINED: dict[str, Callable[[WmmaProgram], bool]] = {
    "RDNA3-REPLICATE-BROKEN": _replicate_broken,
    "RDNA3-UNSET": _unset,
    "RDNA3-BOUNDS": _bounds,
    "RDNA3-RACE": _race,
}


def undefined(program: WmmaProgram, caps: Caps) -> frozenset[str]:
    """Every boundary of the defined that a valid program crosses."""
    check_well_formed(program, caps)
    check_in_reach(program, caps)
    return frozenset(clause for clause, crossed in _UNDEFINED.items() if crossed(program))
