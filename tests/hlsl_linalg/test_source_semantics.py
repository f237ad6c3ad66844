"""Programs of the text of 2025-09-19 against bytes worked out by hand: memory, arrays, threads' vectors, products."""

from __future__ import annotations

import numpy as np
import pytest
from msgspec.structs import replace

from mmaspec.oracle.hlsl_linalg import SPEC
from mmaspec.programs.base import Affine, Buffer, Literal
from mmaspec.programs.hlsl_linalg import (
    SOURCE_CAPS,
    AtomicSum,
    Barrier,
    Cast,
    Construction,
    FromThreadVectors,
    GetThreadVector,
    InterlockedAccumulate,
    LinalgProgram,
    Load,
    Matrix,
    MatrixProduct,
    Multiply,
    MultiplyVector,
    Operate,
    OuterProduct,
    OuterProductSupport,
    SharedArray,
    Splat,
    Stage,
    Store,
    SumAccumulate,
    Unary,
    Unstage,
    Vector,
    VectorLoad,
    VectorProduct,
    VectorStore,
)

from . import by_hand
from .by_hand import HALF, SINGLE, image, in_rows, numbered, octets

SOURCE = "2025-09-19"
ANY = ("F16", "F32", "I16", "I32", "U32", "PackedS8x32", "PackedU8x32")
CAPS = replace(
    SOURCE_CAPS,
    wave_sizes=(4, 8, 32),
    construction=tuple(Construction(component, 1, 4, 1) for component in ANY),
    products=tuple(
        MatrixProduct(*types, ((4, 4, 4),), group_threads=(4, 64))
        for types in (("F16", "F16", "F16"), ("F16", "F16", "F32"), ("I16", "I16", "I32"))
    ),
    vector_products=(
        VectorProduct("F16", "F16", "F32", ("F32",)),
        VectorProduct("I32", "PackedS8x32", "I32", ("I32",)),
    ),
    outer_products=(OuterProductSupport("F16", "F16"), OuterProductSupport("F32", "F32")),
    atomics=tuple(AtomicSum(component, True, True) for component in ANY[:5]),
)
"""A device that supports whatever these programs use."""


def checked(program):
    """The program, which the rules of this text let through."""
    assert (SPEC.rejected(program, CAPS), SPEC.undefined(program, CAPS)) == (frozenset(), frozenset())
    return program


def is_right(program, contents, left, readings=None):
    return by_hand.is_right(checked(program), contents, left, readings, revision=SOURCE)


def points(program, contents):
    return by_hand.points(checked(program), contents, revision=SOURCE)


def judged(program, contents):
    """Every element that is stored is judged."""
    return all(not region.legal.why.any() for region in by_hand.expected(program, contents, revision=SOURCE).regions)


BUFFERS = (Buffer("a", 1024, 16), Buffer("out", 1024, 16))


def one(matrix, *body, **fields):
    return LinalgProgram(fields.pop("buffers", BUFFERS), body, (matrix,), **fields)


def poison(program, buffer):
    """What a view holds where nobody writes."""
    held = by_hand.expected(program, {}, revision=SOURCE)
    (view,) = (each for each in program.buffers if each.name == buffer)
    return held.images[buffer][0, view.base : view.base + view.size].tobytes()


def written(program, buffer, *parts):
    found = bytearray(poison(program, buffer))
    for start, part in parts:
        found[start : start + len(part)] = part
    return bytes(found)


def shown(program, *parts, into="out"):
    return {into: written(program, into, *parts)}


# Bounds: the whole matrix or nothing.


@pytest.mark.parametrize("layout", ["RowMajor", "ColMajor"])
def test_a_load_with_one_element_outside_is_zero_all_over(layout):
    values = numbered(4, 8)
    short = (Buffer("a", 62 if layout == "RowMajor" else 118, 16), Buffer("out", 1024, 16))
    stride = 16
    program = one(
        Matrix("M", "F16", 4, 8, "A"), Load("M", "a", 0, stride, layout), Store("M", "out", 0, 16), buffers=short
    )
    held = {"a": image(short[0].size, (0, octets(*range(short[0].size // 2), dtype=HALF)))}
    zeros = in_rows(np.zeros((4, 8), HALF), 0, 16)
    assert is_right(program, held, shown(program, *zeros))
    lines = values if layout == "RowMajor" else np.array([[c * 8 + r for c in range(8)] for r in range(4)], HALF)
    each = lines.copy()
    each[3, 7] = 0
    assert not is_right(program, held, shown(program, *in_rows(each, 0, 16)))
    way = "row" if layout == "RowMajor" else "column"
    assert f"LINALG-LOAD-OOB-ZERO/Wave-{way}" in points(program, held)


def test_each_wave_has_bounds_of_its_own():
    program = one(
        Matrix("M", "F16", 2, 4, "A"),
        Load("M", "a", Affine(0, 16), 8),
        Store("M", "out", Affine(0, 64), 8),
        buffers=(Buffer("a", 30, 16), Buffer("out", 256, 16)),
        waves=2,
    )
    held = {"a": octets(*range(15), dtype=HALF)}
    first, zeros = in_rows(numbered(2, 4), 0, 8), in_rows(np.zeros((2, 4), HALF), 64, 8)
    assert is_right(program, held, shown(program, *first, *zeros))


def test_padding_behind_the_last_element_does_not_count():
    program = one(
        Matrix("M", "F16", 2, 4, "A"),
        Load("M", "a", 0, 12),
        Store("M", "out", 0, 12),
        buffers=(Buffer("a", 20, 16), Buffer("out", 20, 16)),
    )
    held = {"a": octets(*range(10), dtype=HALF)}
    rows = np.array([[0, 1, 2, 3], [6, 7, 8, 9]], HALF)
    assert is_right(program, held, shown(program, *in_rows(rows, 0, 12)))


def test_an_element_partly_outside_is_outside_whatever_words_are():
    """A view of 6 bytes ends in the middle of a word: elements are checked, no words (LINALG-AMB-19)."""
    program = one(
        Matrix("M", "F16", 1, 4, "Accumulator"),
        Splat("M", "half", Literal(0x3C00)),
        Store("M", "out", 0, 8),
        buffers=(Buffer("a", 16, 16), Buffer("out", 10, 16)),
    )
    assert is_right(program, {}, shown(program, (0, octets(1, 1, 1, 1, dtype=HALF))))
    assert not is_right(program, {}, shown(program))
    assert not by_hand.expected(program, {}, revision=SOURCE).consulted


def test_a_store_with_one_element_outside_does_nothing():
    program = one(
        Matrix("M", "F32", 2, 4, "Accumulator"),
        Splat("M", "float", Literal(0x3F800000)),
        Store("M", "out", 0, 16),
        buffers=(Buffer("a", 16, 16), Buffer("out", 28, 16)),
    )
    assert is_right(program, {}, shown(program))
    ones = octets(*[1] * 7, dtype=SINGLE)
    assert not is_right(program, {}, shown(program, (0, ones)))
    assert "LINALG-STORE-OOB-NOOP/Wave-row" in points(program, {})


def test_an_accumulation_with_one_element_outside_does_nothing():
    program = one(
        Matrix("M", "F32", 2, 4, "Accumulator"),
        Splat("M", "float", Literal(0x3F800000)),
        InterlockedAccumulate("M", "out", 0, 16),
        buffers=(Buffer("a", 16, 16), Buffer("out", 28, 16)),
    )
    held = {"out": octets(*range(7), dtype=SINGLE)}
    assert is_right(program, held, held)
    assert not is_right(program, held, {"out": octets(*range(1, 8), dtype=SINGLE)})
    assert "LINALG-ACC-OOB-NOOP/Wave-row" in points(program, held)


def test_rows_that_overlap_are_loaded_as_they_lie():
    """LINALG-AMB-05: the stride is half a row."""
    program = one(Matrix("M", "F16", 4, 8, "A"), Load("M", "a", 4, 8, data=None), Store("M", "out", 0, 16))
    held = {"a": octets(*range(512), dtype=HALF)}
    rows = np.array([[2 + 4 * r + c for c in range(8)] for r in range(4)], HALF)
    assert is_right(program, held, shown(program, *in_rows(rows, 0, 16)))


def test_the_alignment_parameter_changes_nothing():
    matrix = Matrix("M", "F16", 4, 8, "A")
    plain = one(matrix, Load("M", "a", 4, 20), Store("M", "out", 8, 20))
    told = one(matrix, Load("M", "a", 4, 20, align=4), Store("M", "out", 8, 20, align=4))
    held = {"a": octets(*range(512), dtype=HALF)}
    rows = np.array([[2 + 10 * r + c for c in range(8)] for r in range(4)], HALF)
    for program in (plain, told):
        assert is_right(program, held, shown(program, *in_rows(rows, 8, 20)))
    assert {point for point in points(told, held) if "PARAMETER" in point} == {
        "LINALG-ALIGN-PARAMETER/load", "LINALG-ALIGN-PARAMETER/store",
    }  # fmt: skip
    assert not any("PARAMETER" in point for point in points(plain, held))


# Arrays: each element converted.


def through_array(component, element, size, m=2, n=4, load=(3, 6), into=(0, 5)):
    """A matrix loaded from an array of one type, and stored in another of the same."""
    body = (
        Stage("g", "a", 0, 32),
        Barrier(),
        Load("M", "g", *load),
        Store("M", "h", *into),
        Store("M", "out", 0, 64),
        Barrier(),
        Unstage("h", "b", 0, 16),
    )
    arrays = (SharedArray("g", element, 32), SharedArray("h", element, 16))
    buffers = (Buffer("a", 32 * size, 16), Buffer("out", 256, 16), Buffer("b", 16 * size, 16))
    return LinalgProgram(buffers, body, (Matrix("M", component, m, n, "Accumulator"),), arrays=arrays)


def test_loads_from_an_array_convert_and_so_do_stores():
    program = through_array("F16", "int", 4)
    numbers = np.arange(32, dtype=np.int32) * 3 - 40
    numbers[4], numbers[5] = 1 << 20, 2049
    held = {"a": numbers.tobytes()}
    loaded = np.array([[numbers[3 + 6 * r + c] for c in range(4)] for r in range(2)], np.float64)
    halves = loaded.copy()
    halves[0, 1], halves[0, 2] = 65504, 2048
    back = halves.astype(np.int32)
    parts = in_rows(halves.astype(HALF), 0, 64), in_rows(back, 0, 20)
    wanted = shown(program, *parts[0]) | shown(program, *parts[1], into="b")
    assert is_right(program, held, wanted)
    raw = numbers.view(HALF)[6:10]
    assert not is_right(program, held, wanted | shown(program, (0, raw.tobytes()), *parts[0][1:]))
    found = points(program, held)
    assert {
        "LINALG-LOAD-GS-CONV/int-F16", "LINALG-STORE-GS-CONV/int-F16", "LINALG-GS-PLACES/load-row-padded",
        "LINALG-GS-PLACES/store-row-padded", "LINALG-CONV-INT-FLOAT/s32-f16", "LINALG-CONV-FLOAT-INT/f16-s32",
    } <= found  # fmt: skip
    assert not any(point.startswith(("LINALG-GS-NOCONV", "LINALG-GS-UNITS")) for point in found)


def test_an_array_of_the_matrixs_type_is_taken_as_it_is():
    program = through_array("F32", "float", 4)
    numbers = np.arange(32, dtype=SINGLE) / 4
    numbers[3] = np.nan
    held = {"a": numbers.tobytes()}
    rows = np.array([[numbers[3 + 6 * r + c] for c in range(4)] for r in range(2)], SINGLE)
    wanted = shown(program, *in_rows(rows, 0, 64)) | shown(program, *in_rows(rows, 0, 20), into="b")
    assert is_right(program, held, wanted)
    assert "LINALG-STORE-NOCONV/F32" in points(program, held)


def test_floats_become_the_nearest_integers_and_stay_in_range():
    program = through_array("I16", "float", 4)
    numbers = np.zeros(32, SINGLE)
    numbers[3:7] = 2.5, -3.5, 1e9, -np.inf
    held = {"a": numbers.tobytes()}
    rows = np.array([[2, -4, 32767, -32768], [0, 0, 0, 0]], np.int16)
    back = rows.astype(SINGLE)
    wanted = shown(program, *in_rows(rows, 0, 64)) | shown(program, *in_rows(back, 0, 20), into="b")
    assert is_right(program, held, wanted)
    rows[0, 0] = 3
    assert not is_right(program, held, wanted | shown(program, *in_rows(rows, 0, 64)))


def test_sums_in_an_array_convert_first():
    matrix = Matrix("M", "F32", 2, 4, "Accumulator")
    body = (
        Stage("g", "a", 0, 16),
        Splat("M", "float", Literal(0x3FC00000)),
        Barrier(),
        InterlockedAccumulate("M", "g", 1, 8),
        Barrier(),
        Unstage("g", "out", 0, 16),
    )
    program = LinalgProgram(
        (Buffer("a", 64, 16), Buffer("out", 64, 16)), body, (matrix,), arrays=(SharedArray("g", "int", 16),)
    )
    numbers = np.arange(16, dtype=np.int32)
    summed = numbers.copy()
    for place in (1, 2, 3, 4, 9, 10, 11, 12):
        summed[place] += 2  # 1.5 is 2
    assert is_right(program, {"a": numbers.tobytes()}, {"out": summed.tobytes()})


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
