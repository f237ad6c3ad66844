"""Ending a worker with its supervisor, even a killed one: a new run may already use the same folder."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Callable
from threading import Thread

SUPERVISED = "MMASPEC_SUPERVISED"
"""Environment variable: whether the standard input is a pipe that ends with the supervisor."""


def end_with_supervisor(heard: Callable[[], object] = lambda: None) -> bool:
    """Kill this process and what it started, once the pipe ends; call ``heard`` when something comes through it.

    Returns whether there is such a pipe.
    """
    if not os.environ.pop(SUPERVISED, ""):
        return False
    # A copy, since pytest puts something else in its place.
    Thread(target=_wait, args=(os.dup(0), heard), daemon=True).start()
    return True


def end_tree(process: int) -> None:
    """Kill a process and what it started; where the system has groups of processes, it leads one."""
    if os.name == "posix":
        os.killpg(process, signal.SIGKILL)
    else:
        subprocess.run(["taskkill", "/F", "/T", "/PID", str(process)], check=False, capture_output=True)  # noqa: S607


def _wait(pipe: int, heard: Callable[[], object] = lambda: None) -> None:
    while os.read(pipe, 1):
        heard()
    end_tree(os.getpgrp() if os.name == "posix" else os.getpid())
    os._exit(1)
