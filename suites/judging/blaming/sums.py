"""Sums of products that are wrong: their range, the signs of factors, or all that is about factors."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from mmaspec.oracle.case import Bits
from mmaspec.oracle.clauses import Catalogue
from mmaspec.oracle.spec import Ablation, DataEdit, spec_named
from mmaspec.programs.base import Program
from mmaspec.suites.judging.blaming.culprit import Culprit
from mmaspec.suites.judging.blaming.probes import edited
from mmaspec.suites.judging.blaming.removed import same_states
from mmaspec.suites.judging.blaming.suspects import values_first, widest


def of_factors(catalogue: Catalogue, ablation: Ablation, own: Sequence[str]) -> set[str]:
    """The clauses about values that an ablation says nothing of: with nothing to multiply all factors are right."""
    return {name for name in own if ablation.data == "no product" and catalogue.clause[name].carried_by == "arithmetic"}


def with_sums(culprit: Culprit, program: Program, clauses: Sequence[str], left: Sequence[str]) -> tuple[str, ...]:
    """Blamed clauses about signs with those about sums, first where factors are read rightly: other signs, other sums.

    ``left`` are the clauses of the step that nothing clears. Where small numbers are added up rightly, it is the range
    of a sum that is wrong.
    """
    misread = _misread(culprit, program)
    if misread:
        return tuple(clauses)
    catalogue = spec_named(culprit.trial.case.spec).catalogue
    sums = tuple(name for name in left if catalogue.clause[name].kind == "X" and name != clauses[0])
    ordered = (widest if culprit.structural else values_first)(catalogue, sums)
    return tuple(dict.fromkeys((*ordered, *clauses) if misread is False else (*clauses, *ordered)))


def as_before(culprit: Culprit, program: Program, values: Mapping[str, Bits]) -> bool:
    """Whether other data leaves the step as it was: what it multiplies are constants of the program. Nothing is run."""
    trial, place = culprit.trial, culprit.step.place
    return same_states((culprit.seen.expected, culprit.shows), trial.demanded(program, values), place)


def _misread(culprit: Culprit, program: Program) -> bool | None:
    """Whether a factor times the unit matrix is wrong as well: its elements are misread then, and not their sums wrong.

    None where that cannot be tried, or the factors are constants of the program: then they may be.
    """
    edits: tuple[DataEdit, ...] = ("A alone", "B alone")
    told = True
    for edit in edits:
        for last in (False, True):
            values = edited(edit, culprit.trial.case.values, culprit.sources, last=last)
            wrong = culprit.still_wrong(program, edit, None, values)
            if wrong is None or (wrong and as_before(culprit, program, values)):
                told = False
            elif wrong:
                return True
    return False if told else None
