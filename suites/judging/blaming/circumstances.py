"""Circumstances of a whole program, whatever the specification: several waves, a loop, where arguments come from."""

from __future__ import annotations

import types
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Union, get_args, get_origin, get_type_hints

import msgspec
import numpy as np

from mmaspec.oracle.case import Bits, Case
from mmaspec.oracle.expect import resolve
from mmaspec.oracle.source import Source
from mmaspec.oracle.spec import spec_named
from mmaspec.programs.base import Buffer, Program, RunTime, Word
from mmaspec.programs.errors import BadInput
from mmaspec.programs.outside import as_wave, in_one_wave, with_waves

ARGUMENTS = "blame-arguments"
"""The buffer from which arguments are loaded that the program has as literals."""

MOSTLY = 0.5
"""The part of a tensor that has to be known, at least."""


@dataclass(frozen=True, slots=True)
class Variation:
    """A program, and the data that it loads."""

    program: Program
    values: Mapping[str, Bits]


def one_wave(case: Case, program: Program, wave: int) -> Variation | None:
    """One wave alone, which loads what ``wave`` loaded, or what the first did; None where there is one already."""
    if program.waves == 1:
        return None
    alone = with_waves(program, 1)
    values = {}
    for source in sources_of(case, alone) or ():
        bits = case.values.get(source.name)
        if bits is None or bits.ndim != len(source.shape) + 1:
            return None
        if source.shape[0] < bits.shape[1]:
            start = min(wave, bits.shape[1] - source.shape[0])
            bits = bits[:, start : start + source.shape[0]]
        if bits.shape[1:] != source.shape:
            # What a tensor holds is one line of elements where waves see it differently.
            return on_the_same_memory(case, program, alone)
        values[source.name] = bits
    return Variation(alone, values)


def as_one_wave(case: Case, program: Program, wave: int) -> Variation | None:
    """One wave alone, which does what ``wave`` did, where that did it; None where that is what the first one did."""
    moved = as_wave(program, wave)
    if wave == 0 or in_one_wave(program) == moved:
        return None
    return one_wave(case, moved, wave)


def on_the_same_memory(case: Case, program: Program, changed: Program) -> Variation | None:
    """Another program with the values that it finds where the first one finds its own; None where it needs others."""
    before, after = sources_of(case, program), sources_of(case, changed)
    if before is None or after is None or any(source.name not in case.values for source in before):
        return None
    values = {source.name: _found_at(source, before, case.values) for source in after}
    known = {name: bits for name, bits in values.items() if bits is not None}
    return Variation(changed, known) if len(known) == len(values) else None


def sources_of(case: Case, program: Program) -> tuple[Source, ...] | None:
    """The data that a program loads; None where that cannot be told."""
    try:
        return spec_named(case.spec).sources(resolve(program, case.words))
    except BadInput:
        return None


def _found_at(wanted: Source, known: Sequence[Source], values: Mapping[str, Bits]) -> Bits | None:
    """What loads with other names find at the places of a source; None where they find hardly any of it.

    Where a source lies in several places the same has to be found in all of them. What one wave sees of a tensor may
    be more than the waves of the program see together: elements that none of them loads have values of others.
    """
    for source in known:
        if source.buffer != wanted.buffer or source.fmt != wanted.fmt:
            continue
        flat = source.bits.ravel()  # every copy, one after the other
        order = np.argsort(flat, kind="stable")
        # Of elements that share a place the last one is what lies there.
        there = (np.searchsorted(flat[order], wanted.bits, side="right") - 1).clip(min=0)
        found = flat[order][there] == wanted.bits
        if found.all() or (wanted.tensor and found.mean() >= MOSTLY):
            bits = values[source.name]
            place = np.where(found, order[there], np.arange(found.size).reshape(found.shape) % len(flat))
            every = bits.reshape(len(bits), -1)[:, place % source.addresses[0].size]
            first: Bits = every[:, 0]
            return first if (every == every[:, :1]).all() else None
    return None


def at_run_time(case: Case) -> Case | None:
    """The case with every literal argument loaded at run time instead; None where there is none."""
    found = _Arguments()
    program: Any = found.visit(case.program)
    if not found.values:
        return None
    buffer = Buffer(ARGUMENTS, 4 * len(found.values))
    words = tuple(Word(ARGUMENTS, 4 * number, value) for number, value in enumerate(found.values))
    changed = msgspec.structs.replace(program, buffers=(*program.buffers, buffer))
    return replace(case, program=changed, words=(*case.words, *words))


class _Arguments:
    """Replaces literal arguments by ones that are loaded at run time, and keeps their values in order."""

    def __init__(self) -> None:
        self.values: list[int] = []

    def visit(self, node: Any) -> Any:
        """The same node with its arguments replaced."""
        if isinstance(node, tuple):
            return tuple(self.visit(item) for item in node)
        if not isinstance(node, msgspec.Struct):
            return node
        free = run_time_fields(type(node))
        changed = {}
        for name in node.__struct_fields__:
            value = getattr(node, name)
            if name in free:
                several = isinstance(value, tuple)
                new = tuple(self._loaded(one) for one in (value if several else (value,)))
                changed[name] = new if several else new[0]
            else:
                changed[name] = self.visit(value)
        return msgspec.structs.replace(node, **changed)

    def _loaded(self, value: Any) -> Any:
        if type(value) is not int or not 0 <= value < 1 << 32:
            return value
        self.values.append(value)
        return RunTime(ARGUMENTS, 4 * (len(self.values) - 1))


def run_time_fields(kind: type[msgspec.Struct]) -> frozenset[str]:
    """The fields of a struct that may hold an argument loaded at run time."""
    return frozenset(name for name, hint in get_type_hints(kind).items() if RunTime in set(_members(hint)))


def _members(hint: Any) -> Iterator[Any]:
    if get_origin(hint) in (Union, types.UnionType, tuple):
        for member in get_args(hint):
            yield from _members(member)
    else:
        yield hint
