"""How a session of pytest that was started before its plan, and its workers, hear that the plan is written.

The supervisor says it to the session through a pipe, the session to its workers through channels of pytest-xdist. Each
waits for a message and nothing else; pipe and channels end with whoever has their other end, and so does waiting.
"""

from __future__ import annotations

import os
from contextlib import suppress
from threading import Event, Thread
from typing import Any

import pytest

from mmaspec.suites.running.watch import end_with_supervisor

_CHANNEL = "mmaspec_written"
"""What a worker knows the channel by that tells it."""

_WRITTEN = pytest.StashKey[Event]()
"""In the process that the supervisor started: set once the plan is written."""


def listen(config: pytest.Config) -> None:
    """Hear what the supervisor says, and end with it; nothing where there is no supervisor."""
    written = Event()
    if end_with_supervisor(written.set):
        config.stash[_WRITTEN] = written


def tell(node: Any) -> None:
    """Have a worker that is about to be started hear what this process hears."""
    written = node.config.stash.get(_WRITTEN, None)
    if written is not None:
        channel = node.gateway.newchannel()
        node.workerinput[_CHANNEL] = channel
        Thread(target=_pass_on, args=(written, channel), daemon=True).start()


def _pass_on(written: Event, channel: Any) -> None:
    with suppress(EOFError, OSError):  # the worker is gone
        channel.receive()  # that it listens: what comes earlier is lost
        written.wait()
        channel.send(None)


def wait_for_plan(config: pytest.Config) -> None:
    """Wait until the plan is written. A worker that is left alone meanwhile ends."""
    channel = getattr(config, "workerinput", {}).get(_CHANNEL)
    if channel is not None:
        try:
            channel.send(None)
            channel.receive()
        except (EOFError, OSError):
            os._exit(1)
    elif (written := config.stash.get(_WRITTEN, None)) is not None:
        written.wait()
