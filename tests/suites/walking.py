"""A session of pytest that is none: its cases are judged in this process, for runs that no session has to survive."""

from __future__ import annotations

from mmaspec.suites.running.room import open_room
from mmaspec.suites.running.run_folder import RunFolder
from mmaspec.suites.running.share import Worker


def walk_here(folder: RunFolder, *_: object, **__: object) -> int:
    """What the supervisor's ``_walk`` does, without a process."""
    open_room(folder.path)
    worker = Worker(RunFolder(folder.path), "here")
    for test in sorted({planned.test for planned in worker.cases}):
        worker.walk(test)
    worker.close()
    return 0
