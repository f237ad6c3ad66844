"""The device's loads, stores, arrays, optimal layouts and atomic sums, with answers by hand."""

from __future__ import annotations

import numpy as np
import pytest

from mmaspec.backends.numpy.hlsl_linalg.device import LinalgDevice
from mmaspec.backends.numpy.hlsl_linalg.liberties import MixedBounds, PlainLayouts, ReversedSums, WholeBounds
from mmaspec.backends.numpy.units.exact import ExactUnit
from mmaspec.programs.base import Affine, Literal, RunTime
from mmaspec.programs.hlsl_linalg import (
    ConvertLayout,
    InterlockedAccumulate,
    Load,
    Matrix,
    MultiplyVector,
    OuterProduct,
    Repeat,
    SharedArray,
    Splat,
    Stage,
    Store,
    Unstage,
    Vector,
    VectorAccumulate,
    VectorLoad,
    VectorStore,
)
from tests.hlsl_linalg.bench import UNTOUCHED, halves, numbers, run

A = Matrix("M", "F16", 8, 16, "A")
SUM = Matrix("S", "F32", 8, 8, "Accumulator")
COUNTED = np.arange(512, dtype=np.uint16)


def device(kind: type[LinalgDevice] = LinalgDevice) -> LinalgDevice:
    return kind(ExactUnit())


def test_rows_and_columns_lie_where_stride_and_offset_say() -> None:
    body = (Load("M", "in", 128, 48, "ColMajor"), Store("M", "out", 256, 64))
    out = run(body, {"in": COUNTED, "out": 1024}, matrices=(A,))["out"]
    for r in range(8):
        for c in range(16):
            assert numbers(out, "<u2", 1, start=256 + r * 64 + c * 2)[0] == (128 + c * 48 + r * 2) // 2
    touched = {256 + r * 64 + byte for r in range(8) for byte in range(32)}
    assert all(out[place] == UNTOUCHED for place in set(range(1024)) - touched)


def test_rows_may_overlap_in_a_load() -> None:
    out = run((Load("M", "in", 0, 16), Store("M", "out", 0, 32)), {"in": COUNTED, "out": 256}, matrices=(A,))["out"]
    assert np.array_equal(numbers(out, "<u2", 8, 16), np.arange(8)[:, None] * 8 + np.arange(16))


def test_every_wave_and_pass_has_its_own_place() -> None:
    load = Load("M", "in", Affine(0, wave=512, loop=256), 32)
    store = Store("M", "out", Affine(0, wave=256, loop=512), 32)
    body = (Repeat(2, (load, store)),)
    out = run(body, {"in": np.arange(512, dtype=np.uint16), "out": 1024}, matrices=(A,), waves=2)["out"]
    found = numbers(out, "<u2", 4, 128)[:, 0]
    assert found.tolist() == [0, 256, 128, 384]


def test_arguments_come_from_memory() -> None:
    given = {"in": COUNTED, "args": np.array([0, 256, 64], np.uint32), "out": 1024}
    body = (Load("M", "in", RunTime("args", 4), RunTime("args", 8)), Store("M", "out", 0, 32))
    found = numbers(run(body, given, matrices=(A,))["out"], "<u2", 8, 16)
    assert np.array_equal(found[:, 0], 128 + 32 * np.arange(8))


def test_elements_out_of_bounds_are_zero_each_by_itself_or_all_together() -> None:
    given = {"in": np.arange(1, 121, dtype=np.uint16), "out": 256}
    body = (Load("M", "in", 0, 32), Store("M", "out", 0, 32))
    each = numbers(run(body, given, matrices=(A,))["out"], "<u2", 128)
    assert each.tolist() == [*range(1, 121), *([0] * 8)]
    assert not numbers(run(body, given, device(WholeBounds), matrices=(A,))["out"], "<u2", 128).any()


def test_stores_out_of_bounds_are_dropped_each_by_itself_or_all_together() -> None:
    given = {"in": np.arange(1, 129, dtype=np.uint16), "out": 240}
    body = (Load("M", "in", 0, 32), Store("M", "out", 0, 32))
    assert numbers(run(body, given, matrices=(A,))["out"], "<u2", 120).tolist() == list(range(1, 121))
    assert (run(body, given, device(WholeBounds), matrices=(A,))["out"] == UNTOUCHED).all()


def test_two_waves_may_check_bounds_in_two_ways() -> None:
    """The second wave begins in an odd stretch of 128 bytes, so that nothing of its matrix is stored."""
    given = {"in": np.arange(1, 129, dtype=np.uint16), "out": 1920}
    body = (Load("M", "in", 0, 32), Store("M", "out", Affine(0, wave=128), 272))
    found = run(body, given, device(MixedBounds), matrices=(A,), waves=2)["out"]
    rows = [found[272 * row : 272 * row + 32].view(np.uint16).tolist() for row in range(8)]
    assert rows == [*(list(range(1 + 16 * row, 17 + 16 * row)) for row in range(7)), list(range(113, 121))]
    assert all((found[128 + 272 * row : 160 + 272 * row] == UNTOUCHED).all() for row in range(8))


def test_an_array_of_words_holds_halves_and_counts_them() -> None:
    array = SharedArray("G", "uint", 160)
    body = (
        Stage("G", "in", 0, 160),
        Load("M", "G", 64, 24),
        Store("M", "G", 0, 16, "RowMajor"),
        Unstage("G", "out", 0, 128),
    )
    out = run(body, {"in": np.arange(320, dtype=np.uint16), "out": 512}, matrices=(A,), arrays=(array,))["out"]
    found = numbers(out, "<u2", 256)
    assert np.array_equal(found[:128].reshape(8, 16), 64 + 24 * np.arange(8)[:, None] + np.arange(16))
    assert np.array_equal(found[128:], np.arange(128, 256))


def test_arrays_start_as_zeros_and_are_copied_in_part() -> None:
    array = SharedArray("G", "int16_t", 2, width=8)
    body = (Stage("G", "in", 4, 3, offset=5), Unstage("G", "out", 0, 16))
    out = run(body, {"in": COUNTED[:8], "out": 32}, arrays=(array,))["out"]
    assert numbers(out, "<u2", 16).tolist() == [0] * 5 + [2, 3, 4] + [0] * 8


@pytest.mark.parametrize("kind", [LinalgDevice, PlainLayouts])
def test_optimal_layouts_are_read_back_and_transposed(kind: type[LinalgDevice]) -> None:
    weights = np.arange(128, dtype=np.float16).reshape(8, 16)
    convert = ConvertLayout("F16", 8, 16, "rows", 0, "RowMajor", "best", 128, "MulOptimal", 32)
    back = ConvertLayout("F16", 8, 16, "best", 128, "MulOptimal", "back", 0, "ColMajor", 0, 16)
    matrices = (Matrix("M", "F16", 8, 16, "A", "Thread"), Matrix("T", "F16", 16, 8, "A", "Thread"))
    vectors = (Vector("x", "F16", 16), Vector("y", "F16", 8), Vector("u", "F16", 8), Vector("v", "F16", 16))
    body = (
        convert,
        Load("M", "best", 128, layout="MulOptimal"),
        Load("T", "best", 128, layout="MulOptimalTranspose"),
        VectorLoad("x", "in", Affine(lane=32)),
        MultiplyVector("y", "M", "x"),
        VectorStore("y", "out", Affine(lane=16)),
        VectorLoad("u", "in", Affine(lane=32)),
        MultiplyVector("v", "T", "u"),
        VectorStore("v", "turned", Affine(lane=32)),
        back,
    )
    unit = np.zeros((32, 16), np.float16)
    unit[np.arange(16), np.arange(16)] = 1
    given = {"rows": weights, "best": 640, "back": 256, "in": unit, "out": 512, "turned": 1024}
    found = run(body, given, device(kind), matrices=matrices, vectors=vectors, read_only=("best",))
    assert np.array_equal(numbers(found["out"], "<f2", 16, 8), weights.T)
    assert np.array_equal(numbers(found["turned"], "<f2", 8, 16), weights)
    assert np.array_equal(numbers(found["back"], "<f2", 16, 8), weights.T)
    held = found["best"][128:]
    assert not np.array_equal(held[:256], np.frombuffer(weights.tobytes(), np.uint8))
    assert (found["best"][:128] == UNTOUCHED).all()


def test_outer_products_of_all_threads_are_summed_in_a_layout_of_the_device() -> None:
    zeros = np.zeros(128, np.float16)
    matrices, vectors = (
        (Matrix("S", "F16", 8, 16, "Accumulator", "Thread"),),
        (Vector("c", "F16", 8), Vector("r", "F16", 16)),
    )
    body = (
        ConvertLayout("F16", 8, 16, "zeros", 0, "RowMajor", "best", 0, "OuterProductOptimal", 32),
        VectorLoad("c", "in", 0),
        VectorLoad("r", "in", Affine(16, lane=0)),
        OuterProduct("S", "c", "r"),
        InterlockedAccumulate("S", "best", 0, layout="OuterProductOptimal"),
        ConvertLayout("F16", 8, 16, "best", 0, "OuterProductOptimal", "out", 0, "RowMajor", 0, 32),
    )
    given = {"zeros": zeros, "best": 512, "in": np.arange(24, dtype=np.float16), "out": 256}
    for kind in (LinalgDevice, ReversedSums):
        out = run(body, given, device(kind), matrices=matrices, vectors=vectors, threads=4)["out"]
        assert np.array_equal(numbers(out, "<f2", 8, 16), 4 * np.outer(np.arange(8), np.arange(8, 24)))


def test_sums_into_a_buffer_lose_nothing() -> None:
    body = (Splat("S", "float", Literal(0x3FC00000)), InterlockedAccumulate("S", "out", 0, 32))
    out = run(body, {"out": np.full(64, 2, np.float32)}, matrices=(SUM,), waves=3)["out"]
    assert (numbers(out, "<f4", 64) == 2 + 3 * 1.5).all()


def test_overlapping_rows_are_each_added() -> None:
    body = (Splat("S", "int", Literal(5)), InterlockedAccumulate("S", "out", 0, 16))
    whole = Matrix("S", "I32", 8, 8, "Accumulator")
    out = run(body, {"out": np.zeros(36, np.int32)}, matrices=(whole,))["out"]
    assert numbers(out, "<i4", 36).tolist() == [5] * 4 + [10] * 28 + [5] * 4


def test_sums_out_of_bounds_are_dropped() -> None:
    body = (Splat("S", "float", Literal(0x3F800000)), InterlockedAccumulate("S", "out", 0, 32))
    each = run(body, {"out": np.zeros(60, np.float32)}, matrices=(SUM,))["out"]
    assert (numbers(each, "<f4", 60) == 1).all()
    assert not run(body, {"out": np.zeros(60, np.float32)}, device(WholeBounds), matrices=(SUM,))["out"].any()


def test_sums_into_an_array_are_converted_to_its_type() -> None:
    array = SharedArray("G", "int", 64)
    body = (
        Splat("S", "float", Literal(0x40200000)),
        InterlockedAccumulate("S", "G", 0, 8),
        InterlockedAccumulate("S", "G", 0, 8),
        Unstage("G", "out", 0, 64),
    )
    out = run(body, {"out": 256}, matrices=(SUM,), arrays=(array,))["out"]
    assert (numbers(out, "<i4", 64) == 4).all()


def test_packed_words_are_summed_as_the_type_that_is_named() -> None:
    array = SharedArray("G", "uint8_t4_packed", 256)
    body = (
        Stage("G", "in", 0, 256),
        Splat("S", "int", Literal(100)),
        InterlockedAccumulate("S", "G", 0, 32, target="I8"),
        Unstage("G", "out", 0, 256),
    )
    whole = Matrix("S", "I32", 8, 8, "Accumulator")
    given = {"in": np.full(1024, 0xFE, np.uint8), "out": 1024}
    out = run(body, given, matrices=(whole,), arrays=(array,))["out"].reshape(8, 128)
    assert (out[:, :8] == 98).all()
    assert (out[:, 8:] == 0xFE).all()


def test_vectors_of_all_threads_are_summed() -> None:
    vector = Vector("x", "F16", 4)
    body = (VectorLoad("x", "in", Affine(lane=8)), VectorAccumulate("x", "out", Affine(lane=0)))
    addends = (np.arange(32)[:, None] + np.arange(4)).astype(np.float16)
    out = numbers(run(body, {"in": addends, "out": halves(0, 1, 2, 3, 9)}, vectors=(vector,))["out"], "<f2", 5)
    assert out.tolist() == [496, 529, 562, 595, 9]
