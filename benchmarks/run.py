"""Measured speed: ratios within one run, medians of interleaved rounds. Prints a table; asserts nothing.

``python benchmarks/run.py`` measures everything in about two minutes, ``--quick`` leaves out whole runs.
"""

from __future__ import annotations

import argparse
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

from mmaspec.backends.faults import faults_of
from mmaspec.backends.numpy.units.exact import ExactUnit
from mmaspec.backends.numpy.units.sequential import SequentialUnit
from mmaspec.oracle.judge import expect_by_reading
from mmaspec.oracle.numerics import contract, legal
from mmaspec.oracle.numerics.definition import dot, referee
from mmaspec.oracle.numerics.ordinals import to_ordinal
from mmaspec.oracle.numerics.rules import FloatRules
from mmaspec.oracle.spec import SPECS, spec_named
from mmaspec.programs.formats import format_named
from mmaspec.programs.profile import PRACTICE
from mmaspec.strategies.enumerate import DEFAULT_SEED, case_list
from mmaspec.strategies.recipe import materialise
from mmaspec.suites.judging.sensitivity import sensitive_to

F16, F32 = format_named("f16"), format_named("f32")
RULES = FloatRules()


def medians(rounds: int, *actions: Callable[[], object]) -> list[float]:
    """Median seconds of each action; the actions take turns, so a slow moment hits all of them."""
    times: list[list[float]] = [[] for _ in actions]
    for _ in range(rounds):
        for action, taken in zip(actions, times, strict=True):
            started = time.perf_counter()
            action()
            taken.append(time.perf_counter() - started)
    return [statistics.median(taken) for taken in times]


def tiles(count: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Finite normal f16 operands and f32 addends of 16x16x16 tiles, as bits."""
    generator = np.random.Generator(np.random.PCG64(7))
    operands = [generator.standard_normal((count, 16, 16)).astype(np.float16).view(np.uint16) for _ in range(2)]
    addend = generator.standard_normal((count, 16, 16)).astype(np.float32).view(np.uint32)
    return operands[0].astype(np.uint64), operands[1].astype(np.uint64), addend.astype(np.uint64)


def engines(rounds: int) -> list[tuple[str, str]]:
    """The referee against the definition, the batch path against the referee, per element and per tile."""
    a, b, c = tiles(64)
    picks = [(i, j) for i in range(4) for j in range(4)]
    judge = referee.Referee(F16, F16, F32, 16, RULES)
    rows = [([int(x) for x in a[0, i]], [int(x) for x in b[0, :, j]]) for i, j in picks]
    points = [int(x) for x in to_ordinal(F32, c)[0, :4, :4].ravel()]

    def definition() -> list[dot.LegalElement]:
        return [
            dot.legal(F16, left, F16, right, F32, dot.LegalElement(point, point), RULES)
            for (left, right), point in zip(rows, points, strict=True)
        ]

    def by_integers() -> list[dot.LegalElement]:
        lines = [judge.row(rows[4 * i][0]) for i in range(4)]  # decoded once a row and column, as in use
        columns = [judge.column(rows[j][1]) for j in range(4)]
        return [
            judge.element(lines[i], columns[j], dot.LegalElement(point, point))
            for (i, j), point in zip(picks, points, strict=True)
        ]

    assert definition() == by_integers()
    addends = legal.Legal.from_bits(F32, c)

    def batch() -> object:
        return contract.multiply_add(a_fmt=F16, a=a, b_fmt=F16, b=b, c=addends, rules=RULES)

    exact, sequential = ExactUnit(), SequentialUnit()
    slow, fast, whole, rounded, plain = medians(
        rounds,
        definition,
        by_integers,
        batch,
        lambda: exact.multiply_add("f16", a, "f16", b, "f32", c),
        lambda: sequential.multiply_add("f16", a, "f16", b, "f32", c),
    )
    per = len(picks)
    return [
        ("legal set, definition in fractions", f"{slow / per * 1e6:.0f} us an element"),
        ("legal set, integer referee", f"{fast / per * 1e6:.0f} us an element, {slow / fast:.0f}x faster"),
        ("legal sets of 64 tiles 16x16x16", f"{whole * 1e3:.1f} ms, {whole / 64 * 1e6:.0f} us a tile"),
        ("numpy backend, correctly rounded, 64 tiles", f"{rounded * 1e3:.1f} ms"),
        ("numpy backend, sequential f32, 64 tiles", f"{plain * 1e3:.1f} ms"),
    ]


def cases(spec: str) -> list[tuple[str, str]]:
    """Cost of the parts of a smoke case, in the median over the list."""
    caps = spec_named(spec).default_caps
    started = time.perf_counter()
    recipes = case_list(spec, caps, "smoke", DEFAULT_SEED)
    listing = time.perf_counter() - started
    parts: dict[str, list[float]] = {"draw data": [], "expect": [], "sensitivity": []}
    for recipe in recipes[:: max(1, len(recipes) // 40)]:
        moments = [time.perf_counter()]
        case = materialise(recipe)
        moments.append(time.perf_counter())
        by_reading = expect_by_reading(case, PRACTICE)
        moments.append(time.perf_counter())
        sensitive_to(case, by_reading)
        moments.append(time.perf_counter())
        for name, before, after in zip(parts, moments, moments[1:], strict=False):
            parts[name].append(after - before)
    text = ", ".join(f"{name} {statistics.median(taken) * 1e3:.1f} ms" for name, taken in parts.items())
    title = f"{spec}: {len(recipes)} smoke cases, {len(faults_of(spec))} counterfactuals"
    return [(title, f"list {listing:.1f} s; {text}")]


def processor_seconds(command: Sequence[str], cache: Path) -> tuple[float, float, int]:
    """Wall seconds, processor seconds and largest resident megabytes of a command and its children (POSIX)."""
    import resource

    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    started = time.perf_counter()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, env={**os.environ, "XDG_CACHE_HOME": str(cache)})
    wall = time.perf_counter() - started
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return wall, spent, after.ru_maxrss // 1024


def commands() -> list[tuple[str, str]]:
    """Whole runs of the command line: help, smoke tier with an empty and with a filled cache."""
    rows = []
    with tempfile.TemporaryDirectory() as scratch:
        python, cache = [sys.executable, "-m", "mmaspec"], Path(scratch) / "cache"
        helps = [processor_seconds([*python, "--help"], cache)[1] for _ in range(5)]
        rows.append(("mmaspec --help", f"{statistics.median(helps):.2f} s of processor"))
        check = [*python, "check", "-n", "2", "--report", str(Path(scratch) / "report")]
        for label in ("sensitivity computed", "sensitivity cached", "sensitivity cached, again"):
            wall, spent, memory = processor_seconds(check, cache)
            rows.append((f"smoke tier, 2 workers, {label}", f"{wall:.1f} s, {spent:.1f} s of processor, {memory} MB"))
    return rows


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description="Measured speed of mmaspec.")
    parser.add_argument("--quick", action="store_true", help="leave out whole runs of the command")
    parser.add_argument("--rounds", type=int, default=9)
    given = parser.parse_args()
    print(f"{platform.python_version()} numpy {np.__version__} on {os.cpu_count()} cores")
    rows = engines(given.rounds)
    for spec in SPECS:
        rows += cases(spec)
    if not given.quick:
        rows += commands()
    for name, figure in rows:
        print(f"{name:70} {figure}")


if __name__ == "__main__":
    main()
