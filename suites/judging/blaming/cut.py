"""Leaving out what stands behind the first wrong instruction, which variations of it mostly do not need to run."""

from __future__ import annotations

from dataclasses import replace

import msgspec

from mmaspec.programs.base import Program
from mmaspec.programs.tree import paths
from mmaspec.suites.judging.blaming.culprit import Culprit

WORTH = 4
"""A program is cut where so many instructions or more stand behind."""


def cut_behind(culprit: Culprit, program: Program) -> tuple[Culprit, Program]:
    """The culprit in the program without what stands behind it, and that program; both as they are if it is needed.

    What comes later may matter to a failure: a load that is done too early, a register that is given away too soon.
    """
    place = culprit.step.place
    body = program.body[: place.path[0] + 1]
    short: Program = msgspec.structs.replace(program, body=body)  # type: ignore[type-var]
    if not culprit.in_state or len(paths(program)) - len(paths(short)) < WORTH:
        return culprit, program
    found = culprit.trial.states(short, "nothing behind the wrong instruction")
    if found is None:
        return culprit, program
    seen, shows = found
    if any(first is None or first.path != place.path for first in seen.firsts(shows)):
        return culprit, program
    trial = replace(culprit.trial, case=culprit.trial.case.with_program(short))
    return replace(culprit, trial=trial, seen=seen, shows=shows), short
