"""Clause by clause: a program written by hand, and what the clause's own sentence makes of it, in plain numbers.

Layouts are read off the bytes from which fragments are loaded and to which they are stored: a wave's vectors lie one
after the other, lane by lane.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from msgspec.structs import replace

from mmaspec.oracle.amd_rdna3_wmma import SPEC
from mmaspec.oracle.case import Case
from mmaspec.oracle.expect import expect
from mmaspec.oracle.expectation import Defined
from mmaspec.oracle.numerics.legal import illegal
from mmaspec.programs.amd_rdna3_wmma.program import Affine, Buffer, Fill, Load, Repeat, Store, WmmaProgram
from mmaspec.strategies.amd_rdna3_wmma.builder import with_calls

from .programs import product

INT, INT64 = "i32_16x16x16_iu8_w32", "i32_16x16x16_iu8_w64"
NIBBLES, SHORTS = "i32_16x16x16_iu4_w32", "f32_16x16x16_bf16_w64"
HALF, HALF64 = "f32_16x16x16_f16_w32", "f32_16x16x16_f16_w64"
ONE, NAN, INFINITY = 0x3C00, 0x7E00, 0x7C00
"""Bits of f16."""
F32_NAN = 0x7FC0_0000
Cells = dict[tuple[int, int], int]


def answer(program: WmmaProgram, **cells: Cells) -> Defined:
    """What is expected where these elements of A, B and C hold these bits and the rest is zero."""
    values = {}
    for source in SPEC.sources(program):
        made = np.zeros((1, *source.shape), np.uint64)
        for (row, col), bits in cells.get(source.name, {}).items():
            made[..., row, col] = bits
        values[source.name] = made
    found = expect(Case(SPEC.name, "by hand", "by hand", program, SPEC.default_caps, 1, values))
    assert isinstance(found, Defined)
    return found


def may_be(found: Defined, row: int, col: int, bits: int) -> bool:
    """Whether the last store may leave these bits in D[row, col]."""
    legal = found.regions[-1].legal
    assert not legal.why.any()
    return not illegal(legal, np.full(legal.shape, bits & 0xFFFF_FFFF, np.uint64))[0, 0, row, col]


def is_only(found: Defined, row: int, col: int, value: int) -> bool:
    """Whether the last store leaves this integer in D[row, col], and nothing else."""
    legal = found.regions[-1].legal
    return int(legal.lo[0, 0, row, col]) == value == int(legal.hi[0, 0, row, col])


def f32(value: float) -> int:
    return int(np.float32(value).view(np.uint32))


def bytes_set(found: Defined, buffer: str, start: int, size: int) -> list[int]:
    """Which bytes of one block hold something else than zero; allocations have 64 bytes of guard in front."""
    block = found.images[buffer][0, 64 + start : 64 + start + size]
    return [int(place) for place in np.flatnonzero(block)]


def test_guards_are_where_the_helper_says() -> None:
    found = answer(product(HALF), A={(0, 0): ONE})
    assert found.known["in"][64 : 64 + 2048].all()
    assert not found.known["in"][:64].any()


PLACES: list[tuple[str, str, Cells, list[tuple[int, int, int]]]] = [
    # A[3, 5]: VGPR 2, the high half, in lane 3 and again in lane 19.
    ("RDNA3-AB-PACK16", HALF, {(3, 5): 0x0100}, [(3, 2, 3), (19, 2, 3)]),
    ("RDNA3-AB-PACK16", HALF, {(3, 4): 0x0001}, [(3, 2, 0), (19, 2, 0)]),
    # A[3, 6]: VGPR 1, the third byte from the low end.
    ("RDNA3-AB-PACK8", INT, {(3, 6): 7}, [(3, 1, 2), (19, 1, 2)]),
    ("RDNA3-AB-PACK8", INT64, {(15, 15): 7}, [(lane, 3, 3) for lane in (15, 31, 47, 63)]),
    # A[3, 6]: the seventh nibble of VGPR 0, so the low one of its last byte; A[3, 9] the second one of VGPR 1.
    ("RDNA3-AB-PACK4", NIBBLES, {(3, 6): 7}, [(3, 0, 3), (19, 0, 3)]),
    ("RDNA3-AB-PACK4", NIBBLES, {(3, 9): 7}, [(3, 1, 0), (19, 1, 0)]),
    ("RDNA3-AB-PACK16", SHORTS, {(3, 5): 0x0100}, [(lane, 2, 3) for lane in (3, 19, 35, 51)]),
    ("RDNA3-W32-REPLICATE", HALF, {(0, 0): 1}, [(0, 0, 0), (16, 0, 0)]),
    ("RDNA3-W64-REPLICATE", HALF64, {(0, 0): 1}, [(lane, 0, 0) for lane in (0, 16, 32, 48)]),
    ("RDNA3-AB-ROWCOL", HALF, {(9, 0): 1}, [(9, 0, 0), (25, 0, 0)]),
]


@pytest.mark.parametrize(("clause", "builtin", "cells", "places"), PLACES, ids=[c for c, *_ in PLACES])
def test_operands_stand_in_these_registers(
    clause: str, builtin: str, cells: Cells, places: list[tuple[int, int, int]]
) -> None:
    found = answer(product(builtin), A=cells)
    vector = {"f16": 32, "bf16": 32, "iu8": 16, "iu4": 8}[builtin.split("_")[2]]
    lanes = 64 if builtin.endswith("w64") else 32
    wanted = sorted(lane * vector + vgpr * 4 + byte for lane, vgpr, byte in places)
    assert bytes_set(found, "in", 0, lanes * vector) == wanted
    assert clause in found.clauses


def test_a_column_of_b_stands_in_a_lane() -> None:
    """RDNA3-AB-ROWCOL: B[5, 3] is element 5 of lane 3."""
    found = answer(product(HALF), B={(5, 3): 0x0100})
    assert bytes_set(found, "in", 1024, 1024) == [lane * 32 + 2 * 4 + 3 for lane in (3, 19)]


@pytest.mark.parametrize(
    ("clause", "builtin", "lane", "vgpr", "vector"),
    [("RDNA3-CD-W32", HALF, 16 * 1 + 7, 5 // 2, 32), ("RDNA3-CD-W64", HALF64, 16 * 1 + 7, 5 // 4, 16)],
)
def test_accumulators_stand_in_these_registers(clause: str, builtin: str, lane: int, vgpr: int, vector: int) -> None:
    """C[5, 7] where it is loaded, D[5, 7] where it is stored; RDNA3-CD-NOREP: in one place each."""
    found = answer(product(builtin), C={(5, 7): 0x4000_0000})
    assert bytes_set(found, "addend", 0, 1024) == [lane * vector + vgpr * 4 + 3]
    (region,) = found.regions
    assert region.addresses.shape == (1, 16, 16)
    assert region.addresses[0, 5, 7] == lane * vector + vgpr * 4
    assert {clause, "RDNA3-CD-NOREP"} <= found.clauses


@pytest.mark.parametrize("builtin", [INT, INT64, HALF, HALF64])
def test_rows_of_results_are_not_replicated(builtin: str) -> None:
    """RDNA3-CD-NOREP: the 256 elements fill the lanes' accumulators, each its own four bytes."""
    (region,) = answer(product(builtin)).regions
    assert sorted(region.addresses.ravel()) == list(range(0, 1024, 4))
    assert int(answer(product(builtin)).owned["out"].sum()) == 1024


SIGNED = {"a_sign": True, "b_sign": True}
ROW = {(0, k): 255 for k in range(16)}
COLUMN = {(k, 0): 255 for k in range(16)}
TOP, BOTTOM = 0x7FFF_FFFF, -0x8000_0000

INTEGERS: list[tuple[str, dict[str, Any], dict[str, Cells], int]] = [
    ("RDNA3-IU-SIGN", {"a_sign": False, "b_sign": False}, {"A": {(0, 0): 255}, "B": {(0, 0): 255}}, 65025),
    ("RDNA3-IU-SIGN", {"a_sign": True, "b_sign": False}, {"A": {(0, 0): 255}, "B": {(0, 0): 255}}, -255),
    ("RDNA3-IU-SIGN", {"a_sign": True, "b_sign": True}, {"A": {(0, 0): 255}, "B": {(0, 0): 255}}, 1),
    ("RDNA3-IU-SIGN", {"a_sign": False, "b_sign": True}, {"A": {(0, 0): 2}, "B": {(0, 0): 128}}, -256),
    ("RDNA3-IU-ACC", SIGNED, {"C": {(0, 0): BOTTOM & 0xFFFF_FFFF}}, BOTTOM),
    ("RDNA3-IU-ACC", SIGNED, {"A": {(0, 0): 1}, "B": {(0, 0): 1}, "C": {(0, 0): 0x1_0000}}, 0x1_0001),
    ("RDNA3-IU-DOT-RANGE", {"a_sign": False, "b_sign": False}, {"A": ROW, "B": COLUMN}, 1_040_400),
    ("RDNA3-IU-DOT-RANGE", {"a_sign": True, "b_sign": False},
     {"A": dict.fromkeys(ROW, 128), "B": COLUMN}, -522_240),
    ("RDNA3-IU-NOCLAMP", SIGNED, {"A": {(0, 0): 1}, "B": {(0, 0): 1}, "C": {(0, 0): TOP}}, BOTTOM),
    ("RDNA3-IU-NOCLAMP", SIGNED, {"A": {(0, 0): 1}, "B": {(0, 0): 255}, "C": {(0, 0): 0x8000_0000}}, TOP),
    ("RDNA3-IU-CLAMP", {**SIGNED, "clamp": True},
     {"A": {(0, 0): 1}, "B": {(0, 0): 1}, "C": {(0, 0): TOP}}, TOP),
    ("RDNA3-IU-CLAMP", {**SIGNED, "clamp": True},
     {"A": {(0, 0): 1}, "B": {(0, 0): 255}, "C": {(0, 0): 0x8000_0000}}, BOTTOM),
]  # fmt: skip


@pytest.mark.parametrize("builtin", [INT, INT64])
@pytest.mark.parametrize(
    ("clause", "flags", "cells", "value"), INTEGERS, ids=[f"{n}-{c}" for n, (c, *_) in enumerate(INTEGERS)]
)
def test_integers_come_out_as_this(
    builtin: str, clause: str, flags: dict[str, Any], cells: dict[str, Cells], value: int
) -> None:
    found = answer(with_calls(product(builtin), **flags), **cells)
    assert is_only(found, 0, 0, value)
    assert is_only(found, 0, 1, 0)
    assert clause in found.clauses


OF_NIBBLES: list[tuple[str, dict[str, Any], dict[str, Cells], int]] = [
    ("RDNA3-IU-SIGN", {"a_sign": False, "b_sign": False}, {"A": {(0, 0): 15}, "B": {(0, 0): 15}}, 225),
    ("RDNA3-IU-SIGN", {"a_sign": True, "b_sign": False}, {"A": {(0, 0): 15}, "B": {(0, 0): 15}}, -15),
    ("RDNA3-IU-SIGN", {"a_sign": True, "b_sign": True}, {"A": {(0, 0): 15}, "B": {(0, 0): 15}}, 1),
    ("RDNA3-IU-SIGN", {"a_sign": False, "b_sign": True}, {"A": {(0, 0): 2}, "B": {(0, 0): 8}}, -16),
    ("RDNA3-IU-DOT-RANGE", {"a_sign": False, "b_sign": False},
     {"A": dict.fromkeys(ROW, 15), "B": dict.fromkeys(COLUMN, 15)}, 3600),
    ("RDNA3-IU-DOT-RANGE", {"a_sign": True, "b_sign": False},
     {"A": dict.fromkeys(ROW, 8), "B": dict.fromkeys(COLUMN, 15)}, -1920),
    ("RDNA3-IU-NOCLAMP", SIGNED, {"A": {(0, 0): 1}, "B": {(0, 0): 1}, "C": {(0, 0): TOP}}, BOTTOM),
    ("RDNA3-IU-CLAMP", {**SIGNED, "clamp": True}, {"A": {(0, 0): 1}, "B": {(0, 0): 1}, "C": {(0, 0): TOP}}, TOP),
]  # fmt: skip


@pytest.mark.parametrize("builtin", [NIBBLES, "i32_16x16x16_iu4_w64"])
@pytest.mark.parametrize(
    ("clause", "flags", "cells", "value"), OF_NIBBLES, ids=[f"{n}-{c}" for n, (c, *_) in enumerate(OF_NIBBLES)]
)
def test_nibbles_come_out_as_this(
    builtin: str, clause: str, flags: dict[str, Any], cells: dict[str, Cells], value: int
) -> None:
    found = answer(with_calls(product(builtin), **flags), **cells)
    assert is_only(found, 0, 0, value)
    assert clause in found.clauses


@pytest.mark.parametrize("builtin", [HALF, HALF64])
def test_sums_keep_more_than_f16(builtin: str) -> None:
    """RDNA3-FP-ACC: 2048 + 1 is no number of f16; single precision holds it and its neighbours in f16 are wrong."""
    found = answer(product(builtin), A={(0, 0): ONE, (0, 1): ONE}, B={(0, 0): 0x6800, (1, 0): ONE})
    assert may_be(found, 0, 0, f32(2049.0))
    assert not may_be(found, 0, 0, f32(2048.0))
    assert not may_be(found, 0, 0, f32(2050.0))
    assert "RDNA3-FP-ACC" in found.clauses


def test_sums_may_be_rounded_at_every_step() -> None:
    """RDNA3-FP-ACC: 2^24 + 1 is no number of f32: both of its neighbours are right, and nothing far away."""
    found = answer(product(HALF), A={(0, 0): ONE}, B={(0, 0): ONE}, C={(0, 0): f32(2.0**24)})
    assert may_be(found, 0, 0, f32(2.0**24))
    assert may_be(found, 0, 0, f32(2.0**24 + 2))
    assert not may_be(found, 0, 0, f32(2.0**24 + 1024))


@pytest.mark.parametrize(
    ("a", "b", "c"),
    [
        ({(0, 0): NAN}, {(0, 0): ONE}, {}),
        ({(0, 0): INFINITY}, {}, {}),
        ({(0, 0): INFINITY, (0, 1): INFINITY | 0x8000}, {(0, 0): ONE, (1, 0): ONE}, {}),
        ({(0, 0): INFINITY}, {(0, 0): ONE}, {(0, 0): 0xFF80_0000}),
    ],
    ids=["operand", "infinity-times-zero", "both-infinities", "infinity-and-addend"],
)
def test_nan_comes_of_these(a: Cells, b: Cells, c: Cells) -> None:
    """RDNA3-FP-NAN."""
    found = answer(product(HALF), A=a, B=b, C=c)
    assert may_be(found, 0, 0, F32_NAN)
    assert not may_be(found, 0, 0, 0)
    assert not may_be(found, 0, 0, 0x7F80_0000)
    assert "RDNA3-FP-NAN" in found.clauses


@pytest.mark.parametrize("builtin", [HALF, HALF64])
def test_constants_fill_every_element(builtin: str) -> None:
    """RDNA3-AB-PACK16: a constant is in both halves of every VGPR, so that sixteen ones times ones are 16."""
    program = product(builtin)
    ones = (Fill("a", ONE), Fill("b", ONE), Fill("c", 0))
    found = answer(replace(program, body=(*ones, *program.body[3:])))
    for row, col in np.ndindex(16, 16):
        assert may_be(found, row, col, f32(16.0))
        assert not may_be(found, row, col, f32(8.0))
    assert {step.points for step in found.steps[:2]} == {("RDNA3-AB-PACK16/fill", "RDNA3-MEM-FREE/fill")}


def test_d_is_c_plus_the_product() -> None:
    """RDNA3-MMA: rows of A by columns of B, and C."""
    found = answer(
        with_calls(product(INT), **SIGNED),
        A={(2, 0): 3, (2, 15): 5, (4, 0): 1},
        B={(0, 9): 7, (15, 9): 11, (15, 8): 1},
        C={(2, 9): 1000, (0, 0): 5},
    )
    wanted = {(2, 9): 1000 + 21 + 55, (2, 8): 5, (4, 9): 7, (0, 0): 5, (9, 2): 0}
    assert all(is_only(found, row, col, value) for (row, col), value in wanted.items())


def test_the_destination_may_be_the_addend() -> None:
    """RDNA3-INPLACE."""
    program = with_calls(product(INT), d="c", **SIGNED)
    program = replace(program, body=(*program.body[:-1], Store("c", "out", 0)))
    found = answer(program, A={(0, 0): 2}, B={(0, 0): 3}, C={(0, 0): 100})
    assert is_only(found, 0, 0, 106)
    assert "RDNA3-INPLACE" in found.clauses


def test_a_literal_zero_is_no_addend() -> None:
    """RDNA3-ZERO-C: what the destination held before does not matter."""
    program = product(INT)
    body = (*program.body[:2], Fill("d", 77), *program.body[3:])
    program = with_calls(replace(program, body=body), c=None, **SIGNED)
    found = answer(program, A={(0, 0): 2}, B={(0, 0): 3})
    assert is_only(found, 0, 0, 6)
    assert is_only(found, 0, 1, 0)
    assert "RDNA3-ZERO-C" in found.clauses


def test_tiles_add_up_over_k() -> None:
    """RDNA3-TILE: three passes over tiles of A and B, C carried along; RDNA3-MEM-FREE: each pass has its blocks."""
    program = with_calls(product(INT), c="c", d="c", **SIGNED)
    load_a, load_b, load_c, step, _ = program.body
    passes = Repeat(3, (replace(load_a, block=Affine(0, loop=2)), replace(load_b, block=Affine(1, loop=2)), step))
    buffers = (Buffer("in", 6 * 512), *program.buffers[1:])
    found = answer(
        replace(program, buffers=buffers, body=(load_c, passes, Store("c", "out", 0))),
        A={(0, 0): 2}, B={(0, 0): 3}, C={(0, 0): 1},
    )  # fmt: skip
    assert is_only(found, 0, 0, 1 + 3 * 6)
    assert "RDNA3-TILE" in found.clauses
    assert [bytes_set(found, "in", 512 * block, 512) for block in range(6)] == 6 * [[0, 256]]


def test_a_wave_stores_to_its_own_block_and_nothing_else() -> None:
    """RDNA3-MEM-FREE: the block is what the kernel computes. RDNA3-STORE-ONLY: the others stay."""
    program = product(INT)
    store = Store("d", "out", Affine(1, wave=2))
    buffers = (*program.buffers[:2], Buffer("out", 5 * 1024))
    found = answer(replace(program, waves=2, buffers=buffers, body=(*program.body[:-1], store)))
    (region,) = found.regions
    assert [int(region.addresses[wave].min()) for wave in (0, 1)] == [1024, 3 * 1024]
    written = found.owned["out"][64:][: 5 * 1024].reshape(5, 1024)
    assert written.all(axis=1).tolist() == [False, True, False, True, False]
    assert int(found.owned["out"].sum()) == 2 * 1024
    assert {"RDNA3-MEM-FREE", "RDNA3-STORE-ONLY"} <= found.clauses


def test_a_load_takes_the_block_that_it_names() -> None:
    """RDNA3-MEM-FREE."""
    program = product(INT)
    body = (replace(program.body[0], block=1), replace(program.body[1], block=0), *program.body[2:])
    found = answer(replace(program, body=body), A={(0, 0): 7})
    assert bytes_set(found, "in", 512, 512) == [0, 256]
    assert isinstance(body[0], Load)
