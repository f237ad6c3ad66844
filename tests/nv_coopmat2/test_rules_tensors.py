"""Validity and undefined behaviour of layouts, views, blocks and decode functions, by programs edited by hand."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from msgspec.structs import replace

from mmaspec.backends.numpy.backend import NumpyBackend
from mmaspec.backends.protocol import Refused
from mmaspec.oracle.case import Case
from mmaspec.oracle.expect import expect
from mmaspec.oracle.expectation import Defined
from mmaspec.oracle.nv_coopmat2 import SPEC
from mmaspec.programs.base import Affine, Buffer, Literal
from mmaspec.programs.errors import BadInput
from mmaspec.programs.nv_coopmat2.caps import DEFAULT_CAPS
from mmaspec.programs.nv_coopmat2.program import (
    CLAMP_TO_EDGE,
    CONSTANT,
    MIRROR_REPEAT,
    REPEAT,
    CoopMatProgram,
    Decode,
    Echo,
    Layout,
    LoadTensor,
    Matrix,
    Nibbles,
    ScaleAndBytes,
    SetBlockSize,
    SetClip,
    SetDimension,
    SetStride,
    SetViewDimensions,
    SetViewStride,
    Slice,
    Splat,
    Store,
    StoreTensor,
    View,
)
from mmaspec.programs.profile import PRACTICE
from mmaspec.suites.judging.invalid import outline

Edit = Callable[[CoopMatProgram], CoopMatProgram]
SIZE, CUT = SetDimension((20, 24)), Slice((1, 2), (16, 16))
HUGE = 0xFFFF_FFFF


@pytest.fixture(scope="module")
def viewed() -> CoopMatProgram:
    """A load and a store through a layout and a view."""
    return CoopMatProgram(
        buffers=(Buffer("in", 4096), Buffer("out", 4096)),
        matrices=(Matrix("c", "s32", 16, 16, 2),),
        body=(
            Splat("c", Literal(1)),
            LoadTensor("c", "in", 0, "t", data="T", view="v"),
            Store("c", "out", 0, 16),
            StoreTensor("c", "out", 512, "u", view="v"),
        ),
        layouts=(Layout("t", (SIZE, CUT), clamp_mode=CONSTANT), Layout("u", (SetDimension((16, 16)),))),
        views=(View("v", permutation=(1, 0)),),
    )


def loads(*calls: Any, mode: int = CONSTANT, rank: int = 2, **fields: Any) -> Edit:
    """The load through another layout, and with other fields."""

    def edit(program: CoopMatProgram) -> CoopMatProgram:
        body = (program.body[0], replace(program.body[1], view=None, **fields), program.body[2])
        return replace(program, layouts=(Layout("t", calls, rank, mode),), body=body)

    return edit


def stores(*calls: Any, mode: int = CONSTANT, rank: int = 2, **fields: Any) -> Edit:
    """The store through another layout, and with other fields."""

    def edit(program: CoopMatProgram) -> CoopMatProgram:
        body = (program.body[0], replace(program.body[3], view=None, **fields))
        return replace(program, layouts=(Layout("u", calls, rank, mode),), body=body)

    return edit


def slanted(program: CoopMatProgram, more: int) -> CoopMatProgram:
    """A load of which the first row is out of bounds in the outer dimension, and row n starts at coordinate n.

    The inner offsets sum up to ``more`` beyond the least number of 32 signed bits; every coordinate fits.
    """
    slices = (Slice((-1, -(1 << 31)), (16, 64)), Slice((0, more), (16, 64)))
    view = View("v", (SetViewDimensions((16, 16)), SetViewStride((65, 1))), 2, True)
    body = program.body[:3]
    return replace(program, layouts=(Layout("t", (SIZE, *slices), clamp_mode=CONSTANT),), views=(view,), body=body)


def views(*declared: View) -> Edit:
    return lambda program: replace(program, views=declared)


REJECTED: list[tuple[str, Edit]] = [
    ("NVCM2-DIM-RANGE", loads(rank=0)),
    ("NVCM2-DIM-RANGE", loads(SetDimension((1, 1, 1, 1, 16, 16)), rank=6)),
    ("NVCM2-DIM-RANGE", views(View("v", (), 6, True))),
    ("NVCM2-DIM-RANGE", views(View("v", (), 0))),
    ("NVCM2-VIEW-PERM", views(View("v", permutation=(0, 0)))),
    ("NVCM2-VIEW-PERM", views(View("v", permutation=(1, 2)))),
    ("NVCM2-VIEW-PERM", views(View("v", permutation=(1, 0, 2)))),
    ("NVCM2-TYPE-PARAMS", views(View("v", (SetViewDimensions((16,)),)))),
    ("NVCM2-TYPE-PARAMS", views(View("v", (SetViewStride((16, 1, 1)),)))),
    ("NVCM2-TYPE-PARAMS", views(View("w", permutation=(1, 0)), View("v", start="w"))),
    ("NVCM2-TYPE-PARAMS", views(View("w", has_dimensions=True), View("v", start="w"))),
    ("NVCM2-TYPE-PARAMS", loads(SetBlockSize((2,)), SIZE, CUT)),
    ("NVCM2-SETSTRIDE-MIN", loads(SetBlockSize((2, 4)), SIZE, SetStride((5, 1)), CUT)),
    ("NVCM2-SETSTRIDE-MIN", loads(SIZE, SetBlockSize((2, 1)), SetStride((23, 1)), CUT)),
    ("NVCM2-BASE-ALIGN", loads(SIZE, CUT, offset=1, decode=Echo(3, (1, 1), (1, 1)))),
    ("NVCM2-STORE-NOBLOCK", stores(SetBlockSize((1, 2)), SetDimension((16, 32)))),
    ("NVCM2-STORE-NOBLOCK", stores(SetDimension((16, 16)), decode=Echo(4, (1, 1), (1, 1)))),
    ("NVCM2-DECODE-SIG", loads(SIZE, CUT, decode=Echo(4, (1, 1), (1, 1), component="u32"))),
    ("NVCM2-DECODE-SIG", loads(SIZE, CUT, decode=Echo(4, (1, 1), (1, 1), by_value=True))),
    ("NVCM2-DECODE-SIG", loads(SIZE, CUT, decode=Nibbles(4, (2, 2), qualifier="in"))),
    ("NVCM2-DECODE-SIG", loads(SIZE, CUT, decode=ScaleAndBytes(8, (2, 2), qualifier="inout"))),
    ("NVCM2-DECODE-SIG", loads(SIZE, CUT, decode=Nibbles(4, (2, 2, 2)))),
    ("NVCM2-DECODE-SIG", loads(SIZE, CUT, decode=Echo(4, (1, 1), (1,)))),
]


@pytest.mark.parametrize(("clause", "edit"), REJECTED, ids=[f"{n}-{c}" for n, (c, _) in enumerate(REJECTED)])
def test_breach_is_rejected_for_that_alone(
    clause: str, edit: Edit, viewed: CoopMatProgram, device: NumpyBackend
) -> None:
    edited = edit(viewed)
    assert SPEC.rejected(edited, DEFAULT_CAPS) == {clause}
    case = Case("nv-coopmat2", "s8-s32-16x16x32", "bent", edited, DEFAULT_CAPS, 1, {}, (), clause)
    with pytest.raises(Refused) as refused:
        device.run("nv-coopmat2", edited, outline(case))
    assert refused.value.clauses == (clause,)


DEFINED: list[Edit] = [
    lambda program: program,
    lambda program: slanted(program, 0),
    views(View("v", (SetViewDimensions((16, 16)), SetClip(2, 3, 4, 5)), 2, True)),
    views(View("v", (SetClip(0, 16, 0, 16),), permutation=(1, 0))),
    loads(SetBlockSize((2, 4)), SIZE, SetStride((6, 1)), CUT),
    loads(SetBlockSize((3, 5)), SIZE, CUT, decode=Nibbles(8, (3, 5))),
    loads(SetDimension((0, 24)), Slice((0, 0), (16, 16))),  # nothing is divided by that dimension
    loads(SIZE, Slice((30, 30), (1, 1))),
    loads(SetDimension((1 << 30, 24)), Slice((-1, 2), (16, 16)), mode=MIRROR_REPEAT),
    loads(SetDimension(((1 << 30) + 1, 24)), Slice((0, 2), (16, 16)), mode=MIRROR_REPEAT),  # nothing is mirrored
    loads(SetBlockSize((3, 5)), SIZE, CUT, decode=Nibbles(8, (3, 5), 16 - (1 << 31))),
    loads(SetBlockSize((3, 5)), SIZE, CUT, decode=Nibbles(8, (3, 5), (1 << 31) - 1)),
    stores(SetBlockSize((1, 1)), SetDimension((16, 16))),
]


@pytest.mark.parametrize("edit", DEFINED, ids=range(len(DEFINED)))
def test_valid_programs_are_valid_and_defined(edit: Edit, viewed: CoopMatProgram) -> None:
    assert not SPEC.rejected(edit(viewed), DEFAULT_CAPS)
    assert not SPEC.undefined(edit(viewed), DEFAULT_CAPS)


UNDEFINED: list[tuple[str, Edit]] = [
    ("NVCM2-ZERO-DIVISOR", loads()),
    ("NVCM2-ZERO-DIVISOR", loads(SetBlockSize((0, 2)), SIZE, CUT)),
    ("NVCM2-ZERO-DIVISOR", loads(SIZE, SetBlockSize((0, 2)), CUT)),
    # The strides were divided by a zero that nothing shows any more.
    ("NVCM2-ZERO-DIVISOR", loads(SetBlockSize((0, 2)), SIZE, SetBlockSize((1, 1)), CUT)),
    ("NVCM2-ZERO-DIVISOR", loads(SetBlockSize((2, 0)), SIZE, SetBlockSize((1, 1)), SIZE, CUT)),
    ("NVCM2-ZERO-DIVISOR", loads(SetDimension((1, 24)), Slice((1, 0), (16, 16)), mode=MIRROR_REPEAT)),
    ("NVCM2-ZERO-DIVISOR", loads(SetDimension((0, 24)), Slice((0, 0), (16, 16)), mode=REPEAT)),
    ("NVCM2-ZERO-DIVISOR", loads(SetDimension((0, 24)), Slice((0, 0), (16, 16)), mode=CLAMP_TO_EDGE)),
    ("NVCM2-ZERO-DIVISOR", views(View("v", (), 2, True))),
    ("NVCM2-ZERO-DIVISOR", views(View("v", (SetViewDimensions((16, 0)),), 2, True))),
    ("NVCM2-VIEW-RANK", views(View("v", (), 3))),
    ("NVCM2-VIEW-RANK", views(View("v", (), 1))),
    ("NVCM2-INDEX-WRAP", loads(SIZE, SetStride((HUGE, 1)), CUT)),
    ("NVCM2-INDEX-WRAP", stores(SetDimension((16, 16)), SetStride((HUGE, 1)))),
    ("NVCM2-SIGNED-RANGE", loads(SetDimension((16, 1 << 31)), SetStride((1 << 31, 1)), Slice((0, 0), (16, 16)))),
    ("NVCM2-SIGNED-RANGE", loads(SetDimension(((1 << 30) + 1, 24)), Slice((-1, 2), (16, 16)), mode=MIRROR_REPEAT)),
    ("NVCM2-SIGNED-RANGE", lambda program: slanted(program, -1)),
    ("NVCM2-STRIDE-PARTIAL", loads(SetBlockSize((1, 5)), SIZE, SetStride((4, 1)), CUT)),
    ("NVCM2-DECODE-BOUNDS", loads(SetBlockSize((2, 4)), SIZE, CUT, decode=Nibbles(4, (2, 2)))),
    ("NVCM2-DECODE-BOUNDS", loads(SetBlockSize((2, 4)), SIZE, CUT, decode=ScaleAndBytes(10, (1, 8)))),
    ("NVCM2-STORE-COLLIDE", stores(SetDimension((8, 16)))),
    ("NVCM2-STORE-COLLIDE", stores(SetDimension((16, 16)), SetStride((0, 0)))),
    ("NVCM2-CLAMP-UNDEF", stores(SetDimension((16, 16)), Slice((1, 0), (16, 16)), mode=0)),
    ("NVCM2-MEM-BOUNDS", loads(SIZE, CUT, decode=Echo(64, (1, 1), (1, 1), 1))),
    ("NVCM2-MEM-BOUNDS", loads(SIZE, SetStride((64, 1)), CUT)),
]


@pytest.mark.parametrize(("clause", "edit"), UNDEFINED, ids=[f"{n}-{c}" for n, (c, _) in enumerate(UNDEFINED)])
def test_it_is_undefined(clause: str, edit: Edit, viewed: CoopMatProgram) -> None:
    edited = edit(viewed)
    assert not SPEC.rejected(edited, DEFAULT_CAPS)
    assert clause in SPEC.undefined(edited, DEFAULT_CAPS)


def test_structs_that_are_only_pointed_to_may_lie_anywhere(viewed: CoopMatProgram) -> None:
    """A function that reads nothing of its struct touches no memory."""
    assert not SPEC.undefined(loads(SIZE, CUT, decode=Echo(64, (1, 1), (1, 1)))(viewed), DEFAULT_CAPS)


@pytest.mark.parametrize(("decode", "size"), [(Nibbles(8, (4, 4)), 127), (ScaleAndBytes(18, (4, 4)), 286)])
def test_the_buffer_may_end_where_the_last_struct_is_not_read(
    decode: Decode, size: int, viewed: CoopMatProgram
) -> None:
    """The last two columns of the last blocks are beyond the dimension, so nobody reads the last values."""
    edited = loads(SetBlockSize((4, 4)), SetDimension((16, 14)), decode=decode)(viewed)
    edited = replace(edited, buffers=(Buffer("in", size), viewed.buffers[1]))
    assert not SPEC.undefined(edited, DEFAULT_CAPS)
    values = {source.name: np.ones((1, *source.shape), np.uint64) for source in SPEC.sources(edited)}
    answer = expect(Case("nv-coopmat2", "s8-s32-16x16x32", "cut", edited, DEFAULT_CAPS, 1, values), PRACTICE, {})
    assert isinstance(answer, Defined)
    assert not answer.regions[0].legal.why.any()


def test_clipped_elements_never_reach_the_bounds(viewed: CoopMatProgram) -> None:
    edited = replace(viewed, layouts=(Layout("t", (SetDimension((8, 16)),)), viewed.layouts[1]))
    edited = replace(edited, body=viewed.body[:3], views=(View("v", (SetClip(3, 8, 0, 16),)),))
    assert not SPEC.undefined(edited, DEFAULT_CAPS)
    beyond = replace(edited, layouts=(Layout("t", (SetDimension((7, 16)), Slice((0, 0), (8, 16)))), viewed.layouts[1]))
    assert SPEC.undefined(beyond, DEFAULT_CAPS) == {"NVCM2-CLAMP-UNDEF"}


MEANINGLESS: list[tuple[str, Edit]] = [
    ("no view named", lambda program: replace(program, views=())),
    ("starts from", views(View("v", start="later"))),
    ("declared twice", views(View("v"), View("v"))),
    ("17 dimensions", views(View("v", (), 17))),
    ("argument -1", views(View("v", (SetClip(-1, 2, 0, 2),)))),
    ("argument", views(View("v", (SetClip(Affine(0, 0, HUGE), 1 << 32, 0, 2),)))),
    ("struct of 0 bytes", loads(SIZE, CUT, decode=Echo(0, (1, 1), (1, 1)))),
    ("expected at least 8", loads(SIZE, CUT, decode=Nibbles(7, (4, 4)))),
    ("multiple of 2", loads(SIZE, CUT, decode=ScaleAndBytes(11, (2, 4)))),
    ("a block of", loads(SIZE, CUT, decode=Nibbles(7, (4, 0)))),
    ("-2147483633 subtracted", loads(SIZE, CUT, decode=Nibbles(8, (4, 4), 15 - (1 << 31)))),
    ("2147483648 subtracted", loads(SIZE, CUT, decode=Nibbles(8, (4, 4), 1 << 31))),
    ("a weight", loads(SIZE, CUT, decode=Echo(4, (1, -1), (1, 1)))),
]


@pytest.mark.parametrize(("message", "edit"), MEANINGLESS, ids=[message for message, _ in MEANINGLESS])
def test_unreadable_programs_get_one_line(message: str, edit: Edit, viewed: CoopMatProgram) -> None:
    with pytest.raises(BadInput, match=message) as raised:
        SPEC.rejected(edit(viewed), DEFAULT_CAPS)
    assert "\n" not in str(raised.value)
