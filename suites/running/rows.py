"""Reading the rows of a run while it goes on: each time only what was written since the last."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path

import msgspec

from mmaspec.suites.judging.record import Abandoned, Begin, Finding, Result, Row

READ_AT_ONCE = 1 << 20
"""Bytes that are read at a time."""

_decoder = msgspec.json.Decoder(Row)


@dataclass(frozen=True, slots=True)
class Recorded:
    """All rows of a run so far: results by case, and how often each unanswered case was begun."""

    results: dict[str, Result]
    begun: Counter[str]
    unreduced: dict[str, Finding]
    """Case -> what was found in it as listed, where its result speaks of its reduced form."""


class Rows:
    """The rows of every worker of one run. Each file is read from where the last reading ended."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._files: dict[Path, RowFile] = {}

    def look(self) -> None:
        """Read what has been written since the last look."""
        there = set(self._folder.glob("*.jsonl"))
        self._files = {path: file for path, file in self._files.items() if path in there}
        for path in sorted(there):
            self._files.setdefault(path, RowFile(path)).look()

    @property
    def answered(self) -> int:
        """Result rows, as of the last look."""
        return sum(len(file.results) for file in self._files.values())

    @property
    def files(self) -> frozenset[Path]:
        """The files that held rows at the last look; a process that starts later writes another."""
        return frozenset(self._files)

    def recorded(self) -> Recorded:
        """All of them as of the last look, in order of the files' names; the first result of a case counts."""
        results: dict[str, Result] = {}
        begun: Counter[str] = Counter()
        unreduced: dict[str, Finding] = {}
        for _, file in sorted(self._files.items()):
            for case, result in file.results.items():
                results.setdefault(case, result)
            for case, finding in file.unreduced.items():
                unreduced.setdefault(case, finding)
            begun.update(file.begun)
        for case in results:
            del begun[case]
        return Recorded(results, begun, unreduced)

    def in_flight(self, ended: Collection[Path] = ()) -> dict[str, float]:
        """Cases whose begin row was the last of its file at the last look, and when that was last written (seconds).

        ``ended`` are files whose processes are gone.
        """
        return {
            file.last.case: path.stat().st_mtime
            for path, file in sorted(self._files.items())
            if isinstance(file.last, Begin) and path not in ended
        }


class RowFile:
    """The rows of one file, up to its last complete line. Lines that are not rows are left out."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._forget()

    def _forget(self) -> None:
        self.results: dict[str, Result] = {}
        self.begun: Counter[str] = Counter()
        self.unreduced: dict[str, Finding] = {}
        self.last: Row | None = None
        self._position = 0
        self._rest = b""

    def look(self) -> None:
        """Read on to the present end of the file, or from the start if another file replaced it."""
        size = self._path.stat().st_size
        if size == self._position:
            return
        if size < self._position:
            self._forget()
        with self._path.open("rb", buffering=0) as file:
            file.seek(self._position)
            while block := file.read(READ_AT_ONCE):
                self._position += len(block)
                *lines, self._rest = (self._rest + block).split(b"\n")
                for line in lines:
                    self._line(line)

    def _line(self, line: bytes) -> None:
        try:
            row = _decoder.decode(line)
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
            return
        self.last = row
        if isinstance(row, Result):
            self.results.setdefault(row.case, row)
        elif isinstance(row, Begin):
            self.begun[row.case] += 1
        elif isinstance(row, Abandoned):
            self.begun[row.case] -= 1
        else:
            self.unreduced.setdefault(row.case, row.finding)
