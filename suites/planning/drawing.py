"""Drawing a case list row by row: here, and in processes beside this one where it takes longer than to start them."""

from __future__ import annotations

import multiprocessing
import time
from collections import deque
from collections.abc import Callable, Iterable
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from threading import Lock
from typing import Any

from mmaspec.oracle.spec import spec_named
from mmaspec.strategies.enumerate import once, row_cases
from mmaspec.strategies.recipe import Recipe

ALONE = 0.5
"""Seconds before other processes are started; they need about as long until they draw."""
ELSEWHERE = row_cases
"""What other processes do."""

Progress = Callable[[int, int], None]
"""(rows drawn, rows)."""
Cases = tuple[Recipe, ...]


def draw_spread(
    spec: str, caps: object, tier: str, seed: int, *, workers: int, progress: Progress, alone: float = ALONE
) -> Cases:
    """``case_list``, by at most so many processes, this one among them: the same list whoever draws a row of it.

    This process takes the rows from the first on, the others from the last. Raises what ``case_list`` raises.
    """
    rows = [row.name for row in spec_named(spec).rows(caps)]
    what = (spec, caps, tier, seed)
    waiting = _Waiting(rows)
    others: _Others | None = None
    found: dict[str, Cases] = {}
    started = time.monotonic()
    try:
        while (row := waiting.first()) is not None:
            progress(len(found) + (others.done() if others else 0), len(rows))
            if others is None and workers > 1 and time.monotonic() - started > alone:
                others = _Others(workers - 1, what, waiting)
            found[row] = row_cases(*what, row)
        if others is not None:
            found |= others.results(what, lambda count: progress(len(found) + count, len(rows)))
    finally:
        if others is not None:
            others.close()
    progress(len(rows), len(rows))
    return once(recipe for row in rows for recipe in found[row])


class _Waiting:
    """The rows that nobody has begun, for several threads."""

    def __init__(self, rows: Iterable[str]) -> None:
        self.lock = Lock()
        self._rows = deque(rows)

    def first(self) -> str | None:
        with self.lock:
            return self._rows.popleft() if self._rows else None

    def last(self) -> str | None:
        """To be called with the lock held."""
        return self._rows.pop() if self._rows else None


class _Others:
    """Processes that draw the rows that wait, each the last one when it has nothing to do."""

    def __init__(self, workers: int, what: tuple[str, Any, str, int], waiting: _Waiting) -> None:
        # Spawned, not forked: the same on every system, and threads of numpy do not survive a fork.
        self._pool = ProcessPoolExecutor(workers, multiprocessing.get_context("spawn"))
        self._what, self._waiting = what, waiting
        self._begun: dict[str, Future[Cases]] = {}
        for _ in range(workers):
            self._begin()

    def _begin(self, before: Future[Cases] | None = None) -> None:
        """Begin the last row; called again, by a thread of the pool, when that is drawn."""
        if before is not None and before.exception() is not None:
            return
        with self._waiting.lock:
            row = self._waiting.last()
            if row is None:
                return
            future = self._begun[row] = self._pool.submit(ELSEWHERE, *self._what, row)
        future.add_done_callback(self._begin)

    def done(self) -> int:
        """How many rows they have drawn."""
        with self._waiting.lock:
            return sum(future.done() for future in self._begun.values())

    def results(self, what: tuple[str, Any, str, int], progress: Callable[[int], None]) -> dict[str, Cases]:
        """What they have drawn, when they are done; what one was killed over is drawn here."""
        found = {}
        for count, (row, future) in enumerate(self._begun.items()):
            progress(count)
            try:
                found[row] = future.result()
            except BrokenProcessPool:
                found[row] = row_cases(*what, row)
        return found

    def close(self) -> None:
        """Let them end."""
        self._pool.shutdown(wait=True, cancel_futures=True)
