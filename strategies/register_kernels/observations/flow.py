"""Which instruction reads what which other one left: the values that fragments hold while a program executes.

All waves execute the same instructions, so one list of events says it for every one of them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import Any

from mmaspec.programs.base import Place
from mmaspec.programs.register_kernels import Fill, Load, Product, RegisterProgram, Repeat, Store, writes
from mmaspec.programs.tree import Path, unrolled
from mmaspec.strategies.axes.observation import Subject
from mmaspec.strategies.register_kernels.observations.dialect import Dialect, Form, dialect_of

Plain = Load | Fill | Store | Product


def is_product(step: object) -> bool:
    """Whether an instruction multiplies and adds: all do that neither load, fill nor store, and are no loops."""
    return not isinstance(step, (Load, Fill, Store, Repeat))


@dataclass(eq=False, slots=True)
class Held:
    """What a fragment holds from one write to the next."""

    fragment: str
    by: Event | None
    """What wrote it; None: the declaration, with its fill."""
    fill: int | None = None
    """The bits of every element, if a fill wrote it."""
    readers: list[tuple[Event, str]] = field(default_factory=list)
    """What reads it, in order: the event, and as what: ``a``, ``b``, ``c`` or ``store``."""
    replaced: Event | None = None
    """What writes the fragment anew."""

    @property
    def product(self) -> Event | None:
        """The product whose result it is."""
        return self.by if self.by is not None and is_product(self.by.step) else None

    @property
    def load(self) -> Event | None:
        """The load that brought it."""
        return self.by if self.by is not None and isinstance(self.by.step, Load) else None

    def read_as(self, *roles: str) -> list[Event]:
        """The events that read it in one of these roles, in order."""
        return [event for event, role in self.readers if role in roles]


@dataclass(eq=False, slots=True)
class Event:
    """One execution of an instruction."""

    flow: Flow
    turn: int
    place: Place
    step: Plain
    reads: dict[str, Held | None] = field(default_factory=dict)
    """Role -> what is read; of a product without C, no ``c``."""
    before: Held | None = None
    """What the written fragment held before; None: nothing."""
    leaves: Held | None = None

    @property
    def path(self) -> Path:
        """The instruction, whatever the pass."""
        return self.place.path

    @property
    def loop(self) -> int | None:
        """The number in the body of the loop that it stands in."""
        return self.place.path[0] if len(self.place.path) > 1 else None

    @property
    def call(self) -> Any:
        """The product that it is."""
        assert is_product(self.step)
        return self.step

    @property
    def form(self) -> Form:
        """What it multiplies and adds; of products of valid programs only."""
        return self.flow.dialect.form(self.flow.program, self.call)


class Flow:
    """A program as it executes."""

    def __init__(self, program: RegisterProgram, dialect: Dialect) -> None:
        self.program = program
        self.dialect = dialect
        self.now: dict[str, Held] = {}
        self.declared: dict[str, Held] = {}
        for fragment in program.fragments:
            if fragment.fill is not None:
                self.now[fragment.name] = self.declared[fragment.name] = Held(fragment.name, None, fragment.fill)
        self.events: list[Event] = [
            self._event(turn, place, step) for turn, (place, step) in enumerate(unrolled(program))
        ]

    def _event(self, turn: int, place: Place, step: Plain) -> Event:
        event = Event(self, turn, place, step)
        for role, name in _read(step):
            held = self.now.get(name)
            event.reads[role] = held
            if held is not None:
                held.readers.append((event, role))
        written = writes(step)
        if written is not None:
            event.before = self.now.get(written)
            if event.before is not None:
                event.before.replaced = event
            bits = step.bits if isinstance(step, Fill) else None
            event.leaves = self.now[written] = Held(written, event, bits)
        return event

    @cached_property
    def products(self) -> list[Event]:
        """Every executed call."""
        return [event for event in self.events if is_product(event.step)]

    @cached_property
    def calls(self) -> list[Event]:
        """The first execution of every call that is written."""
        return [event for event in self.products if event.place.loop == 0]

    @cached_property
    def loads(self) -> list[Event]:
        """Every executed load."""
        return [event for event in self.events if isinstance(event.step, Load)]

    @cached_property
    def stores(self) -> list[Event]:
        """Every executed store."""
        return [event for event in self.events if isinstance(event.step, Store)]

    @cached_property
    def loops(self) -> list[tuple[int, Repeat]]:
        """Number in the body and the loop."""
        return [(number, step) for number, step in enumerate(self.program.body) if isinstance(step, Repeat)]

    def told_apart(self, events: list[Event]) -> Iterator[Event]:
        """Of an instruction in a loop the first, second and last pass: in these, what came before can differ."""
        for event in events:
            if event.loop is None:
                yield event
                continue
            loop = self.program.body[event.loop]
            assert isinstance(loop, Repeat)
            if event.place.loop in (0, 1, loop.count - 1):
                yield event


def _read(step: Plain) -> list[tuple[str, str]]:
    if isinstance(step, (Load, Fill)):
        return []
    if isinstance(step, Store):
        return [("store", step.fragment)]
    found = [("a", step.a), ("b", step.b)]
    return found if step.c is None else [*found, ("c", step.c)]


def flow_of(subject: Subject) -> Flow:
    """The flow of a case's program."""
    return _flow(subject.whole)


@lru_cache(maxsize=4)
def _flow(subject: Subject) -> Flow:
    return Flow(subject.program, dialect_of(subject))
