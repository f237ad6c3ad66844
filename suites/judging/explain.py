"""Explaining a wrong value: the clause to blame, a mistake that gives the same bytes, and the smallest failing case."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace
from typing import Protocol

from mmaspec.backends.protocol import Runner
from mmaspec.oracle.case import Case
from mmaspec.oracle.expectation import Defined
from mmaspec.oracle.judge import ByReading, expect_by_reading
from mmaspec.programs.profile import Profile
from mmaspec.suites.judging.ask import Answer, Held, ask, hold
from mmaspec.suites.judging.blaming.blame import NAN_DUE, VANISHES, agreed, blame, first_wrong
from mmaspec.suites.judging.blaming.blamed import SLIGHT, Blame
from mmaspec.suites.judging.blaming.culprit import fails_probes
from mmaspec.suites.judging.blaming.elsewhere.between_items import BETWEEN
from mmaspec.suites.judging.blaming.elsewhere.lost_pass import LOST
from mmaspec.suites.judging.blaming.trial import Trial
from mmaspec.suites.judging.parts import TOGETHER
from mmaspec.suites.judging.record import Finding
from mmaspec.suites.judging.reduction import Reduction, Shown
from mmaspec.suites.judging.sensitivity import made
from mmaspec.suites.judging.telling.likeness import Likeness, Reproduced, alike, in_question


@dataclass(frozen=True, slots=True)
class Reduced:
    """A case from which everything was left out that its failure does not need."""

    case: Case
    place: str = ""
    """After which instruction something is wrong, if that is known."""
    by_reading: ByReading | None = None
    """What is demanded of it, if that is known."""


class Explainer(Protocol):
    """The questions that the judge of a case asks about a failure."""

    @property
    def reruns(self) -> bool:
        """Whether there is a backend that runs a case again."""
        ...

    def blamed(
        self, case: Case, first: Defined, answers: list[Answer], held: Held, reproduced: Reproduced, /
    ) -> tuple[Blame, Likeness]:
        """The blamed clauses, and the counterfactuals as which the backend may behave.

        The case may be part of a longer one; ``reproduced`` tells of a counterfactual whether it leaves all the bytes.
        """
        ...

    def reduced(self, case: Case, finding: Finding, acting: Collection[str], /) -> Reduced:
        """The smallest case that fails as the batch item of the finding does; ``acting``: the clauses of the case."""
        ...

    def fails_probes(self, case: Case, first: Defined, told_apart: Collection[str], /) -> bool:
        """Whether the program fails with small whole numbers too (``probes``), or where accuracy is no matter."""
        ...


class Explaining(Protocol):
    """The function with which the judge of a case makes its explainer."""

    def __call__(
        self, backend: Runner, profile: Profile, borrowed: frozenset[str], unknown: Collection[str], times: int = 1, /
    ) -> Explainer:
        """``unknown`` are counterfactuals that are not looked for as the cause of a failure.

        ``times``: how often every variation is run, as one legal answer says little where answers vary.
        """
        ...


@dataclass(frozen=True, slots=True)
class LiveExplainer:
    """Explains by running variations of the case on the backend."""

    backend: Runner
    profile: Profile
    borrowed: frozenset[str]
    unknown: Collection[str]
    times: int = 1

    @property
    def reruns(self) -> bool:
        """There is."""
        return True

    def blamed(
        self, case: Case, first: Defined, answers: list[Answer], held: Held, reproduced: Reproduced
    ) -> tuple[Blame, Likeness]:
        """By the first wrong step and its circumstances, then by what counterfactuals reproduce."""
        blamed = blame(self._trial(case), held, self.borrowed)
        # A counterfactual does the same whatever is stored beside it, and is wrong in some instruction.
        # Of an item it makes the same with and without others beside it.
        if blamed.how in (VANISHES, LOST) or (blamed.how == BETWEEN and not blamed.clauses):
            return blamed, Likeness()
        clauses = (*blamed.clauses, *sorted(first.clauses))
        tried = in_question(case, clauses, self.borrowed, self.unknown)
        like = alike(case, answers[0], held.judgement.wrong[0].item, tried, reproduced)
        if like.faults and self.times == 1:
            # What is right or wrong elsewhere than the backend does not explain it, whatever bytes it leaves here.
            like = Likeness(tuple(one for one in like.faults if not blamed.unlike(made(one, case.caps))))
        told = agreed(blamed, like.clauses, first.clauses)
        return (told if told.clauses == blamed.clauses else replace(told, otherwise=blamed.clauses)), like

    def reduced(self, case: Case, finding: Finding, acting: Collection[str]) -> Reduced:
        """Leaves out everything that the failure does not need; the clause that is blamed acts in what is left."""
        item = finding.element.item if finding.element else 0
        reduction = Reduction(self.backend, self.profile)
        kept = next((clause for clause in finding.blamed[:1] if clause in acting), "")
        smallest = reduction.smallest(case, item, finding.symptom, kept, finding.says)
        shown = reduction.latest if reduction.latest and reduction.latest.case is smallest else None
        if finding.element is None:
            return Reduced(smallest, by_reading=None if shown is None else shown.by_reading)
        shown = shown or self._shown(smallest)
        if shown is None:
            return Reduced(smallest)
        blamed = blame(self._trial(shown.case), shown.held, self.borrowed)
        if _another(blamed, finding):
            # Of several mistakes another one is left: nobody should take its being mended for this one's.
            return self._whole(case, item) or Reduced(smallest)
        return Reduced(smallest, "" if blamed.place is None else str(blamed.place), shown.by_reading)

    def _whole(self, case: Case, item: int) -> Reduced | None:
        """The whole program on one batch item, or with its neighbours where that fails with them alone; None if not."""
        for some in (case.item(item), case):
            shown = self._shown(some)
            if shown is not None:
                place = first_wrong(self._trial(some), shown.held)
                return Reduced(some, "" if place is None else str(place), shown.by_reading)
        return None

    def fails_probes(self, case: Case, first: Defined, told_apart: Collection[str]) -> bool:
        """By running it."""
        return fails_probes(self._trial(case), first.steps, told_apart)

    def _trial(self, case: Case) -> Trial:
        return Trial(self.backend, self.profile, case, self.times)

    def _shown(self, case: Case) -> Shown | None:
        """What a reduced case shows; None where it is legal, or nothing could be left out of it."""
        if case.batch > TOGETHER:
            return None
        by_reading = expect_by_reading(case, self.profile)
        if not isinstance(by_reading.first, Defined):
            return None
        held = hold(case, by_reading, ask(self.backend, case, by_reading.first))
        return None if held.legal else Shown(case, by_reading, held)


_DECISIVE = ("toggle", "pattern", NAN_DUE, SLIGHT)
"""How blame comes about that says more than that a clause acts."""


def _another(blamed: Blame, finding: Finding) -> bool:
    """Whether the blame of a reduced case is for another mistake than the finding of the whole one."""
    if not finding.blamed:
        return False
    suspects = {*finding.blamed, *finding.otherwise}
    surely = blamed.how in _DECISIVE and not suspects.intersection(blamed.clauses[:1])
    return surely or finding.blamed[0] not in blamed.clauses
