"""Blame for a failure that goes away with literal arguments: which argument has to be loaded at run time."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import msgspec

from mmaspec.oracle.case import Case
from mmaspec.oracle.expect import resolve
from mmaspec.oracle.expectation import Step
from mmaspec.programs.base import Place, RunTime
from mmaspec.programs.tree import walk
from mmaspec.suites.judging.ask import Held
from mmaspec.suites.judging.blaming.by_wave import called
from mmaspec.suites.judging.blaming.circumstances import loaded_arguments
from mmaspec.suites.judging.blaming.trial import Trial


def step_at_run_time(alone: Trial, held: Held, base: Step) -> tuple[Step, str]:
    """The step whose argument has to be loaded at run time, and the argument's name; empty where it is not known.

    Each argument alone is left to be loaded, the others are literals. Where none is enough by itself, or no
    instruction has it, it is the store that shows the failure.
    """
    for argument in loaded_arguments(alone.case.program):
        only = _but(alone.case, argument)
        seen = replace(alone, case=only).run(only.program, "one argument loaded at run time")
        if seen is None or seen.legal:
            continue
        for place, instruction, _ in walk(only.program):
            if name := _field(instruction, argument):
                return _step(held, place, base), name
        return base, ""
    return base, ""


def _step(held: Held, place: Place, base: Step) -> Step:
    return next((step for step in held.expected.steps if step.place.path == place.path), base)


def _but(case: Case, kept: RunTime) -> Case:
    """The case with every argument but one as a literal."""
    return replace(case, program=resolve(case.program, case.words, keep=kept))


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
