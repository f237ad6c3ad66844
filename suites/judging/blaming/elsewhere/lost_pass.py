"""A pass of a loop that is left out as a whole: not even a store that was put into it is carried out."""

from __future__ import annotations

import numpy as np

from mmaspec.oracle.clauses import Catalogue
from mmaspec.oracle.expectation import Step
from mmaspec.oracle.wrong_elements import stored
from mmaspec.programs.base import Place
from mmaspec.suites.judging.blaming.blamed import Blame
from mmaspec.suites.judging.blaming.culprit import Culprit
from mmaspec.suites.judging.blaming.suspects import widest

LOST = "a pass is left out"


def lost_pass(culprit: Culprit, catalogue: Catalogue, base: Step) -> Blame | None:
    """The blame where nothing at all is stored in the pass of the first wrong state; None where something is.

    The first instruction of the loop has no more to do with it than any other, so none of them is named: a clause
    about loops is, if the step has one, else what ``base`` is about, the store in which it shows.
    """
    place = culprit.step.place
    outer = culprit.trial.case.program.body[place.path[0]]
    in_loop = len(place.path) > 1 and "count" in outer.__struct_fields__  # a branch has none
    if not in_loop or not culprit.in_state:
        return None
    seen, shows = culprit.seen, culprit.shows
    mine = [
        number
        for number, region in enumerate(seen.expected.regions)
        if region.buffer in shows
        and shows[region.buffer].path[:1] == place.path[:1]
        and seen.expected.steps[region.step].place.loop == place.loop
    ]
    if not mine or any(_is_stored(culprit, number) for number in mine):
        return None
    loops = tuple(name for name in culprit.step.clauses if "passes" in catalogue.clause[name].needs)
    clauses = tuple(dict.fromkeys((*loops, *widest(catalogue, base.clauses))))
    says = f"nothing is stored in pass {place.loop + 1} of this loop, as if the pass were left out"
    return Blame(clauses, LOST, Place(place.path[:1]), pattern=says)


def _is_stored(culprit: Culprit, number: int) -> bool:
    """Whether a state is other bytes, in some element that counts, than those that lay there before."""
    expected, live = culprit.seen.expected, culprit.seen.expected.regions[number].live
    for answer in culprit.seen.answers:
        before, after = (stored(expected, number, image, culprit.buffers) for image in (answer.before, answer.after))
        if np.any((before != after) & live):
            return True
    return False
