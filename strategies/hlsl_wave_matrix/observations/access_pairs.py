"""Two accesses, one after the other, to one buffer or array."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise
from types import MappingProxyType

import numpy as np

from mmaspec.programs.base import at
from mmaspec.programs.formats import FORMATS
from mmaspec.programs.hlsl_wave_matrix.program import (
    FACTORS,
    Barrier,
    Load,
    Matrix,
    MatrixDepth,
    Repeat,
    Stage,
    Store,
    Unstage,
)
from mmaspec.strategies.axes.observation import Answer, Look, Subject, Thing
from mmaspec.strategies.hlsl_wave_matrix.observations.flow import Event, flow_of
from mmaspec.strategies.hlsl_wave_matrix.observations.provenance import Touch, all_touches

DWORD = 4
_NAMES: Mapping[type, str] = MappingProxyType(
    {Load: "load", Store: "store", Stage: "stage", Unstage: "unstage", MatrixDepth: "depth"}
)
ORDERS = frozenset({"load-load", "load-store", "store-load", "store-store", "depth-store"})
"""The pairs of accesses that can be seen; the others would load from a buffer what the program stored."""


@dataclass(frozen=True, slots=True, eq=False)
class Pair:
    """Two touches of one memory."""

    first: Touch
    second: Touch
    order: str
    overlap: str
    waves: str


def pairs(subject: Subject) -> Iterator[Pair]:
    """Neighbouring accesses to every memory: of one wave, and where these meet, of two; every pair of places once."""
    program = subject.program
    seen: set[tuple[tuple[int, ...], tuple[int, ...], bool, bool]] = set()
    arrays = {array.name for array in program.arrays}
    by_memory: dict[str, dict[int, list[Touch]]] = {}
    for touch in all_touches(subject):
        if touch.memory in arrays and not isinstance(touch.event.instruction, Load | Store):
            continue
        by_memory.setdefault(touch.memory, {}).setdefault(touch.event.turn, []).append(touch)
    for turns in by_memory.values():
        inside = list(turns.values())
        for before, after in pairwise(inside):
            first, second = before[0], after[0]
            order = f"{_NAMES[type(first.event.instruction)]}-{_NAMES[type(second.event.instruction)]}"
            if order not in ORDERS:
                continue
            for other in (0, 1) if program.waves > 1 and len(after) > 1 else (0,):
                key = (
                    first.event.path,
                    second.event.path,
                    first.event.place.loop == second.event.place.loop,
                    bool(other),
                )
                if key not in seen:
                    seen.add(key)
                    yield from _pair(subject, first, after[other], order)


def _pair(subject: Subject, first: Touch, second: Touch, order: str) -> Iterator[Pair]:
    array = subject.program.array(first.memory)
    # Places of an array count elements, not bytes.
    overlap = _overlap(first, second, DWORD if array is None else DWORD // FORMATS[array.element].nbytes)
    shared = array is not None
    between = flow_of(subject).events[first.event.turn + 1 : second.event.turn]
    barrier = any(isinstance(event.instruction, Barrier) for event in between)
    if first.wave == second.wave:
        yield Pair(first, second, order, overlap, "one-wave-barrier" if barrier else "one-wave")
    elif overlap in ("adjacent", "interleaved", "within-dword"):
        yield Pair(first, second, order, overlap, "two-waves-apart")
    elif shared and barrier and overlap != "apart":
        yield Pair(first, second, order, overlap, "other-wave-barrier")


def _overlap(first: Touch, second: Touch, dword: int) -> str:
    """How the places of two accesses lie; ``dword`` is the number of places in one."""
    ours, theirs = np.unique(first.places), np.unique(second.places)
    common = np.intersect1d(ours, theirs, assume_unique=True).size
    if common:
        if ours.size == theirs.size == common:
            return "transposed" if _turned(first.event, second.event) else "same"
        if common == min(ours.size, theirs.size):
            return "inside"
        return "shifted" if 0 < abs(int(ours[0]) - int(theirs[0])) <= dword else "partial"
    low, high = (ours, theirs) if ours[0] < theirs[0] else (theirs, ours)
    if first.writes and second.writes and np.intersect1d(ours // dword, theirs // dword).size:
        return "within-dword"
    if high[0] < low[-1]:
        return "interleaved"
    return "adjacent" if high[0] == low[-1] + 1 else "apart"


def _turned(first: Event, second: Event) -> bool:
    one, two = first.instruction, second.instruction
    return isinstance(one, Load | Store) and isinstance(two, Load | Store) and one.col_major != two.col_major


def _matrix(subject: Subject, touch: Touch) -> Matrix | None:
    one = touch.event.instruction
    return subject.program.matrix(one.matrix) if isinstance(one, Load | Store) else None


def _memory(subject: Subject, thing: Thing) -> Answer:
    name = thing.of.first.memory
    if subject.program.array(name) is not None:
        return "array"
    return "read-only" if name in subject.program.read_only else "read-write"


def _orientations(subject: Subject, thing: Thing) -> Answer:
    found = []
    for touch in (thing.of.first, thing.of.second):
        one, matrix = touch.event.instruction, _matrix(subject, touch)
        if matrix is None or matrix.is_fragment:
            return "none"
        found.append("col" if at(one.col_major, touch.wave, touch.event.place.loop) else "row")
    return "-".join(found)


def _types(subject: Subject, thing: Thing) -> Answer:
    pair: Pair = thing.of
    first, second = _matrix(subject, pair.first), _matrix(subject, pair.second)
    if first is None or second is None:
        return None
    if first.name == second.name and pair.first.wave == pair.second.wave:
        return "same-object"
    if pair.order == "store-load" and first.kind not in FACTORS and second.kind in FACTORS:
        return "accumulator-as-operand"
    if first.element != second.element:
        return "other-sign" if {first.element, second.element} == {"s8", "u8"} else "other-element"
    return "same-type" if first.kind == second.kind else "other-kind"


def _distance(subject: Subject, thing: Thing) -> Answer:
    first, second = thing.of.first.event, thing.of.second.event
    if first.turn + 1 == second.turn:
        return "nothing" if len(first.path) == len(second.path) else _edge(subject, first, second)
    if first.path[0] == second.path[0]:
        return "loop-end" if first.place.loop != second.place.loop else "other-operations"
    passed = subject.program.body[first.path[0] + 1 : second.path[0]]
    if any(isinstance(one, Repeat) for one in passed):
        return "whole-loop"
    return "other-operations" if len(first.path) == len(second.path) == 1 else _edge(subject, first, second)


def _edge(subject: Subject, first: Event, second: Event) -> Answer:
    around = [flow_of(subject).around(event) for event in (first, second)]
    within = [one for one in around if one is not None]
    return "other-operations" if any(isinstance(one, Repeat) for one in within) else "branch"


LOOKS: Mapping[str, Look] = MappingProxyType(
    {
        "pair-order": lambda _, thing: thing.of.order,
        "pair-memory": _memory,
        "pair-overlap": lambda _, thing: thing.of.overlap,
        "pair-orientations": _orientations,
        "pair-types": _types,
        "pair-waves": lambda _, thing: thing.of.waves,
        "pair-distance": _distance,
    }
)
"""Axis -> how it is seen in a pair of accesses."""
