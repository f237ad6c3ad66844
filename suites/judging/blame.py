"""Blaming clauses for a failing case: find the first wrong step, then remove its circumstances one by one (ablations).

Measured on planted faults, this names the right clause almost always and costs about two more runs; every
statistical method over a whole run did worse.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

from mmaspec.backends.checked import BadReply, Raised
from mmaspec.backends.failures import Unasked
from mmaspec.backends.protocol import Refused, Runner
from mmaspec.oracle.case import Case
from mmaspec.oracle.clauses import Catalogue
from mmaspec.oracle.expect import resolve
from mmaspec.oracle.expectation import Defined, Step
from mmaspec.oracle.judge import Wrong, expect_by_reading
from mmaspec.oracle.spec import Ablation, AnySpec, spec_named
from mmaspec.programs.base import Place, Program
from mmaspec.programs.errors import BadInput
from mmaspec.programs.profile import Profile
from mmaspec.suites.judging.ask import Held, ask, hold
from mmaspec.suites.judging.plain import not_borrowed


@dataclass(frozen=True, slots=True)
class Blame:
    """The blamed clauses, the most likely first; how they were found; the first wrong instruction."""

    clauses: tuple[str, ...]
    how: str
    place: Place | None = None
    own: tuple[str, ...] = ()
    """Clauses of the first wrong step, where it could be located."""


@dataclass(frozen=True, slots=True)
class _Trial:
    """Runs variations of one failing batch item."""

    backend: Runner
    profile: Profile
    case: Case

    def hold(self, program: Program) -> Held | None:
        """The item under another program, judged; None where that is no defined case or gets no usable answer."""
        case = self.case.with_program(program)
        try:
            by_reading = expect_by_reading(case, self.profile)
            if not isinstance(by_reading.first, Defined):
                return None
            return hold(case, by_reading, ask(self.backend, case, by_reading.first))
        except Unasked:  # unlike any other ``BadInput``, it says nothing of the program
            raise
        except (BadInput, Refused, Raised, BadReply):
            return None


def blame(backend: Runner, case: Case, held: Held, profile: Profile, borrowed: Collection[str] = ()) -> Blame:
    """Blame a defined case whose results were illegal, never a clause that is ``borrowed``.

    Where only borrowed clauses are suspected, the backend's own at the same place are blamed, else its own in the
    whole case; there may be none. Anything that the backend raises on the way passes through.
    """
    found = _blame(backend, case, held, profile, borrowed)
    at_place = [name for step in held.expected.steps if step.place == found.place for name in step.clauses]
    anywhere = [name for step in held.expected.steps for name in step.clauses]
    for suspects in (found.clauses, at_place, anywhere):
        if own := not_borrowed(suspects, borrowed):
            return replace(found, clauses=own)
    return replace(found, clauses=())


def _blame(backend: Runner, case: Case, held: Held, profile: Profile, borrowed: Collection[str]) -> Blame:
    spec = spec_named(case.spec)
    worst = held.judgement.wrong[0]
    if worst.symptom == "touched":
        return Blame((spec.untouched,), "symptom", _last_store(held, worst))
    base = _store_of(held, worst)
    trial = _Trial(backend, profile, case.item(worst.item))
    program = resolve(case.program, case.words)
    alone = trial.hold(case.program)
    if alone is not None and alone.legal:
        return Blame(base.clauses, "batch", base.place)
    resolved = trial.hold(program)
    if resolved is not None and resolved.legal:
        return Blame(base.clauses, "goes away with literal arguments", base.place)
    culprit = _locate(trial, spec, program, held, base)
    if culprit is None:
        return Blame(_closest(held, base), "vanishes when observed", base.place)
    own = by_refinement(spec.catalogue, culprit.clauses)
    of_nan = tuple(name for name in own if spec.catalogue.clause[name].nan)
    if of_nan and worst.nan_due:
        return Blame(of_nan, "NaN was due", culprit.place, own)
    own = without_nan(spec.catalogue, own)
    open_ended = tuple(name for name in own if spec.catalogue.clause[name].kind == "D")
    if open_ended and worst.symptom == "unlike":
        return Blame(open_ended, "copies differ", culprit.place, own)
    if open_ended and worst.slight:
        return Blame(open_ended, "a slight error", culprit.place, own)
    cleared = set()
    for ablation in spec.ablations(program, culprit.place):
        if ablation.clause in borrowed:
            continue
        wrong = _still_wrong(trial, spec, ablation, culprit)
        if wrong is False:
            return Blame((ablation.clause,), "toggle", culprit.place, own)
        if wrong:
            cleared.add(ablation.clause)
    left = tuple(clause for clause in own if clause not in cleared)
    return Blame(left or own, "base", culprit.place, own)


def agreed(blamed: Blame, reproduced: str, acted: Collection[str]) -> Blame:
    """The blame in the light of a counterfactual that reproduces every observed byte; ``reproduced`` is its clause.

    It decides among the clauses that acted; against an ablation only among those of the wrong step itself.
    """
    allowed = blamed.own if blamed.how == "toggle" else acted
    if reproduced not in allowed or blamed.clauses[:1] == (reproduced,):
        return blamed
    others = tuple(clause for clause in blamed.clauses if clause != reproduced)
    return replace(blamed, clauses=(reproduced,) if blamed.how == "toggle" else (reproduced, *others))


def without_nan(catalogue: Catalogue, clauses: tuple[str, ...]) -> tuple[str, ...]:
    """The clauses but those that demand NaN, where others are left: for failures in which no NaN is missing."""
    return tuple(name for name in clauses if not catalogue.clause[name].nan) or clauses


def by_refinement(catalogue: Catalogue, clauses: Sequence[str]) -> tuple[str, ...]:
    """The clauses with the narrowest first: one that refines another stands before it."""

    def depth(name: str) -> int:
        wider = [other for other in catalogue.clause[name].refines if other in catalogue.clause]
        return max((depth(other) + 1 for other in wider), default=0)

    return tuple(sorted(clauses, key=lambda name: -depth(name)))


def _store_of(held: Held, worst: Wrong) -> Step:
    return held.expected.steps[held.expected.regions[worst.region].step]


def _last_store(held: Held, worst: Wrong) -> Place | None:
    stores = [held.expected.steps[region.step] for region in held.expected.regions if region.buffer == worst.buffer]
    return stores[-1].place if stores else None


def _closest(held: Held, base: Step) -> tuple[str, ...]:
    """Clauses of the last value-making step before the store, then of the store."""
    before = [step for step in held.expected.steps[: held.expected.steps.index(base)] if step.legal is not None]
    made = before[-1].clauses if before else ()
    return tuple(dict.fromkeys((*made, *base.clauses)))


def _locate(trial: _Trial, spec: AnySpec, program: Program, held: Held, base: Step) -> Step | None:
    """The first step whose state is illegal; the store itself if every state is legal; None if all is well."""
    instrumented = spec.instrumented(program)
    seen = trial.hold(instrumented.program)
    if seen is None:
        return base
    if seen.legal:
        return None
    place = _first_wrong(seen, instrumented.shows)
    if place is None:
        return base
    return next((step for step in held.expected.steps if step.place == place), base)


def _first_wrong(held: Held, shows: Mapping[str, Place]) -> Place | None:
    order = {step.place: number for number, step in enumerate(held.expected.steps)}
    wrong = [shows[found.buffer] for found in held.judgement.wrong if found.buffer in shows]
    return min(wrong, key=lambda place: order.get(place, place.path[0])) if wrong else None


def _still_wrong(trial: _Trial, spec: AnySpec, ablation: Ablation, culprit: Step) -> bool | None:
    """Whether the step's state is still illegal under an ablated program; None where that cannot be run."""
    place = ablation.place or culprit.place
    instrumented = spec.instrumented(ablation.program)
    seen = trial.hold(instrumented.program)
    if seen is None:
        return None
    if seen.legal:
        return False
    first = _first_wrong(seen, instrumented.shows)
    if first is None:  # every state is right, so some store is wrong
        return culprit.legal is None
    return (first.path, first.loop) <= (place.path, place.loop)
