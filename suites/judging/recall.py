"""Remembering a diagnosis instead of making another: the explainer of a case in which a run found something."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass

from mmaspec.backends.protocol import Runner
from mmaspec.oracle.case import Case
from mmaspec.oracle.expectation import Defined
from mmaspec.programs.base import Place
from mmaspec.programs.profile import Profile
from mmaspec.suites.judging.ask import Answer, Held
from mmaspec.suites.judging.blaming.blamed import Blame
from mmaspec.suites.judging.explain import Explainer, Reduced
from mmaspec.suites.judging.record import Finding
from mmaspec.suites.judging.telling.finding import RECALLED
from mmaspec.suites.judging.telling.found import Found
from mmaspec.suites.judging.telling.likeness import Likeness, Reproduced

_PLACE = re.compile(r"([1-9][0-9]{0,3}(?:\.[1-9][0-9]{0,3}){0,8})(?: \(pass ([1-9][0-9]{0,5})\))?")


@dataclass(frozen=True, slots=True)
class Recall:
    """Makes explainers that run nothing: they blame what the run blamed, at the place that was found."""

    finding: Finding
    place: str = ""
    """After which instruction it goes wrong, where that was seen; a replay does not look."""
    reruns: bool = True
    """Whether there is a backend that runs a case again."""

    def __call__(
        self,
        _backend: Runner,
        _profile: Profile,
        _borrowed: frozenset[str],
        _unknown: Collection[str],
        _times: int = 1,
        /,
    ) -> Explainer:
        """As in ``Explaining``."""
        return self

    def blamed(
        self, _case: Case, _first: Defined, _answers: list[Answer], _held: Held, _reproduced: Reproduced, /
    ) -> tuple[Blame, Likeness]:
        """As in ``Explainer``."""
        return Blame(self.finding.blamed, RECALLED, place_of(self.place)), Likeness()

    def reduced(self, case: Case, _finding: Finding, _acting: Collection[str], /) -> Reduced:
        """As in ``Explainer``; the case is small already."""
        return Reduced(case, self.place)

    def fails_probes(self, _case: Case, _first: Defined, _told_apart: Collection[str], /) -> bool:
        """As in ``Explainer``; whose demand is broken is recalled too."""
        return False


def recalled(found: Found, *, reruns: bool = True) -> Recall:
    """The explainer of the case in whose file a run's finding stands."""
    return Recall(found.finding, reruns=reruns)


def place_of(text: str) -> Place | None:
    """The place that is written so; None for what is written otherwise."""
    found = _PLACE.fullmatch(text)
    if found is None:
        return None
    return Place(tuple(int(step) - 1 for step in found[1].split(".")), int(found[2] or 1) - 1)
