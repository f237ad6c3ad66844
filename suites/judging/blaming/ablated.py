"""The ablations of the first wrong step without which the failure goes away."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from mmaspec.oracle.spec import Ablation, spec_named
from mmaspec.programs.base import Program
from mmaspec.suites.judging.blaming.blamed import Blame
from mmaspec.suites.judging.blaming.culprit import Culprit
from mmaspec.suites.judging.blaming.instead import instead
from mmaspec.suites.judging.blaming.removed import Removed, data_of
from mmaspec.suites.judging.blaming.sums import as_before


def removers(
    culprit: Culprit, program: Program, cleared: set[str], layouts: Collection[str], borrowed: Collection[str]
) -> list[Ablation]:
    """The ablations without which the failure goes away, the first of each clause; those that leave it are cleared.

    The first one tells most. The others are tried as well: where two clauses meet, leaving out either removes it.
    ``layouts`` are cleared as they do not depend on data. Not so where what lies beside an operand does: where the same
    sums of the same data are right by another layout, theirs is wrong.
    """
    spec = spec_named(culprit.trial.case.spec).of(culprit.trial.case.caps)
    left_out = {*borrowed, *cleared} - set(layouts)
    found: dict[str, Ablation] = {}
    for ablation in spec.ablations(program, culprit.step.place):
        accuracy = spec.catalogue.clause[ablation.clause].kind == "D"
        if ablation.clause in left_out or ablation.clause in found or (accuracy and culprit.structural):
            continue  # small whole numbers have the same sum in any order
        if ablation.tells == "nan":
            continue
        if not (ablation.clears or ablation.others) and ablation.clause not in culprit.step.clauses:
            continue  # what did not happen there, such as a sum that wraps, is no reason
        if ablation.clause in layouts and not Removed(culprit, ablation).same_sums():
            continue
        needs = spec.catalogue.clause[ablation.clause].needs and not ablation.others
        if not (ablation.clears or culprit.structural or needs or _same_step(culprit, ablation)):
            continue  # without the addend of a product, what goes away may be its range
        values = data_of(culprit, ablation)
        wrong = culprit.still_wrong(ablation.program, f"without {ablation.clause}", ablation.place, values)
        if wrong is False:
            found[ablation.clause] = ablation
        elif wrong and ablation.clears and not (values and as_before(culprit, ablation.program, values)):
            cleared.add(ablation.clause)
    return list(found.values())


def _same_step(culprit: Culprit, ablation: Ablation) -> bool:
    """Whether an ablation of other instructions, or of a part of the step, leaves what it computes as it is."""
    return (ablation.others or not ablation.clears) and Removed(culprit, ablation).same_sums()


def gone_along(culprit: Culprit, ablation: Ablation) -> set[str]:
    """The clauses of the step that went away with an ablation after which all is well.

    What still acts there as before, and is right, is cleared by it; what does not, by nothing.
    """
    values = data_of(culprit, ablation)
    left = culprit.acting(ablation.program, ablation.place, values)
    return {point.partition("/")[0] for point in culprit.step.points if point not in left}


def with_ablation(culprit: Culprit, program: Program, found: Blame, borrowed: Collection[str]) -> Blame:
    """The blame with the first ablation of its clauses without which the failure goes away, if there is one."""
    spec = spec_named(culprit.trial.case.spec).of(culprit.trial.case.caps)
    for ablation in spec.ablations(program, culprit.step.place):
        if ablation.clause not in found.clauses or ablation.clause in borrowed:
            continue
        values = data_of(culprit, ablation)
        if culprit.still_wrong(ablation.program, f"without {ablation.clause}", ablation.place, values) is False:
            return told_without(culprit, program, found, ablation)
    return found


def told_without(culprit: Culprit, program: Program, found: Blame, ablation: Ablation) -> Blame:
    """The blame with the ablation that is told: what the failure goes away with, in its text."""
    spec = spec_named(culprit.trial.case.spec)
    told = instead(spec, program, culprit.trial.case.caps, ablation)
    return replace(found, instead=told, removed=Removed(culprit, ablation))
