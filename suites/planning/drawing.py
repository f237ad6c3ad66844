"""Drawing a case list row by row, in several processes if it takes longer than starting them."""

from __future__ import annotations

import time
from collections import deque
from concurrent.futures.process import BrokenProcessPool
from typing import Any

from mmaspec.oracle.spec import spec_named
from mmaspec.strategies.enumerate import once, row_cases
from mmaspec.strategies.recipe import Recipe
from mmaspec.suites.pool import Progress, processes

ALONE = 0.5
"""Seconds before processes are started; they need about as long until they draw."""

Cases = tuple[Recipe, ...]
Row = tuple[str, Any, str, int, str]
"""What `row_cases` takes: specification, caps, tier, seed, name of the row."""


def draw_spread(
    spec: str, caps: object, tier: str, seed: int, *, workers: int, progress: Progress, alone: float = ALONE
) -> Cases:
    """``case_list``, by at most so many processes: the same list whoever draws a row of it.

    Raises what ``case_list`` raises.
    """
    rows = [row.name for row in spec_named(spec).rows(caps)]
    waiting = deque[Row]((spec, caps, tier, seed, name) for name in rows)
    found: dict[str, Cases] = {}
    started = time.monotonic()
    while waiting and (workers <= 1 or time.monotonic() - started <= alone):
        progress(len(found), len(rows))
        row = waiting.popleft()
        found |= [_drawn(row)]
    before = len(found)
    progress(before, len(rows))
    with processes(workers) as run:
        try:
            for name, cases in run(_drawn, waiting, lambda done, _: progress(before + done, len(rows))):
                found[name] = cases
        except BrokenProcessPool:
            found |= [_drawn(row) for row in waiting if row[-1] not in found]
    progress(len(rows), len(rows))
    return once(recipe for name in rows for recipe in found[name])


def _drawn(row: Row) -> tuple[str, Cases]:
    """A row's name and its cases."""
    return row[-1], row_cases(*row)
