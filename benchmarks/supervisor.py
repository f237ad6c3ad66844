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

from mmaspec.suites.judging.record import Begin, Result, Row
from mmaspec.suites.running.rows import Rows
from mmaspec.suites.running.supervisor import POLL

WORKERS = 2
CLAUSES = tuple(f"NVCM2-SOME-CLAUSE-{number}" for number in range(12))
SENSITIVE = tuple(f"cm-some-counterfactual-{number}" for number in range(10))


def rows_of(number: int) -> bytes:
    """A case's two rows: about 700 bytes."""
    case = f"{number:016x}"
    result = Result(
        case=case, spec="nv-coopmat2", row="f16-f32-multiples-32x32x16-workgroup-of-128", template="sums", judged=4096,
        outcome="legal", clauses=CLAUSES, sensitive=SENSITIVE, share=0.001, widest=0.002,
    )  # fmt: skip
    return b"".join(msgspec.json.encode(row) + b"\n" for row in (Begin(case), result))


def fill(folder: Path, cases: int) -> list[Path]:
    """A file for each worker."""
    paths = [folder / f"gw{worker}-1.jsonl" for worker in range(WORKERS)]
    for worker, path in enumerate(paths):
        path.write_bytes(b"".join(rows_of(number) for number in range(worker, cases, WORKERS)))
    return paths


def all_anew(folder: Path) -> tuple[int, list[str]]:
    """What a look was: count the results in every byte, decode every row to know the last of each file."""
    decoder = msgspec.json.Decoder(Row)
    count = sum(path.read_bytes().count(b'"type":"result"') for path in folder.glob("*.jsonl"))
    begun = []
    for path in sorted(folder.glob("*.jsonl")):
        last: Row | None = None
        for line in path.read_bytes().split(b"\n"):
            if line:
                last = decoder.decode(line)
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
        paths = fill(folder, given.cases)
        size = sum(path.stat().st_size for path in paths)
        rows = Rows(folder)
        print(f"{given.cases} results, {size / 1e6:.0f} MB; the first look: {cpu(rows.look) * 1e3:.0f} ms")
        old, new = [], []
        for number in range(given.looks):
            for worker, path in enumerate(paths):
                with path.open("ab") as file:
                    file.write(rows_of(given.cases + number * WORKERS + worker))
                    file.write(msgspec.json.encode(Begin("f" * 16)) + b"\n")
            new.append(cpu(lambda: (rows.look(), rows.in_flight())))
            old.append(cpu(lambda: all_anew(folder)))
            assert all_anew(folder) == (rows.answered, [*rows.in_flight()] * WORKERS)
        before, after = statistics.median(old), statistics.median(new)
        for name, taken in (("all rows read anew", before), ("read on", after)):
            print(f"{name}: {taken * 1e3:.2f} ms a look, {taken / (POLL + taken):.2%} of a core")
        print(f"ratio {before / after:.0f}")


if __name__ == "__main__":
    main()
