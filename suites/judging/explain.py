"""Explaining a wrong value: the clause to blame, a mistake that gives the same bytes, and the smallest failing case."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Protocol

from msgspec.structs import replace

from mmaspec.backends.protocol import Runner
from mmaspec.oracle.case import Case
from mmaspec.oracle.expectation import Defined
from mmaspec.oracle.judge import expect_by_reading
from mmaspec.programs.profile import Profile
from mmaspec.suites.judging.ask import Answer, Held, ask, hold
from mmaspec.suites.judging.blame import Blame, agreed, blame
from mmaspec.suites.judging.finding import cause, describe
from mmaspec.suites.judging.parts import TOGETHER
from mmaspec.suites.judging.record import Finding
from mmaspec.suites.judging.reduction import Reduction


class Explainer(Protocol):
    """The questions that the judge of a case asks about a failure."""

    def blamed(self, case: Case, first: Defined, answers: list[Answer], held: Held) -> tuple[Blame, str]:
        """The blamed clauses, and the counterfactual as which the backend behaves."""
        ...

    def reduced(self, case: Case, finding: Finding) -> tuple[Case, Finding]:
        """The smallest case that fails in the same way as the batch item of the finding, and what is wrong there."""
        ...


class Explaining(Protocol):
    """The function with which the judge of a case makes its explainer."""

    def __call__(
        self, backend: Runner, profile: Profile, borrowed: frozenset[str], unknown: Collection[str]
    ) -> Explainer:
        """``unknown`` are counterfactuals that are not looked for as the cause of a failure."""
        ...


@dataclass(frozen=True, slots=True)
class LiveExplainer:
    """Explains by running variations of the case on the backend."""

    backend: Runner
    profile: Profile
    borrowed: frozenset[str]
    unknown: Collection[str]

    def blamed(self, case: Case, first: Defined, answers: list[Answer], held: Held) -> tuple[Blame, str]:
        """By the first wrong step and its circumstances, then by what a counterfactual reproduces."""
        blamed = blame(self.backend, case, held, self.profile, self.borrowed)
        item = held.judgement.wrong[0].item
        looks_like, clause = cause(case, first, answers, blamed.clauses, item, self.borrowed, self.unknown)
        return agreed(blamed, clause, first.clauses), looks_like

    def reduced(self, case: Case, finding: Finding) -> tuple[Case, Finding]:
        """Leaves out everything that the failure does not need."""
        item = finding.element.item if finding.element else 0
        smallest = Reduction(self.backend, self.profile).smallest(case, item, finding.symptom)
        return smallest, finding if finding.element is None else self._of_reduced(smallest, finding)

    def _of_reduced(self, case: Case, finding: Finding) -> Finding:
        """The same blame with the element of the reduced case."""
        if case.batch > TOGETHER:  # nothing could be left out of it
            return finding
        by_reading = expect_by_reading(case, self.profile)
        if not isinstance(by_reading.first, Defined):
            return finding
        held = hold(case, by_reading, ask(self.backend, case, by_reading.first))
        if held.legal:
            return finding
        told = describe(held, blame(self.backend, case, held, self.profile, self.borrowed), finding.cause)
        return replace(finding, says=told.says, place=told.place, element=told.element)
