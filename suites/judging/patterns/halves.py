"""Registers that hold two matrices, one in the half of each that a flag names: values in the other half, or elsewhere.

Each half is a tile of its own. A row of one lies in the same registers as that row of the other, so that values in the
other half of the right registers are the flag's matter, and those in other registers are one of their slots.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from mmaspec.oracle.numerics.legal import Legal
from mmaspec.oracle.numerics.ordinals import Bits, Flags, to_ordinal
from mmaspec.programs.formats import Format
from mmaspec.suites.judging.patterns.evidence import BITS
from mmaspec.suites.judging.patterns.found import Pattern

ITEMS = 6
"""Items of the batch that are compared."""
MOST = 0.75
"""The part of all rows that a flag moves, at least: others may be right by accident."""
LISTED = 3
"""Rows that are named."""

_RESULTS = ("results are in the {} halves of their registers", "results of {} are in {}")
_ADDENDS = ("C comes from the {} halves of its registers", "{} of C come from {}")
"""What is said where all rows are in the other halves, and of some rows."""
HALVES = ("low", "high")


class Fit(NamedTuple):
    """Whether what was found is what is legal, element by element; nothing of zeros alone.

    Empty registers hold zeros, and sets of small sums do: they say nothing of where a value came from.
    """

    flags: Flags
    exact: bool
    """Whether nothing else is legal in any of them."""


Fits = Callable[[int, int, int], Fit]
"""(row, half, row there) -> the fit of what is legal in one with what was found in the other."""


def results_elsewhere(legal: Legal, got: Sequence[Bits], own: int, wrong: Flags) -> Pattern | None:
    """Where what is legal in a wrong half was found; ``got`` holds each half. All are (batch, waves, rows, cols)."""
    items, judged = _items(wrong), legal.why == 0

    def fits(row: int, half: int, there: int) -> Fit:
        mine = (items, slice(None), row)
        found, due = got[half][items, :, there], legal.index(mine)
        told = judged[mine] & _some(legal.fmt, found)
        return Fit(np.asarray(~due.illegal(found))[told], bool(due.exact[told].all()))

    return _told(fits, wrong, own, len(got), _RESULTS)


def addends_elsewhere(held: Sequence[Legal], got: Bits, own: int, wrong: Flags) -> Pattern | None:
    """From which half and row of the addend a result comes that is nothing but one; arguments as above."""
    items = _items(wrong)

    def fits(row: int, half: int, there: int) -> Fit:
        found, due = got[items, :, row], held[half].index((items, slice(None), there))
        told = _some(due.fmt, found)
        return Fit(np.asarray(~due.illegal(found))[told], bool(due.exact[told].all()))

    return _told(fits, wrong, own, len(held), _ADDENDS)


def _some(fmt: Format, found: Bits) -> Flags:
    """Every element, if they are not all zero; else none."""
    return np.full(found.shape, bool(to_ordinal(fmt, found).any()))


def _items(wrong: Flags) -> list[int]:
    return [int(item) for item in np.flatnonzero(wrong.any(axis=(1, 2, 3)))[:ITEMS]]


def _told(fits: Fits, wrong: Flags, own: int, halves: int, words: tuple[str, str]) -> Pattern | None:
    """The pattern of all wrong rows; None where one has no other place, or chance may have given it one."""
    count = wrong.shape[2]
    rows = np.flatnonzero(wrong.any(axis=(0, 1, 3))).tolist()
    found = {row: _place(fits, row, own, halves, count) for row in rows}
    places = {row: place for row, place in found.items() if place is not None}
    if len(places) < len(rows) or all(half == own for half, _ in places.values()):
        return None
    explained = int(wrong.sum())
    beside = all(half != own and there == row for row, (half, there) in places.items())
    if beside and len(rows) >= MOST * count:
        return Pattern("halves", words[0].format(HALVES[1 - own]), explained, "halves")
    some = [_words(row, *place, own) for row, place in places.items()]
    more = ", and so on" if len(some) > LISTED else ""
    mine = [one for one, _ in some[:LISTED]]
    theirs = [other for _, other in some[:LISTED]]
    said = words[1].format(f"rows {', '.join(mine)}" if len(mine) > 1 else f"row {mine[0]}", ", ".join(theirs))
    return Pattern("slots", said + more, explained, "halves")


def _words(row: int, half: int, there: int, own: int) -> tuple[str, str]:
    return str(row), f"the {'place' if half == own else 'other half'} of row {there}"


def _place(fits: Fits, row: int, own: int, halves: int, count: int) -> tuple[int, int] | None:
    """The only half and row that fits, or the other half of the same row; None where these are not told from chance."""
    every = {(half, there): fits(row, half, there) for half in range(halves) for there in range(count)}
    good = [place for place, fit in every.items() if fit.flags.size and fit.flags.all() and place != (own, row)]
    beside = [place for place in good if place[0] != own and place[1] == row]
    chosen = beside[0] if beside else good[0] if len(good) == 1 else None
    if chosen is None:
        return None
    others = [fit for place, fit in every.items() if place not in good]
    if not others:
        return None
    share = _share(others)
    if not every[chosen].exact:
        # Sets may be so wide that whatever stands in that half is legal, row by row.
        share = max(share, _share([fit for place, fit in every.items() if place[0] == chosen[0] and place != chosen]))
    return chosen if -every[chosen].flags.size * math.log2(share) >= BITS else None


def _share(fits: Sequence[Fit]) -> float:
    """The part of all elements that fit."""
    return (sum(int(fit.flags.sum()) for fit in fits) + 1) / (sum(fit.flags.size for fit in fits) + 1)
