"""Running a function over tasks, in this process or in several new ones."""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from contextlib import contextmanager
from typing import Any, TypeAlias

Progress = Callable[[int, int], None]
"""(tasks done, tasks)."""
Mapper: TypeAlias = Callable[[Callable[[Any], Any], Sequence[Any], Progress], Iterator[Any]]
"""Function, tasks, progress -> results, in the order in which they come."""


@contextmanager
def processes(workers: int) -> Iterator[Mapper]:
    """A function that runs another over tasks: in this process, or in ``workers`` new ones."""
    if workers <= 1:
        yield _here
        return
    # Spawned, not forked: the same on every system, and threads of numpy do not survive a fork.
    with ProcessPoolExecutor(workers, multiprocessing.get_context("spawn")) as pool:

        def spread(function: Callable[[Any], Any], tasks: Sequence[Any], progress: Progress) -> Iterator[Any]:
            waiting = [pool.submit(function, task) for task in tasks]
            try:
                for done, future in enumerate(as_completed(waiting)):
                    progress(done + 1, len(waiting))
                    yield future.result()
            except BaseException:
                for future in waiting:
                    future.cancel()
                raise

        yield spread


def _here(function: Callable[[Any], Any], tasks: Sequence[Any], progress: Progress) -> Iterator[Any]:
    for done, task in enumerate(tasks):
        yield function(task)
        progress(done + 1, len(tasks))
