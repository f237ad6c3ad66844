"""Blame for a failure that goes away with literal arguments: which argument has to be loaded at run time."""

from __future__ import annotations

from typing import Any

import msgspec

from mmaspec.oracle.case import Case
from mmaspec.oracle.expect import resolve
from mmaspec.oracle.expectation import Step
from mmaspec.programs.arguments import loaded_arguments
from mmaspec.programs.base import Place, RunTime
from mmaspec.programs.tree import walk
from mmaspec.suites.judging.ask import Held
from mmaspec.suites.judging.blaming.differing import called
from mmaspec.suites.judging.blaming.trial import Trial


def step_at_run_time(alone: Trial, held: Held, base: Step) -> tuple[Step, str]:
    """The step whose argument has to be loaded at run time, and the argument's name; empty where it is not known.

    One argument alone has to be enough: of the loaded ones half are made literals, again and again. Where none is
    enough by itself, or no instruction has it, it is the store that shows the failure.
    """
    loaded = loaded_arguments(alone.case.program)  # without all of them the failure goes away
    while len(loaded) > 1:
        middle = (len(loaded) + 1) // 2
        half = next((some for some in (loaded[:middle], loaded[middle:]) if _fails(alone, some)), None)
        if half is None:
            return base, ""
        loaded = half
    return next((_named(left, alone.case, held, base) for left in loaded), (base, ""))


def _fails(alone: Trial, loaded: tuple[RunTime, ...]) -> bool:
    """Whether the failure stays where no other arguments are loaded at run time."""
    program = resolve(alone.case.program, alone.case.words, keep=loaded)
    seen = alone.run(program, "some arguments loaded at run time")
    return seen is not None and not seen.legal


def _named(argument: RunTime, case: Case, held: Held, base: Step) -> tuple[Step, str]:
    """The step that has an argument, and what it calls it."""
    for place, instruction, _ in walk(case.program):
        if name := _field(instruction, argument):
            return _step(held, place, base), name
    return base, ""


def _step(held: Held, place: Place, base: Step) -> Step:
    return next((step for step in held.expected.steps if step.place.path == place.path), base)


def _field(node: Any, argument: RunTime) -> str:
    """The field of an instruction that holds an argument, as in ``slice.offsets``; empty if none does."""
    for name in node.__struct_fields__:
        value = getattr(node, name)
        if value == argument or (isinstance(value, tuple) and argument in value):
            return called(type(node), name)
        for item in value if isinstance(value, tuple) else (value,):
            if isinstance(item, msgspec.Struct) and not isinstance(item, RunTime) and (found := _field(item, argument)):
                return found
    return ""
