"""Blaming clauses for a failing case: the first wrong step, then its circumstances, removed one by one (ablations).

What is tried runs on the failing items of the batch and on probes at once: small whole numbers, without and with signs
(``probes``). A failure that probes show is no matter of precision or range, and an ablation names a clause only if the
failure goes away in every one of these items, so that no accident of one item's data speaks for it.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace

from mmaspec.oracle.expect import default_readings, resolve
from mmaspec.oracle.expectation import Step
from mmaspec.oracle.judge import Wrong
from mmaspec.oracle.spec import AnySpec, spec_named
from mmaspec.programs.base import Place, Program
from mmaspec.suites.judging.ask import Held
from mmaspec.suites.judging.blaming.at_step import at_step
from mmaspec.suites.judging.blaming.blamed import UNOBSERVED, Blame
from mmaspec.suites.judging.blaming.circumstances import at_run_time
from mmaspec.suites.judging.blaming.culprit import Culprit, located
from mmaspec.suites.judging.blaming.elsewhere.between_items import BETWEEN, between_items
from mmaspec.suites.judging.blaming.elsewhere.clobbered import clobbering
from mmaspec.suites.judging.blaming.elsewhere.left_on import left_on
from mmaspec.suites.judging.blaming.elsewhere.lost_pass import lost_pass
from mmaspec.suites.judging.blaming.elsewhere.overwritten import overwriting
from mmaspec.suites.judging.blaming.elsewhere.run_time import step_at_run_time
from mmaspec.suites.judging.blaming.elsewhere.stored_wrong import stored_wrong
from mmaspec.suites.judging.blaming.elsewhere.touched import touching
from mmaspec.suites.judging.blaming.elsewhere.vanishing import Hazard, hazard
from mmaspec.suites.judging.blaming.suspects import about, by_refinement, widest, without_nan
from mmaspec.suites.judging.blaming.trial import Trial
from mmaspec.suites.judging.blaming.without_nan import without_nan_due
from mmaspec.suites.judging.plain import not_borrowed

NAN_DUE = "NaN was due"
"""How a clause that demands NaN is blamed."""
VANISHES, LITERAL = "vanishes when observed", "goes away with literal arguments"
CLOBBERED = "an operand is changed"
"""How the instruction is blamed behind which a matrix that it reads is no longer what it was."""
GONE = (VANISHES, LITERAL)
"""How blame comes about by another program that is right."""


def blame(trial: Trial, held: Held, borrowed: Collection[str] = ()) -> Blame:
    """Blame the defined case of a trial, whose results were illegal, never a clause that is ``borrowed``.

    Where only borrowed clauses are suspected, the backend's own at the same place are blamed, else its own in the
    whole case; there may be none, and state between items is nobody's. Anything that the backend raises on the way
    passes through.
    """
    found = _blame(trial, held, borrowed)
    found = replace(found, unrun=tuple(trial.unrun))
    if found.how == BETWEEN and not found.clauses:
        return found
    at_place = [name for step in held.expected.steps if step.place == found.place for name in step.clauses]
    anywhere = [name for step in held.expected.steps for name in step.clauses]
    for suspects in (found.clauses, at_place, anywhere):
        if own := not_borrowed(suspects, borrowed):
            return replace(found, clauses=own)
    return replace(found, clauses=())


@dataclass(frozen=True, slots=True)
class _Located:
    """The first wrong step of a failing item, before its circumstances are looked at."""

    culprit: Culprit
    program: Program
    """With literal arguments."""
    base: Step
    """The step that stored the wrong element."""


def first_wrong(trial: Trial, held: Held) -> Place | None:
    """After which instruction of the case of a trial something is wrong first, as its blame says; None if none is."""
    found = _located(trial, held, (), probed=False)
    return found.place if isinstance(found, Blame) else found.culprit.step.place


def _blame(trial: Trial, held: Held, borrowed: Collection[str]) -> Blame:
    found = _located(trial, held, borrowed)
    if isinstance(found, Blame):
        return found
    case, culprit, program = trial.case, found.culprit, found.program
    spec = spec_named(case.spec)
    worst = held.judgement.wrong[0]
    alone = trial.of([worst.item])
    own = by_refinement(spec.catalogue, culprit.step.clauses if culprit.shows else _closest(held, found.base))
    of_nan = tuple(name for name in own if spec.catalogue.clause[name].nan)
    plain = None
    if of_nan and worst.nan_due and not culprit.structural:
        plain = without_nan_due(culprit, program)
        if plain is None:
            return Blame(of_nan, NAN_DUE, culprit.step.place, own)
        numbers = replace(alone, case=alone.case.with_program(plain))
        another = located(numbers, spec.of(case.caps), plain, held, found.base)
        if another is not None and another.step.place == culprit.step.place:
            culprit, program = another, plain
    blamed = at_step(culprit, program, without_nan(spec.catalogue, own), worst, borrowed)
    if plain is not None:
        blamed = replace(blamed, instead="")  # it would be told of a program that is not the case's
    if not culprit.shows and blamed.how == "base":
        blamed = replace(blamed, how=UNOBSERVED)
    folded = at_run_time(alone.case) if program == case.program else None
    if folded is not None:
        seen = replace(alone, case=folded).run(folded.program, "arguments loaded at run time")
        if seen is not None and seen.legal:
            blamed = replace(blamed, only=(*blamed.only, "arguments loaded at run time"))
    return blamed


def _located(trial: Trial, held: Held, borrowed: Collection[str], *, probed: bool = True) -> Blame | _Located:
    """The first wrong step; the blame itself where the symptom says it, or another program is right as a whole.

    ``probed``: whether probes are run as well, which say more than the place.
    """
    case = trial.case
    spec = spec_named(case.spec).of(case.caps)
    worst = held.judgement.wrong[0]
    program = resolve(case.program, case.words)
    alone = trial.of([worst.item])
    if worst.symptom == "touched":
        return touching(alone, program, held, worst, borrowed)
    base = store_of(held, worst)
    # Of a batch of one the answers are there already.
    seen = alone.run(case.program, "one item of the batch alone") if case.batch > 1 else None
    if seen is not None and seen.legal:
        under = alone.under(held.reading or tuple(default_readings(spec, trial.profile).items()))
        again = under.run(case.program, "one item of the batch alone")
        if again is None or again.legal:
            return between_items(trial, program, held, base, borrowed)
        # Another reading explains this item, but not the others beside it: none of the batch matters.
        alone = under
    if program != case.program:
        seen = alone.run(program, "literal arguments")
        if seen is not None and seen.legal:
            step, argument = step_at_run_time(alone, held, base)
            own = by_refinement(spec.catalogue, step.clauses)
            own = tuple(dict.fromkeys((*about(spec.catalogue, own, argument), *own)))
            words = f"a literal {argument.rpartition('.')[2]}" if argument else "literal arguments"
            return Blame(own, LITERAL, step.place, own, only=(words,))
    culprit = located(alone, spec, program, held, base, probed=probed)
    if culprit is None:
        return _vanishing(alone, spec, program, held, base)
    lost = lost_pass(culprit, spec.catalogue, base)
    if lost is not None:
        return lost
    if culprit.in_state and stored_wrong(spec, alone, program, culprit):
        stores = located(replace(alone, blind=True), spec, program, held, base, probed=probed)
        culprit = culprit if stores is None else stores
    if (changed := clobbering(culprit, program, held.expected.steps)) is not None:
        step, name = changed
        own = widest(spec.catalogue, step.clauses)
        # What it writes is right, so that of its clauses only the widest is left.
        return Blame(own[:1], CLOBBERED, step.place, own, pattern=f"{name}, which it only reads, is wrong from then on")
    if not culprit.in_state and (later := overwriting(culprit, program, held.expected.steps)) is not None:
        return _Located(replace(culprit, step=later), program, later)
    return _Located(culprit, program, base)


def _vanishing(alone: Trial, spec: AnySpec, program: Program, held: Held, base: Step) -> Blame:
    """The blame where the item is right with a store after every instruction: one instruction disturbs another.

    With a store between them any two are far apart. Flags that an earlier call had otherwise are told without one.
    """
    steps = held.expected.steps
    found = hazard(alone, spec, program, base, steps)
    step = base if found is None else found.step
    own = _closest(held, base) if found is None else step.clauses
    left = widest(spec.catalogue, own)
    told = "all intermediate results stored" if found is None else _stored(found)
    flagged = left_on(alone, spec, program, steps, step)
    if flagged is None:
        return Blame(left, VANISHES, step.place, only=(told,))
    step, ablation = flagged
    return Blame((ablation.clause,), VANISHES, step.place, step.clauses, only=(told, ablation.says))


def _stored(found: Hazard) -> str:
    """In words, which store makes the item right."""
    path = ".".join(str(step + 1) for step in found.stored.path)
    stored = f"a store after instruction {path}{' in every pass' if len(found.stored.path) > 1 else ''}"
    return stored if found.enough else f"all intermediate results stored, {stored} among them"


def agreed(blamed: Blame, explaining: Collection[str], acted: Collection[str]) -> Blame:
    """The blame in the light of counterfactuals that reproduce every observed byte; ``explaining`` are their clauses.

    A single one decides among the clauses that acted; against an ablation only among those of the wrong step itself.
    Several are likelier than the other clauses of the step where nothing else tells these apart.
    """
    if len(explaining) > 1 and blamed.how == "base":
        likely = tuple(clause for clause in blamed.clauses if clause in explaining)
        return replace(blamed, clauses=tuple(dict.fromkeys((*likely, *blamed.clauses))))
    if len(explaining) != 1:
        return blamed
    (reproduced,) = explaining
    allowed = blamed.own if blamed.how == "toggle" else acted
    if reproduced not in allowed or blamed.clauses[:1] == (reproduced,):
        return blamed
    others = tuple(clause for clause in blamed.clauses if clause != reproduced)
    return replace(blamed, clauses=(reproduced,) if blamed.how == "toggle" else (reproduced, *others))


def store_of(held: Held, worst: Wrong) -> Step:
    """The step that stored a wrong element."""
    return held.expected.steps[held.expected.regions[worst.region].step]


def _closest(held: Held, base: Step) -> tuple[str, ...]:
    """Clauses of the last value-making step before the store, then of the store."""
    before = [step for step in held.expected.steps[: held.expected.steps.index(base)] if step.legal is not None]
    made = before[-1].clauses if before else ()
    return tuple(dict.fromkeys((*made, *base.clauses)))
