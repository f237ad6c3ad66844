"""Laws that hold whatever the data: round trip, transposition, zero points, tiling, order of k."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from mmaspec.backends.numpy.backend import NumpyBackend
from mmaspec.oracle.case import Case
from mmaspec.oracle.expect import expect
from mmaspec.oracle.expectation import Defined
from mmaspec.oracle.hlsl_wave_matrix import SPEC
from mmaspec.oracle.judge import expect_by_reading
from mmaspec.oracle.numerics.legal import Legal
from mmaspec.programs.base import Buffer
from mmaspec.programs.hlsl_wave_matrix.caps import DEFAULT_CAPS
from mmaspec.programs.hlsl_wave_matrix.program import (
    ElementType,
    Load,
    Matrix,
    MatrixKind,
    Multiply,
    Store,
    WaveMatrixProgram,
)
from mmaspec.programs.profile import PRACTICE
from mmaspec.strategies.choices import Counted
from mmaspec.strategies.enumerate import Lister, grammar_of
from mmaspec.strategies.grammar import DrawContext
from mmaspec.strategies.hlsl_wave_matrix.templates.samples import quantized
from mmaspec.strategies.recipe import materialise
from mmaspec.suites.judging.ask import ask, hold

FEW = settings(max_examples=12, deadline=None, derandomize=True, database=None)
WIDTH = {"u8": 1, "s8": 1, "f16": 2, "s32": 4}
Values = dict[str, NDArray[np.uint64]]


def case_of(program: WaveMatrixProgram, values: Values) -> Case:
    batch = next(iter(values.values())).shape[0]
    return Case(
        spec=SPEC.name, row="byte-16x16-s32", template="law", program=program, caps=DEFAULT_CAPS, batch=batch,
        values=values,
    )  # fmt: skip


def last_store(case: Case) -> Legal:
    answer = expect(case)
    assert isinstance(answer, Defined)
    return answer.regions[-1].legal


def bits(seed: int, fmt_bits: int, *shape: int) -> NDArray[np.uint64]:
    return np.random.default_rng(seed).integers(0, 1 << fmt_bits, shape, np.uint64)


@FEW
@given(
    kind=st.sampled_from([("left", "u8", 32), ("right", "f16", 16), ("accumulator", "s32", 0)]),
    turned=st.booleans(),
    pads=st.tuples(st.integers(0, 9), st.integers(0, 9)),
    starts=st.tuples(st.integers(0, 20), st.integers(0, 20)),
    seed=st.integers(0, 1 << 32),
)
def test_round_trip_and_transposition(
    device: NumpyBackend,
    kind: tuple[MatrixKind, ElementType, int],
    turned: bool,
    pads: tuple[int, int],
    starts: tuple[int, int],
    seed: int,
) -> None:
    matrix = Matrix("X", kind[0], kind[1], 16, 64, kind[2])
    size, shape = WIDTH[kind[1]], (matrix.rows, matrix.cols)
    lines = shape[::-1] if turned else shape
    given_stride, kept_stride = shape[1] * size + 4 * pads[0], lines[1] * size + 4 * pads[1]
    program = WaveMatrixProgram(
        (Buffer("in", 1 << 14), Buffer("out", 1 << 14)),
        (matrix,),
        (
            Load("X", "in", 4 * starts[0], given_stride, 0, data="X"),
            Store("X", "out", 4 * starts[1], kept_stride, int(turned)),
        ),
    )
    # Every finite number is moved as it is; NaNs would only keep their class (WM-AMB-18).
    data = bits(seed, 8 * size, 1, 1, 1, *shape) & np.uint64(0x3FFF if kind[1] == "f16" else 0xFFFFFFFF)
    case = case_of(program, {"X": data})
    by_reading = expect_by_reading(case, PRACTICE)
    assert isinstance(by_reading.first, Defined)
    answers = ask(device, case, by_reading.first)
    assert hold(case, by_reading, answers).legal
    image = answers[0].after["out"][0, 64 + 4 * starts[1] :].copy()
    found = np.lib.stride_tricks.as_strided(image.view(), (*lines, size), (kept_stride, size, 1))
    elements = sum(found[..., byte].astype(np.uint64) << np.uint64(8 * byte) for byte in range(size))
    assert np.array_equal(elements.T if turned else elements, data[0, 0, 0])


@FEW
@given(key=st.integers(0, 1 << 20))
def test_zero_points_move_out_of_the_product(key: int) -> None:
    """The quantized sample gives the product of what the operands stand for."""
    row = SPEC.row(DEFAULT_CAPS, "byte-16x16-s32")
    lister = Lister(SPEC, grammar_of(SPEC.name), DEFAULT_CAPS, key)
    choices = Counted(str(key))
    draft = quantized(DrawContext(choices, row, DEFAULT_CAPS))
    assert draft is not None
    case = materialise(lister.recipe(row, "sample-quantized", draft, choices))
    left, right = (case.values[name][:, 0].astype(np.int64) for name in "AB")
    left = (left ^ 0x80) - 0x80
    scaled = [i.value.bits for i in case.program.body if type(i).__name__ == "ScalarMultiply"]
    zero_b, zero_a = (-((bits ^ 1 << 31) - (1 << 31)) for bits in scaled)
    total = ((left - zero_a) @ (right - zero_b)).sum(axis=1)
    found = last_store(case)
    assert found.exact.all()
    assert np.array_equal(found.lo[:, 0], total)


def product(m: int, n: int, elements: tuple[ElementType, ElementType, ElementType], k: int) -> WaveMatrixProgram:
    a, b, c = elements
    return WaveMatrixProgram(
        tuple(Buffer(name, 1 << 15) for name in ("a", "b", "out")),
        (Matrix("A", "left", a, m, n, k), Matrix("B", "right", b, m, n, k), Matrix("C", "accumulator", c, m, n)),
        (
            Load("A", "a", 0, k * WIDTH[a], data="A"),
            Load("B", "b", 0, n * WIDTH[b], data="B"),
            Multiply("C", "A", "B"),
            Store("C", "out", 0, 4 * n),
        ),
    )


@FEW
@given(seed=st.integers(0, 1 << 32), row=st.integers(0, 3), col=st.integers(0, 3))
def test_a_large_product_is_made_of_small_ones(seed: int, row: int, col: int) -> None:
    values: Any = {"A": bits(seed, 8, 1, 1, 1, 64, 32), "B": bits(seed + 1, 8, 1, 1, 1, 32, 64)}
    whole = last_store(case_of(product(64, 64, ("u8", "s8", "s32"), 32), values))
    rows, cols = slice(16 * row, 16 * row + 16), slice(16 * col, 16 * col + 16)
    part = {"A": values["A"][..., rows, :], "B": values["B"][..., cols]}
    tile = last_store(case_of(product(16, 16, ("u8", "s8", "s32"), 32), part))
    assert np.array_equal(whole.lo[..., rows, cols], tile.lo)
    assert tile.exact.all()


@FEW
@given(seed=st.integers(0, 1 << 32))
def test_the_order_of_k_does_not_matter_inside_the_window(seed: int) -> None:
    rng = np.random.default_rng(seed)
    small = [rng.integers(-3, 4, (1, 1, 1, 16, 16)).astype(np.float16).view(np.uint16) for _ in range(2)]
    values = dict(zip("AB", (one.astype(np.uint64) for one in small), strict=True))
    order = rng.permutation(16)
    moved = {"A": values["A"][..., order], "B": values["B"][..., order, :]}
    program = product(16, 16, ("f16", "f16", "f16"), 16)
    first, second = (last_store(case_of(program, data)) for data in (values, moved))
    assert first.exact.all()
    assert np.array_equal(first.lo, second.lo)
