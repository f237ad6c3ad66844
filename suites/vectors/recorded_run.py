"""Judging answers that were recorded elsewhere: as in a live run, except that blame cannot run anything again."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mmaspec.backends.faults.fault import Fault
from mmaspec.backends.protocol import Runner
from mmaspec.oracle.case import Case
from mmaspec.oracle.expectation import Defined, Region
from mmaspec.oracle.judge import slight_bits
from mmaspec.oracle.memory import gather
from mmaspec.oracle.numerics.legal import Legal, illegal
from mmaspec.oracle.numerics.ordinals import Bits, Flags, is_nan, to_ordinal
from mmaspec.oracle.spec import spec_named
from mmaspec.oracle.wrong_elements import Buffers, live_places
from mmaspec.programs.profile import Profile
from mmaspec.suites.judging.ask import Answer, Held, ask_once, buffers_of
from mmaspec.suites.judging.blaming.blame import NAN_DUE, agreed
from mmaspec.suites.judging.blaming.blamed import Blame
from mmaspec.suites.judging.blaming.suspects import by_refinement, without_nan
from mmaspec.suites.judging.explain import Reduced
from mmaspec.suites.judging.plain import not_borrowed
from mmaspec.suites.judging.record import Finding
from mmaspec.suites.judging.sensitivity import made
from mmaspec.suites.judging.telling.likeness import Likeness, Reproduced, alike, in_question

NOT_RERUN = "not rerun"
"""How blame was found where nothing told the instructions before a store apart."""


EXPLAINED = ("reproduced", "resembles")
"""How blame was found where a counterfactual leaves what was recorded, to the bit or nearly."""


@dataclass(frozen=True, slots=True)
class RecordedExplainer:
    """Explains recorded answers; the backend is elsewhere, so nothing can be run again."""

    backend: Runner
    profile: Profile
    borrowed: frozenset[str]
    unknown: Collection[str]
    times: int = 1
    """Nothing is run."""

    @property
    def reruns(self) -> bool:
        """There is none."""
        return False

    def blamed(
        self, case: Case, first: Defined, answers: list[Answer], held: Held, reproduced: Reproduced
    ) -> tuple[Blame, Likeness]:
        """Blames the clauses up to the first wrong store, then counterfactuals that leave nearly the same bytes."""
        blamed = suspects(case, held, self.borrowed)
        item = held.judgement.wrong[0].item
        clauses = (*blamed.clauses, *sorted(first.clauses))
        like = alike(case, answers[0], item, in_question(case, clauses, self.borrowed, self.unknown), reproduced)
        if blamed.how == "symptom":
            return agreed(blamed, like.clauses, first.clauses), like
        how = EXPLAINED[0]
        if not like.faults:
            how = EXPLAINED[1]
            tried = in_question(case, blamed.clauses, self.borrowed, self.unknown)
            near = (fault for fault in tried if resembles_all(fault, case, held.expected, answers, item))
            like = Likeness(tuple(near))
        return Blame((like.clause,), how) if like.clause else blamed, like

    def reduced(self, case: Case, _finding: Finding, _acting: Collection[str], /) -> Reduced:
        """The whole case: without the backend it cannot be known whether a smaller one fails."""
        return Reduced(case)

    def fails_probes(self, _case: Case, _first: Defined, _told_apart: Collection[str]) -> bool:
        """Never: nothing of it is known."""
        return False


def suspects(case: Case, held: Held, borrowed: Collection[str]) -> Blame:
    """The clauses that acted up to the first wrong store, the most likely first, without borrowed ones."""
    catalogue = spec_named(case.spec).catalogue
    worst = held.judgement.wrong[0]
    if worst.symptom == "touched":
        return Blame(not_borrowed((spec_named(case.spec).untouched,), borrowed), "symptom")
    last = held.expected.regions[worst.region].step
    before = [step for step in held.expected.steps[:last] if step.legal is not None]
    chain = [*reversed(before[-1:]), held.expected.steps[last], *reversed(before[:-1])]
    clauses = not_borrowed((name for step in chain for name in by_refinement(catalogue, step.clauses)), borrowed)
    of_nan = tuple(name for name in clauses if catalogue.clause[name].nan)
    if of_nan and worst.nan_due:
        return Blame(of_nan, NAN_DUE)
    clauses = without_nan(catalogue, clauses)
    open_ended = tuple(name for name in clauses if catalogue.clause[name].kind == "D")
    if open_ended and worst.symptom == "unlike":
        return Blame(open_ended, "copies differ")
    if open_ended and worst.slight:
        return Blame(open_ended, "a slight error")
    return Blame(clauses, NOT_RERUN)


def resembles_all(fault: Fault, case: Case, expected: Defined, answers: list[Answer], item: int) -> bool:
    """`resembles`, tried on one item of the batch before all of them are run."""
    one = slice(item, item + 1)
    alone = expected.items(one)
    parts = [
        Answer(*({name: image[one] for name, image in side.items()} for side in (answer.before, answer.after)))
        for answer in answers
    ]
    return resembles(fault, case.item(item), alone, parts) and resembles(fault, case, expected, answers)


def resembles(fault: Fault, case: Case, expected: Defined, answers: list[Answer]) -> bool:
    """Whether a counterfactual leaves nearly what was recorded: equal integers, floats a few last bits apart.

    A device that breaks one clause rounds in its own legal way besides, so that no bytes need be equal.
    """
    where = buffers_of(case.program)
    for pattern, answer in enumerate(answers):
        try:
            reply = ask_once(made(fault, case.caps), case, expected, pattern)
        except Exception:  # noqa: BLE001 - a counterfactual may break down where the backend did not
            return False
        for region in expected.regions:
            theirs, ours = (_contents(region, images[region.buffer], where) for images in (answer.after, reply.after))
            if not (_close(region.legal, theirs, ours) | ~region.live).all():
                return False
        if any(((reply.after[name] != answer.after[name]) & ~owned).any() for name, owned in expected.owned.items()):
            return False
    return True


def _contents(region: Region, image: NDArray[np.uint8], where: Buffers) -> Bits:
    return gather(image, live_places(region, where[region.buffer]), region.legal.fmt.nbytes)


def _close(legal: Legal, theirs: Bits, ours: Bits) -> Flags:
    """Where two contents are alike: both legal, equal, both NaN, or wrong floats that differ in last bits only."""
    fmt = legal.fmt
    wrong = illegal(legal, theirs)
    both_nan = is_nan(fmt, theirs) & is_nan(fmt, ours)
    found: Flags = (wrong == illegal(legal, ours)) & (~wrong | (theirs == ours) | both_nan)
    if fmt.kind == "float":
        numbers = ~is_nan(fmt, theirs) & ~is_nan(fmt, ours)
        isolated = np.abs(to_ordinal(fmt, theirs) - to_ordinal(fmt, ours))
        found |= wrong & illegal(legal, ours) & numbers & (isolated <= 1 << slight_bits(fmt))
    return found
