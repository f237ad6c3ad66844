"""Failures in which NaN was due, and which have nothing to do with NaN."""

from __future__ import annotations

from collections.abc import Iterator

from mmaspec.oracle.expectation import Defined
from mmaspec.oracle.numerics.ordinals import Flags
from mmaspec.oracle.spec import spec_named
from mmaspec.programs.base import Program
from mmaspec.suites.judging.blaming.culprit import Culprit
from mmaspec.suites.judging.blaming.trial import Shows


def without_nan_due(culprit: Culprit, program: Program) -> Program | None:
    """The program with numbers for operands with which the step is wrong where no NaN is due; None if none is.

    What these do not mend is no loss of a NaN, such as a result that is 0 whatever is added.
    """
    spec = spec_named(culprit.trial.case.spec).of(culprit.trial.case.caps)
    for ablation in spec.ablations(program, culprit.step.place):
        if ablation.tells != "nan" or not _some_number(culprit, *culprit.trial.demanded(ablation.program)):
            continue
        found = culprit.trial.states(ablation.program, "numbers for operands")
        if found is None:
            continue
        seen, shows = found
        wrong = {number: wrong for number, wrong in enumerate(seen.wrong.regions) if wrong.any()}
        if any((wrong[number] & ~due).any() for number, due in _due(culprit, seen.expected, shows) if number in wrong):
            return ablation.program
    return None


def _some_number(culprit: Culprit, expected: Defined, shows: Shows) -> bool:
    """Whether the step has some element that need not be NaN."""
    return any(not due.all() for _, due in _due(culprit, expected, shows))


def _due(culprit: Culprit, expected: Defined, shows: Shows) -> Iterator[tuple[int, Flags]]:
    """Of each state of the step, by the number of its region, where nothing but NaN is legal."""
    for number, region in enumerate(expected.regions):
        if region.buffer in shows and shows[region.buffer].path == culprit.step.place.path:
            yield number, region.legal.nan & (region.legal.lo > region.legal.hi)
