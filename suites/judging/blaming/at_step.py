"""Which clause of the first wrong step is to blame: circumstances are removed one by one, and its state looked at."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace

from mmaspec.oracle.clauses import Catalogue
from mmaspec.oracle.judge import Wrong
from mmaspec.oracle.spec import Ablation, spec_named
from mmaspec.programs.base import Program
from mmaspec.suites.judging.blaming.ablated import gone_along, removers, told_without, with_ablation
from mmaspec.suites.judging.blaming.addends import of_addends, only_at
from mmaspec.suites.judging.blaming.blamed import SLIGHT, Blame
from mmaspec.suites.judging.blaming.culprit import Culprit
from mmaspec.suites.judging.blaming.cut import cut_behind
from mmaspec.suites.judging.blaming.needed import Circumstances, circumstances_of
from mmaspec.suites.judging.blaming.removed import other_way
from mmaspec.suites.judging.blaming.sums import of_factors, with_sums
from mmaspec.suites.judging.blaming.suspects import misplaced_first, refinements, values_first, widest
from mmaspec.suites.judging.blaming.wrong_tile import Target, in_halves, misplaced, only_beside, wrong_lines
from mmaspec.suites.judging.patterns.pattern import Pattern

_OF_HALVES: frozenset[str] = frozenset({"halves", "slots"})
"""Patterns of values in wrong halves of registers."""
_WHOSE = {
    "result": "{}",
    "product": "of the product without C: {}",
    "C": "without a product: {}",
    "A": "A times the unit matrix: {}",
    "B": "the unit matrix times B: {}",
}
"""Whose values stand in wrong places, around the words that say how."""


def at_step(culprit: Culprit, program: Program, own: tuple[str, ...], worst: Wrong, borrowed: Collection[str]) -> Blame:
    """The blame at the first wrong step; ``own`` are its clauses, the narrowest first.

    A clause is cleared by a circumstance that it needs, if the failure stays without that, and by its own ablation.
    """
    spec = spec_named(culprit.trial.case.spec)
    known, place = spec.catalogue.clause, culprit.step.place
    if (slight := _of_accuracy(culprit, program, own, worst, borrowed)) is not None:
        return slight
    around = circumstances_of(culprit, program, own)
    cleared = {name for name in own if around.absent.intersection(known[name].needs)}
    layouts: set[str] = set()
    if culprit.probed and not culprit.structural and any(known[name].kind in "XD" for name in own):
        layouts = {name for name in own if known[name].kind == "M"} - cleared
        cleared |= layouts  # they do not depend on data
    culprit, program = cut_behind(culprit, program)
    if (beside := _beside(culprit, program, own)) is not None:
        found = replace(beside, only=around.only, where=wrong_lines(culprit), beside=culprit.beside, stays=around.stays)
        return with_ablation(culprit, program, found, borrowed)
    pattern, target = _patterned(culprit, program, own)
    says = _WHOSE[target].format(pattern.says) if pattern else ""
    found = Blame((), "", place, own, around.only, pattern=says, where=wrong_lines(culprit), beside=culprit.beside)
    removing = removers(culprit, program, cleared, layouts, borrowed)
    only = "" if pattern else only_at(culprit, program)
    found = replace(found, where=only or found.where, stays=around.stays)
    removing = of_addends(culprit, program, removing, cleared, only=bool(only))
    ablation = removing[0] if removing else None
    if around.clause and around.clause not in borrowed:
        return _needing(culprit, program, found, around, ablation, [name for name in own if name not in cleared])
    # Without its addend a product may be wrong as before, and not show it: what stands in wrong places does.
    if ablation is not None and (ablation.clears or ablation.others or not pattern):
        return _without(culprit, program, found, removing, cleared)
    left = tuple(clause for clause in own if clause not in cleared) or own
    if culprit.probed and not culprit.structural:
        left = values_first(spec.catalogue, left)  # nor does where operands come from
    if pattern and pattern.kind in _OF_HALVES:
        return _about_halves(culprit, program, found, pattern, ablation)
    if pattern:
        return replace(found, clauses=misplaced_first(spec.catalogue, left, pattern, target), how="pattern")
    left = _by_likelihood(spec.catalogue, culprit, left)
    if not culprit.exact:  # the probes may be wrong as well, and their sets too wide to show it
        left = tuple(dict.fromkeys((*left, *(name for name in own if name in layouts))))
    return replace(found, clauses=left, how="base")


def _needing(
    culprit: Culprit,
    program: Program,
    found: Blame,
    around: Circumstances,
    ablation: Ablation | None,
    others: Sequence[str],
) -> Blame:
    """The blame where the failure needs a circumstance that a clause of the step is about.

    What is wrong in a loop, or in several waves, alone may still be any of what the step does there: ``others``.
    """
    spec = spec_named(culprit.trial.case.spec)
    again = () if ablation is None else (ablation.clause,)
    # What refines more, such as the end of a range, is nearer to the mistake than the loop that brings it out; but
    # an argument that differs from wave to wave, or pass to pass, says just what is wrong.
    depths = [refinements(spec.catalogue, name) for name in (*again, around.clause)]
    nearer = ablation is not None and ablation.clears and not around.differing and depths[0] > depths[-1]
    first = (*again, around.clause) if nearer else (around.clause, *again)
    blame = replace(found, clauses=tuple(dict.fromkeys((*first, *others))), how="toggle")
    return blame if ablation is None or not nearer else told_without(culprit, program, blame, ablation)


def _without(
    culprit: Culprit, program: Program, found: Blame, removing: Sequence[Ablation], cleared: set[str]
) -> Blame:
    """The blame where the failure goes away with the first of these ablations."""
    spec = spec_named(culprit.trial.case.spec)
    first, own = removing[0], found.own
    along = {one.clause for one in removing} | gone_along(culprit, first) | of_factors(spec.catalogue, first, own)
    clauses = (first.clause, *(name for name in own if name in along - cleared - {first.clause}))
    if "signs" in spec.catalogue.clause[first.clause].needs:
        clauses = with_sums(culprit, program, clauses, tuple(name for name in own if name not in cleared))
    return told_without(culprit, program, replace(found, clauses=clauses, how="toggle"), first)


def _about_halves(
    culprit: Culprit, program: Program, found: Blame, pattern: Pattern, ablation: Ablation | None
) -> Blame:
    """The blame where values stand in wrong halves of registers.

    Rows and columns are right, and what another flag does may be as wrong: that acquits none of these clauses.
    """
    known = spec_named(culprit.trial.case.spec).catalogue.clause
    about_halves = tuple(name for name in found.own if pattern.kind in known[name].patterns)
    blame = replace(found, clauses=about_halves, how="pattern")
    if ablation is None or ablation.clause not in about_halves:
        return blame
    return told_without(culprit, program, blame, ablation)


def _patterned(culprit: Culprit, program: Program, own: tuple[str, ...]) -> tuple[Pattern | None, Target]:
    """Which legal values stand in wrong places, and whose they are."""
    known = spec_named(culprit.trial.case.spec).catalogue.clause
    found, target = misplaced(culprit, program, [known[name].patterns for name in own])
    # An addend alone also looks misplaced where the halves of its registers are exchanged.
    if (found is None or target == "C") and any(not _OF_HALVES.isdisjoint(known[name].patterns) for name in own):
        halves, whose = in_halves(culprit, program)
        return (found, target) if halves is None else (halves, whose)
    return found, target


def _beside(culprit: Culprit, program: Program, own: tuple[str, ...]) -> Blame | None:
    """The blame where nothing is wrong but what stands beside sums in the same registers; else None."""
    known = spec_named(culprit.trial.case.spec).catalogue.clause
    of_halves = tuple(name for name in own if "beside" in known[name].patterns)
    if not of_halves or not only_beside(culprit, program):
        return None
    says = "the sums are right, and what stands beside them in the same registers is wrong"
    return Blame(of_halves, "pattern", culprit.step.place, own, pattern=says)


def _by_likelihood(catalogue: Catalogue, culprit: Culprit, left: tuple[str, ...]) -> tuple[str, ...]:
    """The clauses that nothing narrows down any more."""
    known = catalogue.clause
    if not culprit.structural or not any(known[name].kind == "X" for name in left):
        return left
    # Where it shows without signs but for those of constants, the product is as likely.
    signs = tuple(name for name in left if "signs" in known[name].needs and not culprit.tame)
    return tuple(dict.fromkeys((*signs, *widest(catalogue, left))))


def _of_accuracy(
    culprit: Culprit, program: Program, own: tuple[str, ...], worst: Wrong, borrowed: Collection[str]
) -> Blame | None:
    """The blame where it can be told at once that no more is amiss than how accurate sums are; else None.

    What the same sums of the same data do not have is no error of theirs, however slight it is.
    """
    known = spec_named(culprit.trial.case.spec).catalogue.clause
    open_ended = tuple(name for name in own if known[name].kind == "D")
    if not open_ended or culprit.structural:
        return None
    if worst.symptom == "unlike":
        return Blame(open_ended, "copies differ", culprit.step.place, own)
    # What is stored may be far off, as each pass or call adds to the error.
    if (worst.slight or culprit.slight) and other_way(culprit, program, borrowed) is None:
        return Blame(open_ended, SLIGHT, culprit.step.place, own)
    return None
