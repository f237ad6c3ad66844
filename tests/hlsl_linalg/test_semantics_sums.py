"""Atomic sums into buffers, arrays and optimal layouts: every addend counts, in any order."""

from __future__ import annotations

import numpy as np
import pytest

from mmaspec.programs.base import Affine, Buffer, Literal
from mmaspec.programs.hlsl_linalg import (
    Barrier,
    ConvertLayout,
    InterlockedAccumulate,
    LinalgProgram,
    Load,
    Matrix,
    OuterProduct,
    SharedArray,
    Splat,
    Stage,
    Unstage,
    Vector,
    VectorAccumulate,
    VectorLoad,
)

from .by_hand import HALF, SINGLE, expected, image, in_rows, is_right, left, octets, points

KINDS = {"I32": np.int32, "U32": np.uint32, "I64": np.int64, "F16": HALF, "F32": SINGLE, "I16": np.int16}


def summing(component, offset=0, waves=1, scope="Wave", view=512, layout="RowMajor", more=()):
    return LinalgProgram(
        buffers=(Buffer("a", 1024, 0), Buffer("d", view, 0)),
        matrices=(Matrix("C", component, 4, 4, "Accumulator", scope),),
        body=(
            Load("C", "a", Affine(0, 256), 64) if scope == "Wave" else Load("C", "a", 0, 64),
            InterlockedAccumulate("C", "d", offset, 64, layout),
            *more,
        ),
        waves=waves,
    )


X = np.arange(16).reshape(4, 4) - 4
Y = 3 * np.arange(16).reshape(4, 4) % 7
OLD = 100 - np.arange(16).reshape(4, 4)


@pytest.mark.parametrize("scope", ["Wave", "ThreadGroup"])
@pytest.mark.parametrize("component", ["I32", "U32", "I64", "F16", "F32"])
def test_elements_are_added_to_memory(component, scope):
    kind = KINDS[component]
    values = np.abs(X).astype(kind)
    program = summing(component, scope=scope)
    held = {"a": image(1024, *in_rows(values, 0, 64)), "d": image(512, *in_rows(OLD.astype(kind), 0, 64))}
    answer = (OLD + np.abs(X)).astype(kind)
    assert is_right(program, held, left(program, held, "d", *in_rows(answer, 0, 64)))
    assert not is_right(program, held, left(program, held, "d", *in_rows(values, 0, 64)))
    assert not is_right(program, held, left(program, held, "d"))
    assert f"LINALG-ACC-ADD/{component}" in points(program, held)


def test_the_layout_is_that_of_the_accumulation():
    program = summing("I32", layout="ColMajor")
    held = {
        "a": image(1024, *in_rows(X.astype(np.int32), 0, 64)),
        "d": image(512, *in_rows(OLD.astype(np.int32), 0, 64)),
    }
    answer = (OLD + X.T).astype(np.int32)
    assert is_right(program, held, left(program, held, "d", *in_rows(answer, 0, 64)))
    assert not is_right(program, held, left(program, held, "d", *in_rows((OLD + X).astype(np.int32), 0, 64)))


@pytest.mark.parametrize("component", ["I32", "F16", "F32"])
def test_no_addend_of_several_waves_is_lost(component):
    kind = KINDS[component]
    program = summing(component, waves=2)
    held = {
        "a": image(1024, *in_rows(X.astype(kind), 0, 64), *in_rows(Y.astype(kind), 256, 64)),
        "d": image(512, *in_rows(OLD.astype(kind), 0, 64)),
    }
    right = (OLD + X + Y).astype(kind)
    assert is_right(program, held, left(program, held, "d", *in_rows(right, 0, 64)))
    for lost in (OLD + X, OLD + Y, X + Y):
        assert not is_right(program, held, left(program, held, "d", *in_rows(lost.astype(kind), 0, 64)))
    assert any(point.startswith("LINALG-ATOMIC/Wave") for point in points(program, held))


def test_floats_may_be_added_in_any_order():
    """Old 1, addends 2^24 and -2^24 in f32: 1 + 2^24 is a tie, so that 1 or 0 remains, and more if rounded up."""
    program = summing("F32", waves=2)
    big = np.full((4, 4), 2.0**24, SINGLE)
    held = {
        "a": image(1024, *in_rows(big, 0, 64), *in_rows(-big, 256, 64)),
        "d": image(512, *in_rows(np.ones((4, 4), SINGLE), 0, 64)),
    }
    for value in (0, 1, 2):
        answer = np.full((4, 4), value, SINGLE)
        assert is_right(program, held, left(program, held, "d", *in_rows(answer, 0, 64)))
    for value in (100, -100, 2.0**24):
        answer = np.full((4, 4), value, SINGLE)
        assert not is_right(program, held, left(program, held, "d", *in_rows(answer, 0, 64)))


def two_instructions(barrier):
    """Old + 2^24, then two more addends by later instructions: 1 and -2^24."""
    one = int(np.array([1], SINGLE).view(np.uint32)[0])
    minus = int(np.array([-(2.0**24)], SINGLE).view(np.uint32)[0])
    between = (Barrier(),) if barrier else ()
    return summing(
        "F32",
        more=(
            *between,
            Splat("C", "float", Literal(one)),
            InterlockedAccumulate("C", "d", 0, 64),
            *between,
            Splat("C", "float", Literal(minus)),
            InterlockedAccumulate("C", "d", 0, 64),
        ),
    )


@pytest.mark.parametrize("barrier", [False, True])
def test_addends_of_several_instructions_are_all_there(barrier):
    program = two_instructions(barrier)
    values = np.full((4, 4), 2.0**24, SINGLE)
    old = np.full((4, 4), 8, SINGLE)
    held = {"a": image(1024, *in_rows(values, 0, 64)), "d": image(512, *in_rows(old, 0, 64))}
    for value, right in ((9, True), (8, True), (10, True), (-100, False), (1000, False)):
        answer = np.full((4, 4), value, SINGLE)
        assert is_right(program, held, left(program, held, "d", *in_rows(answer, 0, 64))) == right


def test_what_a_tiny_addend_loses_beside_a_large_one_counts_in_whatever_order_it_comes():
    """-2^24 first leaves nothing large; but without a barrier the large addends may still be there."""
    ones = int(np.array([1], SINGLE).view(np.uint32)[0])
    steps = []
    for _ in range(6):
        steps += [Splat("C", "float", Literal(ones)), InterlockedAccumulate("C", "d", 0, 64)]
    program = summing("F32", more=tuple(steps))
    old, first = np.full((4, 4), 2.0**25, SINGLE), np.full((4, 4), -(2.0**25), SINGLE)
    held = {"a": image(1024, *in_rows(first, 0, 64)), "d": image(512, *in_rows(old, 0, 64))}
    for value in (0, 6, 24):  # six ones beside 2^25, where the unit is 4: each may be lost, or become 4
        answer = np.full((4, 4), value, SINGLE)
        assert is_right(program, held, left(program, held, "d", *in_rows(answer, 0, 64)))


def test_integers_beyond_the_range_are_a_reading():
    program = summing("I32")
    held = {
        "a": image(1024, *in_rows(np.full((4, 4), 2**31 - 1, np.int32), 0, 64)),
        "d": image(512, *in_rows(np.full((4, 4), 2, np.int32), 0, 64)),
    }
    for reading, value in (("wrap", -(2**31) + 1), ("saturate", 2**31 - 1)):
        answer = np.full((4, 4), value, np.int32)
        assert is_right(program, held, left(program, held, "d", *in_rows(answer, 0, 64)), {"LINALG-AMB-17": reading})
        wrong = left(program, held, "d", *in_rows(answer - 1, 0, 64))
        assert not is_right(program, held, wrong, {"LINALG-AMB-17": reading})
    assert expected(program, held).consulted == {"LINALG-AMB-17"}


def test_sums_check_their_bounds_as_stores_do():
    program = summing("I32", view=200)
    held = {
        "a": image(1024, *in_rows(X.astype(np.int32), 0, 64)),
        "d": image(200, *in_rows(OLD.astype(np.int32)[:3], 0, 64), (192, octets(5, 6, dtype=np.int32))),
    }
    each = (OLD + X).astype(np.int32)
    last = (np.array([5, 6]) + X[3, :2]).astype(np.int32)
    assert is_right(program, held, left(program, held, "d", *in_rows(each[:3], 0, 64), (192, last.tobytes())))
    assert is_right(program, held, left(program, held, "d"))
    assert not is_right(program, held, left(program, held, "d", *in_rows(each[:3], 0, 64)))
    assert "LINALG-OOB-ACC/Wave-row" in points(program, held)


# Vectors


def test_every_thread_adds_its_vector():
    program = LinalgProgram(
        buffers=(Buffer("b", 64, 0), Buffer("d", 64, 0)),
        vectors=(Vector("v", "F16", 3),),
        body=(VectorLoad("v", "b", Affine(lane=8)), VectorAccumulate("v", "d", 0)),
        wave_size=4,
    )
    values = np.array([[1, 2, 3], [10, 20, 30], [0, -1, 5], [7, 7, 7]])
    rows = [(8 * lane, row.astype(HALF).tobytes()) for lane, row in enumerate(values)]
    held = {"b": image(64, *rows), "d": image(64, (0, octets(100, 200, 300, dtype=HALF)))}
    total = np.array([100, 200, 300]) + values.sum(axis=0)
    assert is_right(program, held, left(program, held, "d", (0, total.astype(HALF).tobytes())))
    for lane in range(4):
        lost = (total - values[lane]).astype(HALF)
        assert not is_right(program, held, left(program, held, "d", (0, lost.tobytes())))
    assert {"LINALG-ATOMIC/vector-F16", "LINALG-VEC-ACC/F16"} <= points(program, held)


# Arrays


def into_array(component, element, target=None, width=0):
    matrix = Matrix("C", component, 4, 4, "Accumulator")
    size = {"half": 2, "uint64_t": 8, "int64_t": 8}.get(element, 4)
    count = 256 // size
    return LinalgProgram(
        buffers=(Buffer("a", 1024, 0), Buffer("d", 512, 0)),
        matrices=(matrix,),
        arrays=(SharedArray("g", element, count // max(width, 1), width),),
        body=(
            Stage("g", "d", 0, count), Barrier(), Load("C", "a", Affine(0, 256), 64),
            InterlockedAccumulate("C", "g", 0, 8, target=target), Barrier(), Unstage("g", "d", 256, count),
        ),
        waves=2,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("component", "element", "kind"),
    [
        ("F32", "float", SINGLE),
        ("F16", "half", HALF),
        ("I32", "int", np.int32),
        ("F32", "int", np.int32),
        ("I16", "float", SINGLE),
    ],
)
def test_sums_into_an_array_are_in_its_type(component, element, kind):
    program = into_array(component, element)
    first, second = X + 0.5 * (element == "int" and component == "F32"), Y
    held = {
        "a": image(
            1024, *in_rows(first.astype(KINDS[component]), 0, 64), *in_rows(second.astype(KINDS[component]), 256, 64)
        ),
        "d": image(512, (0, np.zeros(256, np.uint8).tobytes())),
    }
    # 8 elements of the array from row to row
    size = np.dtype(kind).itemsize
    answer = (np.rint(first) + second).astype(kind)
    whole = bytearray(256)
    for row in range(4):
        whole[row * 8 * size : row * 8 * size + 4 * size] = answer[row].tobytes()
    assert is_right(program, held, left(program, held, "d", (256, bytes(whole))))
    whole[0] ^= 0x40
    whole[size - 1] ^= 1
    assert not is_right(program, held, left(program, held, "d", (256, bytes(whole))))
    converted = {("F32", "int"): "LINALG-ACC-GS-CONV/f32-s32", ("I16", "float"): "LINALG-ACC-GS-CONV/s16-f32"}
    if (component, element) in converted:
        assert converted[component, element] in points(program, held)


def test_packed_words_are_added_as_they_are_said_to_be():
    program = into_array("F16", "uint8_t4_packed", "I8")
    held = {
        "a": image(1024, *in_rows(np.full((4, 4), 100, HALF), 0, 64), *in_rows(np.full((4, 4), 20.5, HALF), 256, 64)),
        "d": image(512, (0, np.full(256, 5, np.int8).tobytes())),
    }
    whole = np.full(256, 5, np.int8)
    for row in range(4):
        whole[row * 8 : row * 8 + 4] = 125  # 5 + 100 + 20, in signed bytes
    chosen = {"LINALG-AMB-12": "lowest-first"}
    assert is_right(program, held, left(program, held, "d", (256, whole.tobytes())), chosen)
    whole[0] = 126
    assert not is_right(program, held, left(program, held, "d", (256, whole.tobytes())), chosen)


# Optimal layouts


def test_outer_products_of_all_threads_are_summed_where_a_conversion_put_a_matrix():
    program = LinalgProgram(
        buffers=(Buffer("b", 512, 0), Buffer("m", 512, 0), Buffer("opt", 512, 0), Buffer("d", 512, 0)),
        matrices=(Matrix("C", "F32", 2, 3, "Accumulator", "Thread"),),
        vectors=(Vector("x", "F16", 2), Vector("y", "F16", 3)),
        body=(
            ConvertLayout("F32", 2, 3, "m", 0, "RowMajor", "opt", 128, "OuterProductOptimal", 16, 0, 64),
            VectorLoad("x", "b", Affine(lane=16)), VectorLoad("y", "b", Affine(8, lane=16)),
            OuterProduct("C", "x", "y"), InterlockedAccumulate("C", "opt", 128),
            ConvertLayout("F32", 2, 3, "opt", 128, "OuterProductOptimal", "d", 0, "RowMajor", 0, 16),
        ),
        wave_size=4,
    )  # fmt: skip
    x = np.array([[1, 2], [3, -1], [0, 5], [2, 2]])
    y = np.array([[1, 0, 2], [4, 1, 1], [-3, 2, 7], [1, 1, 1]])
    old = np.array([[10, 20, 30], [40, 50, 60]])
    parts = [(16 * lane, x[lane].astype(HALF).tobytes()) for lane in range(4)]
    parts += [(16 * lane + 8, y[lane].astype(HALF).tobytes()) for lane in range(4)]
    held = {"b": image(512, *parts), "m": image(512, *in_rows(old.astype(SINGLE), 0, 16))}
    total = (old + np.einsum("ti,tj->ij", x, y)).astype(SINGLE)
    assert is_right(program, held, left(program, held, "d", *in_rows(total, 0, 16)))
    lost = (total - np.outer(x[2], y[2])).astype(SINGLE)
    assert not is_right(program, held, left(program, held, "d", *in_rows(lost, 0, 16)))
    turned = (old + np.einsum("ti,tj->ij", x[:, ::-1], y)).astype(SINGLE)
    assert not is_right(program, held, left(program, held, "d", *in_rows(turned, 0, 16)))
    opaque = left(program, held, "opt", (128, bytes(64)))
    assert is_right(program, held, left(program, held, "d", *in_rows(total, 0, 16)) | opaque)
    assert "LINALG-OUTER-SUM/F32" in points(program, held)


@pytest.mark.parametrize("component", ["I32", "I64"])
def test_alternatives_have_the_same_regions(component):
    """So that what is wrong can be told by any of them: also where half of an element of eight bytes is inside."""
    program = summing(component, view=204)
    kind = KINDS[component]
    held = {"a": image(1024, *in_rows(X.astype(kind), 0, 64)), "d": image(204, (0, bytes(204)))}
    for reading in ("element", "dword"):
        demanded = expected(program, held, {"LINALG-AMB-29": reading})
        assert len(demanded.others) == 1
        for other in demanded.others:
            assert [one.legal.shape for one in other.regions] == [one.legal.shape for one in demanded.regions]
            assert [one.buffer for one in other.regions] == [one.buffer for one in demanded.regions]
