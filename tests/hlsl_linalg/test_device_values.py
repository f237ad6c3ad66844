"""The device's splats, casts, products, single elements and flow, with answers by hand."""

from __future__ import annotations

import numpy as np
import pytest

from mmaspec.backends.numpy.hlsl_linalg.device import LinalgDevice
from mmaspec.backends.numpy.hlsl_linalg.emulation import EmulatedFp8
from mmaspec.backends.numpy.hlsl_linalg.liberties import HighestFirst, IdleThreads, LikeB, SharedElements, WaveAfterWave
from mmaspec.backends.numpy.hlsl_linalg.variants import WITHOUT_FP8
from mmaspec.backends.numpy.units.exact import ExactUnit
from mmaspec.programs.base import Affine, FromBuffer, Literal
from mmaspec.programs.hlsl_linalg import (
    Accumulate,
    AccumulatorLayout,
    Barrier,
    Beyond,
    Branch,
    Cast,
    Convert,
    ConvertLayout,
    CountElements,
    Load,
    Matrix,
    MemoryBias,
    Multiply,
    MultiplyAccumulate,
    MultiplyVector,
    ReadElements,
    Splat,
    Store,
    Vector,
    VectorLoad,
    VectorStore,
    WriteElements,
)
from tests.hlsl_linalg.bench import UNTOUCHED, halves, numbers, run

ANY = np.random.default_rng(5)
M16 = Matrix("M", "F16", 8, 16, "A")


def device(kind: type[LinalgDevice] = LinalgDevice) -> LinalgDevice:
    return kind(ExactUnit())


def test_a_splat_takes_the_first_lane_of_each_wave_and_converts_it() -> None:
    body = (Splat("M", "int", Literal(2050), lane=1, wave=1), Store("M", "out", Affine(0, wave=256), 32))
    found = numbers(run(body, {"out": 512}, matrices=(M16,), waves=2)["out"], "<f2", 2, 128)
    assert (found[0] == 2050).all()
    assert (found[1] == 2052).all()


def test_a_splat_of_memory_fills_packed_components() -> None:
    matrix = Matrix("M", "I8", 16, 8, "B")
    body = (Splat("M", "float", FromBuffer("in", 4)), Store("M", "out", 0, 16, "ColMajor"))
    out = run(body, {"in": np.array([0, -130.5], np.float32), "out": 128}, matrices=(matrix,))["out"]
    assert (out == 0x80).all()


def test_a_cast_converts_turns_and_leaves_its_source() -> None:
    to = Matrix("T", "I32", 16, 8, "Accumulator")
    body = (
        Load("M", "in", 0, 32),
        Cast("T", "M", transpose=True),
        Store("T", "turned", 0, 32),
        Store("M", "out", 0, 32),
    )
    given = (np.arange(128, dtype=np.float16) / 4).reshape(8, 16)
    found = run(body, {"in": given, "turned": 512, "out": 256}, matrices=(M16, to))
    assert np.array_equal(numbers(found["turned"], "<i4", 16, 8), np.rint(given.T.astype(float)).astype(int))
    assert np.array_equal(numbers(found["out"], "<f2", 8, 16), given)


def test_products_of_bytes_of_both_signs() -> None:
    a, b = ANY.integers(-128, 128, (16, 32)).astype(np.int8), ANY.integers(0, 256, (32, 16)).astype(np.uint8)
    matrices = (
        Matrix("A", "I8", 16, 32, "A"),
        Matrix("B", "U8", 32, 16, "B"),
        Matrix("C", "I32", 16, 16, "Accumulator"),
    )
    loads = (Load("A", "a", 0, 32), Load("B", "b", 0, 16))
    body = (*loads, Multiply("C", "A", "B"), MultiplyAccumulate("C", "A", "B"), Store("C", "out", 0, 64))
    out = run(body, {"a": a, "b": b, "out": 1024}, matrices=matrices)["out"]
    assert np.array_equal(numbers(out, "<i4", 16, 16), 2 * (a.astype(int) @ b.astype(int)))


def test_products_of_fp8_of_both_kinds() -> None:
    matrices = (
        Matrix("A", "F8_E5M2", 16, 32, "A"),
        Matrix("B", "F8_E4M3FN", 32, 16, "B"),
        Matrix("C", "F32", 16, 16, "Accumulator"),
    )
    body = (Load("A", "a", 0, 32), Load("B", "b", 0, 16), Multiply("C", "A", "B"), Store("C", "out", 0, 64))
    given = {"a": np.full(512, 0x3E, np.uint8), "b": np.full(512, 0xB9, np.uint8), "out": 1024}
    out = run(body, given, matrices=matrices)["out"]
    assert (numbers(out, "<f4", 256) == 32 * 1.5 * -1.125).all()


def test_products_of_the_group_are_made_once() -> None:
    matrices = tuple(
        Matrix(name, "F16" if use != "Accumulator" else "F32", 16, 16, use, "ThreadGroup")  # type: ignore[arg-type]
        for name, use in (("A", "A"), ("B", "B"), ("C", "Accumulator"))
    )
    body = (Load("A", "a", 0, 32), Load("B", "a", 0, 32, "ColMajor"), Multiply("C", "A", "B"), Store("C", "out", 0, 64))
    a = ANY.integers(-8, 8, (16, 16)).astype(np.float16)
    out = run(body, {"a": a, "out": 1024}, matrices=matrices, waves=2)["out"]
    assert np.array_equal(numbers(out, "<f4", 16, 16), a.astype(float) @ a.T.astype(float))


def test_accumulate_adds_without_rounding_the_operand_first() -> None:
    matrices = (Matrix("S", "F16", 8, 16, "Accumulator"), Matrix("M", "F32", 8, 16, "A"))
    body = (
        Splat("S", "float", Literal(0xBF800000)),
        Splat("M", "float", Literal(0x3F800001)),
        Accumulate("S", "M"),
        Store("S", "out", 0, 32),
    )
    out = run(body, {"out": 256}, matrices=matrices)["out"]
    assert (numbers(out, "<f2", 128) == np.float16(2.0**-23)).all()


def vectors_of(result: str, source: str, m: int, k: int, bias: str = "F16") -> tuple[Vector, ...]:
    return Vector("x", source, k), Vector("y", result, m), Vector("b", bias, m)  # type: ignore[arg-type]


def test_every_thread_multiplies_its_own_vector_and_adds_its_bias() -> None:
    weights = ANY.integers(-4, 5, (8, 16)).astype(np.float16)
    x, b = ANY.integers(-4, 5, (32, 16)).astype(np.float16), ANY.integers(-4, 5, (32, 8)).astype(np.float16)
    body = (
        Load("M", "w", 0, 32),
        VectorLoad("x", "x", Affine(lane=32)),
        VectorLoad("b", "b", Affine(lane=16)),
        MultiplyVector("y", "M", "x", "b"),
        VectorStore("y", "out", Affine(lane=32)),
    )
    given = {"w": weights, "x": x, "b": b, "out": 1024}
    matrix = Matrix("M", "F16", 8, 16, "A", "Thread")
    out = run(body, given, matrices=(matrix,), vectors=vectors_of("F32", "F16", 8, 16), read_only=("w",))["out"]
    expected = x.astype(float) @ weights.T.astype(float) + b
    assert np.array_equal(numbers(out, "<f4", 32, 8), expected)


def test_a_vector_of_floats_is_rounded_to_the_bytes_of_its_matrix_and_a_bias_comes_from_memory() -> None:
    x = np.array([0.5, 1.5, 2.5, 300, -0.6, -1000, 3, 4], np.float32)
    body = (
        Load("M", "w", 0, 16),
        VectorLoad("x", "x", 0),
        MultiplyVector("y", "M", "x", MemoryBias("w", 64, "I32")),
        VectorStore("y", "out", 0),
    )
    weights = np.zeros(128, np.int8)
    weights[[0, 17, 34, 51]] = weights[[4, 21, 38, 55]] = 1
    weights[64:80] = np.frombuffer(np.array([10, 20, 30, 40], np.int32).tobytes(), np.int8)
    matrix = Matrix("M", "I8", 4, 8, "A", "Thread")
    given = {"w": weights, "x": x, "out": 16}
    out = run(body, given, matrices=(matrix,), vectors=vectors_of("I32", "F32", 4, 8), read_only=("w",))["out"]
    assert numbers(out, "<i4", 4).tolist() == [0 - 1 + 10, 2 - 128 + 20, 2 + 3 + 30, 127 + 4 + 40]


@pytest.mark.parametrize(("kind", "order"), [(LinalgDevice, (0, 1, 2, 3)), (HighestFirst, (3, 2, 1, 0))])
def test_packed_vectors_are_converted(kind: type[LinalgDevice], order: tuple[int, ...]) -> None:
    vectors = (Vector("p", "I8", 4), Vector("f", "F16", 4))
    body = (VectorLoad("p", "in", 0), Convert("f", "p"), VectorStore("f", "out", 0))
    out = run(body, {"in": np.array([1, 0xFE, 3, 0x80], np.uint8), "out": 8}, device(kind), vectors=vectors)["out"]
    assert numbers(out, "<f2", 4).tolist() == [[1, -2, 3, -128][place] for place in order]


def test_a_conversion_to_fp8_that_only_a_product_uses_may_be_left_out() -> None:
    vectors = (Vector("x", "F16", 4), Vector("p", "F8_E4M3FN", 4), Vector("q", "F8_E4M3FN", 4), Vector("y", "F16", 4))
    matrix = Matrix("M", "F8_E4M3FN", 4, 4, "A", "Thread")
    convert = ConvertLayout("F8_E4M3FN", 4, 4, "w", 0, "RowMajor", "best", 0, "MulOptimal", 16)
    body = (
        convert,
        Load("M", "best", 0, layout="MulOptimal"),
        VectorLoad("x", "x", 0),
        MultiplyVector("y", "M", "x"),
        VectorStore("y", "out", 0),
        Convert("q", "x"),
        VectorStore("q", "rounded", 0),
    )
    weights = np.diag([0x38] * 4).astype(np.uint8)
    given = {
        "w": np.tile(weights, (1, 4))[:, :16].copy(),
        "best": 256,
        "x": halves(1.0625, 2, 3.125, 500),
        "out": 8,
        "rounded": 4,
    }
    exact, emulating = device(), device(EmulatedFp8)
    emulating.caps = WITHOUT_FP8
    found = [
        run(body, given, one, matrices=(matrix,), vectors=vectors, read_only=("best",)) for one in (exact, emulating)
    ]
    assert numbers(found[0]["out"], "<f2", 4).tolist() == [1, 2, 3, 448]
    assert numbers(found[1]["out"], "<f2", 4).tolist() == [1.0625, 2, 3.125, 500]
    assert found[0]["rounded"].tolist() == found[1]["rounded"].tolist() == [0x38, 0x40, 0x44, 0x7E]


def test_a_cast_to_fp8_is_rounded_where_it_is_stored() -> None:
    matrices = (
        Matrix("A", "F16", 16, 32, "A"),
        Matrix("P", "F8_E4M3FN", 16, 32, "A"),
        Matrix("B", "F8_E4M3FN", 32, 16, "B"),
        Matrix("C", "F32", 16, 16, "Accumulator"),
    )
    product = (Splat("A", "half", Literal(0x3C40)), Splat("B", "float", Literal(0x3F800000)), Cast("P", "A"))
    body = (*product, Multiply("C", "P", "B"), Store("C", "out", 0, 64))
    given = {"out": 1024, "p": 512}
    kinds = (device(), device(EmulatedFp8))
    plain = [numbers(run(body, given, one, matrices=matrices)["out"], "<f4", 256) for one in kinds]
    stored = run((*body, Store("P", "p", 0, 32)), given, device(EmulatedFp8), matrices=matrices)
    assert (plain[0] == 32).all()
    assert (plain[1] == 32 * 1.0625).all()
    assert (numbers(stored["out"], "<f4", 256) == 32).all()
    assert (stored["p"] == 0x38).all()


@pytest.mark.parametrize("kind", [LinalgDevice, SharedElements, IdleThreads, LikeB])
@pytest.mark.parametrize("use", ["A", "B", "Accumulator"])
@pytest.mark.parametrize("scope", ["Wave", "ThreadGroup"])
def test_threads_reach_every_element(kind: type[LinalgDevice], use: str, scope: str) -> None:
    matrix = Matrix("M", "F16", 8, 16, use, scope)  # type: ignore[arg-type]
    each = 256 if scope == "Wave" else 0
    body = (
        Load("M", "in", Affine(0, wave=each), 32),
        ReadElements("M", "read", Affine(0, wave=each), 32),
        WriteElements("M", "new", Affine(0, wave=each), 32, modulo=3, keep=1),
        Store("M", "out", Affine(0, wave=each), 32),
        CountElements("M", "count", Affine(0, wave=4 if each else 0)),
    )
    old, new = np.arange(256, dtype=np.uint16), np.arange(1000, 1256, dtype=np.uint16)
    given = {"in": old, "new": new, "read": 512, "out": 512, "count": np.zeros(2, np.uint32)}
    found = run(body, given, device(kind), matrices=(matrix,), waves=2)
    count = 256 if each else 128
    assert np.array_equal(numbers(found["read"], "<u2", count), old[:count])
    kept = np.arange(count) % 128 % 3 == 1
    assert np.array_equal(numbers(found["out"], "<u2", count), np.where(kept, old[:count], new[:count]))
    factor = 2 if kind is SharedElements else 1
    assert numbers(found["count"], "<u4", 2).tolist() == [128 * factor, 128 * factor if each else 0]


def test_an_index_beyond_the_last_finds_nothing_and_does_nothing() -> None:
    body = (Load("M", "in", 0, 32), Beyond("M", "far", 0, past=3, value=7), Store("M", "out", 0, 32))
    old = np.arange(128, dtype=np.uint16)
    found = run(body, {"in": old, "far": 512, "out": 256}, matrices=(M16,))
    far = found["far"].reshape(32, 16)
    assert (far[:, :8] == 0xFF).all()
    assert (far[:, 8:10] == 0).all()
    assert (far[:, 10:] == UNTOUCHED).all()
    assert np.array_equal(numbers(found["out"], "<u2", 128), old)


def test_the_layout_of_accumulators_is_told() -> None:
    told = [
        numbers(run((AccumulatorLayout("out", 0),), {"out": 4}, one)["out"], "<u4", 1)
        for one in (device(), device(LikeB))
    ]
    assert [int(word[0]) for word in told] == [0, 1]


def test_lanes_that_do_not_take_a_branch_keep_what_they_have() -> None:
    vector = Vector("x", "U32", 1)
    body = (
        VectorLoad("x", "in", Affine(lane=4)),
        Branch(5, (VectorLoad("x", "in", Affine(64, lane=4)), VectorStore("x", "few", Affine(lane=4)))),
        VectorStore("x", "out", Affine(lane=4)),
    )
    found = run(body, {"in": np.arange(48, dtype=np.uint32), "few": 128, "out": 128}, vectors=(vector,))
    assert numbers(found["out"], "<u4", 32).tolist() == [16, 17, 18, 19, 20, *range(5, 32)]
    assert numbers(found["few"], "<u4", 5).tolist() == [16, 17, 18, 19, 20]
    assert (found["few"][20:] == UNTOUCHED).all()


def test_waves_that_do_not_take_a_branch_keep_what_they_have() -> None:
    body = (
        Splat("M", "int", Literal(1)),
        Branch(0, (Splat("M", "int", Literal(2)),), waves=1),
        Store("M", "out", Affine(0, wave=256), 32),
    )
    out = numbers(run(body, {"out": 768}, matrices=(M16,), waves=3)["out"], "<f2", 3, 128)
    assert [set(wave) for wave in out.tolist()] == [{2}, {1}, {1}]


@pytest.mark.parametrize("kind", [LinalgDevice, WaveAfterWave])
def test_waves_that_run_apart_wait_at_barriers_alone(kind: type[LinalgDevice]) -> None:
    given = {"both": np.full(256, 3, np.float16), "out": 512}
    first = (Splat("M", "int", Literal(5), wave=1), Store("M", "both", Affine(0, wave=256), 32))
    then = (Load("M", "both", 0, 32), Store("M", "out", Affine(0, wave=256), 32))
    racing = run((*first, *then), given, device(kind), matrices=(M16,), waves=2)["out"]
    held = run((*first, Barrier(), *then), given, device(kind), matrices=(M16,), waves=2)["out"]
    assert numbers(held, "<f2", 2, 128)[:, 0].tolist() == [5, 5]
    assert numbers(racing, "<f2", 2, 128)[:, 0].tolist() == ([5, 5] if kind is LinalgDevice else [5, 3])
