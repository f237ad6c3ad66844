"""CPU of the supervisor over a folder as large as a thorough run's: a look that reads on, against one that reads all.

``python benchmarks/supervisor.py`` writes rows that look like a run's into a folder of their own, lets a worker append
a few between two looks, and prints medians of interleaved looks and their ratio. It asserts nothing.
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import msgspec

from mmaspec.suites.judging.record import Begin, Opened, Result, Row
from mmaspec.suites.running.marks import DIGITS, Marks, write_line
from mmaspec.suites.running.rows import Rows
from mmaspec.suites.running.supervisor import POLL

WORKERS = 2
RUN = "0" * 16
CLAUSES = tuple(f"NVCM2-SOME-CLAUSE-{number}" for number in range(12))
SENSITIVE = tuple(f"cm-some-counterfactual-{number}" for number in range(10))


def rows_of(number: int) -> tuple[Row, Row]:
    """A case's two rows: about 700 bytes."""
    case = f"{number:016x}"
    result = Result(
        case=case, spec="nv-coopmat2", row="f16-f32-multiples-32x32x16-workgroup-of-128", template="sums", judged=4096,
        outcome="legal", clauses=CLAUSES, sensitive=SENSITIVE, share=0.001, widest=0.002,
    )  # fmt: skip
    return Begin(case), result


class Filled:
    """The file of a worker."""

    def __init__(self, path: Path) -> None:
        self.path = path
        opened = Opened(RUN, path.name)
        self._marks = Marks(opened)
        self.append(opened)

    def append(self, *rows: Row) -> None:
        """Write rows at its end."""
        with self.path.open("ab") as file:
            file.write(b"".join(write_line(self._marks, row) for row in rows))


def fill(folder: Path, cases: int) -> list[Filled]:
    """A file for each worker."""
    files = [Filled(folder / f"gw{worker}-1.jsonl") for worker in range(WORKERS)]
    for worker, file in enumerate(files):
        file.append(*(row for number in range(worker, cases, WORKERS) for row in rows_of(number)))
    return files


def all_anew(folder: Path) -> tuple[int, list[str]]:
    """What a look was: count the results in every byte, decode every row to know the last of each file."""
    decoder = msgspec.json.Decoder(Row)
    count = sum(path.read_bytes().count(b'"type":"result"') for path in folder.glob("*.jsonl"))
    begun = []
    for path in sorted(folder.glob("*.jsonl")):
        last: Row | None = None
        for line in path.read_bytes().split(b"\n"):
            if line:
                last = decoder.decode(line[DIGITS:])
        if isinstance(last, Begin):
            begun.append(last.case)
    return count, begun


def cpu(action: Callable[[], object]) -> float:
    """Seconds of this process's CPU."""
    started = time.process_time()
    action()
    return time.process_time() - started


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description="CPU of a look at the rows.")
    parser.add_argument("--cases", type=int, default=60_000)
    parser.add_argument("--looks", type=int, default=15)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as text:
        folder = Path(text)
        files = fill(folder, given.cases)
        size = sum(file.path.stat().st_size for file in files)
        rows = Rows(folder, RUN)
        print(f"{given.cases} results, {size / 1e6:.0f} MB; the first look: {cpu(rows.look) * 1e3:.0f} ms")
        old, new = [], []
        for number in range(given.looks):
            for worker, file in enumerate(files):
                file.append(*rows_of(given.cases + number * WORKERS + worker), Begin("f" * 16))
            new.append(cpu(lambda: (rows.look(), rows.in_flight())))
            old.append(cpu(lambda: all_anew(folder)))
            assert all_anew(folder) == (rows.answered, [*rows.in_flight()] * WORKERS)
        before, after = statistics.median(old), statistics.median(new)
        for name, taken in (("all rows read anew", before), ("read on", after)):
            print(f"{name}: {taken * 1e3:.2f} ms a look, {taken / (POLL + taken):.2%} of a core")
        print(f"ratio {before / after:.0f}")


if __name__ == "__main__":
    main()
