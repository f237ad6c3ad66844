"""What a Load finds and a Store stores: where it comes from, how its values lie, and which bits they have."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from mmaspec.oracle.numerics.ordinals import is_nan, is_subnormal
from mmaspec.programs.base import at
from mmaspec.programs.formats import FORMATS
from mmaspec.programs.hlsl_wave_matrix.program import Copy, Load, MatrixDepth, Store, is_packed
from mmaspec.strategies.axes.observation import Answer, Look, Subject, Thing
from mmaspec.strategies.hlsl_wave_matrix.observations.access import Access, Codes, loaded_codes
from mmaspec.strategies.hlsl_wave_matrix.observations.flow import flow_of
from mmaspec.strategies.hlsl_wave_matrix.observations.patterns import patterns
from mmaspec.strategies.hlsl_wave_matrix.observations.provenance import NOBODY, WAVES, before, held_by_target
from mmaspec.strategies.hlsl_wave_matrix.observations.values import kinds_of, quiet

F32 = FORMATS["f32"]


def load_finds(subject: Subject, thing: Thing) -> Answer:
    """Who wrote what the Load finds."""
    access: Access = thing.of
    wrote = set(np.unique(before(subject, access.event, access.wave, access.instruction.buffer)).tolist())
    events = flow_of(subject).events
    kinds: set[str] = set()
    for writer in wrote - {NOBODY}:
        one = events[writer // WAVES].instruction
        if isinstance(one, MatrixDepth):
            kinds.add("depth-word")
        elif isinstance(one, Copy):
            kinds.add("copied")
        else:
            kinds.add("own-store" if writer % WAVES == access.wave else "other-store")
    stored = kinds & {"own-store", "other-store"}
    if stored and (NOBODY in wrote or "copied" in kinds):
        return "part-stored"
    if not kinds:
        return None if access.shared else "case-values"
    return kinds


def pattern_loaded(subject: Subject, thing: Thing) -> Answer:
    """How the values of a loaded matrix lie, item by item."""
    codes = loaded_codes(subject, thing)
    if codes is None:
        return None
    found = set(patterns(codes))
    access: Access = thing.of
    step = subject.left_by(access.event.place)
    if step is not None and step.legal is not None and subject.program.waves > 1:
        every, known = step.legal.certain_bits()
        if known.all() and (every[:, 1:] != every[:, :1]).any(axis=(-1, -2)).all(axis=1).any():
            found.add("by-wave")
    return found


def known_codes(subject: Subject, thing: Thing) -> Codes | None:
    """The elements of a Load or Store of which the bits are known, in no shape."""
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
    return codes[:, access.wave][known[:, access.wave]]


_NOT_AS_BITS = {"least-normal": "largest-subnormal"}
"""Kinds of floats that share a class with another one."""


def float_bits(subject: Subject, thing: Thing) -> Answer:
    """The kinds of floats that are carried."""
    access: Access = thing.of
    fmt = FORMATS[access.matrix.element]
    if not fmt.is_float:
        return "integers"
    codes = known_codes(subject, thing)
    if codes is None or not codes.size:
        return None
    return {_NOT_AS_BITS.get(kind, kind) for kind in kinds_of(fmt, codes)}


def integer_bits(subject: Subject, thing: Thing) -> Answer:
    """The kinds of integers that are carried."""
    access: Access = thing.of
    fmt = FORMATS[access.matrix.element]
    if fmt.is_float:
        return "floats"
    codes = known_codes(subject, thing)
    if codes is None or not codes.size:
        return None
    values = np.unique(codes)
    high, dwords = np.uint64(1 << fmt.bits - 1), values
    found: dict[str, NDArray[np.bool_]] = {
        "zero": values == 0,
        "one": values == 1,
        "minus-one": values == fmt.mask,
        "least": values == high,
        "largest-signed": values == high - 1,
    }
    if is_packed(access.matrix):
        whole = loaded_codes(subject, thing)
        found["high-bit"] = values >= high
        dwords = np.zeros(0, np.uint64) if whole is None else packed_dwords(whole, access.col_major)
        found["four-distinct"] = four_distinct(dwords)
    else:
        size = np.where(values >= high, np.uint64(1 << fmt.bits) - values, values)
        found["beyond-24-bits"] = np.atleast_1d((size > 1 << 24) & (values % 2 == 1))
    found["float-nan-bits"] = np.where(quiet(F32, dwords), False, is_nan(F32, dwords))
    found["float-subnormal-bits"] = is_subnormal(F32, dwords)
    return {name for name, mask in found.items() if mask.any()}


def packed_dwords(codes: Codes, col_major: int) -> Codes:
    """The dwords of packed elements ``(..., rows, cols)``: four neighbours along a memory-layout row."""
    lines = np.swapaxes(codes, -1, -2) if col_major else codes
    lines = lines.reshape(*lines.shape[:-1], -1, 4)
    whole: Codes = (lines << np.array([0, 8, 16, 24], np.uint64)).sum(axis=-1, dtype=np.uint64)
    return np.unique(whole)


def four_distinct(dwords: Codes) -> NDArray[np.bool_]:
    """Where the four bytes of a dword all differ."""
    four = np.sort(dwords[:, np.newaxis] >> np.array([0, 8, 16, 24], np.uint64) & np.uint64(0xFF), axis=1)
    distinct: NDArray[np.bool_] = np.logical_and.reduce(np.diff(four, axis=1) > 0, axis=1)
    return distinct


def stored_after(subject: Subject, thing: Thing) -> Answer:
    """The orientation and stride of a Store beside those of the Load that filled the matrix."""
    access: Access = thing.of
    flow = flow_of(subject)
    gave = flow.gave(access.matrix.name, access.event)
    if gave is None or not isinstance(gave.instruction, Load):
        return "not-loaded"
    load = gave.instruction
    wave, loop = access.wave, gave.place.loop
    found: set[str] = set()
    if int(at(load.col_major, wave, loop) != 0) != access.col_major:
        found.add("transposed")
    else:
        found.add("same" if at(load.stride, wave, loop) == access.stride else "same-other-stride")
    ways = {
        int(at(one.instruction.col_major, wave, one.place.loop) != 0)
        for one in flow.uses_until_changed(access.matrix.name, gave)
        if isinstance(one.instruction, Store)
    }
    return found | ({"both-stores"} if len(ways) > 1 else set())


def before_store(subject: Subject, thing: Thing) -> Answer:
    """What the places of a Store hold before it, item by item."""
    access: Access = thing.of
    if access.shared and (before(subject, access.event, access.wave, access.instruction.buffer) == NOBODY).all():
        return "unknown"
    held = held_by_target(subject, access.event, access.wave)
    legal = subject.held(access.matrix.name, access.event.place)
    if held is None or legal is None:
        return None
    codes, known = (part[:, access.wave] for part in legal.certain_bits())
    fmt = FORMATS[access.matrix.element]
    same = ((held == codes) & known).all(axis=(-1, -2))
    found = {"nan"} if is_nan(fmt, held).all(axis=(-1, -2)).any() else set()
    return found | ({"same"} if same.any() else set()) | ({"differs"} if not same.all() else set())


LOOKS: Mapping[str, Look] = MappingProxyType(
    {
        "load-finds": load_finds,
        "pattern-loaded": pattern_loaded,
        "float-bits": float_bits,
        "integer-bits": integer_bits,
        "stored-after": stored_after,
        "before-store": before_store,
    }
)
"""Axis -> how it is seen in a Load or Store."""
