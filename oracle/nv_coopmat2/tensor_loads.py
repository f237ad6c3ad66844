"""The results of tensor loads: memory, a decoded value, the clamp value, or the old element."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from mmaspec.oracle.memory import Memory
from mmaspec.oracle.numerics.legal import Legal, Reason, unjudged, where
from mmaspec.oracle.numerics.rules import FloatRules
from mmaspec.oracle.nv_coopmat2.addresses import address_readings, addresses, coordinates, layouts_of
from mmaspec.oracle.nv_coopmat2.tensors.decoding import decoded
from mmaspec.oracle.nv_coopmat2.tensors.index_functions import Ended
from mmaspec.oracle.nv_coopmat2.tensors.readings import (
    CEILING,
    CLAMP_BITS,
    CLIP_END,
    FLOOR,
    MATHEMATICAL,
    PARTIAL_BLOCKS,
    SIGN,
    WRAPS,
    AddressReading,
)
from mmaspec.oracle.readings import Readings
from mmaspec.programs.formats import Format, format_named
from mmaspec.programs.nv_coopmat2.program import Access, CoopMatProgram, LoadTensor

ANSWERS = {PARTIAL_BLOCKS: (CEILING, FLOOR), CLIP_END: (WRAPS, MATHEMATICAL)}
"""The readings of each ambiguity on which addresses can depend; the first one stands for all where they agree."""


def chosen(program: CoopMatProgram, access: Access, loop: int, readings: Readings) -> AddressReading:
    """The readings that an access depends on; an ambiguity that does not change its addresses is not consulted."""
    possible = address_readings(program, access)
    if len(possible) == 1:
        return possible[0]
    found = {reading: addresses(program, access, loop, reading) for reading in possible}
    pick: dict[str, str] = {}
    for ambiguity, field in ((PARTIAL_BLOCKS, "partial_blocks"), (CLIP_END, "clip_end")):
        default = ANSWERS[ambiguity][0]
        matters = any(
            not np.array_equal(where, found[other])
            for reading, where in found.items()
            for other in found
            if getattr(reading, field) != getattr(other, field) and _same_but(field, reading, other)
        )
        pick[field] = readings.choose(ambiguity) if matters else default
    return AddressReading(**pick)


def _same_but(field: str, one: AddressReading, other: AddressReading) -> bool:
    names = ("partial_blocks", "clip_end")
    return all(getattr(one, name) == getattr(other, name) for name in names if name != field)


def load_tensor(
    program: CoopMatProgram,
    access: LoadTensor,
    loop: int,
    old: Legal | None,
    memory: Memory,
    rules: FloatRules,
    readings: Readings,
) -> Legal:
    """Contents of the matrix after the load, ``(batch, waves, rows, cols)``.

    NVCM2-LOAD-INOUT: every element inside the clip region is replaced, by memory or by the clamp value.
    NVCM2-CLIP-SKIP: every other one keeps what it held.
    """
    fmt = format_named(program.matrix(access.matrix).component)
    reading = chosen(program, access, loop, readings)
    found = addresses(program, access, loop, reading)
    legal = _from_memory(program, access, loop, reading, found, memory, fmt, rules)
    outside = found == Ended.CONSTANT.value
    if outside.any():
        value = _clamp(program, access, loop, memory, fmt, readings)
        if fmt.is_float and rules.flush_results:
            value = value.may_flush()
        legal = where(np.broadcast_to(outside, legal.shape), value, legal)
    skipped = found == Ended.SKIPPED.value
    if skipped.any():
        before = unjudged(fmt, legal.shape, Reason.UNINITIALISED) if old is None else old
        legal = where(np.broadcast_to(skipped, legal.shape), before, legal)
    return legal


def _from_memory(
    program: CoopMatProgram,
    access: LoadTensor,
    loop: int,
    reading: AddressReading,
    found: NDArray[np.int64],
    memory: Memory,
    fmt: Format,
    rules: FloatRules,
) -> Legal:
    """The memory at the addresses, decoded if there is a decode function; anything where there is no address."""
    missing = found < 0
    if missing.all():
        return unjudged(fmt, (memory.batch, *found.shape), Reason.UNINITIALISED)
    first = tuple(int(i) for i in np.argwhere(~missing)[0])
    somewhere = np.where(missing, found[first], found)
    if access.decode is None:
        return memory.load(access.buffer, somewhere, fmt)
    both = coordinates(program, access, loop, reading)
    block, within = (np.where(missing[..., np.newaxis], one[first], one) for one in both)
    return decoded(access.decode, memory, access.buffer, somewhere, block, within, fmt, rules)


def _clamp(
    program: CoopMatProgram, access: LoadTensor, loop: int, memory: Memory, fmt: Format, readings: Readings
) -> Legal:
    """NVCM2-CLAMP-CONST: the low bits of each wave's clamp value, as many as a component has.

    They are made into a float there, so that the caller lets a subnormal one be flushed.

    NVCM2-AMB-10: raw, even where a decode function makes all other elements. NVCM2-AMB-13: how 32 bits become 64.
    """
    values = [layout.clamp_value for layout in layouts_of(program, access, loop)]
    extension = 0
    if fmt.bits > 32 and any(value >> 31 for value in values) and readings.choose(CLAMP_BITS) == SIGN:
        extension = fmt.mask ^ 0xFFFF_FFFF
    words = [value | (extension if value >> 31 else 0) for value in values]
    bits = np.array([word & fmt.mask for word in words], np.uint64).reshape(1, -1, 1, 1)
    matrix = program.matrix(access.matrix)
    return Legal.from_bits(fmt, np.broadcast_to(bits, (memory.batch, program.waves, matrix.rows, matrix.cols)).copy())
