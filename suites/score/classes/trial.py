"""One case on class mutants: which of them it tells from the device as it is."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from functools import cached_property
from itertools import islice
from typing import Literal

import numpy as np

from mmaspec.backends.faults.spoiling import Deviation, deviating
from mmaspec.oracle.case import Case
from mmaspec.oracle.expectation import Defined, Rejected
from mmaspec.oracle.judge import ByReading, expect_by_reading
from mmaspec.oracle.numerics.legal import Legal
from mmaspec.oracle.numerics.ordinals import Bits, Flags
from mmaspec.oracle.spec import spec_named
from mmaspec.programs import tree
from mmaspec.programs.base import Place
from mmaspec.programs.profile import PRACTICE
from mmaspec.strategies.axes.narrowing import Block, Narrowed, block_of, meeting, sides_of
from mmaspec.strategies.axes.observation import (
    Dependence,
    Observer,
    Seen,
    Subject,
    Thing,
    classes_seen,
    observer_of,
    seen_in,
)
from mmaspec.strategies.axes.reached import Class
from mmaspec.strategies.axes.space import Space, space_of
from mmaspec.suites.judging.ask import ask, lawful
from mmaspec.suites.score.classes.deviation import mistaken
from mmaspec.suites.score.classes.mutant import Mutant
from mmaspec.suites.score.classes.registers import in_device
from mmaspec.suites.score.classes.uses import places_of

BLOCKS = 8
"""Smallest blocks of elements that are made wrong where a class is found in more: to be wrong in fewer is no easier
to notice."""
LOOKS = 100
"""How often a case is looked at again for one mutant: where two classes hardly ever meet, the rest is left."""


class _EnoughError(Exception):
    """So many looks that the rest is left."""


Kind = Literal["illegal", "accepted", ""]


class Trial:
    """A case, with what is known of it; of classes only those of some axes, if these are given."""

    def __init__(self, case: Case, axes: Collection[str] | None = None) -> None:
        self.case = case
        self.space: Space = space_of(case.spec)
        self.observer: Observer = observer_of(case.spec)
        self.by_reading: ByReading = expect_by_reading(case, PRACTICE)
        self.subject: Subject = Subject(case)
        self.subject.expectation = self.by_reading.first
        self._axes = axes
        self._looks = 0
        self._answers: dict[tuple[int, Place, str, Block], frozenset[str]] = {}
        """What was seen in parts of a thing; things live as long as the trial."""
        self._ends: dict[tuple[Place, Block | None, bool], tuple[bool, bool]] = {}
        self.wrong: bool = False
        """Whether anything was wrong at all for the last mutant: not, if everything is legal where it would be."""

    @cached_property
    def seen(self) -> tuple[Seen, ...]:
        """Everything in it that has classes."""
        return tuple(seen_in(self.subject, self.observer, self.space, self._axes))

    def has(self, mutants: Sequence[Mutant]) -> Iterator[tuple[Mutant, list[Seen]]]:
        """Those of which something in the case has all classes, and all such things."""
        by_group: dict[str, list[Seen]] = {}
        for one in self.seen:
            by_group.setdefault(one.thing.group, []).append(one)
        for mutant in mutants:
            things = [
                one
                for one in by_group.get(mutant.group, ())
                if all(name in one.classes.get(axis, ()) for axis, name in mutant.classes)
            ]
            if things:
                yield mutant, things

    def kind(self, mutant: Mutant, things: Sequence[Seen], *, closely: bool = True) -> Kind:
        """How the case notices a mutant; empty if it does not. Elements are looked for only if ``closely``."""
        if isinstance(self.by_reading.first, Rejected):
            return "accepted" if self._refused(mutant) else ""
        if not isinstance(self.by_reading.first, Defined):
            return ""
        self._looks = LOOKS if closely else 0
        self.wrong = False
        try:
            return "illegal" if any(self._noticed(one.thing, mutant.classes) for one in things) else ""
        except _EnoughError:
            self.wrong |= closely  # nobody knows
            return ""

    def _refused(self, mutant: Mutant) -> bool:
        """Whether whoever is wrong about one of the classes accepts a near miss: its clause is one of their axis."""
        return mutant.group == "invalid" or any(
            self.case.target in self.space.axis[axis].clauses for axis, _ in mutant.classes
        )

    def _noticed(self, thing: Thing, classes: tuple[Class, ...]) -> bool:
        data = [one for one in classes if self.space.axis[one[0]].kind == "data"]
        part = self.observer.part(thing)
        for place in places_of(self.subject, thing):
            whole = self._whole(place)
            if whole is None:
                if self.ends(place, None, shifted=False):
                    return True
                continue
            block = whole.at(part)
            if not data or place != thing.place or len(part) > 2:
                if self.ends(place, block, shifted=not data):
                    return True
                continue
            before = self.wrong
            if self.ends(place, block, shifted=False):
                self.wrong = before  # only what has the class counts
                if self._narrowly(thing, place, block, data):
                    return True
        return False

    def _narrowly(self, thing: Thing, place: Place, block: Block, data: Sequence[Class]) -> bool:
        """Whether it is noticed if only elements are wrong that depend on what has the classes."""
        dependence, instruction = self._dependence(place)

        def holds(axis: str, name: str, some: Block) -> bool:
            key = id(thing), place, axis, some
            if key not in self._answers:
                self._looks -= 1
                if self._looks < 0:
                    raise _EnoughError
                narrowed = Narrowed(self.subject, dependence, some, getattr(instruction, "data", None))
                self._answers[key] = classes_seen(narrowed, thing, axis, self.observer, self.space)
            return name in self._answers[key]

        conditions = [lambda some, axis=axis, name=name: holds(axis, name, some) for axis, name in data]
        found = meeting(conditions, block, sides_of(dependence))
        return any(self.ends(place, one, shifted=False) for one in islice(found, BLOCKS))

    def ends(self, place: Place, block: Block | None, *, shifted: bool) -> bool:
        """Whether the case ends illegal if what the instruction leaves is wrong in some elements."""
        key = place, block, shifted
        if key not in self._ends:
            self._ends[key] = self._illegal(place, block, shifted=shifted)
        illegal, changed = self._ends[key]
        self.wrong |= changed
        return illegal

    def _illegal(self, place: Place, block: Block | None, *, shifted: bool) -> tuple[bool, bool]:
        """The same, and whether anything was wrong."""
        assert isinstance(self.by_reading.first, Defined)
        dependence, instruction = self._dependence(place)
        legal = self._legal(place)
        changed = legal is None

        def change(got: Bits) -> Bits:
            if legal is None or block is None:
                return got
            where: Flags = np.zeros(legal.shape, np.bool_)
            where[block.key] = True
            nonlocal changed
            found = mistaken(legal, got, where, shifted=shifted and dependence.moved)
            changed |= bool((found != got).any())
            return found

        matrix = "" if legal is None else dependence.result
        program = self.case.program
        made = in_device(spec_named(self.case.spec), program, matrix, change)
        memory = str(getattr(instruction, "buffer", getattr(instruction, "memory", "")))
        base = next((buffer.base for buffer in program.buffers if buffer.name == memory), 0)
        turn = Deviation(program, place, matrix, made, stored=dependence.stored, stray=(memory, base))
        backend = deviating(self.case.spec, turn, self.case.caps)
        try:
            answers = ask(backend, self.case, self.by_reading.first, runs=1)
        except Exception:  # noqa: BLE001 - whatever breaks down over it shows it as well
            return True, True
        return not lawful(self.case, self.by_reading, answers), changed

    def _dependence(self, place: Place) -> tuple[Dependence, object]:
        instruction = tree.at(self.case.program, place)
        return self.observer.dependence(self.case.program, instruction), instruction

    def _legal(self, place: Place) -> Legal | None:
        """What the matrix may hold that the instruction leaves, or stores."""
        dependence, _ = self._dependence(place)
        if not dependence.result:
            return None
        if dependence.stored:
            return self.subject.held(dependence.result, place)
        step = self.subject.left_by(place)
        return None if step is None else step.legal

    def _whole(self, place: Place) -> Block | None:
        legal = self._legal(place)
        return None if legal is None else block_of(legal.shape)
