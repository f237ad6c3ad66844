"""The recorder: append-only rows, one file for each worker, so that a kill loses at most the case that was running."""

from __future__ import annotations

import hashlib
import os
import time
from io import FileIO
from itertools import count
from pathlib import Path

from mmaspec.suites.judging.record import ExampleFile, Opened, Row
from mmaspec.suites.planning.manifest import write_whole
from mmaspec.suites.running.marks import Marks, write_line

SYNC = 1.0
"""Seconds: a row that comes so long after the last time has all of them reach the disk, and so has the end."""


class Recorder:
    """Appends rows to a new file ``<worker>-<process>.jsonl`` in ``rows``, unbuffered, each row in one write."""

    def __init__(self, rows: Path, examples: Path, worker: str, run: str) -> None:
        rows.mkdir(parents=True, exist_ok=True)
        examples.mkdir(exist_ok=True)
        self._examples = examples
        name, self._file = _new_file(rows, f"{worker}-{os.getpid()}")
        self._end = 0
        self._synced = time.monotonic()
        self._failed: OSError | None = None
        opened = Opened(run, name)
        self._marks = Marks(opened)
        self.append(opened)

    def append(self, row: Row) -> None:
        """Write one row. Raises ``OSError`` if it cannot be written whole; then none is, and none can follow."""
        if self._failed is not None:
            raise OSError(self._failed.errno, self._failed.strerror)
        line = write_line(self._marks, row)
        try:
            written = self._file.write(line)
            if written != len(line):  # the disk is full: the rest would only fail
                written += self._file.write(line[written:])
            if time.monotonic() - self._synced >= SYNC:
                self._reach_disk()
            self._end += written
        except OSError as error:
            self._failed = error
            self._abandon()
            raise

    def example(self, name: str, text: bytes) -> None:
        """Write a case file, and a row with its hash. Raises ``OSError``."""
        write_whole(self._examples / name, text)
        self.append(ExampleFile(name, hashlib.sha256(text).hexdigest()))

    def smaller(self, name: str, text: bytes) -> None:
        """Replace a case file that a result lists. Raises ``OSError``.

        The row comes first: between the two the old file is there, which has a row of its own.
        """
        self.append(ExampleFile(name, hashlib.sha256(text).hexdigest()))
        write_whole(self._examples / name, text)

    def close(self) -> None:
        """Close the file; no more rows can be appended."""
        if self._file.closed:
            return
        try:
            self._reach_disk()
        finally:
            self._file.close()

    def _reach_disk(self) -> None:
        os.fsync(self._file.fileno())
        self._synced = time.monotonic()

    def _abandon(self) -> None:
        """Take back the part of a row: what would be written behind it could not be read."""
        try:
            self._file.truncate(self._end)
        finally:
            self._file.close()


def _new_file(rows: Path, stem: str) -> tuple[str, FileIO]:
    """A file that was not there: numbers of processes are reused, and a link would lead elsewhere."""
    for number in count():
        name = f"{stem}-{number}.jsonl" if number else f"{stem}.jsonl"
        try:
            return name, (rows / name).open("xb", buffering=0)
        except FileExistsError:
            continue
    raise AssertionError
