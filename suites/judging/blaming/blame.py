"""Blaming clauses for a failing case: the first wrong step, then its circumstances, removed one by one (ablations).

What is tried runs on the failing items of the batch and on probes at once: small whole numbers, without and with signs
(``probes``). A failure that probes show is no matter of precision or range, and an ablation names a clause only if the
failure goes away in every one of these items, so that no accident of one item's data speaks for it.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

import numpy as np

from mmaspec.backends.protocol import Runner
from mmaspec.oracle.case import Case
from mmaspec.oracle.expect import resolve
from mmaspec.oracle.expectation import Step
from mmaspec.oracle.judge import Wrong
from mmaspec.oracle.spec import AnySpec, spec_named
from mmaspec.programs.base import Place, Program
from mmaspec.programs.profile import Profile
from mmaspec.suites.judging.ask import Held
from mmaspec.suites.judging.blaming.at_step import Blame, at_step
from mmaspec.suites.judging.blaming.circumstances import at_run_time
from mmaspec.suites.judging.blaming.culprit import located
from mmaspec.suites.judging.blaming.run_time import step_at_run_time
from mmaspec.suites.judging.blaming.suspects import by_refinement, without_nan
from mmaspec.suites.judging.blaming.trial import Trial
from mmaspec.suites.judging.plain import not_borrowed

NAN_DUE = "NaN was due"
"""How a clause that demands NaN is blamed."""
UNOBSERVED = "not observed"
"""How clauses are blamed where no program that stores intermediate results was taken."""
TOGETHER = 32
"""Items of a batch that are looked at together where one alone does not fail."""


def blame(backend: Runner, case: Case, held: Held, profile: Profile, borrowed: Collection[str] = ()) -> Blame:
    """Blame a defined case whose results were illegal, never a clause that is ``borrowed``.

    Where only borrowed clauses are suspected, the backend's own at the same place are blamed, else its own in the
    whole case; there may be none. Anything that the backend raises on the way passes through.
    """
    trial = Trial(backend, profile, case)
    found = _blame(trial, held, borrowed)
    found = replace(found, unrun=tuple(trial.unrun))
    at_place = [name for step in held.expected.steps if step.place == found.place for name in step.clauses]
    anywhere = [name for step in held.expected.steps for name in step.clauses]
    for suspects in (found.clauses, at_place, anywhere):
        if own := not_borrowed(suspects, borrowed):
            return replace(found, clauses=own)
    return replace(found, clauses=())


def _blame(trial: Trial, held: Held, borrowed: Collection[str]) -> Blame:
    case = trial.case
    spec = spec_named(case.spec)
    worst = held.judgement.wrong[0]
    if worst.symptom == "touched":
        return Blame((spec.untouched,), "symptom", _last_store(held, worst))
    base = store_of(held, worst)
    program = resolve(case.program, case.words)
    alone = trial.of([worst.item])
    seen = alone.run(case.program, "one item of the batch alone")
    if seen is not None and seen.legal:
        return _between_items(trial, spec, program, held, base)
    if program != case.program:
        seen = alone.run(program, "literal arguments")
        if seen is not None and seen.legal:
            step, words = step_at_run_time(alone, held, base)
            own = by_refinement(spec.catalogue, step.clauses)
            return Blame(own, "goes away with literal arguments", step.place, own, only=(words or "literal arguments",))
    culprit = located(alone, spec, program, held, base)
    if culprit is None:
        return Blame(_closest(held, base), "vanishes when observed", base.place)
    own = by_refinement(spec.catalogue, culprit.step.clauses if culprit.shows else _closest(held, base))
    of_nan = tuple(name for name in own if spec.catalogue.clause[name].nan)
    if of_nan and worst.nan_due:
        return Blame(of_nan, NAN_DUE, culprit.step.place, own)
    found = at_step(culprit, program, without_nan(spec.catalogue, own), worst, borrowed)
    if not culprit.shows and found.how == "base":
        found = replace(found, how=UNOBSERVED)
    folded = at_run_time(alone.case) if program == case.program else None
    if folded is not None:
        seen = replace(alone, case=folded).run(folded.program, "arguments loaded at run time")
        if seen is not None and seen.legal:
            found = replace(found, only=(*found.only, "arguments loaded at run time"))
    return found


def _between_items(trial: Trial, spec: AnySpec, program: Program, held: Held, base: Step) -> Blame:
    """The blame where one item alone does not fail: its neighbours in the batch are needed."""
    worst = held.judgement.wrong[0]
    start = max(0, min(worst.item - TOGETHER // 2, trial.case.batch - TOGETHER))
    some = np.arange(start, min(start + TOGETHER, trial.case.batch))
    found = trial.of(some).states(program, "a store after every instruction")
    step = base
    if found is not None:
        seen, shows = found
        places = [place for place in seen.firsts(shows) if place is not None]
        if places:
            order = {step.place: number for number, step in enumerate(held.expected.steps)}
            first = min(places, key=lambda place: order.get(place, len(order)))
            step = next((step for step in held.expected.steps if step.place == first), base)
    own = by_refinement(spec.catalogue, step.clauses)
    return Blame(without_nan(spec.catalogue, own), "batch", step.place, own, only=("the item alone",))


def agreed(blamed: Blame, reproduced: str, acted: Collection[str]) -> Blame:
    """The blame in the light of a counterfactual that reproduces every observed byte; ``reproduced`` is its clause.

    It decides among the clauses that acted; against an ablation only among those of the wrong step itself.
    """
    allowed = blamed.own if blamed.how == "toggle" else acted
    if reproduced not in allowed or blamed.clauses[:1] == (reproduced,):
        return blamed
    others = tuple(clause for clause in blamed.clauses if clause != reproduced)
    return replace(blamed, clauses=(reproduced,) if blamed.how == "toggle" else (reproduced, *others))


def store_of(held: Held, worst: Wrong) -> Step:
    """The step that stored a wrong element."""
    return held.expected.steps[held.expected.regions[worst.region].step]


def _last_store(held: Held, worst: Wrong) -> Place | None:
    stores = [held.expected.steps[region.step] for region in held.expected.regions if region.buffer == worst.buffer]
    return stores[-1].place if stores else None


def _closest(held: Held, base: Step) -> tuple[str, ...]:
    """Clauses of the last value-making step before the store, then of the store."""
    before = [step for step in held.expected.steps[: held.expected.steps.index(base)] if step.legal is not None]
    made = before[-1].clauses if before else ()
    return tuple(dict.fromkeys((*made, *base.clauses)))
