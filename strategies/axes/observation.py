"""Which classes of a parameter space a case has: what is seen in it, whatever whoever drew it had in mind.

Every specification says in its folder ``observations`` which things with axes a case holds, and how the class of each
axis is seen in one of them. It may look at the program, the data and what the specification demands of them; it never
asks the template.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from importlib import import_module
from typing import Any

from mmaspec.oracle.case import Case
from mmaspec.oracle.expect import expect, resolve
from mmaspec.oracle.expectation import Defined, Expectation, Step
from mmaspec.oracle.numerics.legal import Legal
from mmaspec.oracle.spec import AnySpec, Row, spec_named
from mmaspec.programs.base import Place
from mmaspec.programs.specifications import specification
from mmaspec.strategies.axes.space import Axis, Space


class Subject:
    """A case that is looked at, and what follows from it; each thing is worked out once, when it is asked for."""

    def __init__(self, case: Case) -> None:
        self.case = case
        self.spec: AnySpec = spec_named(case.spec)
        self.program: Any = resolve(case.program, case.words)
        """With every argument that it loads at run time in its place; as written it is ``case.program``."""
        self.caps: Any = case.caps

    @property
    def whole(self) -> Subject:
        """The case that it is part of; whatever follows from the program alone is the same for both."""
        return self

    @cached_property
    def row(self) -> Row[Any]:
        """The caps row of the case."""
        return self.spec.row(self.caps, self.case.row)

    @cached_property
    def expectation(self) -> Expectation:
        """What the specification demands of it, under the default profile and readings."""
        return expect(self.case)

    @cached_property
    def steps(self) -> tuple[Step, ...]:
        """What every executed instruction leaves, in order; nothing for a program that is rejected or undefined."""
        return self.expectation.steps if isinstance(self.expectation, Defined) else ()

    @cached_property
    def _turn(self) -> dict[Place, int]:
        return {step.place: turn for turn, step in enumerate(self.steps)}

    def left_by(self, place: Place) -> Step | None:
        """The step of the instruction at a place; None where the program is never executed."""
        return self.steps[self._turn[place]] if place in self._turn else None

    def held(self, name: str, place: Place) -> Legal | None:
        """What a matrix may hold, ``(batch, waves, rows, cols)``, when the instruction at a place begins.

        None where no instruction wrote it before.
        """
        turn = self._turn.get(place, 0)
        return next((step.legal for step in reversed(self.steps[:turn]) if step.writes == name), None)


@dataclass(frozen=True, slots=True)
class Thing:
    """Something in a case that has the axes of one group: a load, a loop, the program itself."""

    group: str
    of: Any
    """Whatever the looks of the group want to see: an instruction, a layout with the load that uses it."""
    place: Place | None = None
    """Where its instruction stands, if it is one; of an instruction in a loop, the pass that is meant."""


Answer = int | str | Iterable[int] | Iterable[str] | None
"""What is seen of an axis: its number or the name of its class; several where the data of one case have several;
None where the thing has nothing to do with the axis."""

Look = Callable[[Subject, Thing], Answer]
"""How the class of one axis is seen in a thing of any group that has it."""


Dims = tuple[int | None, int | None]
"""Which side of an element's place in a result, 0 for its row and 1 for its column, selects the rows of an operand,
and which its columns; None: it depends on all of them."""

ELEMENT: Dims = (0, 1)
ROW: Dims = (0, None)
COLUMN: Dims = (None, 1)
TURNED: Dims = (1, 0)
WHOLE: Dims = (None, None)


@dataclass(frozen=True, slots=True)
class Dependence:
    """On what depends what an instruction leaves."""

    result: str
    """The matrix that it writes, or that it stores; empty for one that writes memory otherwise, or nothing."""
    operands: Mapping[str, Dims] = field(default_factory=dict)
    """Matrix -> which of its elements an element of the result depends on."""
    stored: bool = False
    """Whether the result is what it stores."""
    moved: bool = False
    """Whether it moves values without computing."""


@dataclass(frozen=True, slots=True)
class Observer:
    """How the classes of one specification are seen in a case."""

    things: Callable[[Subject], Iterable[Thing]]
    looks: Mapping[str, Look]
    """Axis -> how its class is seen."""
    unseen: Mapping[str, str]
    """Axis -> why nobody can tell its class from a case; and ``axis=class`` -> why no case has it.

    ``group/axis=class``: why no thing of that group has it.

    The reason names what is missing: a field that no struct has, a thing that no struct can say."""
    dependence: Callable[[Any, Any], Dependence] = lambda _program, _instruction: Dependence("")
    """On which elements of its operands each element depends that an instruction of a program leaves."""
    part: Callable[[Thing], tuple[int | None, ...]] = lambda _thing: ()
    """The batch item, wave, row and column of the elements that a thing is about; None, or left out: all."""


@dataclass(frozen=True, slots=True)
class Seen:
    """A thing in a case with the classes that it has."""

    thing: Thing
    classes: Mapping[str, frozenset[str]]
    """Axis -> its classes; an axis of data may have several at once."""


class UnknownClass(RuntimeError):
    """A look gave a class that its axis does not have: a mistake in mmaspec."""


def observer_of(spec: str) -> Observer:
    """How the classes of one of our specifications are seen."""
    found: Observer = import_module(f"{specification(spec).module('strategies')}.observations").OBSERVER
    return found


def seen(case: Case, observer: Observer, space: Space) -> Iterator[Seen]:
    """Everything in a case that has axes, with its classes. Raises `UnknownClass`."""
    return seen_in(Subject(case), observer, space)


def seen_in(subject: Subject, observer: Observer, space: Space, axes: Collection[str] | None = None) -> Iterator[Seen]:
    """The same of a case that is being looked at, or only the classes of some axes."""
    looks: dict[str, list[str]] = {group: [] for group in space.group}
    for name in observer.looks if axes is None else (name for name in observer.looks if name in axes):
        for group in space.axis[name].groups:
            looks[group].append(name)
    for thing in observer.things(subject):
        found = {name: classes_seen(subject, thing, name, observer, space) for name in looks[thing.group]}
        yield Seen(thing, {name: classes for name, classes in found.items() if classes})


def classes_seen(subject: Subject, thing: Thing, axis: str, observer: Observer, space: Space) -> frozenset[str]:
    """The classes of one axis that a thing has. Raises `UnknownClass`."""
    return _named(axis, space.axis[axis], observer.looks[axis](subject, thing))


def _named(name: str, axis: Axis, answer: Answer) -> frozenset[str]:
    if answer is None:
        return frozenset()
    answers: Iterable[int | str] = (answer,) if isinstance(answer, int | str) else answer
    return frozenset(_class(name, axis, one) for one in answers)


def _class(name: str, axis: Axis, answer: int | str) -> str:
    if isinstance(answer, str):
        if answer in axis.classes:
            return answer
    else:
        for called, one in axis.classes.items():
            if one.least is not None and one.most is not None and one.least <= answer <= one.most:
                return called
    raise UnknownClass(f"axis {name}: {answer!r} is in no class")
