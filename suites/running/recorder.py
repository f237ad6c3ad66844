"""The recorder: append-only rows, one file for each worker, so that a kill loses at most the case that was running."""

from __future__ import annotations

import os
from pathlib import Path

import msgspec

from mmaspec.suites.judging.record import Row


class Recorder:
    """Appends rows to ``<worker>-<process>.jsonl`` in ``rows``, unbuffered, each row in one write."""

    def __init__(self, rows: Path, examples: Path, worker: str) -> None:
        rows.mkdir(parents=True, exist_ok=True)
        examples.mkdir(exist_ok=True)
        self._examples = examples
        path = rows / f"{worker}-{os.getpid()}.jsonl"
        torn = _torn(path)
        self._file = path.open("ab", buffering=0)
        if torn:
            self._file.write(b"\n")

    def append(self, row: Row) -> None:
        """Write one row."""
        self._file.write(msgspec.json.encode(row) + b"\n")

    def example(self, name: str, text: bytes) -> None:
        """Write a case file."""
        (self._examples / name).write_bytes(text)

    def close(self) -> None:
        """Close the file; no more rows can be appended."""
        self._file.close()


def _torn(path: Path) -> bool:
    """Whether the file ends inside a line. Another process may have written it: process numbers are reused."""
    if not path.exists() or not path.stat().st_size:
        return False
    with path.open("rb") as file:
        file.seek(-1, os.SEEK_END)
        return file.read(1) != b"\n"
