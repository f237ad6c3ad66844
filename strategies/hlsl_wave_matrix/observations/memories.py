"""Bound buffers and groupshared arrays: what they are for, how long they are, and what stores leave uncovered."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType

import numpy as np

from mmaspec.oracle.hlsl_wave_matrix.addresses import cells
from mmaspec.oracle.memory import poison
from mmaspec.programs.base import Buffer, FromBuffer, RunTime
from mmaspec.programs.formats import FORMATS
from mmaspec.programs.hlsl_wave_matrix.program import (
    Copy,
    Fill,
    Load,
    MatrixDepth,
    ScalarOperation,
    SharedArray,
    Stage,
    Store,
    Unstage,
)
from mmaspec.programs.tree import walk
from mmaspec.strategies.axes.observation import Answer, Look, Subject, Thing
from mmaspec.strategies.hlsl_wave_matrix.observations.access import Access, accesses
from mmaspec.strategies.hlsl_wave_matrix.observations.flow import flow_of
from mmaspec.strategies.hlsl_wave_matrix.observations.provenance import WAVES, Touch, all_touches, before
from mmaspec.strategies.hlsl_wave_matrix.observations.strides import step_of

DWORD, LINE = 4, 16
FARTHEST = 65536
"""Bases beyond it have no class."""


def _uses(subject: Subject, name: str) -> set[str]:
    """What a buffer is used for: ``load``, ``store``, ``depth``, ``stage``, ``unstage``, ``word`` and ``scalar``."""
    found: set[str] = set()
    kinds: dict[type, str] = {Load: "load", Store: "store", MatrixDepth: "depth", Stage: "stage", Unstage: "unstage"}
    for _, one, passes in walk(subject.case.program):
        if passes and getattr(one, "buffer", None) == name and type(one) in kinds:
            found.add(kinds[type(one)])
        if isinstance(one, Fill | ScalarOperation) and isinstance(one.value, FromBuffer) and one.value.buffer == name:
            found.add("scalar")
        indices = [getattr(one, field) for field in one.__struct_fields__]
        if any(isinstance(index, RunTime) and index.buffer == name for index in indices):
            found.add("word")
    return found


def _binding(subject: Subject, thing: Thing) -> Answer:
    name = thing.of.name
    if name in subject.program.read_only:
        return "read-only"
    uses = _uses(subject, name)
    written, read = uses & {"store", "depth", "unstage"}, uses - {"store", "depth", "unstage"}
    return "read-write" if written and read else "read-write-only-written" if written else "read-write-only-read"


def _role(subject: Subject, thing: Thing) -> Answer:
    name = thing.of.name
    uses = _uses(subject, name)
    extras = uses & {"word", "scalar"}
    if {"load", "store"} <= uses and extras:
        return "all"
    if uses & {"stage", "unstage"}:
        return "staging"
    if {"load", "store"} <= uses:
        moved = [np.unique(np.concatenate([touch.places for touch in _of(subject, name) if touch.writes == way]))
                 for way in (False, True)]  # fmt: skip
        met = np.intersect1d(moved[0], moved[1], assume_unique=True).size
        return "source-and-target-in-place" if met else "source-and-target-apart"
    if extras and uses & {"load", "store", "depth"}:
        return "words-beside-matrices"
    named = {"load": "source", "store": "target", "depth": "depths", "word": "words", "scalar": "scalars"}
    return next((role for use, role in named.items() if use in uses), "untouched")


def _of(subject: Subject, name: str) -> list[Touch]:
    return [touch for touch in all_touches(subject) if touch.memory == name]


def _end(subject: Subject, thing: Thing) -> Answer:
    """What lies between the last element accessed and the end."""
    ours = _of(subject, thing.of.name)
    if not ours:
        return None
    last = max(ours, key=lambda touch: int(touch.places.max()))
    rest = thing.of.size - 1 - int(last.places.max())
    if rest == 0:
        return "exact"
    paddings = {
        access.stride - _row_bytes(access)
        for access in accesses(subject)
        if access.instruction.buffer == thing.of.name and not access.matrix.is_fragment
    }
    return "padded-row" if rest in paddings else "under-16" if rest < LINE else "more"


def _row_bytes(access: Access) -> int:
    return (access.matrix.rows if access.col_major else access.matrix.cols) * access.size


def _dwords(_: Subject, thing: Thing) -> Answer:
    size = thing.of.size
    return "no-dwords" if size % DWORD else "odd-dwords" if size % LINE else "dwords"


def _guard(_: Subject, thing: Thing) -> Answer:
    """What the oracle's memory puts about the view: filler that depends on its place."""
    filler = poison(0, thing.of.name, thing.of.total)
    return "zeros" if not filler.any() else "ones" if (filler == 0xFF).all() else "distinct"


def _units(memory: Buffer | SharedArray) -> int:
    """Places of a memory: bytes of a view, elements of matrices in an array."""
    return memory.size if isinstance(memory, Buffer) else memory.length * cells(memory.element)


def _coverage(subject: Subject, thing: Thing) -> Answer:
    name, size = thing.of.name, _units(thing.of)
    array = subject.program.array(name) is not None
    kinds = (Store,) if array else (Store, MatrixDepth, Unstage)
    stores = [touch for touch in _of(subject, name) if touch.writes and isinstance(touch.event.instruction, kinds)]
    if not stores:
        return "no-store"
    if isinstance(thing.of, Buffer) and thing.of.windows:
        return _sparse_coverage(subject, thing.of, stores)
    covered = np.zeros(size, np.bool_)
    for touch in stores:
        covered[touch.places] = True
    if covered.all():
        return "all"
    found = {side for side, place in (("head", 0), ("tail", size - 1)) if not covered[place]}
    width = 1 if isinstance(thing.of, Buffer) else FORMATS[thing.of.element].nbytes
    found |= set(_gaps(subject, name, covered, DWORD // width if width < DWORD else 1))
    if len({touch.wave for touch in stores}) > 1 and _between_waves(stores, covered):
        found.add("between-waves")
    return found


def _sparse_coverage(subject: Subject, buffer: Buffer, stores: list[Touch]) -> Answer:
    """Of a view that is too large to be looked at byte by byte; stores of no other access fill its gaps."""
    taken = np.unique(np.concatenate([touch.places for touch in stores]))
    found = {side for side, place in (("head", 0), ("tail", buffer.size - 1)) if place not in taken}
    for access in accesses(subject):
        ours = access.touched.size
        here = access.instruction.buffer == buffer.name and isinstance(access.instruction, Store)
        if here and ours < access.end - access.first:
            found.add("element-gaps" if access.matrix.is_fragment else "row-padding")
    return found


def _gaps(
    subject: Subject, name: str, covered: np.ndarray[tuple[int, ...], np.dtype[np.bool_]], dword: int
) -> Iterator[str]:
    if dword > 1:
        whole = covered[: covered.size // dword * dword].reshape(-1, dword)
        if (whole.any(axis=1) & ~whole.all(axis=1)).any():
            yield "half-dwords"
    for access in accesses(subject):
        if access.instruction.buffer != name or not isinstance(access.instruction, Store):
            continue
        within = covered[access.first : access.end]
        ours = access.touched.size
        if ours == within.size:
            continue
        if not within.all():
            yield "element-gaps" if access.matrix.is_fragment else "row-padding"
        if within.sum() > ours and step_of(access):
            yield "holes-filled-later"


def _between_waves(stores: list[Touch], covered: np.ndarray[tuple[int, ...], np.dtype[np.bool_]]) -> bool:
    """Whether something is left between the places of one wave and those of another."""
    for first in stores:
        for second in stores:
            if first.event.turn == second.event.turn and second.wave == first.wave + 1:
                low, high = int(first.places.max()), int(second.places.min())
                if low < high and not covered[low:high].all():
                    return True
    return False


def _length_kind(subject: Subject, thing: Thing) -> Answer:
    array: SharedArray = thing.of
    ours = _of(subject, array.name)
    if not ours:
        return None
    end = max(int(touch.places.max()) for touch in ours) + 1
    found = {"exact" if end == _units(array) else "room"}
    if FORMATS[array.element].nbytes == 2 and array.length % 2:
        found.add("odd")
    views = [access for access in accesses(subject) if access.instruction.buffer == array.name]
    starts = {(access.event.path, access.event.place.loop): access for access in views}
    if any(one.end <= two.first for one in starts.values() for two in starts.values()):
        found.add("tiles")
    if any(one.event == two.event and one.end <= two.first for one in views for two in views):
        found.add("one-per-wave")
    return found


def _array_use(subject: Subject, thing: Thing) -> Answer:
    ours = _of(subject, thing.of.name)
    kinds = {type(touch.event.instruction) for touch in ours}
    found: set[str] = set()
    staged = [touch for touch in ours if isinstance(touch.event.instruction, Stage)]
    if any(np.intersect1d(one.places, two.places).size for i, one in enumerate(staged) for two in staged[i + 1 :]):
        found.add("reused")
    names = {
        frozenset({Stage, Load}): "stage-load",
        frozenset({Store, Unstage}): "store-unstage",
        frozenset({Stage, Unstage}): "stage-unstage",
        frozenset({Store, Load}): "store-load",
        frozenset({Store, Load, Unstage}): "store-load",
        frozenset({Stage, Store, Unstage}): "stage-store-unstage",
        frozenset({Stage, Load, Store, Unstage}): "stage-load-store",
        frozenset({Stage, Load, Store}): "stage-load-store",
    }
    named = names.get(frozenset(kinds))
    return found | ({named} if named else set())


def _sharing(subject: Subject, thing: Thing) -> Answer:
    if subject.program.waves == 1:
        return "single-wave"
    found: set[str] = set()
    views = [touch for touch in _of(subject, thing.of.name) if not isinstance(touch.event.instruction, Copy)]
    for touch in views:
        if not touch.writes:
            wrote = set(np.unique(before(subject, touch.event, touch.wave, touch.memory)).tolist())
            wrote = {one % WAVES for one in wrote if one >= 0 and _stored(subject, one)}
            if len(wrote) > 1:
                found.add("read-across")
            elif wrote and wrote != {touch.wave}:
                found.add("read-of-others")
    for one in views:
        for two in views:
            if one.event.turn == two.event.turn and two.wave == one.wave + 1:
                found.update(_beside(one, two))
    return found


def _stored(subject: Subject, writer: int) -> bool:
    return isinstance(flow_of(subject).events[writer // WAVES].instruction, Store)


def _beside(one: Touch, two: Touch) -> Iterator[str]:
    same = np.array_equal(one.places, two.places)
    if same:
        yield "same-store" if one.writes else "all-read-all"
    elif not np.intersect1d(one.places, two.places).size:
        apart = one.places.max() < two.places.min() or two.places.max() < one.places.min()
        yield "own-part" if apart else "interleaved"


LOOKS: Mapping[str, Look] = MappingProxyType(
    {
        "binding": _binding,
        "buffer-role": _role,
        "buffer-size": lambda _, thing: thing.of.size or None,
        "buffer-end": _end,
        "buffer-size-dwords": _dwords,
        "buffer-base": lambda _, thing: thing.of.base if thing.of.base <= FARTHEST else None,
        "guard": _guard,
        "coverage": _coverage,
        "array-element": lambda _, thing: thing.of.element,
        "array-length": lambda _, thing: thing.of.length,
        "array-length-kind": _length_kind,
        "array-use": _array_use,
        "array-sharing": _sharing,
    }
)
"""Axis -> how it is seen in a buffer or an array."""
