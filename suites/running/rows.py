"""Reading the rows of a run while it goes on: each time only what was written since the last.

Only rows of this run count, and only as they were written (``marks``): anything else raises ``BadInput`` by name.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path

from msgspec.structs import replace

from mmaspec.programs.errors import BadInput
from mmaspec.programs.input_file import plain_size, unreadable
from mmaspec.suites.judging.record import (
    Abandoned,
    Alone,
    Begin,
    Dropped,
    ExampleFile,
    Opened,
    Result,
    Row,
)
from mmaspec.suites.judging.repeats.unstable import told_alone
from mmaspec.suites.running.marks import Marks, read_line
from mmaspec.suites.verdict.verdicts import FAILURES

READ_AT_ONCE = 1 << 20
"""Bytes that are read at a time."""

LONGEST = 64 << 20
"""Longest line of a file of rows, in bytes."""
REMEDY = "remove this file, and its cases are run again"


@dataclass(frozen=True, slots=True)
class Recorded:
    """All rows of a run so far: results by case, and how often each unanswered case was begun."""

    results: dict[str, Result]
    """Without case files that were removed; those that were right alone say so."""
    begun: Counter[str]
    examples: dict[str, set[str]]
    """Name of a case file, one that was removed too -> the SHA-256 of each time that it was written."""
    alone: dict[str, Alone]
    """Failing cases that were asked in processes of their own."""


class Rows:
    """The rows of every worker of one run. Each file is read from where the last reading ended.

    ``run`` is that of the plan.
    """

    def __init__(self, folder: Path, run: str) -> None:
        self._folder = folder
        self._run = run
        self._files: dict[Path, RowFile] = {}

    def look(self) -> None:
        """Read what has been written since the last look. Raises ``BadInput``."""
        there = set(self._folder.glob("*.jsonl"))
        self._files = {path: file for path, file in self._files.items() if path in there}
        for path in sorted(there):
            self._files.setdefault(path, RowFile(path, self._run)).look()

    @property
    def answered(self) -> int:
        """Result rows, as of the last look."""
        return sum(len(file.results) for file in self._files.values())

    @property
    def failing(self) -> int:
        """Result rows of cases that fail, as of the last look."""
        return sum(result.outcome in FAILURES for file in self._files.values() for result in file.results.values())

    @property
    def position(self) -> int:
        """Bytes read, as of the last look: it grows whenever a worker has said something."""
        return sum(file.position for file in self._files.values())

    @property
    def files(self) -> frozenset[Path]:
        """The files that held rows at the last look; a process that starts later writes another."""
        return frozenset(self._files)

    def that_wrote(self, example: str) -> list[Path]:
        """The files whose rows say that a case file was written, by name."""
        return [path for path, file in sorted(self._files.items()) if example in file.examples]

    def recorded(self) -> Recorded:
        """All of them as of the last look, in order of the files' names; the first result of a case counts."""
        results: dict[str, Result] = {}
        begun: Counter[str] = Counter()
        examples: dict[str, set[str]] = {}
        dropped: set[str] = set()
        alone: dict[str, Alone] = {}
        for _, file in sorted(self._files.items()):
            for case, result in file.results.items():
                results.setdefault(case, result)
            for name, hashes in file.examples.items():
                examples.setdefault(name, set()).update(hashes)
            dropped |= file.dropped
            alone |= file.alone
            begun.update(file.begun)
        for case, result in results.items():
            del begun[case]
            told = told_alone(result, alone.get(case))
            results[case] = replace(told, example="") if told.example in dropped else told
        return Recorded(results, begun, examples, alone)

    def in_flight(self, ended: Collection[Path] = ()) -> tuple[str, ...]:
        """Cases whose begin row was the last of its file at the last look.

        ``ended`` are files whose processes are gone.
        """
        last = [file.last for path, file in sorted(self._files.items()) if path not in ended]
        return tuple(row.case for row in last if isinstance(row, Begin))


class RowFile:
    """The rows of one file, up to its last complete line: what a kill cut off was never written."""

    def __init__(self, path: Path, run: str) -> None:
        self._path = path
        self._run = run
        self.results: dict[str, Result] = {}
        self.begun: Counter[str] = Counter()
        self.examples: dict[str, set[str]] = {}
        self.dropped: set[str] = set()
        self.alone: dict[str, Alone] = {}
        self.last: Row | None = None
        self._marks = Marks(Opened(run, path.name))
        self._lines = 0
        self.position: int = 0
        """Bytes read so far."""
        self._rest = b""

    def look(self) -> None:
        """Read on to the present end of the file. Raises ``BadInput`` for lines that were not written there so."""
        size = plain_size(self._path, links=False)
        if size is None or size < self.position:
            raise BadInput(f"{self._path}: was cut while the run went on")
        if size == self.position:
            return
        try:
            with self._path.open("rb", buffering=0) as file:
                file.seek(self.position)
                while block := file.read(READ_AT_ONCE):
                    self.position += len(block)
                    *lines, self._rest = (self._rest + block).split(b"\n")
                    for line in lines:
                        self._line(line)
                    if len(self._rest) > LONGEST:
                        raise BadInput(f"{self._path}: line {self._lines + 1}: more than {LONGEST} bytes; {REMEDY}")
        except OSError as error:
            raise unreadable(self._path, error) from error

    def _line(self, line: bytes) -> None:
        self._lines += 1
        row = read_line(self._marks, line)
        if row is None:
            where = f"{self._path}: line {self._lines}"
            if self._lines == 1:
                raise BadInput(f"{where}: is not the first row of this file in this run; {REMEDY}")
            raise BadInput(f"{where}: was cut or edited, or a line before it is missing; {REMEDY}")
        match row:
            case Result():
                self.results.setdefault(row.case, row)
            case Begin():
                self.begun[row.case] += 1
            case Abandoned():
                self.begun[row.case] -= 1
            case ExampleFile():
                self.examples.setdefault(row.name, set()).add(row.sha256)
            case Dropped():
                self.dropped.add(row.name)
            case Alone():
                self.alone[row.case] = row
            case Opened():
                pass
        self.last = row
