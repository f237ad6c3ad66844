"""The axes about memory: what lies beside elements, who else uses a buffer, what a load finds."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from mmaspec.oracle.nv_coopmat2.addresses import addresses, component_bytes, touched
from mmaspec.programs.base import Buffer, Place, RunTime
from mmaspec.programs.nv_coopmat2.program import Access, Load, LoadTensor, Store, StoreTensor
from mmaspec.strategies.axes.observation import Answer, Look, Subject, Thing
from mmaspec.strategies.nv_coopmat2.observations.accesses import ILL_TYPED, tensor_facts
from mmaspec.strategies.nv_coopmat2.observations.facts import At, Facts, every, facts
from mmaspec.strategies.nv_coopmat2.observations.things import written_arguments

PASSES = 16
Words = NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class Touched:
    """Where an access lies: the first byte of every element, and every byte, over waves and passes."""

    access: Access
    starts: tuple[Words, ...]
    """Of every pass, ``(waves, rows, cols)``; negative for elements without a place."""
    bytes: Words

    @property
    def store(self) -> bool:
        """Whether it writes."""
        return isinstance(self.access, Store | StoreTensor)


@lru_cache(maxsize=128)
def places(known: Facts, place: Place) -> Touched | None:
    """Where the access at a place lies; None for one that rules reject."""
    access = known.text[known.turn[place]].instruction
    assert isinstance(access, Access)
    loops = range(min(known.passes[place], PASSES))
    try:
        starts = tuple(addresses(known.program, access, loop) for loop in loops)
        parts = [words for loop in loops for words in touched(known.program, access, loop)]
    except ILL_TYPED:
        return None
    return Touched(access, starts, np.unique(np.concatenate(parts)) if parts else np.zeros(0, np.int64))


def _buffer(known: Facts, name: str) -> Buffer:
    return next(buffer for buffer in known.program.buffers if buffer.name == name)


def base(_: Subject, thing: Thing) -> Answer:
    """Where the view starts in its allocation."""
    where = thing.of.base % 256
    return every(
        ("zero", where == 0),
        ("sixteen", where == 16),
        ("thirty-two", where in (32, 48)),
        ("sixty-four", where in (64, 192)),
        ("one-hundred-twenty-eight", where == 128),
        ("odd-sixteens", where == 240),
        ("unaligned", where % 16),
    )


def end(subject: Subject, thing: Thing) -> Answer:
    """How near to the end of the view accesses come."""
    known = facts(subject)
    if isinstance(thing.of, Buffer):
        found = [one for one in known.accesses if getattr(one.instruction, "buffer", "") == thing.of.name]
        return {name for one in found for name in _end(known, thing.of, one.place)}
    assert thing.place is not None
    return set(_end(known, _buffer(known, thing.of.buffer), thing.place))


def _end(known: Facts, buffer: Buffer, place: Place) -> Iterator[str]:
    there = places(known, place)
    if there is None or not there.bytes.size:
        return
    last = int(there.bytes.max())
    access = there.access
    padded = isinstance(access, Load | Store) and last + 1 == buffer.size and not _tight(there)
    before, beyond = _masked(known, buffer, place)
    yield from every(
        ("exact", last + 1 == buffer.size),
        ("exact-row-gap", padded),
        ("sub-word", buffer.size % 4),
        ("sub-line", buffer.size % 16),
        ("roomy", buffer.size - last > 256),
        ("masked-beyond", beyond),
        ("masked-before", before),
    )


def _tight(there: Touched) -> bool:
    taken = there.bytes
    return int(taken.max()) - int(taken.min()) + 1 == taken.size


def _masked(known: Facts, buffer: Buffer, place: Place) -> tuple[bool, bool]:
    """Whether elements that clamping drops would lie before the start, or beyond the end, of the view."""
    access = known.text[known.turn[place]].instruction
    if not isinstance(access, LoadTensor | StoreTensor):
        return False, False
    one = tensor_facts(known.subject, place)
    before = beyond = False
    for state in one.states:
        if not one.rank or 0 in state.t.block_size:
            continue
        below, above = one.outside(state)
        out = (below | above).any(axis=1)
        block = one.coordinates(state)[out] // np.array(state.t.block_size, np.int64)
        where = state.base + (block * np.array(state.t.stride, np.int64)).sum(axis=1) * one.step
        before |= bool((where < 0).any())
        beyond |= bool((where >= buffer.size).any())
    return before, beyond


def access_buffer(subject: Subject, thing: Thing) -> Answer:
    """The array of a load against those of other accesses."""
    known = facts(subject)
    assert thing.place is not None
    mine = places(known, thing.place)
    if mine is None:
        return None
    others = [
        other
        for one in known.accesses
        if one.place != thing.place and getattr(one.instruction, "buffer", "") == thing.of.buffer
        if (other := places(known, one.place)) is not None
    ]
    loads = [other for other in others if not other.store]
    kind = (known.matrix(thing.of.matrix).component, thing.of.array)
    typed = [(known.matrix(other.access.matrix).component, other.access.array) for other in loads]
    written = [argument.written for argument, _ in written_arguments(subject)]
    words = {index.buffer for index in written if isinstance(index, RunTime)}
    found = every(
        ("another-load", any(not np.intersect1d(mine.bytes, other.bytes).size for other in loads)),
        ("same-elements", any(np.array_equal(mine.bytes, other.bytes) for other in loads)),
        ("as-other-type", any(other != kind for other in typed)),
        ("a-store", any(other.store for other in others)),
        ("run-time-words", thing.of.buffer in words),
    )
    return found or "own"


def neighbours(subject: Subject, thing: Thing) -> Answer:
    """What lies beside stored elements."""
    known, access = facts(subject), thing.of
    assert thing.place is not None
    there = places(known, thing.place)
    if there is None or not there.bytes.size:
        return None
    taken, size = there.bytes, _buffer(known, access.buffer).size
    nbytes = component_bytes(known.matrix(access.matrix))
    jumps = np.diff(taken)
    gaps = jumps[jumps > 1] - 1
    starts = taken[1:][jumps > 1]
    row = known.matrix(access.matrix).cols * nbytes
    lines = np.concatenate([taken[:1], starts])
    ends = np.concatenate([taken[:-1][jumps > 1], taken[-1:]]) + 1
    every_other = nbytes < 4 and gaps.size and (gaps == nbytes).mean() > 0.5
    cut = isinstance(access, StoreTensor) and any(bool((words < 0).any()) for words in there.starts)
    return every(
        ("none", taken.size == size),
        ("gap-one-element", (gaps == nbytes).any()),
        ("gap-sub-word", gaps.size and ((starts % 4 > 0) & (gaps < 64)).any()),
        ("gap-long", (gaps > row).any()),
        ("every-other", every_other),
        ("before-first", (lines % 4 > 0).any()),
        ("after-last", (ends % 4 > 0).any()),
        ("clipped-within-word", cut and ((ends % 4 > 0).any() or (lines % 4 > 0).any())),
    )


def order(subject: Subject, thing: Thing) -> Answer:
    """Whether an access finds what another of the same program wrote."""
    known = facts(subject)
    if thing.group == "program":
        return {name for one in known.accesses for name in _order(known, one)}
    assert thing.place is not None
    return set(_order(known, known.text[known.turn[thing.place]]))


def _order(known: Facts, at: At) -> tuple[str, ...]:
    mine = places(known, at.place)
    if mine is None:
        return ()
    turn, access = known.turn[at.place], mine.access
    found: set[str] = set()
    for one in known.accesses:
        other = places(known, one.place) if known.turn[one.place] < turn else None
        if other is None or other.access.buffer != access.buffer:
            continue
        common = np.intersect1d(mine.bytes, other.bytes).size
        if not common:
            continue
        if mine.store:
            found.add("store-over-store" if other.store else "store-over-input")
        elif other.store:
            found |= set(_after_store(known, mine, other, common))
    return tuple(found) or every(("input-only", not mine.store))


def _after_store(known: Facts, mine: Touched, other: Touched, common: int) -> tuple[str, ...]:
    plain, tensor = isinstance(mine.access, Load), isinstance(other.access, StoreTensor)
    kinds = {known.matrix(mine.access.matrix).component, known.matrix(other.access.matrix).component}
    same = len(mine.starts) == len(other.starts) and all(
        np.array_equal(a, b) for a, b in zip(mine.starts, other.starts, strict=True)
    )
    return every(
        ("own-store", same and len(kinds) == 1),
        ("own-store-other-layout", not same and common == mine.bytes.size and len(kinds) == 1),
        ("own-store-other-type", len(kinds) > 1),
        ("partial-overlap", 0 < common < mine.bytes.size),
        ("plain-then-tensor", not plain and not tensor),
        ("tensor-then-plain", plain and tensor),
    )


def acting(subject: Subject, thing: Thing) -> Answer:
    """Whose addresses or data make the case special."""
    known = facts(subject)
    waves = known.program.waves
    assert thing.place is not None
    if waves == 1:
        return "all-alike"
    marks = _marks(known, thing)
    if marks is None:
        return None
    kinds = len(set(marks))
    common = max(set(marks), key=marks.count)
    odd = [wave for wave in range(waves) if marks[wave] != common]
    return every(
        ("all-alike", kinds == 1),
        ("first-only", waves > 2 and odd == [0]),
        ("last-only", waves > 2 and odd == [waves - 1]),
        ("middle-only", waves > 2 and len(odd) == 1 and 0 < odd[0] < waves - 1),
        ("each-differs", kinds == waves),
    )


def _marks(known: Facts, thing: Thing) -> list[bytes] | None:
    """What makes each wave special: the pattern of its addresses, or which values its operands have."""
    assert thing.place is not None
    if isinstance(thing.of, Access):
        there = places(known, thing.place)
        if there is None:
            return None
        return [b"".join(_pattern(starts[wave]) for starts in there.starts) for wave in range(known.program.waves)]
    name = getattr(thing.of, "a", None) or thing.of.matrix
    held = known.subject.held(name, thing.place)
    if held is None:
        return None
    tiny = (np.abs(held.lo) < (1 << held.fmt.fraction_bits)) & (held.lo != 0)
    odd = [held.nan, np.abs(held.lo) == held.fmt.max_ordinal, held.lo == 0, tiny if held.fmt.is_float else held.nan]
    return [bytes(int(flags[:, wave].any()) for flags in odd) for wave in range(known.program.waves)]


def _pattern(starts: Words) -> bytes:
    there = starts >= 0
    first = int(starts[there].min()) if there.any() else 0
    return np.where(there, starts - first, starts).tobytes()


LOOKS: dict[str, Look] = {
    "buffer-base": base,
    "buffer-end": end,
    "access-buffer": access_buffer,
    "store-neighbours": neighbours,
    "memory-order": order,
    "acting-instance": acting,
}
"""Axis -> how its class is seen."""
