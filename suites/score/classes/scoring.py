"""The score of case lists on class mutants, and on those of pairs and triples of classes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from msgspec import Struct

from mmaspec.oracle.expectation import Defined
from mmaspec.programs.errors import BadInput
from mmaspec.programs.specifications import ours
from mmaspec.strategies.axes.observation import observer_of
from mmaspec.strategies.axes.space import space_of
from mmaspec.strategies.recipe import Recipe, materialise
from mmaspec.suites.planning.lists import listed_whole
from mmaspec.suites.pool import Mapper, Progress, processes
from mmaspec.suites.score.classes.mutant import Mutant, axes_of, drawn, every, sample
from mmaspec.suites.score.classes.reviewed import why_none
from mmaspec.suites.score.classes.trial import Kind, Trial

TASK = 8
"""Cases of one task; tasks do not depend on how many processes there are."""
ROUND = 8
"""Tasks after which what was killed is no longer tried."""
TRIES = 16
"""Cases in which a class of data is looked for element by element, of those that do not notice it."""

Reason = Literal["unseen", "refused", "free", "unjudged", ""]
"""Why a mutant survives: no case has it; only cases that have to be refused, by rules about something else, have it;
everything is legal where it would be wrong, in all cases that have it; nothing judged depends on it in any of them."""


class Tried(Struct, frozen=True, kw_only=True):
    """A class mutant, and what became of it."""

    group: str
    classes: tuple[str, ...]
    """Each as ``axis=class``."""
    kind: Kind
    """How it was noticed: ``illegal``, ``accepted``; empty: not at all."""
    case: str
    reason: Reason
    """Why it was not."""
    cases: int
    """Of one that was not, how many cases have it."""
    why: str = ""
    """Why it is no mistake, where that was judged."""

    @property
    def state(self) -> str:
        """``killed``, ``equivalent``, or ``survivor``; one that a case notices is killed, whatever was judged."""
        return "killed" if self.kind else "equivalent" if self.why else "survivor"


class Strength(Struct, frozen=True, kw_only=True):
    """The mutants of so many classes at once of one specification."""

    classes: int
    """1: class mutants; 2: pairs; 3: triples."""
    drawn: int
    killed: int
    equivalent: int
    unseen: int
    """Of the survivors, those that no case has."""
    refused: int
    free: int
    unjudged: int
    mutants: tuple[Tried, ...]

    @property
    def survivors(self) -> int:
        """Those that nobody noticed and nobody has judged."""
        return self.drawn - self.killed - self.equivalent

    @property
    def rate(self) -> float | None:
        """Killed, of those that are mistakes; None if there are none."""
        mistakes = self.drawn - self.equivalent
        return self.killed / mistakes if mistakes else None


class SpecClasses(Struct, frozen=True, kw_only=True):
    """The class mutants of one specification."""

    spec: str
    cases: int
    strengths: tuple[Strength, ...]


@dataclass(frozen=True, slots=True)
class Wanted:
    """How many mutants are drawn: of single classes (None: all there are), of pairs, of triples."""

    classes: int | None
    pairs: int
    triples: int

    def of(self, spec: str, seed: int) -> tuple[Mutant, ...]:
        """They themselves."""
        space, observer = space_of(spec), observer_of(spec)
        single = every(space, observer)
        if self.classes is not None:
            single = sample(single, self.classes, seed)
        several = ((2, self.pairs), (3, self.triples))
        return (*single, *(one for n, count in several for one in drawn(space, observer, n, count, seed)))


def score_classes(
    specs: Sequence[str], tier: str, seed: int, wanted: Wanted, workers: int, progress: Progress
) -> tuple[SpecClasses, ...]:
    """Draw and try the mutants of each specification. Raises ``BadInput`` for one without a parameter space."""
    if foreign := [spec for spec in specs if spec not in ours()]:
        raise BadInput(f"{foreign[0]}: no parameter space is declared for it; there are {', '.join(ours())}")
    found = []
    with processes(workers) as over:
        for spec in specs:
            recipes = listed_whole(spec, tier, seed)
            tried = tried_on(recipes, wanted.of(spec, seed), over, progress)
            strengths = {len(one.classes): one for one in tried}
            of = tuple(_counted(n, [one for one in tried if len(one.classes) == n]) for n in sorted(strengths))
            found.append(SpecClasses(spec=spec, cases=len(recipes), strengths=of))
    return tuple(found)


def tried_on(
    recipes: Sequence[Recipe], mutants: Sequence[Mutant], over: Mapper, progress: Progress
) -> tuple[Tried, ...]:
    """What became of each mutant on some cases."""
    tasks = [tuple(recipes[at : at + TASK]) for at in range(0, len(recipes), TASK)]
    outcome = Outcome.none(mutants)
    for at in range(0, len(tasks), ROUND):
        if not outcome.left:
            break
        some = [(task, outcome.left) for task in tasks[at : at + ROUND]]

        def told(done: int, _: int, before: int = at) -> None:
            progress(before + done, len(tasks))

        outcome.take(list(over(try_some, some, told)), recipes)
    return tuple(outcome.tried(mutant, recipes[0].spec) for mutant in mutants)


@dataclass(slots=True)
class Outcome:
    """What became of mutants on some cases."""

    first: str
    """The ID of the first of these."""
    killed: dict[Mutant, tuple[Kind, str]]
    had: dict[Mutant, int]
    """How many cases have those that are not killed; those that are defined count apart."""
    defined: dict[Mutant, int]
    wrong: set[Mutant]
    """Those that were wrong in some case, noticed or not."""
    left: tuple[tuple[Mutant, int], ...]
    """Those that are still to be tried, with the cases that were tried in vain."""

    @classmethod
    def none(cls, mutants: Sequence[Mutant]) -> Outcome:
        """Before anything was tried."""
        return cls("", {}, {}, {}, set(), tuple((mutant, 0) for mutant in mutants))

    def take(self, others: Sequence[Outcome], recipes: Sequence[Recipe]) -> None:
        """Add what others found, in the order of the list."""
        order = {recipe.id: at for at, recipe in enumerate(recipes)}
        for other in sorted(others, key=lambda one: order[one.first]):
            for mutant, found in other.killed.items():
                self.killed.setdefault(mutant, found)
            self.wrong |= other.wrong
            for mine, theirs in ((self.had, other.had), (self.defined, other.defined)):
                for mutant, count in theirs.items():
                    mine[mutant] = mine.get(mutant, 0) + count
        self.left = tuple((mutant, self.defined.get(mutant, 0)) for mutant, _ in self.left if mutant not in self.killed)

    def _reason(self, mutant: Mutant) -> Reason:
        if mutant not in self.had:
            return "unseen"
        if mutant not in self.defined:
            return "refused"
        return "unjudged" if mutant in self.wrong else "free"

    def tried(self, mutant: Mutant, spec: str) -> Tried:
        """A mutant with what became of it."""
        kind, case = self.killed.get(mutant, ("", ""))
        had = self.had.get(mutant, 0)
        return Tried(
            group=mutant.group,
            classes=tuple(map("=".join, mutant.classes)),
            kind=kind,
            case=case,
            reason="" if kind else self._reason(mutant),
            cases=0 if kind else had,
            why=why_none(spec, mutant),
        )


def try_some(task: tuple[Sequence[Recipe], Sequence[tuple[Mutant, int]]]) -> Outcome:
    """Cases, one after the other, on whatever mutants are left."""
    recipes, mutants = task
    found = Outcome(recipes[0].id, {}, {}, {}, set(), ())
    tries: Mapping[Mutant, int] = dict(mutants)
    for recipe in recipes:
        left = [mutant for mutant, _ in mutants if mutant not in found.killed]
        if not left:
            break
        trial = Trial(materialise(recipe), axes_of(left))
        for mutant, things in trial.has(left):
            before = tries[mutant] + found.defined.get(mutant, 0)
            kind = trial.kind(mutant, things, closely=before < TRIES)
            if kind:
                found.killed[mutant] = kind, recipe.id
                continue
            found.had[mutant] = found.had.get(mutant, 0) + 1
            if isinstance(trial.by_reading.first, Defined):
                found.defined[mutant] = found.defined.get(mutant, 0) + 1
                if trial.wrong:
                    found.wrong.add(mutant)
    return found


def _counted(classes: int, tried: Sequence[Tried]) -> Strength:
    left = [one for one in tried if one.state == "survivor"]
    return Strength(
        classes=classes,
        drawn=len(tried),
        killed=sum(one.state == "killed" for one in tried),
        equivalent=sum(one.state == "equivalent" for one in tried),
        unseen=sum(one.reason == "unseen" for one in left),
        refused=sum(one.reason == "refused" for one in left),
        free=sum(one.reason == "free" for one in left),
        unjudged=sum(one.reason == "unjudged" for one in left),
        mutants=tuple(tried),
    )
