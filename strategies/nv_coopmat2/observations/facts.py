"""What a program says about itself: who makes a matrix, who uses it, and the named answers of looks."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any, TypeVar

from mmaspec.programs.base import Place
from mmaspec.programs.nv_coopmat2.operands import reads, writes
from mmaspec.programs.nv_coopmat2.program import (
    Access,
    CoopMatProgram,
    Load,
    LoadTensor,
    Matrix,
    Simple,
    Store,
    StoreTensor,
)
from mmaspec.programs.tree import walk
from mmaspec.strategies.axes.observation import Answer, Look, Subject, Thing
from mmaspec.strategies.axes.space import space_of

T = TypeVar("T")
SPEC = "nv-coopmat2"


@dataclass(frozen=True, slots=True)
class At:
    """An instruction where it stands; ``turned``: reached by way of another pass of its loop."""

    place: Place
    instruction: Simple
    turned: bool = False


class Facts:
    """A program, with what follows from its text alone."""

    def __init__(self, subject: Subject) -> None:
        self.subject = subject
        self.program: CoopMatProgram = subject.program
        self.as_written: CoopMatProgram = subject.case.program  # type: ignore[assignment]
        executed = [one for one in walk(self.program) if one[2]]
        self.text: tuple[At, ...] = tuple(At(place, instruction) for place, instruction, _ in executed)
        """What is executed at all."""
        self.passes: dict[Place, int] = {place: passes for place, _, passes in executed}
        self.turn: dict[Place, int] = {one.place: turn for turn, one in enumerate(self.text)}

    def of_kind(self, kind: type[T]) -> list[T]:
        """Every instruction of a kind, in order."""
        return [one.instruction for one in self.text if isinstance(one.instruction, kind)]

    @cached_property
    def tensors(self) -> tuple[LoadTensor | StoreTensor, ...]:
        """Every tensor access."""
        return tuple(one.instruction for one in self.text if isinstance(one.instruction, LoadTensor | StoreTensor))

    @cached_property
    def loads(self) -> tuple[Load | LoadTensor, ...]:
        """Every load."""
        return tuple(one.instruction for one in self.text if isinstance(one.instruction, Load | LoadTensor))

    @cached_property
    def stores(self) -> tuple[Store | StoreTensor, ...]:
        """Every store."""
        return tuple(one.instruction for one in self.text if isinstance(one.instruction, Store | StoreTensor))

    @cached_property
    def accesses(self) -> tuple[At, ...]:
        """Every load and store."""
        return tuple(one for one in self.text if isinstance(one.instruction, Access))

    def matrix(self, name: str) -> Matrix:
        """The declaration of a matrix."""
        return self.program.matrix(name)

    def makers(self, name: str, place: Place) -> tuple[At, ...]:
        """Whose result a matrix holds at a place: the last one before, and of a loop the one of the pass before."""
        turn = self.turn[place]
        inside = self._loop(place)
        found = []
        last = next((one for one in reversed(self.text[:turn]) if writes(one.instruction) == name), None)
        if last is not None:
            found.append(last)
        if inside and (last is None or last not in inside):
            found += [At(one.place, one.instruction, True) for one in inside if writes(one.instruction) == name][-1:]
        return tuple(found)

    def users(self, name: str, place: Place) -> tuple[At, ...]:
        """Who uses what the instruction at a place left in a matrix, until somebody overwrites it."""
        turn = self.turn[place]
        inside = self._loop(place)
        found: list[At] = []
        rest = [one for one in inside if self.turn[one.place] > turn]
        if not self._take(name, rest, found) and inside:
            start = [At(one.place, one.instruction, True) for one in inside if self.turn[one.place] <= turn]
            self._take(name, start, found)
        elif inside:
            return tuple(found)
        self._take(name, [one for one in self.text[turn + 1 :] if one not in rest], found)
        return tuple(found)

    def _loop(self, place: Place) -> tuple[At, ...]:
        """Every instruction of the loop of a place, if it has one and it runs more than once."""
        if len(place.path) < 2 or self.passes[place] < 2:
            return ()
        return tuple(one for one in self.text if one.place.path[:-1] == place.path[:-1] and len(one.place.path) > 1)

    @staticmethod
    def _take(name: str, some: list[At], found: list[At]) -> bool:
        """Add those that use a matrix; whether somebody overwrites it."""
        for one in some:
            if name in reads(one.instruction):
                found.append(one)
            if writes(one.instruction) == name:
                return True
        return False


@lru_cache(maxsize=4)
def facts(subject: Subject) -> Facts:
    """What is known of the program of a case; the last few are remembered."""
    return Facts(subject)


def every(*pairs: tuple[str, object]) -> tuple[str, ...]:
    """The classes whose condition holds."""
    return tuple(name for name, holds in pairs if holds)


def first(*pairs: tuple[str, object]) -> str | None:
    """The first class whose condition holds."""
    return next(iter(every(*pairs)), None)


def numbered(axis: str, of: Callable[[Subject, Thing], int | None]) -> Look:
    """The look of a number; None where it lies outside everything that the axis has."""
    classes = space_of(SPEC).axis[axis].classes.values()
    ends = [(one.least, one.most) for one in classes if one.least is not None and one.most is not None]

    def look(subject: Subject, thing: Thing) -> Answer:
        number = of(subject, thing)
        return number if number is not None and any(a <= number <= b for a, b in ends) else None

    return look


def anywhere(
    kind: type[Any] | tuple[type[Any], ...], right: tuple[str, ...], look: Callable[[Facts, Any], Answer]
) -> Look:
    """The look of an axis of an instruction, which a program that must be rejected has too.

    There, every instruction of the kind is looked at, and classes that are ``right`` do not count beside others.
    """

    def seen(subject: Subject, thing: Thing) -> Answer:
        known = facts(subject)
        if thing.group != "invalid":
            return look(known, thing.of)
        found = [one for each in known.text if isinstance(each.instruction, kind) for one in _names(known, each, look)]
        return [one for one in found if one not in right] or found

    return seen


def _names(known: Facts, each: At, look: Callable[[Facts, Any], Answer]) -> Iterator[str]:
    answer = look(known, each.instruction)
    if isinstance(answer, str):
        yield answer
    elif answer is not None and not isinstance(answer, int):
        yield from (str(one) for one in answer)
