"""Measured speed of the arithmetic units: microseconds a 16x16x16 tile, ratios to a float64 product of the same batch.

``python benchmarks/units.py`` takes about half a minute. Units take turns, medians are shown; one thread
(``OPENBLAS_NUM_THREADS=1``). It prints a table and asserts nothing.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from functools import partial

import numpy as np
from numpy.typing import NDArray

from mmaspec.backends.legal import LEGAL
from mmaspec.backends.numpy.units.encoding import bits_of_doubles
from mmaspec.programs.formats import FORMATS

ROUNDS = 7
BATCHES = (100, 10_000)
GOAL = 90.0
"""Microseconds a tile that an emulated family may take."""

Bits = NDArray[np.uint64]


def tiles(name: str, count: int) -> Bits:
    """Normal numbers around 1."""
    generator = np.random.Generator(np.random.PCG64(11))
    return bits_of_doubles(FORMATS[name], generator.standard_normal((count, 16, 16)))


def medians(actions: list[Callable[[], object]], rounds: int) -> list[float]:
    """Median seconds of each action, in turns."""
    taken: list[list[float]] = [[] for _ in actions]
    for _ in range(rounds):
        for action, times in zip(actions, taken, strict=True):
            started = time.perf_counter()
            action()
            times.append(time.perf_counter() - started)
    return [statistics.median(times) for times in taken]


def main() -> None:
    """Every legal variant, f16 and bf16 into f32."""
    print(f"{'unit':22} {'operands':8} {'tiles':>6} {'us/tile':>8} {'x f64 BLAS':>10}")
    for name in ("f16", "bf16"):
        for count in BATCHES:
            a, b, c = tiles(name, count), tiles(name, count), tiles("f32", count)
            wide = np.random.Generator(np.random.PCG64(12)).standard_normal((count, 16, 16))
            units = {variant.name: variant.unit() for variant in LEGAL.values()}
            sums = [partial(unit.multiply_add, name, a, name, b, "f32", c) for unit in units.values()]
            actions: list[Callable[[], object]] = [partial(np.matmul, wide, wide), *sums]
            blas, *seconds = medians(actions, ROUNDS if count < 1000 else 3)
            for label, spent in zip(units, seconds, strict=True):
                mark = " above the goal" if 1e6 * spent / count > GOAL and LEGAL[label].source else ""
                print(f"{label:22} {name:8} {count:6} {1e6 * spent / count:8.1f} {spent / blas:10.0f}{mark}")


if __name__ == "__main__":
    main()
