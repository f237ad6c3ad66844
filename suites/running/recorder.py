"""The recorder: append-only rows, one file a worker, so that a kill costs at most the case in flight."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from pathlib import Path

import msgspec

from mmaspec.suites.judging.record import Abandoned, Begin, Finding, Result, Row

ROWS = "work/rows"
EXAMPLES = "cases"

_decoder = msgspec.json.Decoder(Row)


class Recorder:
    """Appends rows to ``work/rows/<worker>.jsonl`` of a run folder, unbuffered, each row in one write."""

    def __init__(self, folder: Path, worker: str) -> None:
        (folder / ROWS).mkdir(parents=True, exist_ok=True)
        (folder / EXAMPLES).mkdir(exist_ok=True)
        self._examples = folder / EXAMPLES
        path = folder / ROWS / f"{worker}-{os.getpid()}.jsonl"
        self._file = path.open("ab", buffering=0)

    def append(self, row: Row) -> None:
        """Write one row."""
        self._file.write(msgspec.json.encode(row) + b"\n")

    def example(self, name: str, text: bytes) -> None:
        """Write a case file below ``cases/``."""
        (self._examples / name).write_bytes(text)

    def close(self) -> None:
        """No row follows."""
        self._file.close()


@dataclass(frozen=True, slots=True)
class Recorded:
    """All rows of a run so far: results by case, and how often each unanswered case was begun."""

    results: dict[str, Result]
    begun: Counter[str]
    unreduced: dict[str, Finding]
    """Case -> what was found in it as listed, where its result speaks of its reduced form."""


def rows_of(path: Path) -> Iterator[Row]:
    """The rows of one file; a torn last line is dropped."""
    for line in path.read_bytes().split(b"\n"):
        if line:
            try:
                yield _decoder.decode(line)
            except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
                continue


def read_rows(folder: Path) -> Recorded:
    """Merge the rows of every worker; the first result of a case counts."""
    results: dict[str, Result] = {}
    begun: Counter[str] = Counter()
    unreduced: dict[str, Finding] = {}
    for path in sorted((folder / ROWS).glob("*.jsonl")):
        for row in rows_of(path):
            if isinstance(row, Result):
                results.setdefault(row.case, row)
            elif isinstance(row, Begin):
                begun[row.case] += 1
            elif isinstance(row, Abandoned):
                begun[row.case] -= 1
            else:
                unreduced.setdefault(row.case, row.finding)
    for case in results:
        del begun[case]
    return Recorded(results, begun, unreduced)


def row_files(folder: Path) -> set[Path]:
    """The files that hold rows so far; a process that starts now will write another."""
    return set((folder / ROWS).glob("*.jsonl"))


def in_flight(folder: Path, ended: Collection[Path] = ()) -> dict[str, float]:
    """Cases whose begin row is the last of its file, and when that file was last written (seconds).

    ``ended`` are files whose processes are gone.
    """
    waiting = {}
    for path in sorted(row_files(folder).difference(ended)):
        last: Row | None = None
        for row in rows_of(path):
            last = row
        if isinstance(last, Begin):
            waiting[last.case] = path.stat().st_mtime
    return waiting
