"""Undefined behaviour: one function for each clause, which tells whether a valid program has it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType

import numpy as np

from mmaspec.oracle.amd_rdna3_wmma.addresses import block_bytes, block_start
from mmaspec.oracle.amd_rdna3_wmma.caps_support import check_in_reach
from mmaspec.oracle.amd_rdna3_wmma.rule_context import Context
from mmaspec.oracle.rule_context import broken
from mmaspec.programs.amd_rdna3_wmma.caps import Caps
from mmaspec.programs.amd_rdna3_wmma.program import Fill, Fragment, Load, Store, Wmma, WmmaProgram
from mmaspec.programs.amd_rdna3_wmma.well_formed import check_well_formed
from mmaspec.programs.tree import unrolled


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


def bounds(context: Context) -> bool:
    """RDNA3-BOUNDS: a kernel that reads or writes beyond its buffers has no meaning in the language."""
    program = context.program
    sizes = {buffer.name: buffer.size for buffer in program.buffers}
    return any(end > sizes[buffer] for buffer, _, end, _, _ in _spans(program))


def race(context: Context) -> bool:
    """RDNA3-RACE: what one wave writes no other wave may touch, as nothing orders the waves of a kernel."""
    program = context.program
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


RULES: Mapping[str, Callable[[Context], bool]] = MappingProxyType(
    {
        "RDNA3-REPLICATE-BROKEN": replicate_broken,
        "RDNA3-UNSET": unset,
        "RDNA3-BOUNDS": bounds,
        "RDNA3-RACE": race,
    }
)
"""Clause -> whether a program crosses it."""


def undefined(program: WmmaProgram, caps: Caps) -> frozenset[str]:
    """Every clause by which a valid, resolved program has undefined behaviour."""
    check_well_formed(program)
    check_in_reach(program, caps)
    return broken(RULES, Context(program, caps))
