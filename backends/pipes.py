"""A child process behind pipes: sending, receiving with a time limit, burying.

Threads do the blocking, since neither a pipe that can be waited for nor a signal that interrupts exists
on every system.
"""

from __future__ import annotations

import signal
import subprocess
from contextlib import suppress
from enum import Enum
from io import BufferedReader
from queue import Empty, Queue
from threading import Thread
from typing import BinaryIO, Literal

from mmaspec.backends.failures import one_line
from mmaspec.backends.protocol import Images
from mmaspec.backends.wire import Garbage, Request, frame, read_frame

_TAIL = 8192
"""Bytes of the child's error stream that are kept."""
_WORDS = 300
"""Characters of them that a message shows."""
_PATIENCE = 3.0
"""Seconds for what should happen at once: an end after the pipe's end, or after a kill."""


class End(Enum):
    """The child's pipe ended."""

    PIPE = "pipe"


Arrived = tuple[bytes, bytes] | Garbage | Literal[End.PIPE]


class Child:
    """A started process and the threads at its three pipes. Raises ``OSError`` where it cannot start."""

    def __init__(self, command: list[str] | str) -> None:
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        assert self._process.stdin is not None
        assert isinstance(self._process.stdout, BufferedReader)
        assert isinstance(self._process.stderr, BufferedReader)
        self._outgoing: Queue[tuple[Request, Images | None] | None] = Queue()
        self._arrived: Queue[Arrived] = Queue()
        self._tail = b""
        self._threads = [
            Thread(target=self._write, args=(self._process.stdin,), daemon=True),
            Thread(target=self._read, args=(self._process.stdout,), daemon=True),
            Thread(target=self._listen, args=(self._process.stderr,), daemon=True),
        ]
        for thread in self._threads:
            thread.start()

    def _write(self, pipe: BinaryIO) -> None:
        # Closing flushes, and fails again after a failure. The reader meets the end of its pipe and tells.
        with suppress(OSError), pipe:
            while (message := self._outgoing.get()) is not None:
                pipe.writelines(frame(*message))
                pipe.flush()

    def _read(self, pipe: BufferedReader) -> None:
        with pipe:
            while True:
                try:
                    arrived: Arrived = read_frame(pipe) or End.PIPE
                except Garbage as garbage:
                    arrived = garbage
                self._arrived.put(arrived)
                if not isinstance(arrived, tuple):
                    return

    def _listen(self, pipe: BufferedReader) -> None:
        with pipe:
            while chunk := pipe.read1(_TAIL):
                self._tail = (self._tail + chunk)[-_TAIL:]

    def send(self, head: Request, images: Images | None = None) -> None:
        """Hand a request to the writing thread."""
        self._outgoing.put((head, images))

    def receive(self, limit: float) -> Arrived | None:
        """What arrives within ``limit`` seconds: a head and body, garbage, the end; None: nothing."""
        try:
            return self._arrived.get(timeout=limit)
        except Empty:
            return None

    def close(self) -> None:
        """End the requests, which ends the child; kill it if not."""
        self._outgoing.put(None)
        self.bury(wait=True)

    def bury(self, *, wait: bool) -> str:
        """Make sure that the child is gone; ``wait`` if it is going by itself. How it went, in words."""
        try:
            code = self._process.wait(_PATIENCE if wait else 0)
            words = _exit(code)
        except subprocess.TimeoutExpired:
            self._process.kill()
            words = "closed its pipe and went on"
            self._process.wait()
        self._outgoing.put(None)
        for thread in self._threads:
            # A grandchild may hold a pipe open; the thread is left to it then.
            thread.join(_PATIENCE)
        return words

    def last_words(self) -> str:
        """The last line that the child wrote to its error stream, shortened."""
        lines = [line for line in self._tail.decode("utf-8", "replace").splitlines() if line.strip()]
        return one_line(lines[-1])[-_WORDS:] if lines else ""


def _exit(code: int) -> str:
    """What an exit status means: a signal on POSIX, a large number where Windows ended the process."""
    if code < 0:
        try:
            return f"killed by {signal.Signals(-code).name}"
        except ValueError:
            return f"killed by signal {-code}"
    return f"exited with {code:#x}" if code > 0xFFFF else f"exited with {code}"
