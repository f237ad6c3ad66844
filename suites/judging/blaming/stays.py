"""A simpler program that is wrong as well: what that acquits."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Self

from mmaspec.backends.protocol import Runner
from mmaspec.suites.judging.blaming.circumstances import Variation
from mmaspec.suites.judging.blaming.trial import Trial


@dataclass(frozen=True, slots=True)
class Stays:
    """A failure without one of its circumstances."""

    trial: Trial
    variation: Variation

    @classmethod
    def found(cls, trial: Trial, variation: Variation, what: str) -> Self | None:
        """The same, run; None where all is well, or it cannot be run. ``what`` says in words what was varied."""
        seen = trial.run(variation.program, what, variation.values)
        return None if seen is None or seen.legal else cls(trial, variation)

    def unlike(self, backend: Runner) -> bool:
        """Whether another backend is right here: it is not wrong for the same reason."""
        there = replace(self.trial, backend=backend, unrun=[])
        seen = there.run(self.variation.program, "", self.variation.values)
        return seen is not None and seen.legal
