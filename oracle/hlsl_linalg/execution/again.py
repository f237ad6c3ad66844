"""Executing a program again: a step that finds what it found before, and is told the same, does what it did before.

A program is executed under every reading and every free choice, of which most steps see nothing. What a step does
depends on its instruction, on what the names in it stand for, on pending sums and optimal layouts, and on the answers
that it gets when it asks how a text is read. All of that is the same object where it is the same; so what the step
left is kept by the identity of these objects, and put back in place of executing the instruction.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from msgspec import Struct

from mmaspec.oracle.expectation import Step
from mmaspec.oracle.hlsl_linalg.execution.optimal import OptimalMemory
from mmaspec.oracle.hlsl_linalg.execution.pending_sums import PendingSums
from mmaspec.oracle.hlsl_linalg.execution.running import Running, Write
from mmaspec.oracle.readings import Readings
from mmaspec.programs.base import Place
from mmaspec.programs.hlsl_linalg.program import Simple

Execution = Callable[[Running, Place, Any], Step]
Question = Callable[[Readings], str]
Key = tuple[int | str, ...]
Holdings = list[dict[str, Any]]


class Asked(Readings):
    """The readings of one execution, with what the current step asked of them."""

    def __init__(self, readings: Readings) -> None:
        """What is asked here is noted there."""
        self._readings = readings
        self.answers: list[tuple[Question, str]] = []

    def choose(self, ambiguity: str) -> str:
        """The reading of an ambiguity."""
        return self.answer(lambda readings: readings.choose(ambiguity))

    def decide(self, what: str, options: tuple[str, ...]) -> str:
        """One of several things that a text leaves free."""
        return self.answer(lambda readings: readings.decide(what, options))

    def answer(self, question: Question) -> str:
        """The answer to a question, which is remembered."""
        found = question(self._readings)
        self.answers.append((question, found))
        return found


@dataclass(frozen=True, slots=True, eq=False)
class _Left:
    """What a step left: of each name in it what it stands for, the sums and layouts, and what it wrote.

    ``found`` is what it had found; it is held so that no other object takes its identity.
    """

    step: Step
    found: tuple[Any, ...]
    held: tuple[tuple[Any, ...], ...]
    sums: PendingSums
    optimal: OptimalMemory
    writes: tuple[Write, ...]


@dataclass(frozen=True, eq=False)
class Kept:
    """What executions of one case under one profile have done so far.

    ``sums`` and ``optimal`` are those that each begins with. ``steps`` has, for what a step finds and the answers so
    far, its next question or what it left.
    """

    sums: PendingSums = field(default_factory=PendingSums)
    optimal: OptimalMemory = field(default_factory=OptimalMemory)
    steps: dict[Key, Question | _Left] = field(default_factory=dict)
    names: dict[int, tuple[str, ...]] = field(default_factory=dict)


class Again:
    """One execution, with what others of the same case have kept."""

    def __init__(self, run: Running, asked: Asked, kept: Kept) -> None:
        self._run = run
        self._asked = asked
        self._kept = kept
        program = run.program
        things = {matrix.name for matrix in program.matrices} | {vector.name for vector in program.vectors}
        self._declared = things | {array.name for array in program.arrays} | {one.name for one in program.buffers}
        self._contents: dict[str, object] = {}
        """Of every buffer or array that was written, an object that stands for its contents."""
        self._holdings: Holdings = [
            run.matrices, run.vectors, run.unrounded, run.unrounded_at, run.origin, run.shown, self._contents
        ]  # fmt: skip

    def step(self, place: Place, instruction: Simple, execute: Execution) -> Step:
        """What the instruction does, executed or put back."""
        run, steps = self._run, self._kept.steps
        names = self._names(instruction)
        found = (run.sums, run.optimal, *(holding.get(name) for name in names for holding in self._holdings))
        start: Key = (run.step, *map(id, found))
        key, known = start, steps.get(start)
        self._asked.answers = []
        while callable(known):
            key = (*key, self._asked.answer(known))
            known = steps.get(key)
        if known is not None:
            self._put_back(names, known)
            return known.step
        self._asked.answers, run.written = [], []
        step = execute(run, place, instruction)
        for name in {write[0] for write in run.written}:
            self._contents[name] = object()
        key = start
        for question, answer in self._asked.answers:
            steps[key] = question
            key = (*key, answer)
        held = tuple(tuple(holding.get(name) for holding in self._holdings) for name in names)
        steps[key] = _Left(step, found, held, run.sums, run.optimal, tuple(run.written))
        return step

    def _put_back(self, names: tuple[str, ...], left: _Left) -> None:
        run = self._run
        for name, values in zip(names, left.held, strict=True):
            for holding, value in zip(self._holdings, values, strict=True):
                if value is None:
                    holding.pop(name, None)
                else:
                    holding[name] = value
        run.sums, run.optimal = left.sums, left.optimal
        for write in left.writes:
            run.write_again(*write)

    def _names(self, instruction: Simple) -> tuple[str, ...]:
        """Every name in an instruction and its operands."""
        number = self._run.step
        if number not in self._kept.names:
            words = _words(instruction)
            self._kept.names[number] = tuple(word for word in dict.fromkeys(words) if word in self._declared)
        return self._kept.names[number]


def _words(one: Struct) -> list[str]:
    values = [getattr(one, name) for name in one.__struct_fields__]
    nested = [word for value in values if isinstance(value, Struct) for word in _words(value)]
    return [value for value in values if isinstance(value, str)] + nested
