"""Stores that write over what an earlier one left, where elements of both are wrong."""

from __future__ import annotations

from collections.abc import Sequence

from mmaspec.oracle.expectation import Step
from mmaspec.programs import tree
from mmaspec.programs.base import Program
from mmaspec.suites.judging.blaming.culprit import Culprit
from mmaspec.suites.judging.blaming.trial import among_stores

MOST = 4
"""Stores of one program that are left out, one after the other."""


def overwriting(culprit: Culprit, program: Program, steps: Sequence[Step]) -> Step | None:
    """The later store without which the elements of the blamed one are right; None where there is no such store.

    Asked where every state is right, so that some store is wrong. ``steps`` are those of the program.
    """
    blamed, shows = culprit.step.place.path, culprit.shows
    wrong = culprit.seen.wrong_paths
    if among_stores(culprit.step.place, shows) not in wrong:
        return None
    later = {step.place.path: step for step in steps if step.place.path > blamed}
    stores = [step for step in later.values() if among_stores(step.place, shows) in wrong][:MOST]

    def right_without(some: Sequence[Step]) -> bool:
        numbers = ", ".join(str(step.place) for step in some)
        less = tree.drop(program, {step.place.path for step in some})
        seen = culprit.trial.run(less, f"without the stores of instructions {numbers}")
        return seen is not None and blamed not in seen.wrong_paths

    if not stores or not right_without(stores):
        return None
    # Where several of them write there, each one alone is enough: then it is the first.
    return next((step for step in stores[1:] if right_without([step])), stores[0])
