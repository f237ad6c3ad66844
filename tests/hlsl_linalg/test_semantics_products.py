"""Products of matrices and vectors, conversions of vectors, and sums, with results worked out by hand."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest
from msgspec.structs import replace

from mmaspec.oracle.hlsl_linalg.practice import PRACTICE_RULES, product_rules
from mmaspec.programs.base import Affine, Buffer, Literal
from mmaspec.programs.formats import FORMATS
from mmaspec.programs.hlsl_linalg import (
    Branch,
    Cast,
    LinalgProgram,
    Load,
    Matrix,
    MemoryBias,
    Multiply,
    MultiplyAccumulate,
    MultiplyVector,
    OuterProduct,
    Splat,
    Store,
    Vector,
    VectorLoad,
    VectorStore,
)
from mmaspec.programs.profile import Profile

from .by_hand import HALF, SINGLE, expected, image, in_rows, is_right, left, octets, points

KINDS = {
    "I8": np.int8, "U8": np.uint8, "I16": np.int16, "I32": np.int32, "I64": np.int64, "F16": HALF, "F32": SINGLE,
    "F64": np.float64, "BFloat16": ml_dtypes.bfloat16, "F8_E4M3FN": ml_dtypes.float8_e4m3fn,
    "F8_E5M2": ml_dtypes.float8_e5m2,
}  # fmt: skip


def product(a, b, c, m=4, k=4, n=4, scope="Wave", start=None, waves=1):
    """C = A * B, or C += A * B from a constant."""
    body = [Load("A", "a", 0, 64), Load("B", "b", 0, 64)]
    if start is None:
        body.append(Multiply("C", "A", "B"))
    else:
        body += [Splat("C", "float", Literal(int(np.array([start], SINGLE).view(np.uint32)[0])))]
        body.append(MultiplyAccumulate("C", "A", "B"))
    body.append(Store("C", "d", 0, 64))
    return LinalgProgram(
        buffers=(Buffer("a", 512, 0), Buffer("b", 512, 0), Buffer("d", 512, 0)),
        matrices=(
            Matrix("A", a, m, k, "A", scope),
            Matrix("B", b, k, n, "B", scope),
            Matrix("C", c, m, n, "Accumulator", scope),
        ),
        body=tuple(body),
        waves=waves,
    )  # fmt: skip


def holding(a, b):
    return {"a": image(512, *in_rows(a, 0, 64)), "b": image(512, *in_rows(b, 0, 64))}


def exact(a, b, start=0):
    """The product in Python's numbers."""
    return [
        [start + sum(int(x) * int(y) for x, y in zip(row, column, strict=True)) for column in b.T.tolist()]
        for row in a.astype(np.float64).tolist()
    ] if not np.issubdtype(a.dtype, np.integer) else [
        [start + sum(x * y for x, y in zip(row, column, strict=True)) for column in b.T.tolist()] for row in a.tolist()
    ]  # fmt: skip


COMBINATIONS = [
    ("I8", "I8", "I32"), ("U8", "U8", "I32"), ("I8", "U8", "I32"), ("I16", "I16", "I64"), ("I32", "I32", "I64"),
    ("F16", "F16", "F32"), ("F16", "F16", "F16"), ("BFloat16", "BFloat16", "F32"), ("F8_E4M3FN", "F8_E5M2", "F32"),
    ("F8_E5M2", "F8_E5M2", "F16"), ("F64", "F64", "F64"), ("F32", "F32", "F32"),
]  # fmt: skip


@pytest.mark.parametrize("scope", ["Wave", "ThreadGroup"])
@pytest.mark.parametrize(("a", "b", "c"), COMBINATIONS)
def test_products_of_small_integers_are_exact(a, b, c, scope):
    """LINALG-INT-EXACT, and LINALG-FP-SUM where the small integers are floats."""
    left_hand = np.array([[1, -2, 3, 4], [0, 5, -6, 7], [8, -1, 2, 1], [3, 3, 0, -4]])
    right_hand = np.array([[2, 0, -1, 4], [1, 1, 1, -3], [-2, 5, 0, 1], [6, -1, 2, 2]])
    left_hand = np.abs(left_hand) if a == "U8" else left_hand
    right_hand = np.abs(right_hand) if b == "U8" else right_hand
    values = left_hand.astype(KINDS[a]), right_hand.astype(KINDS[b])
    answer = np.array(exact(left_hand, right_hand)).astype(KINDS[c])
    program = product(a, b, c, scope=scope)
    held = holding(*values)
    assert is_right(program, held, left(program, held, "d", *in_rows(answer, 0, 64)))
    for row, column in ((0, 0), (3, 2)):
        wrong = answer.copy()
        wrong[row, column] += 1
        assert not is_right(program, held, left(program, held, "d", *in_rows(wrong, 0, 64)))
    transposed = np.array(exact(right_hand.T, left_hand.T)).astype(KINDS[c]).T
    assert (transposed == answer).all()
    assert f"LINALG-MUL/typed-{scope}" in points(program, held)


def test_a_product_of_many_tiles_is_the_whole_product():
    """LINALG-TILING: K = 32 is two shapes of K = 16 long."""
    program = replace(product("I8", "I8", "I32", k=32), buffers=tuple(Buffer(name, 2048, 0) for name in "abd"))
    a, b = np.arange(128).reshape(4, 32) % 7 - 3, np.arange(128).reshape(32, 4) % 5 - 1
    held = {
        "a": image(2048, *in_rows(a.astype(np.int8), 0, 64)),
        "b": image(2048, *in_rows(b.astype(np.int8), 0, 64)),
    }
    assert is_right(program, held, left(program, held, "d", *in_rows((a @ b).astype(np.int32), 0, 64)))
    half = (a[:, :16] @ b[:16]).astype(np.int32)
    assert not is_right(program, held, left(program, held, "d", *in_rows(half, 0, 64)))
    assert "LINALG-TILING/4x32x4" in points(program, held)


def test_multiply_accumulate_keeps_what_was_there():
    a, b = np.eye(4, dtype=np.int8) * 3, np.arange(16, dtype=np.int8).reshape(4, 4)
    program = product("I8", "I8", "I32", start=100)
    held = holding(a, b)
    answer = (100 + 3 * np.arange(16).reshape(4, 4)).astype(np.int32)
    assert is_right(program, held, left(program, held, "d", *in_rows(answer, 0, 64)))
    assert not is_right(program, held, left(program, held, "d", *in_rows(answer - 100, 0, 64)))


def test_signs_are_those_of_the_types():
    a, b = np.full((4, 4), -1, np.int8), np.full((4, 4), 255, np.uint8)
    program = product("I8", "U8", "I32")
    held = holding(a, b)
    answer = np.full((4, 4), -4 * 255, np.int32)
    assert is_right(program, held, left(program, held, "d", *in_rows(answer, 0, 64)))
    for wrong in (4, 4 * 255 * 255, -4):  # unsigned A, both unsigned, signed B
        other = np.full((4, 4), wrong, np.int32)
        assert not is_right(program, held, left(program, held, "d", *in_rows(other, 0, 64)))
    assert "LINALG-MIXED-SIGNS/s8-u8" in points(program, held)


@pytest.mark.parametrize(("a", "c", "bits"), [("I32", "I32", 32), ("I32", "I64", 64)])
def test_beyond_the_accumulator_it_is_a_reading(a, c, bits):
    """Four products of 2^30 and 2^31 - 1, or of 2^31 and 2^31 - 1 (all times -1) into 64 bits, which still fit."""
    value = 2**30
    left_hand = np.full((4, 4), value, np.int32)
    right_hand = np.full((4, 4), 4, np.int32)
    program = product(a, a, c)
    held = holding(left_hand, right_hand)
    whole = 4 * 4 * value
    answers = {
        "wrap": (whole + 2 ** (bits - 1)) % 2**bits - 2 ** (bits - 1),
        "saturate": min(whole, 2 ** (bits - 1) - 1),
    }
    for reading, value in answers.items():
        answer = np.full((4, 4), value, KINDS[c])
        chosen = {"LINALG-AMB-17": reading}
        assert is_right(program, held, left(program, held, "d", *in_rows(answer, 0, 64)), chosen)
        other = left(program, held, "d", *in_rows(answer - 1, 0, 64))
        assert not is_right(program, held, other, chosen)
        assert is_right(program, held, other, {"LINALG-AMB-17": "undefined"}) == (bits == 32)
    assert ("LINALG-AMB-17" in expected(program, held).consulted) == (bits == 32)


def test_sums_beyond_64_bits_are_a_reading_as_well():
    left_hand = np.full((4, 4), -(2**31), np.int64)
    right_hand = np.full((4, 4), 2**31, np.int64)
    program = product("I64", "I64", "I64")
    held = holding(left_hand, right_hand)  # -4 * 2^62 = -2^64
    for reading, value in (("wrap", 0), ("saturate", -(2**63)), ("saturate-steps", -(2**63))):
        answer = np.full((4, 4), value, np.int64)
        right = left(program, held, "d", *in_rows(answer, 0, 64))
        assert is_right(program, held, right, {"LINALG-AMB-17": reading})
        assert not is_right(
            program, held, left(program, held, "d", *in_rows(answer + 1, 0, 64)), {"LINALG-AMB-17": reading}
        )


def test_nan_and_infinities_in_products():
    a = np.eye(4, dtype=HALF)
    a[0, 0], a[1, 1] = np.nan, np.inf
    b = np.ones((4, 4), HALF)
    b[1, 2] = 0
    program = product("F16", "F16", "F32")
    held = holding(a, b)
    answer = np.ones((4, 4), SINGLE)
    answer[0], answer[1] = np.nan, np.inf
    answer[1, 2] = np.nan  # infinity times zero
    assert is_right(program, held, left(program, held, "d", *in_rows(answer, 0, 64)))
    for row, column, value in ((0, 1, 1), (1, 0, 3e38), (1, 2, np.inf), (2, 0, np.nan)):
        wrong = answer.copy()
        wrong[row, column] = value
        assert not is_right(program, held, left(program, held, "d", *in_rows(wrong, 0, 64)))
    assert "LINALG-FP-NAN/product" in points(program, held)


@pytest.mark.parametrize("component", ["F8_E4M3FN", "F8_E5M2"])
def test_products_of_8_bit_floats_may_keep_13_fraction_bits(component):
    """256 and four products of 2^-6: a unit that keeps 13 fraction bits below 256 loses them (2^-5 and less)."""
    a = np.zeros((4, 4))
    a[0] = [16, 2.0**-3, 2.0**-3, 2.0**-3]
    b = np.zeros((4, 4))
    b[:, 0] = [16, 2.0**-3, 2.0**-3, 2.0**-3]
    wide, kept = np.zeros((4, 4), SINGLE), np.zeros((4, 4), SINGLE)
    wide[0, 0], kept[0, 0] = 256 + 3 * 2.0**-6, 256
    program = product(component, component, "F32")
    held = holding(a.astype(KINDS[component]), b.astype(KINDS[component]))
    for answer in (wide, kept):
        assert is_right(program, held, left(program, held, "d", *in_rows(answer, 0, 64)))
    far = wide.copy()
    far[0, 0] = 258
    assert not is_right(program, held, left(program, held, "d", *in_rows(far, 0, 64)))
    declared = Profile(name="wide", accumulator_precision=24, kept_fraction_bits=23)
    assert is_right(program, held, left(program, held, "d", *in_rows(wide, 0, 64)), profile=declared)
    assert not is_right(program, held, left(program, held, "d", *in_rows(kept, 0, 64)), profile=declared)
    half = product("F16", "F16", "F32")
    held = holding(a.astype(HALF), b.astype(HALF))
    assert not is_right(half, held, left(half, held, "d", *in_rows(kept, 0, 64)))


def test_what_8_bit_floats_are_held_to_is_never_more_than_the_accumulator_has():
    formats = {name: FORMATS[name] for name in ("e4m3", "e5m2", "f16", "bf16", "f32")}
    for a in ("e4m3", "e5m2"):
        found = [
            product_rules(PRACTICE_RULES, PRACTICE_RULES, formats[a], formats["f16"], formats[c])
            for c in ("f32", "f16", "bf16")
        ]
        assert [(rules.accumulator_precision, rules.kept_fraction_bits) for rules in found] == [
            (14, 13),
            (11, 10),
            (8, 7),
        ]
    same = product_rules(PRACTICE_RULES, PRACTICE_RULES, formats["f16"], formats["bf16"], formats["f32"])
    assert same is PRACTICE_RULES


# A conversion to an 8-bit float that only products use may be left out


def emulated():
    return LinalgProgram(
        buffers=(Buffer("a", 512, 0), Buffer("b", 512, 0), Buffer("d", 512, 0)),
        matrices=(
            Matrix("S", "F16", 4, 4, "A"), Matrix("A", "F8_E4M3FN", 4, 4, "A"), Matrix("B", "F8_E4M3FN", 4, 4, "B"),
            Matrix("C", "F32", 4, 4, "Accumulator"),
        ),
        body=(
            Load("S", "a", 0, 64), Cast("A", "S"), Load("B", "b", 0, 64), Multiply("C", "A", "B"),
            Store("C", "d", 0, 64),
        ),
    )  # fmt: skip


def test_a_conversion_to_an_8_bit_float_may_be_left_out():
    a, b = np.eye(4, dtype=HALF) * 17, np.eye(4).astype(ml_dtypes.float8_e4m3fn)
    nearest = Profile(name="nearest", rounding="nearest-even")  # 17 becomes 16, on a tie
    program = emulated()
    held = holding(a, b)
    for value, right in ((16, True), (17, True), (18, False), (16.5, False)):
        answer = np.eye(4, dtype=SINGLE) * SINGLE(value)
        assert is_right(program, held, left(program, held, "d", *in_rows(answer, 0, 64)), profile=nearest) == right
    mixed = np.diag(np.array([16, 17, 16, 17], SINGLE))  # one or the other, not both in one program
    assert not is_right(program, held, left(program, held, "d", *in_rows(mixed, 0, 64)), profile=nearest)
    assert "LINALG-FP8-EMULATE/product" in points(program, held)


# Vectors


def vector_product(vector="F16", matrix="F16", result="F32", bias=None, k=4, m=3, lanes=2):
    body = [Load("A", "a", Affine(lane=256), 16), VectorLoad("v", "b", Affine(lane=64))]
    if isinstance(bias, str):
        body.append(VectorLoad("z", "b", Affine(256, lane=64)))
    body += [
        MultiplyVector("r", "A", "v", "z" if isinstance(bias, str) else bias),
        VectorStore("r", "d", Affine(lane=64)),
    ]
    vectors = [Vector("v", vector, k), Vector("r", result, m)]
    vectors += [Vector("z", bias, m)] if isinstance(bias, str) else []
    return LinalgProgram(
        buffers=(Buffer("a", 512, 0), Buffer("b", 512, 0), Buffer("d", 512, 0)),
        matrices=(Matrix("A", matrix, m, k, "A", "Thread"),),
        vectors=tuple(vectors),
        body=tuple(body),
        read_only=("a", "b"),
        wave_size=lanes,
    )


A0 = np.array([[1, 2, 3, 4], [0, -1, 2, 5], [7, 0, 1, -2]])
A1 = np.array([[2, 0, 1, 1], [3, 3, 0, 0], [-1, 4, 2, 6]])
V0, V1 = np.array([1, -2, 3, 4]), np.array([5, 1, 0, 2])


def vector_image(matrix, vector, *more):
    rows = [*in_rows(A0.astype(KINDS[matrix]), 0, 16), *in_rows(A1.astype(KINDS[matrix]), 256, 16)]
    columns = [(0, V0.astype(KINDS[vector]).tobytes()), (64, V1.astype(KINDS[vector]).tobytes())]
    return {"a": image(512, *rows), "b": image(512, *columns, *more)}


TRIPLES = [
    ("F16", "F16", "F32"), ("F16", "F16", "F16"), ("I8", "I8", "I32"), ("F32", "I8", "I32"),
    ("F16", "F8_E4M3FN", "F16"), ("F8_E5M2", "F8_E5M2", "F32"),
]  # fmt: skip


@pytest.mark.parametrize(("vector", "matrix", "result"), TRIPLES)
def test_every_thread_multiplies_its_own_matrix_by_its_own_column(vector, matrix, result):
    program = vector_product(vector, matrix, result)
    held = vector_image(matrix, vector)
    answers = [(A0 @ V0).astype(KINDS[result]), (A1 @ V1).astype(KINDS[result])]
    parts = [(0, answers[0].tobytes()), (64, answers[1].tobytes())]
    lowest = {"LINALG-AMB-12": "lowest-first"}
    assert is_right(program, held, left(program, held, "d", *parts), lowest)
    shared = [(0, answers[0].tobytes()), (64, answers[0].tobytes())]
    assert not is_right(program, held, left(program, held, "d", *shared), lowest)
    off = [(0, (answers[0] + 1).astype(KINDS[result]).tobytes()), parts[1]]
    assert not is_right(program, held, left(program, held, "d", *off), lowest)
    assert {"LINALG-SCOPE-THREAD-UNIQUE/vector", "LINALG-VEC-OWN/product"} <= points(program, held)


def test_the_order_of_packed_components_is_a_reading():
    program = vector_product("I8", "I8", "I32")
    held = vector_image("I8", "I8")
    turned = [(0, (A0 @ V0[::-1]).astype(np.int32).tobytes()), (64, (A1 @ V1[::-1]).astype(np.int32).tobytes())]
    assert is_right(program, held, left(program, held, "d", *turned), {"LINALG-AMB-12": "highest-first"})
    assert not is_right(program, held, left(program, held, "d", *turned), {"LINALG-AMB-12": "lowest-first"})


@pytest.mark.parametrize(("bias", "result"), [("F16", "F32"), ("F32", "F32"), ("I32", "I32")])
def test_a_bias_is_added(bias, result):
    kind = "I8" if result == "I32" else "F16"
    program = vector_product(kind, kind, result, bias)
    biases = np.array([[10, 20, 30], [-1, -2, -3]])
    more = [(256 + 64 * lane, row.astype(KINDS[bias]).tobytes()) for lane, row in enumerate(biases)]
    held = vector_image(kind, kind, *more)
    answers = [(A0 @ V0 + biases[0]).astype(KINDS[result]), (A1 @ V1 + biases[1]).astype(KINDS[result])]
    parts = [(64 * lane, answer.tobytes()) for lane, answer in enumerate(answers)]
    assert is_right(program, held, left(program, held, "d", *parts))
    without = [(0, (A0 @ V0).astype(KINDS[result]).tobytes()), parts[1]]
    assert not is_right(program, held, left(program, held, "d", *without))
    assert f"LINALG-VECMULADD/{kind}-{kind}-{result}" in points(program, held)


def test_a_bias_in_memory_is_converted_before_it_is_added():
    program = vector_product("F16", "F16", "F16", MemoryBias("b", 256, "F32"))
    held = vector_image("F16", "F16", (256, octets(10, 1 + 2.0**-11, 100000, dtype=SINGLE)))
    base = np.stack([A0 @ V0, A1 @ V1]).astype(np.float64)
    for small in (1, 1 + 2.0**-10):  # either neighbour in f16
        with np.errstate(over="ignore"):
            answers = [np.array([row[0] + 10, row[1] + small, np.inf], HALF) for row in base]
        assert is_right(
            program, held, left(program, held, "d", *[(64 * i, one.tobytes()) for i, one in enumerate(answers)])
        )
    wrong = [np.array([row[0] + 11, row[1] + 1, np.inf], HALF) for row in base]
    assert not is_right(
        program, held, left(program, held, "d", *[(64 * i, one.tobytes()) for i, one in enumerate(wrong)])
    )
    assert {"LINALG-BIAS-MEMORY/F32", "LINALG-BIAS-CONV/F32-F16"} <= points(program, held)


def test_a_float_vector_becomes_integers_for_an_integer_matrix():
    """LINALG-VEC-INPUT-CONV."""
    program = vector_product("F32", "I8", "I32", lanes=1)
    rows = in_rows(A0.astype(np.int8), 0, 16)
    held = {"a": image(512, *rows), "b": image(512, (0, octets(0.5, 1.5, 300, -2.5, dtype=SINGLE)))}
    answer = (A0 @ np.array([0, 2, 127, -2])).astype(np.int32)  # to nearest even, saturated
    assert is_right(program, held, left(program, held, "d", (0, answer.tobytes())))
    truncated = (A0 @ np.array([0, 1, 127, -2])).astype(np.int32)
    assert not is_right(program, held, left(program, held, "d", (0, truncated.tobytes())))


def test_threads_outside_a_branch_keep_what_they_have():
    """LINALG-THREAD-FLOW."""
    program = vector_product("I8", "I8", "I32")
    *loads, multiply, store = program.body
    program = LinalgProgram(
        program.buffers,
        (*loads, multiply, Branch(1, (VectorLoad("r", "b", 128),)), store),
        program.matrices,
        program.vectors,
        read_only=program.read_only,
        wave_size=2,
    )
    held = vector_image("I8", "I8", (128, octets(7, 8, 9, dtype=np.int32)))
    parts = [(0, octets(7, 8, 9, dtype=np.int32)), (64, (A1 @ V1).astype(np.int32).tobytes())]
    assert is_right(program, held, left(program, held, "d", *parts), {"LINALG-AMB-12": "lowest-first"})


def outer(vector, matrix, m=3, n=4):
    """An outer product of every thread. No store shows it: it can be added to memory, or looked at as a state."""
    return LinalgProgram(
        buffers=(Buffer("b", 512, 0), Buffer("d", 512, 0)),
        matrices=(Matrix("C", matrix, m, n, "Accumulator", "Thread"),),
        vectors=(Vector("x", vector, m), Vector("y", vector, n)),
        body=(
            VectorLoad("x", "b", Affine(lane=64)),
            VectorLoad("y", "b", Affine(32, lane=64)),
            OuterProduct("C", "x", "y"),
        ),
        wave_size=2,
    )


@pytest.mark.parametrize(("vector", "matrix"), [("F16", "F16"), ("F16", "F32"), ("I32", "I32"), ("F64", "F64")])
def test_an_outer_product_has_columns_times_rows(vector, matrix):
    program = outer(vector, matrix)
    x, y = np.array([[1, 2, 3], [-1, 5, 0]]), np.array([[4, 5, 6, 7], [1, 0, 2, -3]])
    parts = [(64 * i, x[i].astype(KINDS[vector]).tobytes()) for i in (0, 1)]
    parts += [(64 * i + 32, y[i].astype(KINDS[vector]).tobytes()) for i in (0, 1)]
    step = expected(program, {"b": image(512, *parts)}).steps[-1]
    answer = np.einsum("ti,tj->tij", x, y)[np.newaxis].astype(KINDS[matrix])
    bits = answer.view(f"u{answer.itemsize}").astype(np.uint64)
    assert not step.legal.illegal(bits).any()
    assert step.legal.exact.all()
    assert step.writes == "C"


def test_an_inexact_outer_product_is_a_neighbour_of_the_exact_one():
    program = outer("F16", "F16")
    x = np.array([1 + 2.0**-10, 1, 1], HALF)
    held = {
        "b": image(
            512,
            *[(64 * i, x.tobytes()) for i in (0, 1)],
            *[(64 * i + 32, octets(*[1 + 2.0**-10] * 4, dtype=HALF)) for i in (0, 1)],
        )
    }
    legal = expected(program, held).steps[-1].legal
    # (1 + 2^-10)^2 = 1 + 2^-9 + 2^-20: between 1 + 2^-9 and the next
    assert (int(legal.lo[0, 0, 0, 0]), int(legal.hi[0, 0, 0, 0])) == (0x3C02, 0x3C03)
    assert (int(legal.lo[0, 0, 1, 0]), int(legal.hi[0, 0, 1, 0])) == (0x3C01, 0x3C01)
