"""What diagnosis costs: whole runs in which every tenth case fails, with it, without it, and without the defect.

::

    python benchmarks/failing.py --spec hlsl-wave-matrix --rounds 3

The device fails by the contents of a program: in every tenth one the last byte that is stored is wrong, or a near miss
is accepted. So whatever is left out of a program mostly heals it, which is the dearest failure to reduce. Without
diagnosis nothing is run again (no repeats, no variations, no reductions), and nothing is compared. The three take turns
with two workers, medians are shown; a run that is not counted fills the cache. With ``--draw`` every run draws its case
list, as a first run does; else it finds it in the cache. It asserts nothing.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import msgspec
import numpy as np

from mmaspec import Description, Refused, backend_named
from mmaspec.backends.protocol import Images
from mmaspec.oracle.case import Case
from mmaspec.oracle.expectation import Defined
from mmaspec.oracle.spec import SPECS
from mmaspec.suites.judging.ask import Answer, Held
from mmaspec.suites.judging.blaming.blamed import Blame
from mmaspec.suites.judging.telling.likeness import Likeness, Reproduced
from mmaspec.suites.running import share
from mmaspec.suites.vectors.recorded_run import RecordedExplainer, suspects


class Sound:
    """The numpy backend, answer for answer."""

    def __init__(self) -> None:
        self.inner = backend_named("numpy")

    def describe(self) -> Description:
        """As the numpy backend's."""
        return self.inner.describe()

    def caps(self, spec: str) -> object:
        """As the numpy backend's."""
        return self.inner.caps(spec)

    def run(self, spec: str, program: object, images: Images) -> Images:
        """As the numpy backend's."""
        return self.inner.run(spec, program, images)


class Tenth(Sound):
    """The same, wrong in every tenth program."""

    def run(self, spec: str, program: object, images: Images) -> Images:
        """One byte wrong of those stored; a near miss is accepted."""
        wrong = hashlib.sha256(msgspec.json.encode(program)).digest()[0] % 10 == 0
        try:
            after = {name: np.array(image) for name, image in super().run(spec, program, images).items()}
        except Refused:
            if not wrong:
                raise
            return {name: np.array(image) for name, image in images.items()}
        for name in sorted(after) if wrong else ():
            changed = np.argwhere(after[name] != images[name])
            if len(changed):
                after[name][tuple(changed[-1])] ^= 0x40
                break
        return after


class Silent(RecordedExplainer):
    """Names the clauses that acted; compares with no counterfactual either."""

    def blamed(
        self,
        case: Case,
        first: Defined,  # noqa: ARG002
        answers: list[Answer],  # noqa: ARG002
        held: Held,
        reproduced: Reproduced,  # noqa: ARG002
    ) -> tuple[Blame, Likeness]:
        """The clauses up to the first wrong store."""
        return suspects(case, held, self.borrowed), Likeness()


class Undiagnosed(Tenth):
    """As wrong, and nothing is run again to explain it."""

    def __init__(self) -> None:
        super().__init__()
        # A worker makes its backend in its own process, before it judges any case.
        share.__dict__["LiveExplainer"] = Silent


def run(spec: str, device: type[Sound], folder: Path) -> tuple[float, float, dict[str, int]]:
    """Wall seconds and processor seconds of one run, and its totals."""
    here = Path(__file__).resolve()
    path = os.pathsep.join(filter(None, (str(here.parent), os.environ.get("PYTHONPATH"))))
    environment = {
        **os.environ, "PYTHONPATH": path, "XDG_CACHE_HOME": str(folder / "cache"), "OPENBLAS_NUM_THREADS": "1"
    }  # fmt: skip
    report = folder / "run"
    command = [sys.executable, "-m", "mmaspec", "check", "-n", "2", "--spec", spec, "--report", str(report)]
    before, started = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    subprocess.run(
        [*command, "--backend", f"{here.stem}:{device.__name__}"],
        check=False,  # 1 where the backend is found wrong
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env=environment,
    )
    wall, after = time.perf_counter() - started, resource.getrusage(resource.RUSAGE_CHILDREN)
    totals = json.loads((report / "run.json").read_text(encoding="utf-8"))["totals"]
    subprocess.run(["rm", "-rf", str(report)], check=True)  # noqa: S607
    return wall, after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime, totals


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description="What diagnosis costs in runs in which every tenth case fails.")
    parser.add_argument("--spec", action="append", default=[], choices=SPECS)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--draw", action="store_true", help="draw the case list in every run")
    given = parser.parse_args()
    print("Seconds (of the processor). The last two columns: with diagnosis against without it.\n")
    print(
        "| specification | results, failing | sound | every tenth wrong, undiagnosed | diagnosed | wall | processor |"
    )
    print("| --- | --: | --: | --: | --: | --: | --: |")
    for spec in given.spec or SPECS:
        with tempfile.TemporaryDirectory() as scratch:
            run(spec, Sound, Path(scratch))
            taken: dict[type[Sound], list[tuple[float, float]]] = {Sound: [], Undiagnosed: [], Tenth: []}
            totals: dict[str, int] = {}
            for _ in range(given.rounds):
                for device, times in taken.items():
                    for known in (Path(scratch) / "cache").rglob("cases-*") if given.draw else ():
                        known.unlink()
                    wall, processor, totals = run(spec, device, Path(scratch))
                    times.append((wall, processor))
        medians = [[statistics.median(each) for each in zip(*times, strict=True)] for times in taken.values()]
        cells = " | ".join(f"{wall:.1f} ({processor:.1f})" for wall, processor in medians)
        ratios = " | ".join(f"{after / before:.2f}" for before, after in zip(*medians[1:], strict=True))
        print(f"| {spec} | {totals['cases']}, {totals['illegal']} | {cells} | {ratios} |", flush=True)


if __name__ == "__main__":
    main()
