"""The arguments of Loads, Stores and depths: how they come about, and what waves, passes and lanes add to them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from mmaspec.oracle.hlsl_wave_matrix.addresses import cells, memory_row_bytes
from mmaspec.programs.base import Affine, Index, RunTime
from mmaspec.programs.hlsl_wave_matrix.program import Load, MatrixDepth, Store
from mmaspec.programs.tree import at, walk
from mmaspec.strategies.axes.observation import Answer, Look, Subject, Thing
from mmaspec.strategies.hlsl_wave_matrix.observations.access import Access, view
from mmaspec.strategies.hlsl_wave_matrix.observations.flow import Event
from mmaspec.strategies.hlsl_wave_matrix.observations.strides import is_power

FAR, FARTHEST = 4096, 65536
DWORD = 4


@dataclass(frozen=True, slots=True, eq=False)
class Argument:
    """One argument as it is written, with the access that has it."""

    what: str
    field: str
    index: Index
    event: Event
    access: Access | None
    """As wave 0 executes it first; None for a MatrixDepth."""


def arguments_of(subject: Subject, event: Event) -> Iterator[Argument]:
    """The arguments of an instruction."""
    written: Any = at(subject.case.program, event.place)
    if isinstance(written, MatrixDepth):
        yield Argument("depth-offset", "offset", written.offset, event, None)
    elif isinstance(written, Load | Store):
        verb = "load" if isinstance(written, Load) else "store"
        access = view(subject.program, event, 0)
        fragment = access.matrix.is_fragment
        yield Argument(f"{verb}-offset", "offset", written.offset, event, access)
        stride = "element-stride" if fragment else "stride"
        yield Argument(f"{verb}-{stride}", "stride", written.stride, event, access)
        if not fragment:
            yield Argument(f"{verb}-orientation", "col_major", written.col_major, event, access)
        if not access.shared:
            yield Argument(f"{verb}-alignment", "alignment", written.alignment, event, access)


def _affine(thing: Thing) -> Affine | None:
    index = thing.of.index
    return index if isinstance(index, Affine) else None


def _in_grid(index: Affine) -> bool:
    return bool(index.grid and (index.wave or index.row))


def _source(_: Subject, thing: Thing) -> Answer:
    index = thing.of.index
    if not isinstance(index, Affine):
        return "run-time" if isinstance(index, RunTime) else "literal"
    if _in_grid(index):
        return "grid-and-loop" if index.loop else "grid"
    name = {(False, False): "", (True, False): "wave", (False, True): "loop", (True, True): "wave-and-loop"}[
        bool(index.wave), bool(index.loop)
    ]
    if index.lane:
        return "lane-and-wave" if index.wave else "lane-and-loop" if index.loop else "lane"
    return name or "constant-affine"


def _memory(_: Subject, thing: Thing) -> Answer:
    access = thing.of.access
    return "array" if access is not None and access.shared else "buffer"


def _word_buffer(subject: Subject, thing: Thing) -> Answer:
    index, instruction = thing.of.index, thing.of.event.instruction
    if not isinstance(index, RunTime):
        return "no-word"
    if index.buffer == instruction.buffer:
        return "with-source" if isinstance(instruction, Load) else "with-target"
    return "own-read-only" if index.buffer in subject.program.read_only else "own-read-write"


def _word_offset(_: Subject, thing: Thing) -> Answer:
    return thing.of.index.offset if isinstance(thing.of.index, RunTime) else None


def _shared_by(subject: Subject, thing: Thing) -> Answer:
    index = thing.of.index
    if not isinstance(index, RunTime):
        return "no-word"
    users = [
        (type(one), field)
        for _, one, _ in walk(subject.case.program)
        if isinstance(one, Load | Store | MatrixDepth)
        for field in ("offset", "stride", "col_major")
        if getattr(one, field, None) == index
    ]
    if len(users) == 1:
        return "one"
    fields = {field for _, field in users}
    return "several" if len(fields) > 1 else "load-and-store" if len({kind for kind, _ in users}) > 1 else None


def _base(_: Subject, thing: Thing) -> Answer:
    index = _affine(thing)
    if index is None:
        return "not-affine"
    if index.base >= FARTHEST:
        return "beyond-16-bits"
    return "large" if index.base >= FAR else "small" if index.base else "zero"


def _geometry(access: Access) -> dict[str, tuple[int, ...]]:
    """Steps that have a meaning for an access, in the unit of its arguments."""
    unit = cells(access.matrix.element) if access.shared else 1
    row = memory_row_bytes(access.matrix, access.col_major)
    if access.shared:
        row = -(-(access.matrix.rows if access.col_major else access.matrix.cols) // unit)
    lines = access.matrix.cols if access.col_major else access.matrix.rows
    if access.matrix.is_fragment:
        lines = max(access.matrix.rows, access.matrix.cols)
        row = 0
    return {
        "element": (1,) if access.shared else (DWORD,),
        "tile-in-row": (row,),
        "row": (access.stride,),
        "tile": (lines * access.stride, (access.end - access.first) // unit),
    }


def _step(thing: Thing, step: int) -> Answer:
    if step < 0:
        return "descending"
    argument: Argument = thing.of
    if argument.field == "offset" and argument.access is not None:
        for name, sizes in _geometry(argument.access).items():
            if step in sizes:
                return name
    if step >= FARTHEST:
        return "largest"
    if step >= FAR:
        return "large"
    return "element" if argument.field != "offset" and step in (1, DWORD) else None


def _wave(_: Subject, thing: Thing) -> Answer:
    index = _affine(thing)
    if index is None or not index.wave:
        return "zero"
    return _step(thing, index.wave) or ("odd" if not is_power(index.wave) else None)


def _loop(_: Subject, thing: Thing) -> Answer:
    index = _affine(thing)
    if index is None or not index.loop:
        return "zero"
    return "alternating" if thing.of.field == "col_major" else _step(thing, index.loop)


def _grid(subject: Subject, thing: Thing) -> Answer:
    index, waves = _affine(thing), subject.program.waves
    if index is None or not _in_grid(index):
        return "none"
    found = {"ragged"} if waves % index.grid and waves > index.grid else set()
    if index.grid >= waves:
        found.add("all")
    named = {1: "one", 2: "two"}.get(index.grid)
    return found | {named or ("four-or-more" if is_power(index.grid) else "odd")}


def _row(_: Subject, thing: Thing) -> Answer:
    index = _affine(thing)
    if index is None or not _in_grid(index):
        return "no-grid"
    return "zero" if not index.row else "both" if index.wave else "row-only"


def _lane(_: Subject, thing: Thing) -> Answer:
    index = _affine(thing)
    if index is None or not index.lane:
        return "zero"
    if index.lane < 0:
        return "descending"
    argument: Argument = thing.of
    if argument.field == "col_major":
        return "alternating" if index.lane % 2 else "legal"
    assert argument.access is not None
    access = argument.access
    rows_in_buffer = not access.shared and not access.matrix.is_fragment
    if rows_in_buffer and index.lane % max(DWORD, access.instruction.alignment):
        return "illegal"
    return "large" if index.lane >= FAR else "legal"


LOOKS: Mapping[str, Look] = MappingProxyType(
    {
        "argument-what": lambda _, thing: thing.of.what,
        "argument-memory": _memory,
        "argument-source": _source,
        "word-buffer": _word_buffer,
        "word-offset": _word_offset,
        "word-shared-by": _shared_by,
        "affine-base": _base,
        "affine-wave": _wave,
        "affine-loop": _loop,
        "affine-grid": _grid,
        "affine-row": _row,
        "affine-lane": _lane,
    }
)
"""Axis -> how it is seen in an argument."""
