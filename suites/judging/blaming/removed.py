"""A failure and the variation of its step without which it goes away: what that acquits."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace

import numpy as np

from mmaspec.backends.protocol import Runner
from mmaspec.oracle.case import Bits
from mmaspec.oracle.expectation import Defined
from mmaspec.oracle.numerics.legal import Legal
from mmaspec.oracle.spec import Ablation, spec_named
from mmaspec.programs.base import Place, Program
from mmaspec.suites.judging.blaming.culprit import Culprit
from mmaspec.suites.judging.blaming.probes import edited
from mmaspec.suites.judging.blaming.trial import Shows


@dataclass(frozen=True, slots=True)
class Removed:
    """A failure, and the ablation without which it goes away."""

    culprit: Culprit
    ablation: Ablation

    def leaves(self, backend: Runner) -> bool:
        """Whether another backend is still wrong then: it is not so for the same reason as the one that was tried."""
        trial = replace(self.culprit.trial, backend=backend, unrun=[])
        values = data_of(self.culprit, self.ablation)
        there = replace(self.culprit, trial=trial)
        return there.still_wrong(self.ablation.program, "", self.ablation.place, values) is True

    def same_sums(self) -> bool:
        """Whether the same is demanded of the step then, of the same data: it is right, so that no accuracy is amiss.

        Nothing is run.
        """
        if self.ablation.data:
            return False
        # Both under the same reading, which that of what was seen need not be.
        trial, place = self.culprit.trial, self.culprit.step.place
        before = trial.demanded(trial.case.program)
        return same_states(before, trial.demanded(self.ablation.program), place, self.ablation.place)


def same_states(
    one: tuple[Defined, Shows], other: tuple[Defined, Shows], place: Place, there: Place | None = None
) -> bool:
    """Whether two programs demand the same state after an instruction, which in the other one may stand elsewhere."""
    before, after = _states(*one, place), _states(*other, there or place)
    return bool(before) and len(before) == len(after) and all(map(_alike, before, after))


def _states(expected: Defined, shows: Shows, place: Place) -> list[Legal]:
    """What is demanded of the state after an instruction, in every pass."""
    return [one.legal for one in expected.regions if one.buffer in shows and shows[one.buffer].path == place.path]


def _alike(one: Legal, other: Legal) -> bool:
    """Whether two sets are the same."""
    pairs = ((one.lo, other.lo), (one.hi, other.hi), (one.nan, other.nan), (one.why, other.why))
    return all(np.array_equal(mine, its) for mine, its in pairs)


def data_of(culprit: Culprit, ablation: Ablation) -> Mapping[str, Bits] | None:
    """The data of an ablation; None: as it is."""
    return edited(ablation.data, culprit.trial.case.values, culprit.sources) if ablation.data else None


def other_way(culprit: Culprit, program: Program, borrowed: Collection[str]) -> Ablation | None:
    """The first ablation that leaves the sums and their data as they are, and without which the failure goes away."""
    spec = spec_named(culprit.trial.case.spec).of(culprit.trial.case.caps)
    for ablation in spec.ablations(program, culprit.step.place):
        if ablation.clause in borrowed or not ablation.clears or not Removed(culprit, ablation).same_sums():
            continue
        if culprit.still_wrong(ablation.program, f"without {ablation.clause}", ablation.place) is False:
            return ablation
    return None
