"""The wrong state of a failing case as a pattern of legal values."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Literal

import numpy as np

from mmaspec.oracle.numerics.legal import Legal, illegal
from mmaspec.oracle.numerics.ordinals import Bits, Flags
from mmaspec.oracle.spec import DataEdit
from mmaspec.oracle.wrong_elements import stored
from mmaspec.programs import tree
from mmaspec.programs.base import Program
from mmaspec.suites.judging.blaming.culprit import Culprit
from mmaspec.suites.judging.patterns.halves import addends_elsewhere, results_elsewhere
from mmaspec.suites.judging.patterns.pattern import Pattern, pattern
from mmaspec.suites.judging.patterns.region import line_words
from mmaspec.suites.judging.which_half import half_of

ROWS, COLUMNS = 1, 2
"""Axes of ``(wave, row, column)``."""
Target = Literal["result", "product", "A", "B", "C"]
"""Whose values stand in wrong places."""

_DATA: tuple[tuple[DataEdit, Target], ...] = (
    ("no addend", "product"),
    ("A alone", "A"),
    ("B alone", "B"),
    ("no product", "C"),
)
"""Data with which a result is the product alone, or one of its factors, or its addend."""


def misplaced(culprit: Culprit, program: Program, patterns: Iterable[Sequence[str]]) -> tuple[Pattern | None, Target]:
    """Which legal values stand in wrong places, and whose they are.

    Where the result shows nothing, it is made to be the product, a factor or the addend, if some clause is about those:
    ``patterns`` are those of the clauses that acted.
    """
    found = pattern_of(culprit)
    if not culprit.structural:
        return found, "result"
    if not any(name.startswith(("product", "operand")) for some in patterns for name in some):
        return found, "result"
    if found is not None:
        return (_of_operand(culprit, program) if found.kind == "wave" else None) or (found, "result")
    for edit, target in _DATA:
        varied = culprit.with_data(edit, program)
        if varied is not None and (found := pattern_of(varied)) is not None:
            return found, target
    return None, "result"


def _of_operand(culprit: Culprit, program: Program) -> tuple[Pattern, Target] | None:
    """The only operand that is another wave's; None where several are, as where the whole result is.

    Where waves differ in one operand alone a result does not tell whether it is this operand's or its own.
    """
    shown: list[tuple[Pattern, Target]] = []
    for edit, target in _DATA[1:]:
        varied = culprit.with_data(edit, program)
        found = None if varied is None else pattern_of(varied)
        if found is not None and found.kind == "wave":
            shown.append((found, target))
    return shown[0] if len(shown) == 1 else None


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


def in_halves(culprit: Culprit, program: Program) -> tuple[Pattern | None, Target]:
    """Where values of registers with two halves are: those of the result, of a product alone, or of an addend alone."""
    if len(_siblings(culprit)) < 2:
        return None, "result"
    if (found := _results_elsewhere(culprit)) is not None:
        return found, "result"
    varied = culprit.with_data("no addend", program)
    if varied is not None and (found := _results_elsewhere(varied)) is not None:
        return found, "product"
    varied = culprit.with_data("no product", program)
    return (None if varied is None else _addends_elsewhere(varied, program)), "C"


def only_beside(culprit: Culprit, program: Program) -> bool:
    """Whether registers of two halves are wrong in that half alone in which nothing is summed."""
    flag = getattr(tree.at(program, culprit.step.place), "opsel", None)
    siblings, expected = _siblings(culprit), culprit.seen.expected
    if flag is None or len(siblings) < 2:
        return False
    wrong = {half_of(expected, number) for number in siblings if culprit.seen.wrong.regions[number].any()}
    return wrong == {"low" if flag else "high"}


def _siblings(culprit: Culprit) -> list[int]:
    """The regions of the wrong state: one a half of its registers, where these hold two matrices."""
    if culprit.region is None:
        return []
    regions = culprit.seen.expected.regions
    own = regions[culprit.region]
    return [n for n, one in enumerate(regions) if (one.buffer, one.step) == (own.buffer, own.step)]


def _halves(culprit: Culprit) -> Iterator[tuple[list[Bits], int, Legal, Flags]]:
    """Of each run in which something is wrong: what was found in each half, which is wrong, what is legal there."""
    siblings, expected = _siblings(culprit), culprit.seen.expected
    for answer in culprit.seen.answers:
        got = [stored(expected, number, answer.after, culprit.buffers) for number in siblings]
        for own, number in enumerate(siblings):
            legal = expected.regions[number].legal
            wrong = illegal(legal, got[own])
            if wrong.any():
                yield got, own, legal, wrong
                break


def _results_elsewhere(culprit: Culprit) -> Pattern | None:
    halves = next(_halves(culprit), None)
    return None if halves is None else results_elsewhere(halves[2], halves[0], halves[1], halves[3])


def _addends_elsewhere(culprit: Culprit, program: Program) -> Pattern | None:
    """From where the addend comes in a result that is nothing but one, if a state before shows what it holds."""
    halves, name = next(_halves(culprit), None), getattr(tree.at(program, culprit.step.place), "c", None)
    if halves is None or name is None:
        return None
    held = _state_of(culprit, program, name)
    return addends_elsewhere(held, halves[0][halves[1]], halves[1], halves[3]) if len(held) == len(halves[0]) else None


def _state_of(culprit: Culprit, program: Program, name: str) -> list[Legal]:
    """What a variable holds before the wrong step, as the last state shows it."""
    expected, shows = culprit.seen.expected, culprit.shows
    own = expected.regions[culprit.region or 0].step
    before = [
        one
        for one in expected.regions
        if one.step < own
        and one.buffer in shows
        and name in (getattr(tree.at(program, shows[one.buffer]), field, None) for field in ("into", "d"))
    ]
    last = max((one.step for one in before), default=None)
    return [one.legal for one in before if one.step == last]


def held_before(culprit: Culprit, program: Program, name: str) -> Legal | None:
    """What a variable holds before the wrong step, in the wrong halves of registers; None if nothing shows it."""
    held, siblings = _state_of(culprit, program, name), _siblings(culprit)
    if culprit.region is None or len(held) != len(siblings):
        return None
    return held[siblings.index(culprit.region)]


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
