"""Processes that try mutants and may be killed: one whose mutant does not come back is ended, and replaced."""

from __future__ import annotations

import multiprocessing
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from typing import Any, TypeAlias

from mmaspec.programs.profile import Profile
from mmaspec.strategies.recipe import Recipe
from mmaspec.suites.pool import Progress
from mmaspec.suites.score.mutants.bench import Bench, Outcome
from mmaspec.suites.score.mutants.drawing import Reached
from mmaspec.suites.score.mutants.tracing import Lines

MEMORY = 16 << 30
"""Bytes of addresses that a process may have."""
POLL = 0.25
"""Seconds between two looks at how far the processes have come."""

Traced: TypeAlias = tuple[dict[int, Lines], list[int]]
Task: TypeAlias = "Reached | Sequence[int]"
"""A mutant to be tried, or cases whose lines are asked for."""


@dataclass(frozen=True, slots=True)
class Work:
    """What every process of a crew is told: the case list, how it is judged, and seconds for one case."""

    recipes: tuple[Recipe, ...]
    profile: Profile
    limit: float


def _serve(connection: Connection, beats: Any, work: Work) -> None:
    """The life of one process: a task, its result, the next one."""

    def beat() -> None:
        beats.value += 1

    _bounded()
    bench = Bench(work.recipes, work.profile, beat)
    while True:
        try:
            task = connection.recv()
        except EOFError:
            return
        beat()
        connection.send(bench.outcome(task) if isinstance(task, Reached) else bench.lines(task))


def _bounded() -> None:
    """Bound this process's memory where the system can: a loop that never ends may hoard until it is killed."""
    if sys.platform != "win32":
        import resource

        _, most = resource.getrlimit(resource.RLIMIT_AS)
        if most == resource.RLIM_INFINITY or most > MEMORY:
            with suppress(OSError, ValueError):  # not every system has this limit
                resource.setrlimit(resource.RLIMIT_AS, (MEMORY, most))


class _Member:
    """One process, with the task that it is at."""

    def __init__(self, work: Work) -> None:
        spawn = multiprocessing.get_context("spawn")  # the same on every system
        self._beats = spawn.RawValue("Q", 0)
        self.connection, theirs = spawn.Pipe()
        self._process = spawn.Process(target=_serve, args=(theirs, self._beats, work), daemon=True)
        self._process.start()
        theirs.close()
        self.task = -1
        """Number of the task; -1 while it has none."""
        self._seen = 0
        self._since = 0.0

    def give(self, number: int, task: Task) -> None:
        """Hand it a task. That it takes long to start is not the task's fault."""
        self.task = number
        self._since = time.monotonic() + START
        self.connection.send(task)

    def late(self, limit: float) -> bool:
        """Whether nothing has been heard of it for longer than the limit."""
        now, beats = time.monotonic(), int(self._beats.value)
        if beats != self._seen:
            self._seen, self._since = beats, now
        return now - self._since > limit

    def end(self) -> None:
        """Kill it."""
        self._process.kill()
        self._process.join()
        self._process.close()
        self.connection.close()


START = 60.0
"""Seconds that a process may take to start and to import what it needs."""


class Crew:
    """So many processes over one case list; close it when it is no longer needed."""

    def __init__(self, workers: int, work: Work) -> None:
        self._work = work
        self.spec: str = work.recipes[0].spec if work.recipes else ""
        self._members = [_Member(work) for _ in range(max(1, workers))]

    def __enter__(self) -> Crew:
        return self

    def __exit__(self, *_: object) -> None:
        for member in self._members:
            member.end()

    def traced(self, tasks: Sequence[Sequence[int]], progress: Progress) -> Iterator[Traced]:
        """The lines that cases execute, and which of them fail. Raises ``RuntimeError`` if that cannot be told."""
        for _, found in self._results(tasks, progress):
            if not isinstance(found, Outcome):
                yield found
                continue
            raise RuntimeError(f"the reference device as it is {found.kind} over its own cases")

    def outcomes(self, tasks: Sequence[Reached], progress: Progress) -> list[Outcome]:
        """What became of each mutant, in the order of the tasks."""
        found: dict[int, Outcome] = dict(self._results(tasks, progress))
        return [found[number] for number in range(len(tasks))]

    def _results(self, tasks: Sequence[Task], progress: Progress) -> Iterator[tuple[int, Any]]:
        """Number and result of every task, in the order in which they come."""
        waiting = list(enumerate(tasks))[::-1]
        done = 0
        progress(done, len(tasks))
        while done < len(tasks):
            for member in self._members:
                if member.task < 0 and waiting:
                    member.give(*waiting.pop())
            for at, member in enumerate(self._members):
                if member.task < 0:
                    continue
                number = member.task
                if (found := self._heard(at, member)) is not None:
                    done += 1
                    progress(done, len(tasks))
                    yield number, found
            busy = [member.connection for member in self._members if member.task >= 0]
            if busy and not (waiting and len(busy) < len(self._members)):
                wait(busy, POLL)

    def _heard(self, at: int, member: _Member) -> Any:
        """The result of a process that has one; None while it is at work. What became of one that has ended."""
        lost: Outcome | None = None
        if member.connection.poll():
            try:
                found = member.connection.recv()
            except (EOFError, OSError):
                lost = Outcome("died")
            else:
                member.task = -1
                return found
        elif member.late(self._work.limit):
            lost = Outcome("hung")
        if lost is not None:
            member.end()
            self._members[at] = _Member(self._work)
        return lost
