"""What a judged product costs in a run, against the bare verdict on the same data. Prints a table; asserts nothing.

``python benchmarks/judged.py`` judges the answers to the smoke cases with float products as a run does.
Counted is what the run spends on a product and on the verdicts about it (each case has two answers): the product of the
oracle, and `illegal` on what was stored. Addresses, guard zones and the moving of bytes are not. The bare verdict is
`illegal_sums` on operands and contents as a device has them. A first run computes how much each case accepts as well.
All take turns, case by case; medians of processor time over the rounds are added up.
"""

from __future__ import annotations

import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # before numpy is loaded

import argparse
import platform
import statistics
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from mmaspec.backends.numpy.backend import NumpyBackend
from mmaspec.backends.numpy.devices import DEVICES
from mmaspec.backends.numpy.units.exact import ExactUnit
from mmaspec.backends.numpy.units.sequential import SequentialUnit
from mmaspec.oracle import judge
from mmaspec.oracle.acceptance import acceptance
from mmaspec.oracle.amd_rdna3_wmma import semantics as rdna3
from mmaspec.oracle.case import Case
from mmaspec.oracle.expectation import Defined
from mmaspec.oracle.hlsl_wave_matrix import arithmetic as wave_matrix
from mmaspec.oracle.numerics import verdict
from mmaspec.oracle.numerics.deferred import Product
from mmaspec.oracle.nv_coopmat2 import semantics as coopmat2
from mmaspec.oracle.spec import SPECS, spec_named
from mmaspec.programs.formats import Format
from mmaspec.programs.profile import PROFILES, Profile
from mmaspec.strategies.recipe import materialise
from mmaspec.suites.judging.ask import Answer, ask, hold
from mmaspec.suites.score.matrix import listed

TILE = 256
"""Elements of a tile of 16x16."""

PLACES: tuple[tuple[Any, str], ...] = (
    (rdna3._Wave, "wmma"),
    (wave_matrix.Arithmetic, "product"),
    (coopmat2, "mul_add"),
    (judge, "illegal"),
)
"""Where a run asks for products, and for verdicts."""


@dataclass
class Watch:
    """What a run spends on products and verdicts: seconds, how many products, and what was judged of them."""

    seconds: float = 0.0
    products: int = 0
    judged: dict[int, tuple[Product, np.ndarray]] = field(default_factory=dict)
    inside: bool = False

    def timed(self, action: Callable[..., Any]) -> Callable[..., Any]:
        """The action with its time counted, once where one calls another."""

        def watched(*given: Any, **named: Any) -> Any:
            if self.inside:
                return action(*given, **named)
            self.inside, started = True, time.thread_time()
            try:
                return action(*given, **named)
            finally:
                self.inside = False
                self.seconds += time.thread_time() - started

        return watched

    def product(self, action: Callable[..., Any]) -> Callable[..., Any]:
        """A product, counted."""
        timed = self.timed(action)

        def watched(*given: Any, **named: Any) -> Any:
            self.products += 1
            return timed(*given, **named)

        return watched

    def verdict(self, action: Callable[..., Any]) -> Callable[..., Any]:
        """A verdict, where it is about a product."""
        timed = self.timed(action)

        def watched(legal: Any, got: np.ndarray) -> Any:
            if not isinstance(legal, Product):
                return action(legal, got)
            self.judged[id(legal)] = legal, got
            return timed(legal, got)

        return watched


@contextmanager
def watching() -> Iterator[Watch]:
    """Watch these places."""
    watch = Watch()
    real = [getattr(place, name) for place, name in PLACES]
    try:
        for (place, name), action in zip(PLACES, real, strict=True):
            setattr(place, name, watch.verdict(action) if place is judge else watch.product(action))
        yield watch
    finally:
        for (place, name), action in zip(PLACES, real, strict=True):
            setattr(place, name, action)


def run_once(case: Case, profile: Profile, answers: list[Answer], *, known: bool) -> tuple[Watch, float]:
    """What one judgement of a case spends on products, and seconds of all of it."""
    with watching() as watch:
        started = time.thread_time()
        expected = judge.expect_by_reading(case, profile)
        if not known:
            watch.timed(acceptance)(expected.first)
        assert hold(case, expected, answers).legal
        return watch, time.thread_time() - started


def bare(watch: Watch) -> Callable[[], None]:
    """The bare verdicts on the same products, each once."""
    given: list[dict[str, Any]] = []
    for product, got in watch.judged.values():
        own = product._factors
        c = packed(product.fmt, own.addend) if isinstance(own.addend, np.ndarray) else own.addend
        factors = {"a": packed(own.a_fmt, own.a), "b": packed(own.b_fmt, own.b), "c": c}
        formats = {"a_fmt": own.a_fmt, "b_fmt": own.b_fmt, "c_fmt": product.fmt}
        given.append({**formats, **factors, "got": packed(product.fmt, got), "rules": own.rules})

    def action() -> None:
        for each in given:
            verdict.illegal_sums(**each)

    return action


def packed(fmt: Format, bits: np.ndarray) -> np.ndarray:
    """Bits as a device leaves them."""
    return bits.astype(f"u{fmt.nbytes}")


@dataclass
class Row:
    """Sums over the cases of one kind; times in seconds."""

    cases: int = 0
    tiles: float = 0.0
    bare: float = 0.0
    run: float = 0.0
    first: float = 0.0
    whole: float = 0.0

    def add(self, other: Row) -> None:
        """Count the cases of another kind too."""
        for name, value in vars(other).items():
            setattr(self, name, getattr(self, name) + value)

    def line(self, title: str) -> str:
        """As a line of the table."""
        cells = [f"{getattr(self, name) / self.tiles * 1e6:.1f}" for name in ("bare", "run", "first", "whole")]
        ratios = [f" ({getattr(self, name) / self.bare:.2f})" for name in ("run", "first")]
        times = f"{cells[0]} | {cells[1]}{ratios[0]} | {cells[2]}{ratios[1]} | {cells[3]}"
        return f"| {title} | {self.cases}, {self.tiles:,.0f} | {times} |"


def kind(case: Case, watch: Watch) -> tuple[str, str, str]:
    """Specification, formats, and whether every product is one of data, and stored."""
    own = next(iter(watch.judged.values()))[0]._factors
    data = all(isinstance(product._factors.addend, np.ndarray) for product, _ in watch.judged.values())
    only = data and watch.products == len(watch.judged)
    return f"{own.a_fmt.name} -> {own.c.fmt.name}", "only stored" if only else "read again or dropped", case.spec


def measure(rounds: int, profile: Profile) -> dict[tuple[str, str, str], Row]:
    """Every smoke case in which the content of a product of floats is stored."""
    unit = SequentialUnit() if profile.rounding is None else ExactUnit()
    backend = NumpyBackend(unit, DEVICES, name="legal", profile=profile)
    rows: dict[tuple[str, str, str], Row] = defaultdict(Row)
    for recipe in (recipe for name in SPECS for recipe in listed(spec_named(name), "smoke")):
        case = materialise(recipe)
        expected = judge.expect_by_reading(case, profile)
        if not isinstance(expected.first, Defined):
            continue
        answers = ask(backend, case, expected.first)
        watch, _ = run_once(case, profile, answers, known=True)
        if not watch.judged:
            continue
        alone = bare(watch)
        taken: dict[str, list[float]] = defaultdict(list)
        for _ in range(rounds):
            started = time.thread_time()
            alone()
            taken["bare"].append(time.thread_time() - started)
            again, whole = run_once(case, profile, answers, known=True)
            taken["run"].append(again.seconds)
            taken["whole"].append(whole)
            taken["first"].append(run_once(case, profile, answers, known=False)[0].seconds)
        tiles = sum(got.size for _, got in watch.judged.values()) / TILE
        rows[kind(case, watch)].add(Row(1, tiles, **{name: statistics.median(times) for name, times in taken.items()}))
    return rows


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description="What a judged product costs in a run.")
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--profile", choices=("practice", "correctly-rounded"), default="practice")
    given = parser.parse_args()
    print(f"Python {platform.python_version()}, numpy {np.__version__}, {os.cpu_count()} cores, {platform.machine()}\n")
    print("Microseconds a tile of 16x16 stored in the smoke cases; in brackets in units of the bare verdict.\n")
    print("| products | cases, tiles | bare verdict | in a run | in a first run | whole judgement |")
    print("| --- | --: | --: | --: | --: | --: |")
    rows = measure(given.rounds, PROFILES[given.profile])
    groups: dict[tuple[str, str], Row] = defaultdict(Row)
    for key, row in sorted(rows.items()):
        print(row.line(", ".join(key)))
        groups[key[0][:3], key[1]].add(row)
    for group in (("f16", "only stored"), ("f16", "read again or dropped")):
        print(groups[group].line(", ".join(("all", *group))))


if __name__ == "__main__":
    main()
