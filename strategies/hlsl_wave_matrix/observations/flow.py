"""Who gave content to a matrix, and who uses it: the executed instructions of a program, in order."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

from mmaspec.programs.base import Place, at
from mmaspec.programs.hlsl_wave_matrix.operands import reads, writes
from mmaspec.programs.hlsl_wave_matrix.program import (
    Add,
    Branch,
    Fill,
    Load,
    MatrixDepth,
    Multiply,
    MultiplyAccumulate,
    Repeat,
    ScalarOperation,
    Simple,
    Store,
    SumAccumulate,
    WaveMatrixProgram,
)
from mmaspec.programs.tree import unrolled
from mmaspec.strategies.axes.observation import Subject


@dataclass(frozen=True, slots=True)
class Event:
    """One execution of an instruction; ``turn`` is its number in the order of execution."""

    turn: int
    place: Place
    instruction: Simple

    @property
    def path(self) -> tuple[int, ...]:
        """Where the instruction stands, whatever its pass."""
        return self.place.path


class Flow:
    """The executed instructions of a program, and how contents of matrices pass between them."""

    def __init__(self, program: WaveMatrixProgram) -> None:
        self.program = program
        self.events: tuple[Event, ...] = tuple(
            Event(turn, place, one) for turn, (place, one) in enumerate(unrolled(program))
        )

    @cached_property
    def _at(self) -> dict[Place, Event]:
        return {event.place: event for event in self.events}

    def at(self, place: Place) -> Event:
        """The event at a place; ``KeyError`` where its loop has no such pass."""
        return self._at[place]

    def around(self, event: Event) -> Repeat | Branch | None:
        """The loop or branch that an event stands in."""
        outer: Any = self.program.body[event.path[0]]
        return outer if len(event.path) > 1 else None

    def gave(self, name: str, before: Event) -> Event | None:
        """What last gave content to a matrix; None where nothing did yet."""
        return next(
            (event for event in reversed(self.events[: before.turn]) if writes(event.instruction) == name), None
        )

    def next_of(self, name: str, after: Event) -> Event | None:
        """What next reads or overwrites a matrix."""
        return next((event for event in self.events[after.turn + 1 :] if name in touched(event.instruction)), None)

    def uses_until_changed(self, name: str, after: Event) -> Iterator[Event]:
        """Everything that reads the content of a matrix before something else gives it content, that included."""
        for event in self.events[after.turn + 1 :]:
            if name in reads(event.instruction):
                yield event
            if writes(event.instruction) == name:
                return

    def before(self, event: Event, *kinds: type) -> Iterator[Event]:
        """Earlier events of some kinds of instructions, the latest first."""
        return (one for one in reversed(self.events[: event.turn]) if isinstance(one.instruction, kinds))

    def chain(self, name: str, before: Event, kinds: tuple[type, ...], fresh: tuple[type, ...]) -> int:
        """How many events of some kinds went into a matrix, since one that made its content fresh."""
        count = 0
        for event in reversed(self.events[: before.turn]):
            if writes(event.instruction) != name:
                continue
            if isinstance(event.instruction, kinds):
                count += 1
            if isinstance(event.instruction, fresh):
                break
        return count


def touched(instruction: Simple) -> frozenset[str]:
    """The matrices that an instruction reads or changes; the accumulator that a Multiply drops included."""
    target = writes(instruction)
    return frozenset((*reads(instruction), *((target,) if target is not None else ())))


def flow_of(subject: Subject) -> Flow:
    """The flow of a case's program; the last few are remembered."""
    return _flow(subject.whole)


@lru_cache(maxsize=4)
def _flow(subject: Subject) -> Flow:
    return Flow(subject.program)


def origin(flow: Flow, event: Event | None) -> str:
    """What gave content, as a class: ``buffer-row``, ``array-fragment``, ``fill``, ``multiply``; ``nothing``."""
    if event is None:
        return "nothing"
    one = event.instruction
    if isinstance(one, Load):
        return memory_of(flow, event)
    for kind, name in _RESULTS.items():
        if isinstance(one, kind):
            return name
    raise TypeError(f"{one!r} gives no content")


_RESULTS: dict[type, str] = {
    Fill: "fill",
    Multiply: "multiply",
    MultiplyAccumulate: "accumulate",
    SumAccumulate: "sum",
    Add: "add",
    ScalarOperation: "scalar",
}


def memory_of(flow: Flow, event: Event, wave: int = 0) -> str:
    """The memory of a Load or Store and the way in it: ``buffer-col``, ``array-fragment``."""
    access: Any = event.instruction
    memory = "buffer" if flow.program.array(access.buffer) is None else "array"
    if flow.program.matrix(access.matrix).is_fragment:
        return f"{memory}-fragment"
    return f"{memory}-{'col' if at(access.col_major, wave, event.place.loop) else 'row'}"


def destination(flow: Flow, name: str, event: Event) -> str:
    """What next uses a matrix that an event changed, as a class."""
    after = flow.next_of(name, event)
    match after and after.instruction:
        case None:
            return "nothing"
        case Store() if after is not None:
            return memory_of(flow, after)
        case Load() | Fill():
            return "overwritten"
        case Multiply(matrix=object_) | MultiplyAccumulate(matrix=object_) as product:
            if object_ == name:
                return "multiply-over" if isinstance(product, Multiply) else "accumulate"
            return "operand"
        case SumAccumulate(matrix=object_):
            return "sum" if object_ == name else "operand"
        case Add(matrix=object_):
            return "add-object" if object_ == name else "add-operand"
        case ScalarOperation():
            return "scalar"
    raise TypeError(f"{after!r} uses no matrix")


def depths(flow: Flow) -> Iterator[Event]:
    """Every MatrixDepth."""
    return (event for event in flow.events if isinstance(event.instruction, MatrixDepth))
