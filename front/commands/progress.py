"""Progress on standard error: a bar where that is a terminal, else a line now and then, for the log of a CI job."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

EVERY = 60.0
"""Seconds between two lines where there is no terminal: what is over sooner prints none."""


@contextmanager
def progress(text: str) -> Iterator[Callable[[int, int], None]]:
    """A function that takes (done, total) and shows it, until the block ends."""
    console = Console(stderr=True)
    if not console.is_terminal:
        yield lines(text)
        return
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=console, transient=True) as bar:
        task = bar.add_task(text, total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)


def lines(text: str, clock: Callable[[], float] = time.monotonic) -> Callable[[int, int], None]:
    """A function that takes (done, total) and prints them in a line, not more often than once in ``EVERY`` seconds."""
    last = clock()

    def show(done: int, total: int) -> None:
        nonlocal last
        if clock() - last >= EVERY:
            last = clock()
            sys.stderr.write(f"{text}: {done} of {total}\n")
            sys.stderr.flush()

    return show
