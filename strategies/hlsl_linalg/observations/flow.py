"""Who gave content to a matrix or vector, and who uses it: the executed instructions of a program, in order."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

from mmaspec.oracle.hlsl_linalg.rule_context import Context
from mmaspec.oracle.hlsl_linalg.touches import Touch
from mmaspec.programs.base import Place
from mmaspec.programs.hlsl_linalg.operands import reads, writes
from mmaspec.programs.hlsl_linalg.program import (
    Accumulate,
    Beyond,
    Branch,
    Cast,
    Convert,
    CountElements,
    InterlockedAccumulate,
    LinalgProgram,
    Load,
    Multiply,
    MultiplyAccumulate,
    MultiplyVector,
    OuterProduct,
    ReadElements,
    Repeat,
    Simple,
    Splat,
    Store,
    VectorAccumulate,
    VectorLoad,
    VectorStore,
    WriteElements,
)
from mmaspec.programs.hlsl_linalg.removed import FromThreadVectors, GetThreadVector, Operate, SumAccumulate, Unary
from mmaspec.programs.tree import unrolled
from mmaspec.strategies.axes.observation import Subject


@dataclass(frozen=True, slots=True)
class Event:
    """One execution of an instruction; ``turn`` is its number in the order of execution."""

    turn: int
    place: Place
    instruction: Any


class Flow:
    """The executed instructions of a program, and how contents of matrices and vectors pass between them."""

    def __init__(self, program: LinalgProgram, caps: Any) -> None:
        self.program = program
        self.caps = caps
        self.events: tuple[Event, ...] = tuple(
            Event(turn, place, one) for turn, (place, one) in enumerate(unrolled(program))
        )

    def around(self, place: Place) -> Repeat | Branch | None:
        """The loop or branch that a place stands in."""
        outer: Any = self.program.body[place.path[0]]
        return outer if len(place.path) > 1 else None

    def gave(self, name: str, before: Event) -> Event | None:
        """What last gave content to a matrix or vector; ``Beyond`` gives none."""
        return next(
            (
                event
                for event in reversed(self.events[: before.turn])
                if writes(event.instruction) == name and not isinstance(event.instruction, Beyond)
            ),
            None,
        )

    def next_of(self, name: str, after: Event) -> Event | None:
        """What next reads or overwrites a matrix or vector."""
        return next((event for event in self.events[after.turn + 1 :] if name in touched(event.instruction)), None)

    def uses(self, name: str, after: Event) -> Iterator[Event]:
        """Everything that reads or overwrites it later."""
        return (event for event in self.events[after.turn + 1 :] if name in touched(event.instruction))

    @cached_property
    def touches(self) -> tuple[tuple[int, Touch], ...]:
        """What memory each event touches, with its turn, in order."""
        turns = {event.place: event.turn for event in self.events}
        return tuple((turns[touch.place], touch) for touch in Context(self.program, self.caps).touches)

    def of(self, event: Event) -> tuple[Touch, ...]:
        """What an event touches."""
        return tuple(touch for turn, touch in self.touches if turn == event.turn)


def touched(instruction: Simple) -> frozenset[str]:
    """The matrices and vectors that an instruction reads or changes."""
    target = writes(instruction)
    return frozenset((*reads(instruction), *((target,) if target is not None else ())))


def flow_of(subject: Subject) -> Flow:
    """The flow of a case's program; the last few are remembered."""
    return _flow(subject.whole)


@lru_cache(maxsize=4)
def _flow(subject: Subject) -> Flow:
    return Flow(subject.program, subject.caps)


def origin(flow: Flow, name: str, event: Event) -> str | None:
    """What gave content to a matrix or vector, as a class: ``load``, ``array-load``, ``splat``, ``product``."""
    gave = flow.gave(name, event)
    if gave is None:
        return None
    one = gave.instruction
    if isinstance(one, Load):
        return "load" if flow.program.array(one.memory) is None else "array-load"
    return _GIVES[type(one)]


_GIVES: dict[type, str] = {
    Splat: "splat",
    Cast: "cast",
    WriteElements: "elements",
    Multiply: "product",
    MultiplyAccumulate: "accumulate",
    Accumulate: "addition",
    OuterProduct: "outer",
    VectorLoad: "load",
    Convert: "convert",
    MultiplyVector: "product",
    Operate: "operator",
    Unary: "unary",
    SumAccumulate: "square-sum",
    FromThreadVectors: "vectors",
    GetThreadVector: "vectors",
}


def destination(flow: Flow, name: str, event: Event) -> str:
    """What next uses a matrix or vector, as a word of its own: ``store``, ``cast``, ``factor``, ``overwritten``."""
    after = flow.next_of(name, event)
    return "nothing" if after is None else use_of(flow, name, after)


def use_of(flow: Flow, name: str, event: Event) -> str:
    """How an event uses a matrix or vector."""
    match event.instruction:
        case Store(memory=memory):
            return "store" if flow.program.array(memory) is None else "array-store"
        case InterlockedAccumulate() | VectorAccumulate():
            return "sum"
        case Cast(source=source) | Convert(source=source):
            return "conversion" if source == name else "overwritten"
        case ReadElements() | WriteElements() | CountElements() | Beyond():
            return "elements"
        case MultiplyAccumulate(matrix=matrix):
            return "accumulate" if matrix == name else "factor"
        case Multiply(matrix=matrix):
            return "overwritten" if matrix == name else "factor"
        case Accumulate(matrix=matrix):
            return "addition" if matrix == name else "operand"
        case MultiplyVector(source=source, bias=bias, matrix=matrix):
            if name in (source, matrix):
                return "factor"
            return "bias" if bias == name else "overwritten"
        case OuterProduct(column=column, row=row):
            return "outer" if name in (column, row) else "overwritten"
        case VectorStore():
            return "store"
        case _:
            return _use_of_removed(name, event.instruction)


def _use_of_removed(name: str, instruction: Simple) -> str:
    """The same of instructions that later texts removed; anything else forgets what it had."""
    match instruction:
        case Operate():
            return "operator"
        case SumAccumulate():
            return "square-sum"
        case Unary(source=source) if source == name:
            return "unary"
        case FromThreadVectors(source=source) if source == name:
            return "vectors"
        case GetThreadVector(matrix=matrix) if matrix == name:
            return "vectors"
        case _:
            return "overwritten"


def some_of(count: int) -> tuple[int, ...]:
    """The first two and the last of several passes."""
    return tuple(sorted({0, min(1, count - 1), count - 1})) if count else ()


def marked(subject: Subject, place: Place) -> bool:
    """Whether a place is one that is looked at: of a loop, the first two passes and the last."""
    return len(place.path) == 1 or place.loop in some_of(subject.program.body[place.path[0]].count)
