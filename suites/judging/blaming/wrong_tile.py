"""The wrong state of a failing case as a pattern of legal values."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Literal

import numpy as np

from mmaspec.oracle.judge import stored
from mmaspec.oracle.numerics.legal import illegal
from mmaspec.oracle.spec import DataEdit
from mmaspec.programs.base import Program
from mmaspec.suites.judging.blaming.culprit import Culprit
from mmaspec.suites.judging.patterns.pattern import Pattern, pattern
from mmaspec.suites.judging.patterns.region import line_words

ROWS, COLUMNS = 1, 2
"""Axes of ``(wave, row, column)``."""
Target = Literal["result", "product", "A", "B"]
"""Whose values stand in wrong places."""

_DATA: tuple[tuple[DataEdit, Target], ...] = (("no addend", "product"), ("A alone", "A"), ("B alone", "B"))
"""Data with which a result is the product alone, or one of its factors."""


def misplaced(culprit: Culprit, program: Program, patterns: Iterable[Sequence[str]]) -> tuple[Pattern | None, Target]:
    """Which legal values stand in wrong places, and whose they are.

    Where the result shows nothing, it is made to be the product or a factor, if some clause is about those:
    ``patterns`` are those of the clauses that acted.
    """
    found = pattern_of(culprit)
    if found is not None or not culprit.structural:
        return found, "result"
    if not any(name.startswith(("product", "operand")) for some in patterns for name in some):
        return None, "result"
    for edit, target in _DATA:
        varied = culprit.with_data(edit, program)
        if varied is not None and (found := pattern_of(varied)) is not None:
            return found, target
    return None, "result"


def pattern_of(culprit: Culprit) -> Pattern | None:
    """Which legal values stand in the wrong places, in the first run in which some do; None if they are no pattern."""
    seen, number = culprit.seen, culprit.region
    if number is None:
        number = next((n for n, wrong in enumerate(seen.wrong.regions) if wrong.any()), None)
    if number is None:
        return None
    region, where = seen.expected.regions[number], culprit.buffers
    live = np.broadcast_to(region.live, region.legal.shape)
    for answer in seen.answers:
        got = stored(seen.expected, number, answer.after, where)
        wrong = illegal(region.legal, got) & live  # of this run: another one may be wrong elsewhere
        items = np.flatnonzero(wrong.any(axis=(1, 2, 3)))
        if not items.size:
            continue
        found = pattern(region.legal.index(items), got[items], wrong[items], live[items])
        if found is not None:
            return found
    return None


def wrong_lines(culprit: Culprit) -> str:
    """The rows or columns in which alone something is wrong: "only row 15"; empty where that is half of them or more.

    Of the wrong state, in all items and waves in which it is wrong.
    """
    number = culprit.region
    if number is None:
        return ""
    wrong = culprit.seen.wrong.regions[number]
    for axis in (ROWS, COLUMNS):
        others = tuple(other for other in range(wrong.ndim) if other != axis + 1)
        lines = np.asarray(wrong.any(axis=others))
        if 2 * int(lines.sum()) < lines.size:
            return f"only {line_words(lines, axis)}"
    return ""
