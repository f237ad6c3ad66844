"""Failures that hang on what is added to a product: on one value of the addend, or on its being as it is."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from mmaspec.oracle.clauses import Catalogue
from mmaspec.oracle.numerics.legal import Legal
from mmaspec.oracle.numerics.ordinals import Flags, from_ordinal, to_ordinal
from mmaspec.oracle.spec import Ablation, spec_named
from mmaspec.oracle.wrong_elements import stored
from mmaspec.programs import tree
from mmaspec.programs.base import Program
from mmaspec.suites.judging.blaming.culprit import Culprit
from mmaspec.suites.judging.blaming.wrong_tile import held_before
from mmaspec.suites.judging.patterns.evidence import BITS
from mmaspec.suites.judging.value_text import value_text

_OF_ADDENDS = ("", "no addend")
"""Edits of data that leave factors as they are."""


def of_addends(
    culprit: Culprit, program: Program, removing: Sequence[Ablation], cleared: set[str], *, only: bool
) -> list[Ablation]:
    """The ablations without which a failure goes away, in the light of another addend beside the same factors.

    How factors are read, and what the sum of their products is, does not depend on what is added to it. So where the
    failure goes away with another addend alone, clauses about factors are cleared; the addend's own are told then.
    ``only``: the failure is known to hang on one value of the addend, so that these are told first.
    """
    spec = spec_named(culprit.trial.case.spec).of(culprit.trial.case.caps)
    every = spec.ablations(program, culprit.step.place)
    other = next((one for one in every if one.tells == "addends"), None)
    factors = _of_factors(spec.catalogue, every)
    if other is None or not (only or any(one.clause in factors for one in removing)):
        return list(removing)
    if culprit.still_wrong(other.program, "another addend", other.place) is not False:
        return list(removing)
    wide = [name for name in spec.catalogue.clause[other.clause].refines if name in culprit.step.clauses]
    own = [replace(other, clause=name) for name in (other.clause, *wide) if name not in cleared]
    cleared |= factors
    rest = [one for one in removing if one.clause not in factors and one.clause not in {mine.clause for mine in own}]
    return [*own, *rest] if only or not rest else [*rest, *own]


def _of_factors(catalogue: Catalogue, ablations: Sequence[Ablation]) -> set[str]:
    """The clauses that say how factors are read, or what the sum of their products is."""
    edited = {one.clause for one in ablations if one.data not in _OF_ADDENDS}
    return edited | {one.clause for one in ablations if "signs" in catalogue.clause[one.clause].needs}


def only_at(culprit: Culprit, program: Program) -> str:
    """The one value of the addend at which alone something is wrong, in words; empty where it is no such failure.

    Each wrong element has it, and each that has it is wrong, but where the right result is that value as well, or what
    the wrong ones are. Right elements beside them, in their rows and columns, have others; and by chance alone the
    wrong ones would hardly have one and the same.
    """
    number = culprit.region
    held = None if number is None else _addend(culprit, program)
    if number is None or held is None:
        return ""
    region, wrong = culprit.seen.expected.regions[number], culprit.seen.wrong.regions[number]
    legal = region.legal
    known = held.exact
    if held.shape != legal.shape or not wrong.any() or not known[wrong].all():
        return ""
    values = np.unique(held.lo[wrong])
    if values.size > 1:
        return ""
    value = int(values[0])
    failing = wrong.any(axis=(1, 2, 3), keepdims=True)
    judged = (legal.why == 0) & np.broadcast_to(region.live, legal.shape) & failing
    have = judged & known & (held.lo == value)
    others = judged & ~have
    if not (_beside(have, others, 2) and _beside(have, others, 3)):
        return ""  # it may be about these rows, or columns
    got = stored(culprit.seen.expected, number, culprit.seen.answers[0].after, culprit.buffers)
    as_wrong = np.isin(got, np.unique(got[wrong])) | (to_ordinal(legal.fmt, got) == value)
    share = np.count_nonzero(have) / np.count_nonzero(judged)
    if (have & ~wrong & ~as_wrong).any() or -np.count_nonzero(wrong) * math.log2(share) < BITS:
        return ""
    bits = int(from_ordinal(held.fmt, np.asarray(value))[()])
    return f"only where C is {value_text(held.fmt, bits)}"


def _beside(one: Flags, other: Flags, axis: int) -> bool:
    """Whether some line along an axis has elements of both."""
    return bool((one.any(axis=axis) & other.any(axis=axis)).any())


def _addend(culprit: Culprit, program: Program) -> Legal | None:
    """What is added in the wrong step, element by element; None where no state before shows it."""
    name = getattr(tree.at(program, culprit.step.place), "c", None)
    return None if name is None else held_before(culprit, program, name)
