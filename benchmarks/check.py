"""Judged tiles a second in `mmaspec check`, of one or more installations in turn. Prints a table; asserts nothing.

::

    python benchmarks/check.py mmaspec /path/to/another/bin/mmaspec --tier smoke --rounds 5

Each command has a cache of its own, which a run that is not counted fills. Counted is the processor time of a whole run
with its worker (``-n 1``), reports included, as other work on the machine hardly shows in it. Ratios are to the last
command. Answers of an earlier round are known and not judged again; ``--option=--afresh`` judges all, and computes how
much they accept each time.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import shlex
import statistics
import subprocess
import tempfile
from pathlib import Path

TILE = 256
"""Elements of a tile of 16x16."""


def run(command: str, options: list[str], folder: Path) -> tuple[float, int]:
    """Processor seconds of one run, and how many elements it judged."""
    environment = {**os.environ, "XDG_CACHE_HOME": str(folder / "cache"), "OPENBLAS_NUM_THREADS": "1"}
    report = folder / "run"
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(
        [*shlex.split(command), "check", "-n", "1", "--report", str(report), *options],
        check=False,  # 1 where the backend is found wrong
        stdout=subprocess.DEVNULL,
        env=environment,
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    elements = json.loads((report / "run.json").read_text(encoding="utf-8"))["totals"]["elements"]
    subprocess.run(["rm", "-rf", str(report)], check=True)  # noqa: S607
    return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime, elements


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description="Judged tiles a second in whole runs.")
    parser.add_argument("commands", nargs="+")
    parser.add_argument("--backend", action="append", default=[])
    parser.add_argument("--spec", action="append", default=[])
    parser.add_argument("--tier", default="smoke")
    parser.add_argument("--option", action="append", default=[], help="a further option of every run")
    parser.add_argument("--rounds", type=int, default=5)
    given = parser.parse_args()
    print("| backend | command | processor seconds | judged tiles a second | speed | a run with an empty cache |")
    print("| --- | --- | --: | --: | --: | --: |")
    for backend in given.backend or ["numpy"]:
        options = ["--backend", backend, "--tier", given.tier, *(word for s in given.spec for word in ("--spec", s))]
        options += given.option
        with tempfile.TemporaryDirectory() as scratch:
            folders = [Path(scratch) / str(number) for number in range(len(given.commands))]
            first = [run(command, options, folder)[0] for command, folder in zip(given.commands, folders, strict=True)]
            taken: list[list[float]] = [[] for _ in given.commands]
            elements = 0
            for _ in range(given.rounds):
                for number, (command, folder) in enumerate(zip(given.commands, folders, strict=True)):
                    seconds, elements = run(command, options, folder)
                    taken[number].append(seconds)
        medians = [statistics.median(times) for times in taken]
        for command, cold, median in zip(given.commands, first, medians, strict=True):
            speed = f"{elements / TILE / median:,.0f} | {medians[-1] / median:.2f}"
            print(f"| {backend} | {command} | {median:.2f} | {speed} | {cold:.1f} s |", flush=True)


if __name__ == "__main__":
    main()
