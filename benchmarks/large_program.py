"""How long the oracle takes over one large program: 64x64 WaveMatrix tiles, eight steps along K, a batch of 64.

With all its legal sets, the last one included, which a run computes only if somebody asks.
"""

from __future__ import annotations

import statistics
import time

from mmaspec.oracle.expectation import Defined
from mmaspec.oracle.judge import expect_by_reading
from mmaspec.oracle.spec import spec_named
from mmaspec.programs.base import Affine, Buffer, Literal
from mmaspec.programs.hlsl_wave_matrix.program import Fill, Load, Matrix, MultiplyAccumulate, Repeat, Store
from mmaspec.programs.hlsl_wave_matrix.program import WaveMatrixProgram as Program
from mmaspec.programs.profile import PRACTICE
from mmaspec.strategies.recipe import Recipe, materialise

SPEC = spec_named("hlsl-wave-matrix")
SIDE, STEPS, BATCH, ROUNDS = 64, 8, 64, 7
WIDTH = {"f16": 2, "u8": 1, "f32": 4}
ROW = {"f16": "f16", "u8": "byte"}
"""How the caps rows call the datatype."""


def recipe(element: str, accumulator: str, regime: str) -> Recipe:
    """C += A B over eight steps along K, the operands side by side in memory."""
    rows = SPEC.rows(SPEC.default_caps)
    row = next(row for row in rows if row.name == f"{ROW[element]}-{SIDE}x{SIDE}-{accumulator}")
    k = {"f16": 16, "u8": 32}[element]
    wide, tall = WIDTH[element] * k * STEPS, WIDTH[element] * SIDE
    step = (
        Load("a", "left", Affine(0, loop=WIDTH[element] * k), wide, 0),
        Load("b", "right", Affine(0, loop=tall * k), tall, 0),
        MultiplyAccumulate("c", "a", "b"),
    )
    program = Program(
        buffers=(
            Buffer("left", wide * SIDE),
            Buffer("right", tall * k * STEPS),
            Buffer("out", 4 * SIDE * SIDE),
        ),
        matrices=(
            Matrix("a", "left", element, SIDE, SIDE, k),
            Matrix("b", "right", element, SIDE, SIDE, k),
            Matrix("c", "accumulator", accumulator, SIDE, SIDE),
        ),
        body=(Fill("c", Literal(0)), Repeat(STEPS, step), Store("c", "out", 0, 4 * SIDE)),
    )
    return Recipe(
        spec=SPEC.name,
        revision=SPEC.catalogue.revision,
        row=row.name,
        template="benchmark",
        program=program,
        caps=SPEC.default_caps,
        words=(),
        regime=regime,
        seed=1,
        batch=BATCH,
        target="",
        labels=(),
    )


def main() -> None:
    """Measure and print."""
    for element, accumulator, regime in (("f16", "f32", "normal"), ("f16", "f32", "window"), ("u8", "s32", "wild")):
        case = materialise(recipe(element, accumulator, regime))
        taken = []
        for _ in range(ROUNDS):
            started = time.process_time()
            first = expect_by_reading(case, PRACTICE).first
            assert isinstance(first, Defined)
            assert first.regions[-1].legal.lo.size
            taken.append(time.process_time() - started)
        print(f"{element} -> {accumulator}, {regime:8} {statistics.median(taken):.3f} s of processor to expect")


if __name__ == "__main__":
    main()
