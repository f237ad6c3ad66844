"""A child process behind pipes: sending, receiving with a time limit, ending it.

Threads do the blocking, since neither a pipe that can be waited for nor a signal that interrupts exists
on every system.
"""

from __future__ import annotations

import signal
import subprocess
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from enum import Enum
from io import BufferedReader
from queue import Empty, Queue
from threading import Thread
from typing import IO, Generic, Literal, TypeVar

from mmaspec.backends.failures import error_line
from mmaspec.backends.processes.groups import end_group, own_group
from mmaspec.backends.processes.wire import Garbage

_TAIL = 8192
"""Bytes of the child's error stream that are kept."""
_WORDS = 300
"""Characters of them that a message shows."""
_PATIENCE = 3.0
"""Seconds for what should happen at once: an end after the pipe's end, or after a kill."""
FLOOD = 64 << 20
"""Bytes on the error stream during one request that are too many."""


class End(Enum):
    """The child closed its pipe."""

    PIPE = "pipe"


class Flood(Garbage):
    """The child writes to its error stream without end."""


Message = TypeVar("Message")
Pieces = Iterable[bytes | memoryview]


@dataclass(frozen=True, slots=True)
class Started:
    """A started process and our ends of its pipes; ``printed`` is its error stream.

    If it ``leads`` a group of processes, they all end with it.
    """

    process: subprocess.Popen[bytes]
    requests: IO[bytes]
    answers: BufferedReader
    printed: BufferedReader
    leads: bool


def start(command: list[str] | str, environment: Mapping[str, str] | None = None) -> Started:
    """Start a process with pipes at its standard streams. Raises ``OSError`` if it cannot start."""
    group = own_group()
    process = subprocess.Popen(
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment,
        process_group=group,
    )
    assert process.stdin is not None
    assert isinstance(process.stdout, BufferedReader)
    assert isinstance(process.stderr, BufferedReader)
    return Started(process, process.stdin, process.stdout, process.stderr, leads=group is not None)


class Listener:
    """Drains what a process prints and keeps the end of it; more than ``FLOOD`` bytes call ``on_flood``, once."""

    def __init__(self, pipe: BufferedReader, on_flood: Callable[[], object]) -> None:
        self._on_flood = on_flood
        self._tail = b""
        self._heard = 0
        self._thread = Thread(target=self._listen, args=(pipe,), daemon=True)
        self._thread.start()

    def _listen(self, pipe: BufferedReader) -> None:
        with pipe:
            while chunk := pipe.read1(1 << 16):
                self._tail = (self._tail + chunk)[-_TAIL:]
                before, self._heard = self._heard, self._heard + len(chunk)
                if before <= FLOOD < self._heard:
                    self._on_flood()

    @property
    def flooded(self) -> bool:
        """Whether it printed too much since the count began."""
        return self._heard > FLOOD

    def count_anew(self) -> None:
        """Start counting output again, for the next request."""
        self._heard = 0

    def join(self) -> None:
        """Wait for the end of the pipe, unless a grandchild holds it open; the thread is left to it then."""
        self._thread.join(_PATIENCE)

    def last_words(self) -> str:
        """The last line with something in it, shortened."""
        lines = [line for line in self._tail.decode("utf-8", "replace").splitlines() if line.strip()]
        return error_line(lines[-1])[-_WORDS:] if lines else ""


class Child(Generic[Message]):
    """A started process and the threads at its three pipes; ``read`` takes the next message from one."""

    def __init__(self, started: Started, read: Callable[[BufferedReader], Message | None]) -> None:
        self._process = started.process
        self._leads = started.leads
        self._outgoing: Queue[Pieces | None] = Queue()
        self._arrived: Queue[Message | Garbage | Literal[End.PIPE]] = Queue()
        self._threads = [
            Thread(target=self._write, args=(started.requests,), daemon=True),
            Thread(target=self._read, args=(started.answers, read), daemon=True),
        ]
        for thread in self._threads:
            thread.start()
        flood = Flood(f"over {FLOOD >> 20} MiB on its error stream")
        self._listener = Listener(started.printed, lambda: self._arrived.put(flood))

    def _write(self, pipe: IO[bytes]) -> None:
        # Closing flushes, and fails again after a failure. The reader meets the end of its pipe and tells.
        with suppress(OSError), pipe:
            while (pieces := self._outgoing.get()) is not None:
                pipe.writelines(pieces)
                pipe.flush()

    def _read(self, pipe: BufferedReader, read: Callable[[BufferedReader], Message | None]) -> None:
        with pipe:
            while True:
                try:
                    arrived = read(pipe)
                except Garbage as garbage:
                    self._arrived.put(garbage)
                    return
                self._arrived.put(End.PIPE if arrived is None else arrived)
                if arrived is None:
                    return

    def send(self, pieces: Pieces) -> None:
        """Hand a request to the writing thread."""
        self._listener.count_anew()
        self._outgoing.put(pieces)

    def receive(self, limit: float) -> Message | Garbage | Literal[End.PIPE] | None:
        """The next event within ``limit`` seconds: a head and body, garbage, or the end; None if there is none."""
        try:
            return self._arrived.get(timeout=limit)
        except Empty:
            return None

    def close(self) -> None:
        """End the requests, which ends the child; kill it if not."""
        self._outgoing.put(None)
        self.bury(wait=True)

    def bury(self, *, wait: bool) -> str:
        """Make sure that the child is gone, with ``wait`` if it is ending by itself; returns how it ended, in words."""
        try:
            code = self._process.wait(_PATIENCE if wait else 0)
            words = ending(code)
        except subprocess.TimeoutExpired:
            self._process.kill()
            words = "closed its pipe and went on"
            self._process.wait()
        if self._leads:
            end_group(self._process.pid)
        self._outgoing.put(None)
        for thread in self._threads:
            thread.join(_PATIENCE)  # as ``Listener.join``
        self._listener.join()
        return words

    def last_words(self) -> str:
        """The last line that the child wrote to its error stream, shortened."""
        return self._listener.last_words()


def ending(code: int) -> str:
    """The meaning of an exit status: a signal on POSIX, a large number where Windows ended the process."""
    if code < 0:
        try:
            return f"killed by {signal.Signals(-code).name}"
        except ValueError:
            return f"killed by signal {-code}"
    return f"exited with {code:#x}" if code > 0xFFFF else f"exited with {code}"
