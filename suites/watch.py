"""A worker ends with its supervisor, however that ended: a run that goes on must be nobody else's too."""

from __future__ import annotations

import os
import signal
from threading import Thread

SUPERVISED = "MMASPEC_SUPERVISED"
"""Environment variable: whether the standard input is a pipe that ends with the supervisor."""


def end_with_supervisor() -> None:
    """Kill this process, and what it started where the system has groups of processes, once the pipe ends."""
    if os.environ.pop(SUPERVISED, ""):
        # A copy, since pytest puts something else in its place.
        Thread(target=_wait, args=(os.dup(0),), daemon=True).start()


def _wait(pipe: int) -> None:
    while os.read(pipe, 1):
        pass
    if os.name == "posix":
        os.killpg(os.getpgrp(), signal.SIGKILL)
    os._exit(1)
