"""Buffers, groupshared arrays, copies between them, and barriers."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from mmaspec.oracle.hlsl_linalg.addresses import array_bytes, array_elements, array_format
from mmaspec.oracle.hlsl_linalg.touches import Touch
from mmaspec.programs.base import Buffer, RunTime, at
from mmaspec.programs.hlsl_linalg.program import (
    LINEAR,
    AccumulatorLayout,
    Barrier,
    Beyond,
    ConvertLayout,
    CountElements,
    InterlockedAccumulate,
    Load,
    MultiplyVector,
    ReadElements,
    SharedArray,
    Splat,
    Stage,
    Store,
    Unstage,
    VectorAccumulate,
    VectorLoad,
    VectorStore,
    WriteElements,
)
from mmaspec.programs.tree import walk
from mmaspec.strategies.axes.observation import Answer, Look, Subject, Thing
from mmaspec.strategies.hlsl_linalg.observations.flow import Event, Flow, flow_of

GROUP_BYTES = 1 << 15
WORD = 4


def _touches(subject: Subject, memory: str) -> list[Touch]:
    return [touch for _, touch in flow_of(subject).touches if touch.memory == memory]


def _binding(subject: Subject, thing: Thing) -> Answer:
    buffer: Buffer = thing.of
    if buffer.name in subject.program.read_only:
        return "read-only"
    effects = {touch.effect for touch in _touches(subject, buffer.name)}
    if "load" not in effects and _scalars_in(subject, buffer.name):
        effects.add("load")
    if effects == {"add"}:
        return "only-added-to"
    writes = bool(effects & {"store", "add"})
    if not writes:
        return "only-read"
    return "read-and-written" if effects & {"load", "add"} else "only-written"


def _scalars_in(subject: Subject, name: str) -> bool:
    return any(word.buffer == name for word in subject.case.words)


def _holds(subject: Subject, thing: Thing) -> Answer:
    name, found = thing.of.name, set()
    for touch in _touches(subject, name):
        one: Any = touch.instruction
        match one:
            case Load() | Store() | InterlockedAccumulate():
                found.add("optimal" if touch.regions else "matrices")
            case ConvertLayout():
                layout = one.target_layout if touch.effect == "store" else one.source_layout
                found.add("matrices" if layout in LINEAR else "optimal")
            case VectorLoad() | VectorStore() | VectorAccumulate():
                found.add("vectors")
            case MultiplyVector():
                found.add("bias")
            case ReadElements() | WriteElements() | Beyond():
                found.add("elements")
            case Stage() | Unstage():
                found.add("copies")
            case Splat():
                found.add("scalars")
            case CountElements() | AccumulatorLayout():
                found.add("counts")
    if _scalars_in(subject, name) or _asked_for(subject, name):
        found.add("arguments")
    return found or None


def _asked_for(subject: Subject, name: str) -> bool:
    fields = ("offset", "stride", "start")
    return any(
        isinstance(index, RunTime) and index.buffer == name
        for _, one, _ in walk(subject.case.program)
        for index in (getattr(one, field, None) for field in fields)
    )


def _base(_: Subject, thing: Thing) -> Answer:
    base = thing.of.base
    return next(f"multiple-of-{unit}" for unit in (128, 64, 32, 16) if base % unit == 0)


def _ends(subject: Subject, thing: Thing) -> Answer:
    touched = [touch for touch in _touches(subject, thing.of.name) if touch.starts.size]
    if not touched:
        return None
    last = max(int(touch.starts.max()) + touch.size for touch in touched)
    return "inside-access" if last > thing.of.size else "last-access" if last > thing.of.size - WORD else "bytes-after"


def _array_use(subject: Subject, thing: Thing) -> Answer:
    name = thing.of.name
    kinds = {type(touch.instruction) for touch in _touches(subject, name)}
    if InterlockedAccumulate in kinds:
        return "summed"
    found = {"stored-loaded"} if {Load, Store} <= kinds else set()
    if {Stage, Load} <= kinds:
        found.add("staged-loaded")
    if {Unstage, Store} <= kinds:
        found.add("stored-unstaged")
    return found or ("staged-unstaged" if kinds else None)


def _array_tail(subject: Subject, thing: Thing) -> Answer:
    array: SharedArray = thing.of
    touched = [touch for touch in _touches(subject, array.name) if touch.starts.size]
    if not touched:
        return None
    last = max(int(touch.starts.max()) + touch.size for touch in touched)
    return "none" if last > array_bytes(array) - array_format(array).nbytes else "some"


def array_class(element: str) -> str:
    """The class of an element of an array, or of a scalar."""
    return _ELEMENTS.get(element, element)


_ELEMENTS = {
    "int16_t": "short", "uint16_t": "ushort", "int64_t": "long", "uint64_t": "ulong", "uint8_t4_packed": "packed",
}  # fmt: skip


def _copied(subject: Subject, thing: Thing) -> Answer:
    one = thing.of.instruction
    array = subject.program.array(one.array)
    first = at(one.offset, 0, thing.of.place.loop)
    to_end = first + one.count >= array_elements(array)
    return ("all" if to_end else "head") if not first else "tail" if to_end else "middle"


def _copy_data(subject: Subject, thing: Thing) -> Answer:
    one, flow = thing.of.instruction, flow_of(subject)
    memory = one.buffer if isinstance(one, Stage) else one.array
    if isinstance(one, Stage) and one.data is not None:
        return "data"
    written = [touch for turn, touch in flow.touches
               if turn < thing.of.turn and touch.memory == memory and touch.effect != "load"]  # fmt: skip
    if any(not isinstance(touch.instruction, Stage) for touch in written):
        return "stored"
    loads = (one for _, one, _ in walk(subject.program) if isinstance(one, Load) and one.data is not None)
    return "data" if any(each.memory == one.array for each in loads) or written else "unknown"


def _beside(flow: Flow, event: Event, step: int) -> list[Any]:
    """The instructions from a barrier on, up to the next one."""
    found, turn = [], event.turn + step
    while 0 <= turn < len(flow.events) and not isinstance(flow.events[turn].instruction, Barrier | ConvertLayout):
        found.append(flow.events[turn].instruction)
        turn += step
    return found


_BEFORE: Mapping[str, tuple[type, ...]] = MappingProxyType(
    {
        "load": (Load, VectorLoad),
        "store": (Store, VectorStore, ReadElements, Unstage),
        "sum": (InterlockedAccumulate, VectorAccumulate),
        "stage": (Stage,),
        "set": (WriteElements,),
    }
)
_AFTER: Mapping[str, tuple[type, ...]] = MappingProxyType(
    {
        "load": (Load, VectorLoad, Stage),
        "store": (Store, VectorStore),
        "sum": (InterlockedAccumulate, VectorAccumulate),
        "unstage": (Unstage,),
        "get": (ReadElements,),
    }
)


def _around(step: int, words: Mapping[str, tuple[type, ...]]) -> Look:
    def look(subject: Subject, thing: Thing) -> Answer:
        there = _beside(flow_of(subject), thing.of, step)
        return {name for name, types in words.items() if any(isinstance(one, types) for one in there)} or "nothing"

    return look


def _barrier_stands(subject: Subject, thing: Thing) -> Answer:
    around = flow_of(subject).around(thing.of.place)
    return "straight" if around is None else "loop" if type(around).__name__ == "Repeat" else "branch"


LOOKS: Mapping[str, Look] = MappingProxyType(
    {
        "binding": _binding,
        "holds": _holds,
        "base": _base,
        "view-size": lambda _, thing: thing.of.size,
        "ends": _ends,
        "array-element": lambda _, thing: array_class(thing.of.element),
        "array-width": lambda _, thing: thing.of.width,
        "array-bytes": lambda _, thing: array_bytes(thing.of),
        "array-use": _array_use,
        "array-tail": _array_tail,
        "copy-way": lambda _, thing: "in" if isinstance(thing.of.instruction, Stage) else "out",
        "copied": _copied,
        "copied-element": lambda subject, thing: array_class(subject.program.array(thing.of.instruction.array).element),
        "copy-start": lambda _, thing: at(thing.of.instruction.start, 0, thing.of.place.loop),
        "copy-data": _copy_data,
        "before-barrier": _around(-1, _BEFORE),
        "after-barrier": _around(1, _AFTER),
        "barrier-stands": _barrier_stands,
    }
)
"""Axis -> how it is seen in a memory, a copy or a barrier."""
