"""Offsets and strides: what they say, where their value comes from, and what it differs by."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from mmaspec.programs.base import Affine, Index, RunTime
from mmaspec.programs.hlsl_linalg.program import (
    AccumulatorLayout,
    Beyond,
    CountElements,
    InterlockedAccumulate,
    Load,
    ReadElements,
    Stage,
    Store,
    Unstage,
    VectorAccumulate,
    VectorLoad,
    VectorStore,
    WriteElements,
)
from mmaspec.programs.tree import at
from mmaspec.strategies.axes.observation import Answer, Look, Subject, Thing
from mmaspec.strategies.hlsl_linalg.observations.flow import Event


@dataclass(frozen=True, slots=True)
class Argument:
    """One argument as the program has it."""

    of: str
    index: Index


_WORDS: Mapping[type, tuple[tuple[str, str], ...]] = MappingProxyType(
    {
        Load: (("offset", "load-offset"), ("stride", "load-stride")),
        Store: (("offset", "store-offset"), ("stride", "store-stride")),
        InterlockedAccumulate: (("offset", "sum-offset"), ("stride", "sum-stride")),
        VectorLoad: (("offset", "vector-offset"),),
        VectorStore: (("offset", "vector-offset"),),
        VectorAccumulate: (("offset", "vector-sum-offset"),),
        ReadElements: (("offset", "element-offset"), ("stride", "element-stride")),
        WriteElements: (("offset", "element-offset"), ("stride", "element-stride")),
        Beyond: (("offset", "element-offset"),),
        CountElements: (("offset", "answer-offset"),),
        AccumulatorLayout: (("offset", "answer-offset"),),
        Stage: (("start", "copy-start"), ("offset", "copy-offset")),
        Unstage: (("start", "copy-start"), ("offset", "copy-offset")),
    }
)
"""Instruction -> its fields that are arguments, and what each says."""


def arguments_of(subject: Subject, event: Event) -> Iterator[Argument]:
    """The arguments of an instruction, as they are written."""
    written = at(subject.case.program, event.place)
    for field, of in _WORDS.get(type(written), ()):
        yield Argument(of, getattr(written, field))


def _by(_: Subject, thing: Thing) -> Answer:
    index = thing.of.index
    if not isinstance(index, Affine):
        return "nothing"
    if index.grid:
        return "grid"
    found = [name for name in ("wave", "lane", "loop") if getattr(index, name)]
    return _TOGETHER["-".join(found)]


_TOGETHER = {
    "": "nothing",
    "wave": "wave",
    "lane": "lane",
    "wave-lane": "wave-and-lane",
    "loop": "pass",
    "wave-loop": "wave-and-pass",
    "lane-loop": "lane-and-pass",
    "wave-lane-loop": "all",
}


def _source(_: Subject, thing: Thing) -> Answer:
    index = thing.of.index
    return "run-time" if isinstance(index, RunTime) else "computed" if isinstance(index, Affine) else "literal"


LOOKS: Mapping[str, Look] = MappingProxyType(
    {"argument-of": lambda _, thing: thing.of.of, "argument-source": _source, "argument-by": _by}
)
"""Axis -> how it is seen in an argument."""
