"""Whether wrong elements are beyond any rounding: errors that no accumulator of a format in use explains.

What documents demand is judged with an accumulator of eight bits (``DOCUMENT``). Where terms leave the range of f16,
one in that format overflows or flushes as well; such elements say nothing of more than accuracy.
"""

from __future__ import annotations

import sys
from collections.abc import Collection
from dataclasses import replace

import numpy as np

from mmaspec.oracle.expect import expect
from mmaspec.oracle.expectation import Defined
from mmaspec.oracle.numerics.legal import Legal, illegal
from mmaspec.oracle.numerics.ordinals import (
    Doubles,
    Flags,
    Ordinals,
    float64_of_ordinals,
    from_ordinal,
    is_inf,
    is_nan,
    to_ordinal,
)  # fmt: skip
from mmaspec.oracle.program_facts import facts_of
from mmaspec.oracle.spec import spec_named
from mmaspec.oracle.wrong_elements import stored, wrong_elements
from mmaspec.programs.profile import DOCUMENT
from mmaspec.suites.judging.ask import buffers_of
from mmaspec.suites.judging.whole import Evidence

LEAST, MOST = 2.0**-6, 2.0**15
"""Sums of magnitudes between these keep eight bits in f16, however many terms flush."""


def beyond_rounding(here: Evidence, told_apart: Collection[str]) -> bool:
    """Whether some wrong element is; ``here`` was judged under ``DOCUMENT``.

    ``told_apart`` are clauses on practice that acted. The range of an accumulator matters only where one of them is
    about the accuracy of sums.
    """
    known = spec_named(here.case.spec).catalogue.clause
    if not any(known[name].kind == "D" for name in told_apart):
        return True
    case, held = here.case, here.held
    if any(wrong.symptom != "value" for wrong in held.judgement.wrong):
        return True
    runs = [(answer.before, answer.after) for answer in here.answers]
    wrong = wrong_elements(held.expected, runs, buffers_of(case.program))
    values = dict(case.values)
    for source in facts_of(spec_named(case.spec), case.program, case.words, case.caps).sources:
        if source.fmt.is_float:
            values[source.name] = values[source.name] & np.uint64(source.fmt.mask >> 1)
    magnitudes = expect(replace(case, values=values), DOCUMENT, dict(held.reading))
    for number, found in enumerate(wrong.regions):
        if not found.any():
            continue
        if not held.expected.regions[number].legal.fmt.is_float:
            return True
        if not isinstance(magnitudes, Defined):
            continue
        legal = magnitudes.regions[number].legal
        total = _values(legal, legal.hi)
        # Small terms flush, but no small sum becomes an infinity or a NaN.
        gained, lost = _infinities(here, number)
        kept = ((total >= LEAST) | gained) & (total <= MOST)
        if (found & (legal.why == 0) & (kept | lost)).any() or (found & _collapsed(here, number, total)).any():
            return True
    return False


def _infinities(here: Evidence, number: int) -> tuple[Flags, Flags]:
    """Where some illegal answer is an infinity or a NaN, and where some is finite though no finite number is legal."""
    expected, where = here.held.expected, buffers_of(here.case.program)
    legal = expected.regions[number].legal
    # A narrower accumulator reaches infinity sooner, never later.
    none_finite = (legal.lo > legal.hi) | is_inf(legal.fmt, from_ordinal(legal.fmt, legal.lo)) & (legal.lo == legal.hi)
    gained, lost = np.zeros(legal.shape, np.bool_), np.zeros(legal.shape, np.bool_)
    for answer in here.answers:
        got = stored(expected, number, answer.after, where)
        wrong, finite = illegal(legal, got), ~(is_nan(legal.fmt, got) | is_inf(legal.fmt, got))
        gained |= wrong & ~finite
        lost |= wrong & finite & none_finite
    return gained, lost


def _collapsed(here: Evidence, number: int, total: Doubles) -> Flags:
    """Where something small was found for a large sum without much cancelling; ``total``: the sums of magnitudes.

    An accumulator whose range ends below such a sum makes an infinity of it, or its own largest number. A sum of
    magnitudes is at most twice the largest number: beyond that some order overflows, and nothing is judged.
    """
    expected, where = here.held.expected, buffers_of(here.case.program)
    legal = expected.regions[number].legal
    low, high = _values(legal, legal.lo), _values(legal, legal.hi)
    bound = np.where((low > 0) == (high > 0), np.minimum(np.abs(low), np.abs(high)), 0.0)
    most = 2.0 ** min(legal.fmt.emax + 2, sys.float_info.max_exp - 1)
    large = (legal.lo <= legal.hi) & (bound >= MOST) & (4 * bound >= np.minimum(total, most))
    found = np.zeros(legal.shape, np.bool_)
    for answer in here.answers:
        got = stored(expected, number, answer.after, where)
        special = is_nan(legal.fmt, got) | is_inf(legal.fmt, got)
        small = np.abs(_values(legal, to_ordinal(legal.fmt, got))) <= MOST / 4
        found |= illegal(legal, got) & ~special & small
    return found & large


def _values(legal: Legal, ordinals: Ordinals) -> Doubles:
    """What ordinals of the format of some legal sets stand for."""
    if legal.fmt.name == "f64":
        return from_ordinal(legal.fmt, ordinals).view(np.float64)
    return float64_of_ordinals(legal.fmt, ordinals)
