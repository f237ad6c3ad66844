"""Clauses of memory, one by one: a program written by hand, and where the document's sentence puts its elements."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from mmaspec.oracle.expectation import Defined
from mmaspec.programs.base import Affine, FromBuffer, Literal
from mmaspec.programs.hlsl_wave_matrix.program import (
    Barrier,
    ElementType,
    Fill,
    Instruction,
    Load,
    Matrix,
    MatrixKind,
    ScalarAdd,
    SharedArray,
    Stage,
    Store,
    SumAccumulate,
)

from .by_hand import BYTES, SIZE, WIDTH, acted, answer, element, elements, program, signed, stored, tight

KINDS: tuple[tuple[MatrixKind, ElementType, int, tuple[int, int]], ...] = (
    ("left", "u8", 32, (16, 32)),
    ("right", "f16", 16, (16, 64)),
    ("accumulator", "s32", 0, (16, 64)),
    ("left-col-acc", "f32", 0, (16, 1)),
    ("right-row-acc", "s32", 0, (1, 64)),
)
"""Every kind of matrix for M = 16 and N = 64, with the rows and columns that the document gives it."""


ADDRESSES: list[tuple[str, Matrix, Load, tuple[int, int, int, int]]] = [
    ("WM-ADDR-ROW", Matrix("X", "left", "u8", 16, 16, 32), Load("X", "in", 12, 36), (1, 12, 36, 1)),
    ("WM-ADDR-ROW", Matrix("X", "right", "f16", 16, 64, 16), Load("X", "in", 8, 140), (2, 8, 140, 2)),
    ("WM-ADDR-ROW", Matrix("X", "accumulator", "f32", 16, 16), Load("X", "in", 4, 72), (4, 4, 72, 4)),
    ("WM-ADDR-COL", Matrix("X", "left", "u8", 16, 16, 32), Load("X", "in", 12, 20, 1), (1, 12, 1, 20)),
    ("WM-ADDR-COL", Matrix("X", "right", "f16", 16, 64, 16), Load("X", "in", 8, 44, 1), (2, 8, 2, 44)),
    ("WM-ADDR-FRAG", Matrix("X", "left-col-acc", "s32", 16, 64), Load("X", "in", 16, 12), (4, 16, 12, 0)),
    ("WM-ADDR-FRAG", Matrix("X", "right-row-acc", "f16", 64, 64), Load("X", "in", 20, 8), (2, 20, 0, 8)),
    ("WM-ADDR-FRAG", Matrix("X", "right-row-acc", "f16", 64, 64), Load("X", "in", 20, 2), (2, 20, 0, 2)),
    ("WM-ADDR-FRAG", Matrix("X", "left-col-acc", "f16", 64, 16), Load("X", "in", 8, 6), (2, 8, 6, 0)),
    # Four elements of a dword are neighbours in a row, or in a column where columns lie one after the other.
    ("WM-PACK-DIR", Matrix("X", "right", "s8", 16, 16, 32), Load("X", "in", 0, 16), (1, 0, 16, 1)),
    ("WM-PACK-DIR", Matrix("X", "right", "s8", 16, 16, 32), Load("X", "in", 0, 32, 1), (1, 0, 1, 32)),
]


@pytest.mark.parametrize(
    ("clause", "matrix", "load", "where"), ADDRESSES, ids=[f"{n}-{c}" for n, (c, *_) in enumerate(ADDRESSES)]
)
def test_elements_lie_at_these_bytes(clause: str, matrix: Matrix, load: Load, where: tuple[int, int, int, int]) -> None:
    """``where``: width, then bytes of the start, of a row and of a column."""
    found = answer(program((matrix,), load, tight(matrix)))
    assert np.array_equal(stored(found), elements((matrix.rows, matrix.cols), *where))
    assert clause in acted(found)


@pytest.mark.parametrize(
    ("load", "where"),
    [
        (Load("X", "in", 8, Affine(64, lane=4)), (2, 8, 64, 2)),
        (Load("X", "in", 8, 64, Affine(0, lane=1)), (2, 8, 64, 2)),
        (Load("X", "in", 8, 64, Affine(1, lane=1)), (2, 8, 2, 64)),
    ],
    ids=["stride", "row-major", "column-major"],
)
def test_the_first_lane_decides_on_an_access(load: Load, where: tuple[int, int, int, int]) -> None:
    """WM-FIRST-LANE: what further lanes say of stride and orientation does not matter."""
    matrix = Matrix("X", "accumulator", "f16", 16, 16)
    store = Store("X", "out", 4, Affine(32, lane=8), Affine(0, lane=1))
    found = answer(program((matrix,), load, store))
    assert np.array_equal(stored(found), elements((16, 16), *where))
    rows, cols = np.indices((16, 16))
    assert np.array_equal(found.regions[-1].addresses[0], 4 + 32 * rows + 2 * cols)
    assert "WM-FIRST-LANE" in acted(found)


SHARED: list[tuple[Matrix, Load, tuple[int, int, int, int]]] = [
    # Offset 1 and stride 9 count dwords of four elements.
    (Matrix("X", "left", "u8", 16, 16, 32), Load("X", "g", 1, 9), (1, 4, 36, 1)),
    (Matrix("X", "left", "u8", 16, 16, 32), Load("X", "g", 1, 5, 1), (1, 4, 1, 20)),
    (Matrix("X", "right", "f16", 16, 16, 16), Load("X", "g", 3, 17), (2, 6, 34, 2)),
    (Matrix("X", "left-col-acc", "f32", 16, 16), Load("X", "g", 2, 3), (4, 8, 12, 0)),
]


@pytest.mark.parametrize(("matrix", "load", "where"), SHARED, ids=["packed-row", "packed-column", "f16", "fragment"])
def test_arrays_are_counted_in_their_elements(matrix: Matrix, load: Load, where: tuple[int, int, int, int]) -> None:
    """WM-ADDR-GS, under the reading that is shown: the lowest byte of a dword is its first element."""
    array = SharedArray("g", matrix.element, 400)
    body = (Stage("g", "in", 128, 400), Barrier(), load, tight(matrix))
    found = answer(program((matrix,), *body, arrays=(array,)))
    width, start, row, col = where
    assert np.array_equal(stored(found), elements((matrix.rows, matrix.cols), width, 128 + start, row, col))
    assert "WM-ADDR-GS" in acted(found)


@pytest.mark.parametrize(("kind", "component", "k", "shape"), KINDS, ids=[kind for kind, *_ in KINDS])
@pytest.mark.parametrize("source", ["read-only", "read-write", "array"])
def test_every_kind_is_loaded_and_stored(
    kind: MatrixKind, component: ElementType, k: int, shape: tuple[int, int], source: str
) -> None:
    """WM-LOAD-ALL, WM-STORE-ALL, WM-SHAPE: so many rows and columns, from every sort of memory, stored twice alike."""
    matrix, width = Matrix("X", kind, component, 16, 64, k), WIDTH[component]
    store = tight(matrix)
    fields: dict[str, Any] = {"read_only": ("in",)} if source == "read-only" else {}
    body: tuple[Instruction, ...] = (Load("X", "in", 0, store.stride),)
    if source == "array":
        per = 4 if component == "u8" else 1
        step = 1 if matrix.is_fragment else shape[1] // per
        fields = {"arrays": (SharedArray("g", component, shape[0] * shape[1] // per),)}
        body = (Stage("g", "in", 0, fields["arrays"][0].length), Barrier(), Load("X", "g", 0, step))
    found = answer(program((matrix,), *body, store, tight(matrix, offset=SIZE // 2), **fields))
    assert [region.legal.shape for region in found.regions] == 2 * [(1, 1, *shape)]
    step = width if source == "array" else int(store.stride)
    row, col = (step, step) if matrix.is_fragment else (shape[1] * width, width)
    wanted = elements(shape, width, 0, row if shape[0] > 1 else 0, col if shape[1] > 1 else 0)
    assert np.array_equal(stored(found, region=0), wanted)
    assert np.array_equal(stored(found, region=1), wanted)
    assert {"WM-LOAD-ALL", "WM-STORE-ALL"} <= acted(found)
    assert ("WM-SHAPE" in acted(found)) == (kind in ("right", "accumulator"))


def test_a_store_writes_elements_only() -> None:
    """WM-STORE-ONLY-ELEMS: 32 bytes of every 48, and nothing in the guard zones."""
    matrix = Matrix("X", "left", "u8", 16, 16, 32)
    found = answer(program((matrix,), Load("X", "in", 0, 32), Store("X", "out", 16, 48)))
    rows = found.owned["out"][64 + 16 : 64 + 16 + 16 * 48].reshape(16, 48)
    assert rows[:, :32].all()
    assert not rows[:, 32:].any()
    assert int(found.owned["out"].sum()) == 16 * 32
    assert "WM-STORE-ONLY-ELEMS" in acted(found)


def test_a_store_has_an_orientation_of_its_own() -> None:
    """WM-STORE-TRANSPOSE: loaded by rows, stored by columns."""
    matrix = Matrix("X", "right", "f16", 16, 64, 16)
    found = answer(program((matrix,), Load("X", "in", 0, 128), Store("X", "out", 4, 36, 1)))
    (region,) = found.regions
    rows, cols = np.indices((16, 64))
    assert np.array_equal(region.addresses[0], 4 + 36 * cols + 2 * rows)
    assert np.array_equal(stored(found), elements((16, 64), 2, 0, 128, 2))
    assert "WM-STORE-TRANSPOSE" in acted(found)


@pytest.mark.parametrize("col_major", [0, 1])
def test_what_is_stored_as_it_was_loaded_has_the_same_bytes(col_major: int) -> None:
    """WM-ROUNDTRIP: byte n of the elements is byte n again."""
    matrix, stride = Matrix("X", "left", "s8", 16, 16, 32), 40
    found = answer(program((matrix,), Load("X", "in", 8, stride, col_major), Store("X", "out", 8, stride, col_major)))
    (region,) = found.regions
    assert np.array_equal(stored(found), BYTES[region.addresses[0]])
    assert len(np.unique(region.addresses)) == 16 * 32
    assert "WM-ROUNDTRIP" in acted(found)


def filled(kind: MatrixKind, component: ElementType, value: Literal | FromBuffer) -> Defined:
    matrix = Matrix("X", kind, component, 16, 64, {"left": 32, "right": 32}.get(kind, 0) // WIDTH[component])
    return answer(program((matrix,), Fill("X", value), tight(matrix)))


@pytest.mark.parametrize(
    ("kind", "component", "bits", "one"),
    [
        ("left", "u8", 0x2121_2121, 0x21),
        ("right", "f16", 0x3555, 0x3555),
        ("accumulator", "s32", 0xFFFF_FFFB, 0xFFFF_FFFB),
        ("left-col-acc", "f32", 0x3F80_0001, 0x3F80_0001),
        ("right-row-acc", "s32", 0x8000, 0x8000),
    ],
)
def test_a_fill_reaches_every_element(kind: MatrixKind, component: ElementType, bits: int, one: int) -> None:
    """WM-FILL, with a constant."""
    found = filled(kind, component, Literal(bits))
    assert (stored(found) == one).all()
    assert "WM-FILL" in acted(found)


def test_a_fill_may_come_from_memory() -> None:
    """WM-FILL, with a value that is known at run time only."""
    assert (stored(filled("accumulator", "s32", FromBuffer("in", 36))) == element(36, 4)).all()


FIRST_LANE: list[tuple[Matrix, tuple[Instruction, ...], tuple[Instruction, ...]]] = [
    (
        Matrix("X", "left", "u8", 16, 16, 32),
        (Load("X", "in", 0, Affine(36, lane=4)),),
        (Load("X", "in", 0, 36),),
    ),
    (
        Matrix("X", "accumulator", "s32", 16, 16),
        (Load("X", "in", 0, 64, Affine(1, lane=-1)),),
        (Load("X", "in", 0, 64, 1),),
    ),
    (
        Matrix("X", "accumulator", "s32", 16, 16),
        (Load("X", "in", 0, 64), ScalarAdd("X", Literal(3), lane=2)),
        (Load("X", "in", 0, 64), ScalarAdd("X", Literal(3))),
    ),
]


@pytest.mark.parametrize(("matrix", "differing", "first"), FIRST_LANE, ids=["stride", "orientation", "scalar"])
def test_the_first_lane_decides(
    matrix: Matrix, differing: tuple[Instruction, ...], first: tuple[Instruction, ...]
) -> None:
    """WM-FIRST-LANE."""
    one, other = (answer(program((matrix,), *body, tight(matrix))) for body in (differing, first))
    assert np.array_equal(stored(one), stored(other))
    assert "WM-FIRST-LANE" in acted(one)
    assert "WM-FIRST-LANE" not in acted(other)


def test_waves_have_matrices_of_their_own() -> None:
    """WM-ONE-PER-WAVE: three waves load three parts and add three sums, each its own."""
    left, total = Matrix("A", "left", "u8", 16, 16, 32), Matrix("F", "left-col-acc", "s32", 16, 16)
    body = (
        Load("A", "in", Affine(0, wave=512), 32),
        Fill("F", Literal(5)),
        SumAccumulate("F", "A"),
        Store("F", "out", Affine(0, wave=64), 4),
    )
    found = answer(program((left, total), *body, waves=3))
    for wave in range(3):
        part = BYTES[512 * wave :][:512].reshape(16, 32).astype(np.int64)
        assert np.array_equal(signed(found, wave)[:, 0], 5 + part.sum(axis=1))
    assert "WM-ONE-PER-WAVE" in acted(found)
