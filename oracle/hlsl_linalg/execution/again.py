"""Executing a program again: a step that finds what it found before, and is told the same, does what it did before.

A program is executed under every reading and every free choice, of which most steps see nothing. What a step does
depends on its instruction, on what the names in it stand for, on pending sums and optimal layouts, and on the answers
that it gets when it asks how a text is read. All of that is the same object where it is the same; so what the step
left is kept by the identity of these objects, and put back in place of executing the instruction.

As long as all that an execution was told is what another one was told, it need not even look at them: both found the
same. So whatever a step left is kept as well by what the steps before it were told.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from mmaspec.oracle.expectation import Step
from mmaspec.oracle.hlsl_linalg.execution.optimal import OptimalMemory
from mmaspec.oracle.hlsl_linalg.execution.parts import Parts, words
from mmaspec.oracle.hlsl_linalg.execution.pending_sums import PendingSums
from mmaspec.oracle.hlsl_linalg.execution.running import Running, Write
from mmaspec.oracle.readings import Readings
from mmaspec.programs.base import Place
from mmaspec.programs.hlsl_linalg.program import Simple

Execution = Callable[[Running, Place, Any], Step]
Question = Callable[[Readings], str]
Key = tuple[object, ...]
Holdings = list[dict[str, Any]]


class Asked(Readings):
    """The readings of one execution, with what the current step asked of them."""

    def __init__(self, readings: Readings) -> None:
        """What is asked here is noted there."""
        self._readings = readings
        self.alike = readings.alike
        self.answers: list[tuple[Question, str]] = []

    def choose(self, ambiguity: str) -> str:
        """The reading of an ambiguity."""
        return self.answer(lambda readings: readings.choose(ambiguity))

    def decide(self, what: str, options: tuple[str, ...], part: int | None = None) -> str:
        """One of several things that a text leaves free."""
        return self.answer(lambda readings: readings.decide(what, options, part))

    def answer(self, question: Question) -> str:
        """The answer to a question, which is remembered."""
        found = question(self._readings)
        self.answers.append((question, found))
        return found


class _Change(NamedTuple):
    """What something that a running program holds of a name has become; None: it has it no more."""

    holding: int
    name: str
    value: Any


@dataclass(frozen=True, slots=True, eq=False)
class _Left:
    """What a step left: all that it changed, the sums and layouts, and what it wrote.

    ``found`` is what it had found; it is held so that no other object takes its identity.
    """

    step: Step
    found: tuple[Any, ...]
    changes: tuple[_Change, ...]
    sums: PendingSums
    optimal: OptimalMemory
    writes: tuple[Write, ...]


@dataclass(frozen=True, eq=False)
class Kept:
    """What executions of one case under one profile have done so far.

    ``sums`` and ``optimal`` are those that each begins with. ``steps`` has, for what a step finds and the answers so
    far, its next question or what it left. ``paths`` has the same, and what stands for all that was told up to its
    end, for what stands for that up to its beginning; ``start`` stands for nothing at all.
    """

    sums: PendingSums = field(default_factory=PendingSums)
    optimal: OptimalMemory = field(default_factory=OptimalMemory)
    steps: dict[Key, Question | _Left] = field(default_factory=dict)
    paths: dict[Key, Question | tuple[_Left, object]] = field(default_factory=dict)
    start: object = field(default_factory=object)
    names: dict[int, tuple[Simple, tuple[str, ...]]] = field(default_factory=dict)
    """By the identity of an instruction, which is held as well."""
    parts: list[Parts] = field(default_factory=list)
    """Of the program, once somebody had to know them."""


class Again:
    """One execution, with what others of the same case have kept."""

    def __init__(self, run: Running, asked: Asked, kept: Kept) -> None:
        self._run = run
        self._asked = asked
        self._kept = kept
        self._past = kept.start
        self._contents: dict[str, object] = {}
        """Of every buffer or array that was written, an object that stands for its contents."""
        self._holdings: Holdings = [
            run.matrices, run.vectors, run.unrounded, run.unrounded_at, run.origin, run.shown, self._contents
        ]  # fmt: skip

    def step(self, place: Place, instruction: Simple, execute: Execution) -> Step:
        """What the instruction does, executed or put back."""
        paths = self._kept.paths
        key: Key = (self._past,)
        known = paths.get(key)
        while callable(known):
            key = (*key, self._asked.answer(known))
            known = paths.get(key)
        if known is not None:
            left, self._past = known
            self._put_back(left)
            return left.step
        self._asked.answers = []
        left = self._by_found(place, instruction, execute)
        key = (self._past,)
        for question, answer in self._asked.answers:
            paths[key] = question
            key = (*key, answer)
        self._past = object()
        paths[key] = left, self._past
        return left.step

    def _by_found(self, place: Place, instruction: Simple, execute: Execution) -> _Left:
        """What the step leaves, put back where another execution has found the same; its answers are remembered."""
        run, steps, holdings = self._run, self._kept.steps, self._holdings
        names = self._names(instruction)
        before = [holding.get(name) for name in names for holding in holdings]
        start: Key = (run.step, id(run.sums), id(run.optimal), *map(id, before))
        key, known = start, steps.get(start)
        while callable(known):
            key = (*key, self._asked.answer(known))
            known = steps.get(key)
        if known is not None:
            self._put_back(known)
            return known
        found = (run.sums, run.optimal, *before)
        self._asked.answers, run.written = [], []
        step = execute(run, place, instruction)
        for name in {write[0] for write in run.written}:
            self._contents[name] = object()
        key = start
        for question, answer in self._asked.answers:
            steps[key] = question
            key = (*key, answer)
        places = [(number, name) for name in names for number in range(len(holdings))]
        changes = tuple(
            _Change(number, name, value)
            for (number, name), old in zip(places, before, strict=True)
            if (value := holdings[number].get(name)) is not old
        )
        steps[key] = left = _Left(step, found, changes, run.sums, run.optimal, tuple(run.written))
        return left

    def _put_back(self, left: _Left) -> None:
        run, holdings = self._run, self._holdings
        for number, name, value in left.changes:
            if value is None:
                del holdings[number][name]
            else:
                holdings[number][name] = value
        run.sums, run.optimal = left.sums, left.optimal
        for write in left.writes:
            run.write_again(*write)

    def _names(self, instruction: Simple) -> tuple[str, ...]:
        """Every name in an instruction and its operands."""
        number, names = id(instruction), self._kept.names
        if number not in names:
            program = self._run.program
            things = {matrix.name for matrix in program.matrices} | {vector.name for vector in program.vectors}
            there = things | {array.name for array in program.arrays} | {one.name for one in program.buffers}
            names[number] = instruction, tuple(one for one in words(instruction) if one in there)
        return names[number][1]
