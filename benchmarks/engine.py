"""Measured speed and memory of the exact engines: ratios within one run, medians of interleaved rounds, one thread.

``python benchmarks/engine.py`` prints a table of ``docs/engine.md``. It asserts nothing. What a run costs that asks
these engines, ``judged.py`` and ``check.py`` say.
"""

from __future__ import annotations

import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # before numpy is loaded

import argparse
import platform
import statistics
import time
import tracemalloc
from collections.abc import Callable
from fractions import Fraction

import numpy as np

from mmaspec.oracle.numerics import verdict
from mmaspec.oracle.numerics.bulk import rounded
from mmaspec.oracle.numerics.bulk.fixed_point import round_ordinals
from mmaspec.oracle.numerics.contract import multiply_add
from mmaspec.oracle.numerics.definition.dot import dot
from mmaspec.oracle.numerics.integer_dot import integer_dot
from mmaspec.oracle.numerics.legal import Legal
from mmaspec.oracle.numerics.ordinals import exact_float64, from_ordinal
from mmaspec.oracle.numerics.rounding import round_to
from mmaspec.oracle.numerics.rules import FloatRules
from mmaspec.oracle.source import Source
from mmaspec.programs.formats import FORMATS, Format
from mmaspec.programs.rounding_mode import Mode
from mmaspec.strategies.regimes.catalogue import draw

RULES = FloatRules()
NORMAL = "standard normal"
HARD = ("normal", "near-tie", "cancelling", "subnormal", "window", "wild", "overflow-edge")


def medians(rounds: int, *actions: Callable[[], object]) -> list[float]:
    """Median processor seconds of each action; the actions take turns, so a slow moment hits all of them."""
    times: list[list[float]] = [[] for _ in actions]
    for _ in range(rounds):
        for action, taken in zip(actions, times, strict=True):
            started = time.thread_time()
            action()
            taken.append(time.thread_time() - started)
    return [statistics.median(taken) for taken in times]


def packed(fmt: Format, bits: np.ndarray) -> np.ndarray:
    """Bits in the narrowest unsigned type, as a device leaves them."""
    return bits.astype(f"u{fmt.nbytes}")


def rounded_bits(fmt: Format, values: np.ndarray) -> np.ndarray:
    """Bits of float64 values rounded to a format with infinities."""
    return packed(fmt, from_ordinal(fmt, round_ordinals(fmt, values, Mode.NEAREST_EVEN)))


def tiles(names: tuple[str, str, str], count: int, shape: tuple[int, int, int], regime: str) -> dict[str, np.ndarray]:
    """A batch of one data regime of the suites: bits of A, B and C, without specials."""
    m, n, k = shape
    a, b, c = (FORMATS[name] for name in names)
    if regime == NORMAL:
        rng = np.random.default_rng(7)
        sides = (("a", a, (m, k)), ("b", b, (k, n)), ("c", c, (m, n)))
        return {name: rounded_bits(fmt, rng.standard_normal((count, *side))) for name, fmt, side in sides}
    sides = (("a", a, (m, k)), ("b", b, (k, n)), ("c", c, (m, n)))
    sources = [Source(name, name, fmt, "", np.zeros((1, 1, 1, *side), np.int64)) for name, fmt, side in sides]
    drawn = draw(regime, 7, sources, count, accumulator=names[2])
    return {source.name: packed(source.fmt, drawn[source.name][:, 0, 0]) for source in sources}


class Batch:
    """A batch, and what can be done with it."""

    def __init__(self, names: tuple[str, str, str], count: int, shape: tuple[int, int, int], regime: str) -> None:
        self.names, self.count, self.shape = names, count, shape
        self.formats = [FORMATS[name] for name in names]
        self.bits = tiles(names, count, shape, regime)
        self.a, self.b, self.c = (
            exact_float64(fmt, bits) for fmt, bits in zip(self.formats, self.bits.values(), strict=True)
        )
        self.data = {"a_fmt": self.formats[0], "b_fmt": self.formats[1], "c_fmt": self.formats[2], **self.bits}
        self.answer = packed(self.formats[2], self.rounded())

    def blas(self) -> object:
        """A*B in float64."""
        return self.a @ self.b

    def rounded(self) -> np.ndarray:
        """Correctly rounded."""
        return rounded.dot(**self.data)

    def verdict(self) -> object:
        """The verdict on the right answer."""
        return verdict.illegal_sums(**self.data, got=self.answer, rules=RULES)

    def sets(self) -> object:
        """The legal sets."""
        a, b, c = (bits.astype(np.uint64) for bits in self.bits.values())
        addend = Legal.from_bits(self.formats[2], c)
        return multiply_add(a_fmt=self.formats[0], a=a, b_fmt=self.formats[1], b=b, c=addend, rules=RULES)

    def definition(self, elements: int = 16) -> object:
        """The first elements in fractions."""
        found = []
        for j in range(elements):
            left = [Fraction(x) for x in self.a[0, 0].tolist()]
            right = [Fraction(x) for x in self.b[0, :, j].tolist()]
            x = dot(left, right, Fraction(self.c[0, 0, j].item()))
            found.append(round_to(self.formats[2], x, Mode.NEAREST_EVEN))
        return found


def floats(rounds: int) -> list[tuple[str, str, str]]:
    """The speed goals for floats."""
    rows = []
    tile = (16, 16, 16)
    for names, goal in (
        (("f16", "f16", "f32"), "30; 1500 x faster"),
        (("bf16", "bf16", "f32"), "40"),
        (("f32", "f32", "f32"), "10"),
        (("f16", "f16", "f16"), "-"),
        (("e5m2", "e5m2", "f32"), "-"),
    ):
        for count in (100, 10_000):
            batch = Batch(names, count, tile, NORMAL)
            few = rounds if count == 100 else max(3, rounds // 4)
            base, fast, judged, sets, slow = medians(
                few, batch.blas, batch.rounded, batch.verdict, batch.sets, batch.definition
            )
            title = f"{'x'.join(names[:2])} -> {names[2]}, {count} tiles"
            per = 1e6 / count
            speed = f"{fast * per:.1f} us a tile, {fast / base:.1f} x BLAS"
            if names[0] == "f16" and names[2] == "f32":
                speed += f", {slow * 16 / (fast / count):.0f} x faster than fractions"
            rows.append((f"rounded {title}", speed, goal))
            rows.append((f"verdict {title}", f"{judged * per:.1f} us a tile, {judged / base:.1f} x BLAS", "15"))
            rows.append((f"legal sets {title}", f"{sets * per:.1f} us a tile, {sets / base:.1f} x BLAS", "-"))
    large = Batch(("f16", "f16", "f32"), 16, (128, 128, 64), NORMAL)
    base, fast = medians(rounds, large.blas, large.rounded)
    rows.append(
        ("rounded f16 -> f32, 128x128x64, 16 tiles", f"{fast / base:.1f} x BLAS ({base / 16 * 1e6:.0f} us)", "6")
    )
    return rows


def hard(rounds: int) -> list[tuple[str, str, str]]:
    """Data that a certificate cannot place, in units of standard normal data."""
    rows = []
    for names in (("f16", "f16", "f32"), ("bf16", "bf16", "f32"), ("f32", "f32", "f32")):
        batches = [Batch(names, 100, (16, 16, 16), regime) for regime in (NORMAL, *HARD)]
        for what in ("rounded", "sets"):
            times = medians(rounds, *(getattr(batch, what) for batch in batches))
            text = ", ".join(f"{regime} {taken / times[0]:.1f}" for regime, taken in zip(HARD, times[1:], strict=True))
            rows.append((f"{what} {names[0]} -> {names[2]}, in units of standard normal data", text, "5"))
    return rows


def integers(rounds: int) -> list[tuple[str, str, str]]:
    """int8 16x16x32 of mixed sign into s32, against plain Python integers."""
    rng = np.random.default_rng(7)
    rows = []
    for count in (100, 10_000):
        a, b = (rng.integers(0, 256, shape).astype(np.uint8) for shape in ((count, 16, 32), (count, 32, 16)))
        c = rng.integers(0, 1 << 32, (count, 16, 16)).astype(np.uint32)
        left, right, start = a[0].view(np.int8).tolist(), b[0].T.tolist(), c[0].view(np.int32).tolist()

        def plain(left=left, right=right, start=start) -> list[list[int]]:
            return [
                [
                    (sum([x * y for x, y in zip(row, column, strict=True)]) + c + 2**31) % 2**32 - 2**31
                    for column, c in zip(right, line, strict=True)
                ]
                for row, line in zip(left, start, strict=True)
            ]

        def fast(a=a, b=b, c=c) -> np.ndarray:
            return integer_dot(a_fmt=FORMATS["s8"], a=a, b_fmt=FORMATS["u8"], b=b, c_fmt=FORMATS["s32"], c=c)

        assert (fast()[0].astype(np.uint32).view(np.int32) == plain()).all()
        slow, taken = medians(rounds if count == 100 else max(3, rounds // 4), plain, fast)
        text = f"{taken / count * 1e6:.2f} us a tile, {slow / (taken / count):.0f} x faster than Python integers"
        rows.append((f"s8 x u8 -> s32, 16x16x32, {count} tiles", text, "400 x faster"))
    return rows


def memory() -> list[tuple[str, str, str]]:
    """Peak of what is allocated beside batch and answer, for 10,000 tiles."""
    batch = Batch(("f16", "f16", "f32"), 10_000, (16, 16, 16), NORMAL)
    rows = []
    for what in ("rounded", "verdict"):
        tracemalloc.start()
        answer = getattr(batch, what)()
        peak = tracemalloc.get_traced_memory()[1] - answer.nbytes
        tracemalloc.stop()
        rows.append((f"memory beside the batch, {what}, 10,000 tiles", f"{peak / 1e6:.0f} MB", "300 MB"))
    return rows


def main() -> None:
    """Measure and print, as rows of a Markdown table."""
    parser = argparse.ArgumentParser(description="Measured speed of the exact engines.")
    parser.add_argument("--rounds", type=int, default=15)
    rounds = parser.parse_args().rounds
    print(f"Python {platform.python_version()}, numpy {np.__version__}, {os.cpu_count()} cores, {platform.machine()}\n")
    print("| what | measured | goal |\n| --- | --- | --- |")
    for rows in (floats(rounds), hard(rounds), integers(rounds), memory()):
        for what, measured, goal in rows:
            print(f"| {what} | {measured} | {goal} |", flush=True)


if __name__ == "__main__":
    main()
