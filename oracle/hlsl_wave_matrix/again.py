"""Executing a program again: a step that finds what it found before, and is told the same, does what it did before.

A program is executed under every reading, of which most steps see nothing. What a step does depends on its
instruction, on what the names in it stand for, and on how it is told that the text reads. What a name stands for is
the same object where it is the same; so what a step left is kept by the identity of these objects.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from msgspec import Struct

from mmaspec.oracle.expectation import Step
from mmaspec.oracle.hlsl_wave_matrix.addresses import Addresses
from mmaspec.oracle.numerics.legal import Legal
from mmaspec.oracle.readings import Assignment, Readings

Holdings = tuple[dict[str, Any], ...]
"""Name -> what it stands for: its contents, what loaded it, and so on."""
Write = tuple[str, Addresses, Legal]
"""A buffer or array, places in it, and what is stored there."""
Execution = Callable[[], tuple[Step, Write | None]]
"""Executes an instruction, but for the write, which it returns."""


@dataclass(frozen=True, slots=True, eq=False)
class _Left:
    """What a step left that was told ``answers``: what each name in it stands for, and what it wrote.

    ``found`` is what it had found; it is held so that no other object takes its identity.
    """

    step: Step
    write: Write | None
    answers: Assignment
    found: tuple[Any, ...]
    held: tuple[tuple[Any, ...], ...]


@dataclass(frozen=True, eq=False)
class Kept:
    """What executions of one case under one profile have done so far."""

    steps: dict[tuple[int, ...], list[_Left]] = field(default_factory=dict)
    names: dict[int, tuple[str, ...]] = field(default_factory=dict)
    """Step -> the names in its instruction."""


@dataclass(frozen=True, eq=False)
class Again:
    """One execution, with what others of the same case have kept. It changes what ``holdings`` say."""

    readings: Readings
    kept: Kept
    holdings: Holdings

    def step(self, index: int, instruction: Struct, execute: Execution) -> tuple[Step, Write | None]:
        """What the instruction does, executed or put back."""
        names = self.kept.names.get(index)
        if names is None:
            names = self.kept.names[index] = tuple(dict.fromkeys(_words(instruction)))
        found = tuple(holding.get(name) for name in names for holding in self.holdings)
        earlier = self.kept.steps.setdefault((index, *map(id, found)), [])
        for left in earlier:
            if self.readings.answered_alike(left.answers):
                self._put_back(names, left)
                return left.step, left.write
        before = len(self.readings.asked)
        step, write = execute()
        answers = tuple(dict.fromkeys(self.readings.asked[before:]))
        held = tuple(tuple(holding.get(name) for holding in self.holdings) for name in names)
        earlier.append(_Left(step, write, answers, found, held))
        return step, write

    def _put_back(self, names: tuple[str, ...], left: _Left) -> None:
        for name, values in zip(names, left.held, strict=True):
            for holding, value in zip(self.holdings, values, strict=True):
                if value is None:
                    holding.pop(name, None)
                else:
                    holding[name] = value


def _words(one: Struct) -> Iterator[str]:
    """Every name in an instruction and its operands."""
    for name in one.__struct_fields__:
        value = getattr(one, name)
        if isinstance(value, str):
            yield value
        elif isinstance(value, Struct):
            yield from _words(value)
