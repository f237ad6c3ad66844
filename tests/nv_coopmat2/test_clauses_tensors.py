"""Clauses of tensors, one by one: a layout and a view written by hand, and the word that each element finds.

Word n holds n + 1. Every expected word is computed from row and column by the document's sentence, in plain numbers.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from mmaspec.oracle.nv_coopmat2 import SPEC
from mmaspec.programs.base import Literal
from mmaspec.programs.nv_coopmat2.caps import DEFAULT_CAPS
from mmaspec.programs.nv_coopmat2.program import (
    CLAMP_TO_EDGE,
    CONSTANT,
    MIRROR_REPEAT,
    REPEAT,
    UNDEFINED,
    Echo,
    Layout,
    LoadTensor,
    Matrix,
    SetBlockSize,
    SetClampValue,
    SetClip,
    SetDimension,
    SetStride,
    Setter,
    SetViewDimensions,
    SetViewStride,
    Slice,
    Splat,
    Store,
    StoreTensor,
    View,
)

from .by_hand import SIDE, TARGET, acted, answer, numbers, program, table

OLD = -5
"""What the matrix holds before the load."""
OUTSIDE = 0
"""The clamp value of a new layout."""
Rule = Callable[[int, int], int]
"""Row and column of an element -> what it holds after the load."""


def word(index: int) -> int:
    """What the memory holds there."""
    return index + 1


def inside(rows: range, cols: range, rule: Rule, otherwise: int) -> Rule:
    """The rule where row and column lie in these ranges."""
    return lambda r, c: rule(r, c) if r in rows and c in cols else otherwise


def mirrored(c: int, size: int) -> int:
    """To and fro between the first and the last coordinate: 0 1 2 1 0 1 2 ..."""
    turn = c % (2 * size - 2)
    return turn if turn < size else 2 * size - 2 - turn


ALL = range(SIDE)
SQUARE = SetDimension((16, 16))
WIDE = SetDimension((32, 32))
SMALL = SetDimension((8, 8))
CUT = Slice((-2, -3), (16, 16))

LAYOUTS: list[tuple[str, int, tuple[Setter, ...], Rule]] = [
    ("NVCM2-LINEAR", CONSTANT, (SetDimension((4, 64)), SetStride((100, 1))),
     lambda r, c: word((16 * r + c) // 64 * 100 + (16 * r + c) % 64)),
    ("NVCM2-CREATE-LAYOUT", CONSTANT, (SQUARE, Slice((8, 0), (16, 16))),
     inside(range(8), ALL, lambda r, c: word(16 * (r + 8) + c), OUTSIDE)),
    ("NVCM2-SETBLOCK", CONSTANT, (SQUARE, SetBlockSize((2, 2))), lambda r, c: word(16 * (r // 2) + c // 2)),
    ("NVCM2-SETDIM", CONSTANT, (SetBlockSize((3, 5)), SQUARE), lambda r, c: word(4 * (r // 3) + c // 5)),
    ("NVCM2-SETDIM", CONSTANT, (WIDE,), lambda r, c: word((16 * r + c) // 32 * 32 + (16 * r + c) % 32)),
    ("NVCM2-SETDIM-ORDER", CONSTANT, (WIDE, SetStride((64, 2)), Slice((3, 3), (4, 4)), SQUARE),
     lambda r, c: word(16 * r + c)),
    ("NVCM2-SETDIM-ORDER", CONSTANT, (SetBlockSize((4, 4)), SQUARE, SetBlockSize((2, 2))),
     lambda r, c: word(4 * (r // 2) + c // 2)),
    ("NVCM2-SETSTRIDE", CONSTANT, (SQUARE, SetStride((32, 2))), lambda r, c: word(32 * r + 2 * c)),
    ("NVCM2-STRIDE-SUM", CONSTANT, (SQUARE, SetStride((49, 3))), lambda r, c: word(49 * r + 3 * c)),
    ("NVCM2-SLICE", CONSTANT, (WIDE, Slice((3, 4), (16, 16))), lambda r, c: word(32 * (r + 3) + c + 4)),
    ("NVCM2-SLICE", CONSTANT, (WIDE, Slice((3, 4), (2, 2)), Slice((1, -2), (16, 16))),
     lambda r, c: word(32 * (r + 4) + c + 2)),
    ("NVCM2-SPANCOORD", CONSTANT, (WIDE, Slice((0, 0), (8, 16))), lambda r, c: word(32 * (r % 8) + c)),
    ("NVCM2-OFFSET", CONSTANT, (WIDE, Slice((-2, 20), (16, 16))),
     inside(range(2, 16), range(12), lambda r, c: word(32 * (r - 2) + c + 20), OUTSIDE)),
    ("NVCM2-CLAMP-CONST", CONSTANT, (SetClampValue(0xFFFF_FFF7), SMALL, CUT),
     inside(range(2, 10), range(3, 11), lambda r, c: word(8 * (r - 2) + c - 3), -9)),
    ("NVCM2-CLAMPVALUE", CONSTANT, (SMALL, CUT, SetClampValue(9), SetClampValue(70)),
     inside(range(2, 10), range(3, 11), lambda r, c: word(8 * (r - 2) + c - 3), 70)),
    ("NVCM2-CLAMP-EDGE", CLAMP_TO_EDGE, (SMALL, CUT),
     lambda r, c: word(8 * min(max(r - 2, 0), 7) + min(max(c - 3, 0), 7))),
    ("NVCM2-CLAMP-REPEAT", REPEAT, (SMALL, CUT), lambda r, c: word(8 * ((r + 6) % 8) + (c + 5) % 8)),
    ("NVCM2-CLAMP-MIRROR", MIRROR_REPEAT, (SMALL, CUT), lambda r, c: word(8 * mirrored(r - 2, 8) + mirrored(c - 3, 8))),
    ("NVCM2-CLAMP-PERDIM", CLAMP_TO_EDGE, (SetDimension((32, 8)), Slice((20, 4), (16, 16))),
     lambda r, c: word(8 * min(r + 20, 31) + min(c + 4, 7))),
    ("NVCM2-CLAMP-PERDIM", CONSTANT, (SetDimension((32, 8)), Slice((20, 4), (16, 16))),
     inside(range(12), range(4), lambda r, c: word(8 * (r + 20) + c + 4), OUTSIDE)),
    ("NVCM2-BLOCK", CONSTANT, (SetBlockSize((2, 4)), SQUARE), lambda r, c: word(4 * (r // 2) + c // 4)),
    ("NVCM2-BLOCK", CLAMP_TO_EDGE, (SetBlockSize((2, 4)), SetDimension((7, 7)), CUT),
     lambda r, c: word(2 * (min(max(r - 2, 0), 6) // 2) + min(max(c - 3, 0), 6) // 4)),
]  # fmt: skip


@pytest.mark.parametrize(
    ("clause", "mode", "calls", "rule"), LAYOUTS, ids=[f"{n}-{c}" for n, (c, *_) in enumerate(LAYOUTS)]
)
def test_elements_find_these_words(clause: str, mode: int, calls: tuple[Setter, ...], rule: Rule) -> None:
    layout = Layout("t", calls, clamp_mode=mode)
    made = program(LoadTensor("c", "in", 0, "t"), Store("c", "out", 0, SIDE), layouts=(layout,))
    found = answer(made, readings={"NVCM2-AMB-19": "ceiling"})
    assert np.array_equal(numbers(found), table((SIDE, SIDE), rule))
    assert clause in acted(found)


def test_a_new_layout_clamps_nothing() -> None:
    """NVCM2-CREATE-LAYOUT: the mode is Undefined unless given, so that a load beyond the layout is."""
    assert Layout("t").clamp_mode == UNDEFINED
    made = program(LoadTensor("c", "in", 0, "t"), layouts=(Layout("t", (SQUARE, Slice((1, 0), (16, 16)))),))
    assert SPEC.undefined(made, DEFAULT_CAPS) == {"NVCM2-CLAMP-UNDEF"}


def number(r: int, c: int) -> int:
    """Of an element of the matrix, row by row."""
    return 16 * r + c


VIEWS: list[tuple[str, Setter, View, Rule]] = [
    ("NVCM2-CREATE-VIEW", SQUARE, View("v"), lambda r, c: word(16 * r + c)),
    ("NVCM2-VIEW-IDENTITY", SQUARE, View("v"), lambda r, c: word(16 * r + c)),
    # A slice of rows of 32: two rows of the matrix are one of those.
    ("NVCM2-VIEW-IDENTITY", SetDimension((8, 32)), View("v"), lambda r, c: word(16 * r + c)),
    ("NVCM2-VIEW-TRANSPOSE", SQUARE, View("v", permutation=(1, 0)), lambda r, c: word(16 * c + r)),
    # Strides of a view without dimensions of its own mean nothing.
    ("NVCM2-VIEW-LINEAR", SQUARE, View("v", (SetViewStride((3, 5)),), permutation=(1, 0)),
     lambda r, c: word(16 * c + r)),
    # 8 x 8 pixels of 4 channels: row r is patch (r / 4, r % 4), column c pixel (c / 8, c / 4 % 2) of it, channel c % 4.
    ("NVCM2-SPACE2DEPTH", SQUARE,
     View("v", (SetViewDimensions((4, 2, 4, 2, 4)),), 5, True, (0, 2, 1, 3, 4)),
     lambda r, c: word(32 * (2 * (r // 4) + c // 8) + 4 * (2 * (r % 4) + c // 4 % 2) + c % 4)),
    ("NVCM2-VIEW-UNRAVEL", SQUARE, View("v", permutation=(1, 0)), lambda r, c: word(16 * c + r)),
    # Axes of 2, 8 and 16: the second is named last and runs fastest, the first slowest.
    ("NVCM2-VIEW-UNRAVEL", SQUARE, View("v", (SetViewDimensions((2, 8, 16)),), 3, True, (0, 2, 1)),
     lambda r, c: word(number(r, c) // 128 * 128 + number(r, c) % 8 * 16 + number(r, c) // 8 % 16)),
    ("NVCM2-VIEW-LINEAR", SetDimension((8, 32)), View("v", permutation=(1, 0)),
     lambda r, c: word(number(r, c) % 8 * 32 + number(r, c) // 8)),
    ("NVCM2-SETVIEWDIM", SQUARE, View("v", (SetViewDimensions((8, 32)),), 2, True, (1, 0)),
     lambda r, c: word(number(r, c) % 8 * 32 + number(r, c) // 8)),
    ("NVCM2-SETVIEWDIM", SQUARE, View("v", (SetViewDimensions((4, 4)), SetViewStride((9, 9)),
                                            SetViewDimensions((16, 16))), 2, True), lambda r, c: word(16 * r + c)),
    ("NVCM2-SETVIEWSTRIDE", SQUARE, View("v", (SetViewDimensions((16, 16)), SetViewStride((1, 16))), 2, True),
     lambda r, c: word(r + 16 * c)),
    ("NVCM2-SETVIEWSTRIDE", SQUARE, View("v", (SetViewDimensions((16, 16)), SetViewStride((2, 3))), 2, True),
     lambda r, c: word(2 * r + 3 * c)),
    ("NVCM2-SETCLIP", SQUARE, View("v", (SetClip(0, 1, 0, 1), SetClip(2, 3, 4, 12))),
     inside(range(2, 5), range(4, 16), lambda r, c: word(12 * (r - 2) + c - 4), OLD)),
    ("NVCM2-CLIP-SKIP", SQUARE, View("v", (SetClip(9, 100, 0, 16),)),
     inside(range(9, 16), ALL, lambda r, c: word(16 * (r - 9) + c), OLD)),
    ("NVCM2-CLIP-INDEX", SQUARE, View("v", (SetClip(2, 3, 4, 5),)),
     inside(range(2, 5), range(4, 9), lambda r, c: word(5 * (r - 2) + c - 4), OLD)),
    ("NVCM2-CLIP-INDEX", SQUARE, View("v", (SetClip(0, 16, 10, 100),)),
     inside(ALL, range(10, 16), lambda r, c: word(16 * r + c - 10), OLD)),
]  # fmt: skip


@pytest.mark.parametrize(("clause", "size", "view", "rule"), VIEWS, ids=[f"{n}-{c}" for n, (c, *_) in enumerate(VIEWS)])
def test_elements_find_these_words_through_a_view(clause: str, size: Setter, view: View, rule: Rule) -> None:
    body = (Splat("c", Literal(OLD & 0xFFFF_FFFF)), LoadTensor("c", "in", 0, "t", view="v"), Store("c", "out", 0, SIDE))
    found = answer(program(*body, layouts=(Layout("t", (size,), clamp_mode=CONSTANT),), views=(view,)))
    assert np.array_equal(numbers(found), table((SIDE, SIDE), rule))
    assert clause in acted(found)


def test_setters_leave_what_they_are_called_on() -> None:
    """NVCM2-FUNCTIONAL, of layouts and views: what is derived differs, what it was derived from does not."""
    layouts = (Layout("t", (WIDE,), clamp_mode=CONSTANT), Layout("u", (Slice((4, 4), (16, 16)),), 2, CONSTANT, "t"))
    views = (View("v"), View("w", (SetClip(0, 2, 0, 16),), start="v"))
    two = (TARGET, Matrix("d", "s32", SIDE, SIDE, 2))
    body = (
        LoadTensor("c", "in", 0, "u"), Store("c", "out", 0, SIDE),
        LoadTensor("d", "in", 0, "t", view="v"), Store("d", "out", 512, SIDE),
    )  # fmt: skip
    found = answer(program(*body, matrices=two, layouts=layouts, views=views))
    assert np.array_equal(numbers(found, 0), table((SIDE, SIDE), lambda r, c: word(32 * (r + 4) + c + 4)))
    assert np.array_equal(numbers(found, 1), table((SIDE, SIDE), lambda r, c: word(16 * r + c)))
    loads = [step for step in found.steps[1:] if step.legal is not None]
    assert ["NVCM2-FUNCTIONAL" in step.clauses for step in loads] == [False, True]


def test_a_load_replaces_whatever_the_matrix_held() -> None:
    """NVCM2-LOAD-INOUT: elements beyond the layout too, which take the clamp value."""
    layout = Layout("t", (SMALL, Slice((0, 0), (16, 16))), clamp_mode=CONSTANT)
    body = (Splat("c", Literal(77)), LoadTensor("c", "in", 0, "t"), Store("c", "out", 0, SIDE))
    found = answer(program(*body, layouts=(layout,)))
    rule = inside(range(8), range(8), lambda r, c: word(8 * r + c), OUTSIDE)
    assert np.array_equal(numbers(found), table((SIDE, SIDE), rule))
    assert "NVCM2-LOAD-INOUT" in acted(found)


def test_a_clamp_value_keeps_the_bits_of_the_component() -> None:
    """NVCM2-CLAMP-CONST: 0x1F9 in eight bits is -7; no decode function is called for it."""
    matrix = Matrix("c", "s8", 16, 32, 0)
    layout = Layout("t", (SetDimension((1, 32)), Slice((5, 0), (16, 32)), SetClampValue(0x1F9)), clamp_mode=CONSTANT)
    decode = Echo(4, (0, 0), (0, 0), 1)
    for load in (LoadTensor("c", "in", 0, "t"), LoadTensor("c", "in", 0, "t", decode=decode)):
        found = answer(program(load, Store("c", "out", 0, 32), matrices=(matrix,), layouts=(layout,)))
        assert (numbers(found) == -7).all()
        assert "NVCM2-CLAMP-CONST" in acted(found)


@pytest.mark.parametrize("mode", [CONSTANT, CLAMP_TO_EDGE, REPEAT, MIRROR_REPEAT])
def test_stores_drop_what_is_outside(mode: int) -> None:
    """NVCM2-CLAMP-STORE-DROP: 5 x 6 elements are stored, each to its own place, and nothing else is written."""
    layout = Layout("t", (SetDimension((5, 6)), Slice((-1, -2), (16, 16))), clamp_mode=mode)
    body = (LoadTensor("c", "in", 0, "whole"), StoreTensor("c", "out", 0, "t"))
    found = answer(program(*body, layouts=(layout,)))
    owned = found.owned["out"]
    assert owned[64 : 64 + 4 * 30].all()
    assert int(owned.sum()) == 4 * 30
    (region,) = found.regions
    places = {int(place): int(value) for place, value in zip(
        region.addresses.ravel(), region.legal.lo.ravel(), strict=True) if place >= 0}  # fmt: skip
    # Element (r, c) of the matrix was word 16 r + c and goes to (r - 1, c - 2).
    assert places == {4 * (6 * (r - 1) + c - 2): word(16 * r + c) for r in range(1, 6) for c in range(2, 8)}
    assert "NVCM2-CLAMP-STORE-DROP" in acted(found)


@pytest.mark.parametrize(("array", "offset"), [("uint8_t", 64), ("uint16_t", 32), ("uint", 16), ("uvec4", 4)])
def test_the_index_counts_components_whatever_the_array(array: str, offset: int) -> None:
    """NVCM2-BYTEADDR: each offset is 64 bytes, which are 16 words; the index counts words."""
    load = LoadTensor("c", "in", offset, "t", array=array)  # type: ignore[arg-type]
    found = answer(program(load, Store("c", "out", 0, SIDE), layouts=(Layout("t", (SQUARE,), clamp_mode=CONSTANT),)))
    assert np.array_equal(numbers(found), table((SIDE, SIDE), lambda r, c: word(16 + 16 * r + c)))
    assert ("NVCM2-BYTEADDR" in acted(found)) == (array != "uint")


def test_decode_functions_get_struct_block_and_rest() -> None:
    """NVCM2-DECODE-ADDR: structs of two words from byte 32 on, blocks of 2 x 4, a slice that starts inside a block."""
    layout = Layout("t", (SetBlockSize((2, 4)), WIDE, Slice((1, 3), (16, 16))), clamp_mode=CONSTANT)
    decode = Echo(8, (100_000, 10_000), (1000, 100_000_000), 1)
    body = (LoadTensor("c", "in", 8, "t", decode=decode), Store("c", "out", 0, SIDE))
    found = answer(program(*body, layouts=(layout,)))

    def rule(r: int, c: int) -> int:
        row, col = r + 1, c + 3
        first = word(8 + 2 * (8 * (row // 2) + col // 4)) & 0xFF
        return 100_000 * (row // 2) + 10_000 * (col // 4) + 1000 * (row % 2) + 100_000_000 * (col % 4) + first

    assert np.array_equal(numbers(found), table((SIDE, SIDE), rule))
    assert "NVCM2-DECODE-ADDR" in acted(found)
