"""The device under the text of 2025-09-19: arrays that convert, and bounds of whole matrices, with bytes by hand."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from mmaspec.programs.base import Literal
from mmaspec.programs.hlsl_linalg import (
    InterlockedAccumulate,
    Load,
    Matrix,
    SharedArray,
    Splat,
    Stage,
    Store,
    Unstage,
)
from tests.hlsl_linalg.bench import UNTOUCHED, numbers, run
from tests.hlsl_linalg.test_source_values import device

HALVES = Matrix("M", "F16", 8, 16, "A")
WHOLE = Matrix("I", "I16", 8, 16, "A")
SUM = Matrix("S", "F32", 8, 8, "Accumulator")


def test_one_element_outside_empties_a_whole_load() -> None:
    """Rows of 32 bytes at byte 2: the last element ends at byte 258 of 258, or of 257."""
    for size, there in ((258, True), (257, False)):
        given = {"in": np.arange(size, dtype=np.uint8) | 1, "out": 256}
        out = run((Load("M", "in", 2, 32), Store("M", "out", 0, 32)), given, device(), matrices=(HALVES,))["out"]
        assert out.tobytes() == (given["in"][2:258].tobytes() if there else bytes(256))


def test_padding_is_not_bound() -> None:
    """The last of eight rows of 64 bytes ends 32 bytes before the next would start."""
    given = {"in": np.arange(240, dtype=np.uint16), "out": 480}
    body = (Load("M", "in", 0, 64), Store("M", "out", 0, 64))
    found = run(body, given, device(), matrices=(HALVES,))["out"]
    assert np.array_equal(numbers(found, "<u2", 240)[224:], given["in"][224:])


def test_one_element_outside_keeps_a_whole_store_and_sum_away() -> None:
    given = {"in": np.arange(128, dtype=np.uint16), "out": 254}
    out = run((Load("M", "in", 0, 32), Store("M", "out", 0, 32)), given, device(), matrices=(HALVES,))["out"]
    assert (out == UNTOUCHED).all()
    body = (Splat("S", "float", Literal(0x3F800000)), InterlockedAccumulate("S", "out", 0, 32))
    assert not run(body, {"out": np.zeros(63, np.float32)}, device(), matrices=(SUM,))["out"].any()
    assert (
        numbers(run(body, {"out": np.zeros(64, np.float32)}, device(), matrices=(SUM,))["out"], "<f4", 64) == 1
    ).all()


def test_any_stride_and_address_is_taken() -> None:
    """Rows of 32 bytes overlap at a stride of 6, from byte 10 on."""
    given = {"in": np.arange(100, dtype=np.uint16), "out": 266}
    body = (Load("M", "in", 10, 6, align=2), Store("M", "out", 10, 32))
    found = numbers(run(body, given, device(), matrices=(HALVES,))["out"], "<u2", 8, 16, start=10)
    assert np.array_equal(found, 5 + 3 * np.arange(8)[:, None] + np.arange(16))


@pytest.mark.parametrize(
    ("element", "dtype", "values"),
    [("float", "<f4", [0.5, 2049, -1e9]), ("int", "<i4", [1, 2049, -70000]), ("int16_t", "<i2", [1, 2049, -7])],
)
def test_a_load_converts_what_an_array_of_another_type_holds(element: Any, dtype: str, values: list[float]) -> None:
    """2049 lies between two halves, of which 2048 is even; beyond them there is infinity."""
    held = np.resize(np.array(values, dtype), 160)
    body = (
        Stage("g", "in", 0, 160),
        Load("M", "g", 3, 18),
        Store("M", "out", 0, 32),
    )
    array = SharedArray("g", element, 160)
    found = numbers(
        run(body, {"in": held, "out": 256}, device(), matrices=(HALVES,), arrays=(array,))["out"], "<f2", 8, 16
    )
    with np.errstate(over="ignore"):
        halves = held.astype(np.float64).astype(np.float16)
    assert np.array_equal(found, halves[3 + 18 * np.arange(8)[:, None] + np.arange(16)])


def test_a_load_saturates_integers() -> None:
    held = np.resize(np.array([5, 40000, 0xFFFFFFFF], np.uint32), 128)
    body = (Stage("g", "in", 0, 128), Load("I", "g", 0, 8, "ColMajor"), Store("I", "out", 0, 16, "ColMajor"))
    array = SharedArray("g", "uint", 128)
    out = run(body, {"in": held, "out": 256}, device(), matrices=(WHOLE,), arrays=(array,))["out"]
    assert np.array_equal(numbers(out, "<i2", 128), np.minimum(held, 32767))


def test_a_store_converts_to_the_type_of_an_array() -> None:
    """2.5 and 3.5 are halfway between integers: the even ones. Between the rows the array keeps what it has."""
    values = np.resize(np.array([2.5, 3.5, -0.75, 100], np.float16), 128)
    body = (
        Stage("g", "fill", 0, 200),
        Load("M", "in", 0, 32),
        Store("M", "g", 1, 24),
        Unstage("g", "out", 0, 200),
    )
    given = {"in": values, "fill": np.full(200, 77, np.int32), "out": 800}
    array = SharedArray("g", "int", 200)
    found = numbers(run(body, given, device(), matrices=(HALVES,), arrays=(array,))["out"], "<i4", 200)
    assert found[0] == 77
    rows = found[1 : 1 + 192].reshape(8, 24)
    assert np.array_equal(rows[:, :16], np.resize([2, 4, -1, 100], (8, 16)))
    assert (rows[:, 16:] == 77).all()


def test_words_of_uint_hold_packed_components() -> None:
    """One row of 16 bytes is four words: nothing is converted."""
    row = Matrix("P", "PackedS8x32", 16, 16, "A")
    held = np.arange(64, dtype=np.uint32) * 0x01010101
    body = (Stage("g", "in", 0, 64), Load("P", "g", 0, 4), Store("P", "out", 0, 16))
    array = SharedArray("g", "uint", 64)
    out = run(body, {"in": held, "out": 256}, device(), matrices=(row,), arrays=(array,))["out"]
    assert out.tobytes() == held.tobytes()


def test_sums_into_an_array_are_made_in_its_type() -> None:
    array = SharedArray("g", "int", 64)
    body = (
        Stage("g", "in", 0, 64),
        Splat("S", "float", Literal(0x40200000)),
        InterlockedAccumulate("S", "g", 0, 8),
        Unstage("g", "out", 0, 64),
    )
    given = {"in": np.arange(64, dtype=np.int32), "out": 256}
    out = run(body, given, device(), matrices=(SUM,), arrays=(array,))["out"]
    assert np.array_equal(numbers(out, "<i4", 64), np.arange(64) + 2)
