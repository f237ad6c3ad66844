"""Failures that go away with the item alone: what its neighbours in the batch left is no clause's matter.

The items of a batch are runs of one program on different data. No document says anything of them together. So where an
item is right alone, and wrong beside others by what these hold or by where it stands among them, state reaches from
one item to another: no clause of the instruction is broken, whichever circumstance hides it. Where the item is as wrong
beside copies of itself wherever it stands, nothing of its neighbours matters but that there are some: a device may
have another path for them, and the clauses of that are looked for as ever.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

import numpy as np

from mmaspec.oracle.expectation import Step
from mmaspec.oracle.spec import AnySpec, spec_named
from mmaspec.oracle.wrong_elements import wrong_elements
from mmaspec.programs.base import Program
from mmaspec.suites.judging.ask import Held, buffers_of
from mmaspec.suites.judging.blaming.at_step import at_step
from mmaspec.suites.judging.blaming.blamed import Blame
from mmaspec.suites.judging.blaming.culprit import Culprit, sources_of
from mmaspec.suites.judging.blaming.suspects import by_refinement, without_nan
from mmaspec.suites.judging.blaming.trial import Trial
from mmaspec.suites.judging.blaming.wrong_tile import pattern_of, wrong_lines

ALONE = "the item alone"
"""What failures go away with that need neighbours in the batch."""
BETWEEN = "batch"
"""How they are blamed: on no clause, or on those of the first wrong step where only the path is another one."""
STATE = "state between items of the batch"
"""What is said first of a failure that needs what its neighbours hold."""
TOGETHER = 32
"""Items of a batch that are looked at together where one alone does not fail."""


def between_items(trial: Trial, program: Program, held: Held, base: Step, borrowed: Collection[str]) -> Blame:
    """The blame where one item alone does not fail; ``base`` is the step that stored the wrong element."""
    worst = held.judgement.wrong[0]
    spec = spec_named(trial.case.spec).of(trial.case.caps)
    state = _neighbours_matter(trial, worst.item)
    culprit = _together(trial, spec, program, held, base)
    if culprit is None:
        own = without_nan(spec.catalogue, by_refinement(spec.catalogue, base.clauses))
        return Blame(() if state else own, BETWEEN, base.place, own, only=(ALONE,))
    own = without_nan(spec.catalogue, by_refinement(spec.catalogue, culprit.step.clauses))
    if state:
        found = pattern_of(culprit)
        says, where = found.says if found is not None and found.kind == "item" else "", wrong_lines(culprit)
        return Blame((), BETWEEN, culprit.step.place, own, only=(ALONE,), pattern=says, where=where)
    blamed = at_step(culprit, program, own, worst, borrowed)
    how = BETWEEN if blamed.how == "base" else blamed.how
    return replace(blamed, how=how, only=(ALONE, *blamed.only))


def _neighbours_matter(trial: Trial, item: int) -> bool:
    """Whether copies of an item in place of its neighbours change anything: not each copy is wrong then.

    Each run counts by itself: another order of the batch has another item in its first place.
    """
    count = trial.case.batch
    values = {name: np.repeat(bits[item : item + 1], count, axis=0) for name, bits in trial.case.values.items()}
    seen = trial.run(trial.case.program, "copies of the item beside it", values)
    if seen is None:
        return True
    where = buffers_of(trial.case.program)
    runs = (wrong_elements(seen.expected, [(one.before, one.after)], where) for one in seen.answers)
    return not all(run.items.all() for run in runs)


def _together(trial: Trial, spec: AnySpec, program: Program, held: Held, base: Step) -> Culprit | None:
    """The first wrong step of some items that are run together; None where no state can be seen."""
    worst = held.judgement.wrong[0]
    start = max(0, min(worst.item - TOGETHER // 2, trial.case.batch - TOGETHER))
    here = trial.of(np.arange(start, min(start + TOGETHER, trial.case.batch)))
    found = here.states(program, "a store after every instruction")
    if found is None:
        return None
    seen, shows = found
    places = [place for place in seen.firsts(shows) if place is not None]
    order = {step.place: number for number, step in enumerate(held.expected.steps)}
    first = min(places, key=lambda place: order.get(place, len(order)), default=None)
    step = next((step for step in held.expected.steps if step.place == first), base)
    # What the items before it decide is no matter of one item's range or signs.
    return Culprit(
        step, here, sources_of(spec, program), seen, shows, structural=True, tame=True, in_state=first is not None
    )
