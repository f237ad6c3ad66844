"""Measured speed of two workers against one, by whole runs of the command line. Prints a table; asserts nothing.

``python benchmarks/workers.py`` runs the standard tier of every specification, once to fill the cache of sensitivities
and then in turns with one worker and with two. It needs two cores that nobody else uses: the load is printed too.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path


def seconds(options: list[str], workers: int, scratch: Path) -> float:
    """Wall seconds of a run."""
    command = [sys.executable, "-m", "mmaspec", "check", "-n", str(workers), "--report", str(scratch / "run"), *options]
    environment = {**os.environ, "XDG_CACHE_HOME": str(scratch / "cache")}
    started = time.perf_counter()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, env=environment)
    return time.perf_counter() - started


def load() -> str:
    """How busy the machine has been for a minute, where the system says."""
    return f"load {os.getloadavg()[0]:.1f} of {os.cpu_count()} cores" if hasattr(os, "getloadavg") else "load unknown"


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description="Two workers against one.")
    parser.add_argument("--tier", default="standard")
    parser.add_argument("--spec", action="append", default=[], help="a specification; all if left out")
    parser.add_argument("--rounds", type=int, default=3)
    given = parser.parse_args()
    options = ["--tier", given.tier, *(word for spec in given.spec for word in ("--spec", spec))]
    with tempfile.TemporaryDirectory() as folder:
        scratch = Path(folder)
        print(f"before: {load()}")
        print(f"sensitivities computed, 2 workers: {seconds(options, 2, scratch):.1f} s")
        taken: dict[int, list[float]] = {1: [], 2: []}
        for _ in range(given.rounds):
            for workers, times in taken.items():
                times.append(seconds(options, workers, scratch))
        one, two = (statistics.median(times) for times in taken.values())
        print(f"1 worker {one:.1f} s, 2 workers {two:.1f} s: {one / two:.2f} times as fast; after: {load()}")


if __name__ == "__main__":
    main()
