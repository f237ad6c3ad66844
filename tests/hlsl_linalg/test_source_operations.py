"""Programs of the text of 2025-09-19 against bytes worked out by hand: threads' vectors, functions, sums, products."""

from __future__ import annotations

import numpy as np
import pytest
from msgspec.structs import replace

from mmaspec.oracle.hlsl_linalg import SPEC
from mmaspec.programs.base import Affine, Buffer, Literal
from mmaspec.programs.hlsl_linalg import (
    Cast,
    FromThreadVectors,
    GetThreadVector,
    LinalgProgram,
    Load,
    Matrix,
    Multiply,
    MultiplyVector,
    Operate,
    OuterProduct,
    Splat,
    Store,
    SumAccumulate,
    Unary,
    Vector,
    VectorLoad,
    VectorStore,
)

from .by_hand import HALF, SINGLE, image, in_rows, numbered, octets
from .source_running import (
    BUFFERS,
    CAPS,
    is_right,
    judged,
    one,
    points,
    shown,
)

# Vectors of threads.


def vectors_program(use, scope="Wave", m=4, n=3, waves=1, wave_size=8, index=0, component="F16"):
    """Vectors made a matrix, which is stored, and taken out again."""
    length = m if use == "A" else n
    size = {"F16": 2, "I32": 4, "PackedS8x32": 1}[component]
    step = 32
    threads = waves * wave_size
    matrix = Matrix("M", component, m, n, use, scope)
    body = (
        VectorLoad("v", "a", Affine(0, step * wave_size, lane=step)),
        FromThreadVectors("M", "v"),
        Store("M", "out", Affine(0, 512) if scope == "Wave" and waves > 1 else 0, n * size),
        GetThreadVector("w", "M", index),
        VectorStore("w", "b", Affine(0, step * wave_size, lane=step)),
    )
    buffers = (Buffer("a", step * threads, 16), Buffer("out", 1024, 16), Buffer("b", step * threads, 16))
    vectors = (Vector("v", component, length), Vector("w", component, length))
    return LinalgProgram(buffers, body, (matrix,), vectors, waves=waves, wave_size=wave_size)


def given_vectors(threads, length, dtype):
    held = np.zeros((threads, 32 // np.dtype(dtype).itemsize), dtype)
    held[:, :length] = np.arange(threads * length).reshape(threads, length) + 1
    return held


@pytest.mark.parametrize("use", ["A", "B"])
@pytest.mark.parametrize("scope", ["Wave", "ThreadGroup"])
@pytest.mark.parametrize("index", [0, 1])
def test_vectors_are_columns_of_a_and_rows_of_b(use, scope, index):
    m, n = (4, 16) if use == "A" else (16, 4)
    program = vectors_program(use, scope, m, n, wave_size=32)
    program = replace(program, body=(*program.body[:3], replace(program.body[3], index=index), program.body[4]))
    length, lines = (m, n) if use == "A" else (n, m)
    vectors = given_vectors(32, length, HALF)
    held = {"a": vectors.tobytes()}
    whole = vectors[:lines, :length].T if use == "A" else vectors[:lines, :length]
    back = np.zeros((32, length), HALF)
    if index == 0:
        back[:lines] = vectors[:lines, :length]
    out = shown(program, *in_rows(np.ascontiguousarray(whole), 0, n * 2))
    wanted = out | shown(program, *((32 * t, line.tobytes()) for t, line in enumerate(back)), into="b")
    assert is_right(program, held, wanted)
    transposed = vectors[:lines, :length] if use == "A" else vectors[:lines, :length].T
    wrong = shown(program, *in_rows(transposed.reshape(m, n), 0, n * 2))
    assert not is_right(program, held, wanted | wrong)
    found = points(program, held)
    assert {f"LINALG-FROMVEC/{use}-{scope}", f"LINALG-FROMVEC-SURPLUS/{use}-{scope}"} <= found
    assert f"LINALG-GETVEC/{use}-{scope}-{'further' if index else 'first'}" in found
    assert f"LINALG-GETVEC-BEYOND/{use}-{scope}" in found
    assert (f"LINALG-GETVEC-INVERSE/{use}-{scope}" in found) == (index == 0)


def test_every_wave_has_its_own_vectors():
    program = vectors_program("A", "Wave", 2, 4, waves=2, wave_size=4)
    vectors = given_vectors(8, 2, HALF)
    parts = [
        part
        for wave in range(2)
        for part in in_rows(np.ascontiguousarray(vectors[4 * wave : 4 * wave + 4, :2].T), 512 * wave, 8)
    ]
    back = [(32 * t, vectors[t, :2].tobytes()) for t in range(8)]
    wanted = shown(program, *parts) | shown(program, *back, into="b")
    assert is_right(program, {"a": vectors.tobytes()}, wanted)


def test_an_index_counts_waves_of_columns():
    """16 columns, waves of 4 lanes: index 2 is columns 8 to 11."""
    matrix = Matrix("M", "F16", 2, 16, "A")
    body = (Load("M", "a", 0, 32), GetThreadVector("v", "M", 2), VectorStore("v", "out", Affine(0, lane=8)))
    program = LinalgProgram(BUFFERS, body, (matrix,), (Vector("v", "F16", 2),), wave_size=4)
    values = numbered(2, 16)
    parts = [(8 * t, values[:, 8 + t].tobytes()) for t in range(4)]
    assert is_right(program, {"a": values.tobytes()}, shown(program, *parts))
    assert "LINALG-GETVEC/A-Wave-further" in points(program, {"a": values.tobytes()})
    assert not any("INVERSE" in point or "BEYOND" in point for point in points(program, {"a": values.tobytes()}))


def test_packed_vectors_go_along_the_rows_of_a():
    """Four rows are one word: byte k of it is row k, or row 3 - k if words are read the other way."""
    program = vectors_program("A", "Wave", 4, 16, wave_size=32, component="PackedS8x32")
    vectors = given_vectors(32, 4, np.int8)
    back = np.zeros((32, 4), np.int8)
    back[:16] = vectors[:16, :4]
    parts = [(32 * t, line.tobytes()) for t, line in enumerate(back)]
    for reading, turn in (("lowest-first", 1), ("highest-first", -1)):
        whole = np.ascontiguousarray(vectors[:16, :4][:, ::turn].T)
        wanted = shown(program, *in_rows(whole, 0, 16)) | shown(program, *parts, into="b")
        assert is_right(program, {"a": vectors.tobytes()}, wanted, {"LINALG-AMB-12": reading})
        other = {"LINALG-AMB-12": "lowest-first" if turn < 0 else "highest-first"}
        assert not is_right(program, {"a": vectors.tobytes()}, wanted, other)


# Sums and functions in programs.


@pytest.mark.parametrize("component", ["F16", "F32", "I16", "I32"])
def test_sum_accumulate_adds_both_matrices(component):
    dtype = {"F16": HALF, "F32": SINGLE, "I16": np.int16, "I32": np.int32}[component]
    size = np.dtype(dtype).itemsize
    matrices = (
        Matrix("A", component, 4, 4, "A"),
        Matrix("B", component, 4, 4, "B"),
        Matrix("C", component, 4, 4, "Accumulator"),
    )
    body = (
        Load("A", "a", 0, 4 * size),
        Load("B", "a", 64, 4 * size, "ColMajor"),
        Load("C", "a", 128, 4 * size),
        SumAccumulate("C", "A", "B"),
        Store("C", "out", 0, 4 * size),
    )
    program = LinalgProgram(BUFFERS, body, matrices)
    a, b, c = numbered(4, 4, dtype), numbered(4, 4, dtype) * 2, numbered(4, 4, dtype) - dtype(7)
    held = {"a": image(1024, (0, a.tobytes()), (64, b.T.tobytes()), (128, c.tobytes()))}
    assert is_right(program, held, shown(program, *in_rows(a + b + c, 0, 4 * size)))
    assert not is_right(program, held, shown(program, *in_rows(a + b.T + c, 0, 4 * size)))
    assert not is_right(program, held, shown(program, *in_rows(a @ b + c, 0, 4 * size)))
    assert f"LINALG-SUMACC/{component}-Wave" in points(program, held)


def test_sums_beyond_the_range_are_a_reading():
    matrices = (Matrix("A", "I32", 4, 4, "A"), Matrix("B", "I32", 4, 4, "B"), Matrix("C", "I32", 4, 4, "Accumulator"))
    most = Literal(0x7FFFFFFF)
    body = (
        Splat("A", "int", most), Splat("B", "int", Literal(3)), Splat("C", "int", Literal(0xFFFFFFFF)),
        SumAccumulate("C", "A", "B"), Store("C", "out", 0, 16),
    )  # fmt: skip
    program = LinalgProgram(BUFFERS, body, matrices)
    for reading, total in (("wrap", -(2**31) + 1), ("saturate", 2**31 - 1)):
        wanted = shown(program, *in_rows(np.full((4, 4), total, np.int32), 0, 16))
        assert is_right(program, {}, wanted, {"LINALG-AMB-17": reading})
        assert not is_right(program, {}, shown(program, (0, octets(0, dtype=np.int32))), {"LINALG-AMB-17": reading})


def test_operators_change_their_matrix_and_functions_give_another():
    matrices = (Matrix("M", "F32", 2, 4, "A"), Matrix("N", "F32", 2, 4, "A"))
    half = 0x3F000000
    body = (
        Load("M", "a", 0, 16),
        Operate("M", "add", "float", Literal(half)),
        Operate("M", "mul", "float", Literal(0xC0000000)),
        Operate("M", "sub", "float", Literal(half)),
        Operate("M", "div", "float", Literal(half)),
        Store("M", "out", 0, 16),
        Unary("N", "abs", "M"),
        Store("N", "out", 64, 16),
        Unary("N", "negate", "N"),
        Store("N", "out", 128, 16),
    )
    program = LinalgProgram(BUFFERS, body, matrices)
    values = numbered(2, 4, SINGLE) - 3
    held = {"a": image(1024, (0, values.tobytes()))}
    found = ((values + SINGLE(0.5)) * -2 - SINGLE(0.5)) / SINGLE(0.5)
    parts = [*in_rows(found, 0, 16), *in_rows(abs(found), 64, 16), *in_rows(-abs(found), 128, 16)]
    assert is_right(program, held, shown(program, *parts))
    assert not is_right(program, held, shown(program, *in_rows(found, 0, 16), *parts[2:4], *in_rows(found, 128, 16)))
    assert {"LINALG-ELEMWISE/div-F32", "LINALG-UNARY/abs-F32", "LINALG-UNARY/negate-F32"} <= points(program, held)


def test_each_wave_takes_its_own_scalar():
    program = one(
        Matrix("M", "I32", 2, 4, "Accumulator"),
        Splat("M", "int", Literal(10)),
        Operate("M", "sub", "int", Literal(3), wave=2),
        Store("M", "out", Affine(0, 64), 16),
        waves=2,
    )
    parts = [*in_rows(np.full((2, 4), 7, np.int32), 0, 16), *in_rows(np.full((2, 4), 5, np.int32), 64, 16)]
    assert is_right(program, {}, shown(program, *parts))


def test_what_a_function_was_applied_to_is_not_judged_then():
    """LINALG-AMB-24: it may have been changed in place. Such programs are not sent; ours is not judged."""
    matrices = (Matrix("M", "F32", 2, 4, "A"), Matrix("N", "F32", 2, 4, "A"))
    body = (Splat("M", "float", Literal(0xBF800000)), Unary("N", "abs", "M"), Store("M", "out", 0, 16))
    program = LinalgProgram(BUFFERS, body, matrices)
    assert SPEC.undefined(program, CAPS) == {"LINALG-UNARY-SOURCE"}
    assert not judged(program, {})
    kept = replace(program, body=(body[0], Unary("N", "nop", "M"), body[2]))
    assert judged(kept, {})


@pytest.mark.parametrize("component", ["PackedS8x32", "PackedU8x32"])
def test_nop_leaves_packed_components_as_they_are(component):
    matrices = tuple(Matrix(name, component, 16, 16, "A") for name in "MN")
    body = (Load("M", "a", 0, 16), Unary("N", "nop", "M"), Store("N", "out", 0, 16))
    program = LinalgProgram(BUFFERS, body, matrices)
    content = bytes(range(256))
    held = {"a": image(1024, (0, content))}
    assert is_right(program, held, shown(program, (0, content)))
    assert not is_right(program, held, shown(program, (0, content[::-1])))


# Products with rows, and outer products.


@pytest.mark.parametrize("scope", ["Thread", "Wave", "ThreadGroup"])
@pytest.mark.parametrize("bias", [False, True])
def test_a_row_times_b(scope, bias):
    matrix = Matrix("M", "F16", 4, 3, "B", scope)
    vectors = (Vector("x", "F16", 4), Vector("y", "F32", 3), Vector("c", "F32", 3))
    body = (
        Load("M", "a", Affine(0, 64) if scope == "Wave" else 0, 8),
        VectorLoad("x", "v", Affine(0, 64, lane=16)),
        VectorLoad("c", "v", Affine(256, 64, lane=16)),
        MultiplyVector("y", "M", "x", "c" if bias else None),
        VectorStore("y", "out", Affine(0, 64, lane=16)),
    )
    buffers = (Buffer("a", 128, 16), Buffer("v", 512, 16), Buffer("out", 128, 16))
    program = LinalgProgram(buffers, body, (matrix,), vectors, read_only=("a",), waves=2, wave_size=4)
    rng = np.random.default_rng(3)
    held_matrices = rng.integers(-8, 9, (2, 8, 4)).astype(HALF)
    rows = rng.integers(-8, 9, (8, 8)).astype(HALF)
    biases = rng.integers(-99, 99, (8, 4)).astype(SINGLE)
    held = {"a": held_matrices.tobytes(), "v": image(512, (0, rows.tobytes()), (256, biases.tobytes()))}
    parts, turned = [], []
    for thread in range(8):
        whole = held_matrices[thread // 4 if scope == "Wave" else 0, :4, :3].astype(SINGLE)
        more = biases[thread, :3] if bias else 0
        parts.append((16 * thread, (rows[thread, :4].astype(SINGLE) @ whole + more).astype(SINGLE).tobytes()))
        column = whole.T[:, :3] @ rows[thread, :3].astype(SINGLE) + more
        turned.append((16 * thread, column.astype(SINGLE).tobytes()))
    assert is_right(program, held, shown(program, *parts))
    assert not is_right(program, held, shown(program, *turned))
    wanted = "LINALG-VECMULADD/F16-F16-F32" if bias else "LINALG-VECMUL/F16-F16-F32"
    assert wanted in points(program, held)


def test_a_row_of_integers_times_bytes():
    matrix = Matrix("M", "PackedS8x32", 16, 4, "B", "Thread")
    vectors = (Vector("x", "I32", 16), Vector("y", "I32", 4))
    body = (
        Load("M", "a", 0, 4),
        VectorLoad("x", "v", Affine(0, lane=64)),
        MultiplyVector("y", "M", "x"),
        VectorStore("y", "out", Affine(0, lane=16)),
    )
    buffers = (Buffer("a", 64, 16), Buffer("v", 256, 16), Buffer("out", 64, 16))
    program = LinalgProgram(buffers, body, (matrix,), vectors, read_only=("a",), wave_size=4)
    rng = np.random.default_rng(5)
    whole, rows = rng.integers(-128, 128, (16, 4)).astype(np.int8), rng.integers(-128, 128, (4, 16)).astype(np.int32)
    held = {"a": whole.tobytes(), "v": rows.tobytes()}
    found = rows @ whole.astype(np.int32)
    assert is_right(program, held, shown(program, *in_rows(found.astype(np.int32), 0, 16)))
    found[0, 0] += 1
    assert not is_right(program, held, shown(program, *in_rows(found.astype(np.int32), 0, 16)))


@pytest.mark.parametrize("scope", ["Wave", "ThreadGroup"])
def test_outer_products_of_vectors_that_all_threads_have(scope):
    matrix = Matrix("M", "F32", 3, 4, "Accumulator", scope)
    vectors = (Vector("c", "F32", 3), Vector("r", "F32", 4))
    apart = Affine(0, 64) if scope == "Wave" else 0
    body = (
        VectorLoad("c", "a", apart),
        VectorLoad("r", "a", replace(apart, base=32) if scope == "Wave" else 32),
        OuterProduct("M", "c", "r"),
        Store("M", "out", apart, 16),
    )
    program = LinalgProgram(BUFFERS, body, (matrix,), vectors, waves=2, wave_size=4)
    numbers = np.arange(256, dtype=SINGLE) / 2 - 5
    held = {"a": numbers.tobytes()}
    parts = []
    for instance in range(2 if scope == "Wave" else 1):
        column, row = numbers[16 * instance : 16 * instance + 3], numbers[16 * instance + 8 : 16 * instance + 12]
        parts += in_rows(np.outer(column, row).astype(SINGLE), 64 * instance, 16)
    assert is_right(program, held, shown(program, *parts))
    assert "LINALG-OUTER/F32-F32" in points(program, held)


def test_vectors_that_differ_leave_an_outer_product_open():
    matrix = Matrix("M", "F32", 3, 4, "Accumulator", "Wave")
    vectors = (Vector("c", "F32", 3), Vector("r", "F32", 4))
    body = (
        VectorLoad("c", "a", 0),
        VectorLoad("r", "a", Affine(32, lane=4)),
        OuterProduct("M", "c", "r"),
        Store("M", "out", 0, 16),
    )
    program = LinalgProgram(BUFFERS, body, (matrix,), vectors, wave_size=4)
    assert SPEC.undefined(program, CAPS) == {"LINALG-OUTER-SAME"}
    assert not judged(program, {"a": np.arange(256, dtype=SINGLE).tobytes()})
    alike = {"a": np.ones(256, SINGLE).tobytes()}
    assert judged(program, alike)


def test_cast_and_product_are_as_in_the_later_text():
    matrices = (
        Matrix("A", "F16", 4, 4, "A"), Matrix("H", "F16", 4, 4, "A"), Matrix("B", "F16", 4, 4, "B"),
        Matrix("I", "I32", 4, 4, "A"), Matrix("C", "F32", 4, 4, "Accumulator"),
    )  # fmt: skip
    body = (
        Load("I", "a", 0, 16), Cast("A", "I"), Cast("B", "A"), Cast("H", "B"), Multiply("C", "H", "B"),
        Store("C", "out", 0, 16),
    )  # fmt: skip
    program = LinalgProgram(BUFFERS, body, matrices)
    values = numbered(4, 4, np.int32)
    wanted = (values @ values).astype(SINGLE)
    held = {"a": image(1024, (0, values.tobytes()))}
    assert is_right(program, held, shown(program, *in_rows(wanted, 0, 16)))
