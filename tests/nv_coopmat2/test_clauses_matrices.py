"""Clauses of matrices, one by one: a program written by hand, and what the document's sentence makes of it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from mmaspec.oracle.expectation import Defined
from mmaspec.oracle.numerics.legal import illegal
from mmaspec.programs.base import Literal
from mmaspec.programs.nv_coopmat2.program import (
    COLUMN_MAJOR,
    REDUCE_2X2,
    REDUCE_COLUMN,
    REDUCE_ROW,
    REDUCE_ROW_AND_COLUMN,
    ROW_MAJOR,
    SATURATING,
    Arithmetic,
    Combine,
    Component,
    Convert,
    EachComponent,
    ElementFunction,
    Load,
    Matrix,
    MulAdd,
    Negate,
    PerElement,
    Reduce,
    Splat,
    Store,
    Transpose,
)

from .by_hand import SIDE, WORDS, acted, answer, numbers, program, table

TOP, BOTTOM = 0x7FFF_FFFF, -0x8000_0000


def f32(values: Any) -> NDArray[np.uint32]:
    return np.asarray(values, np.float32).view(np.uint32)


LOADS: list[tuple[str, Load, tuple[int, int, int]]] = [
    ("KHRCM-LOAD-ROW", Load("c", "in", 4, 20), (4, 20, 1)),
    ("KHRCM-LOAD-COL", Load("c", "in", 4, 20, COLUMN_MAJOR), (4, 1, 20)),
    # Units of 16 bytes are four words, units of one byte a quarter of one.
    ("KHRCM-STRIDE-UNITS", Load("c", "in", 1, 5, ROW_MAJOR, "uvec4"), (4, 20, 1)),
    ("KHRCM-STRIDE-UNITS", Load("c", "in", 32, 80, COLUMN_MAJOR, "uint8_t"), (8, 1, 20)),
    ("KHRCM-LOAD-ROW", Load("c", "in", 8, 0), (8, 0, 1)),
]


@pytest.mark.parametrize(("clause", "load", "where"), LOADS, ids=[f"{n}-{c}" for n, (c, *_) in enumerate(LOADS)])
def test_loads_find_these_words(clause: str, load: Load, where: tuple[int, int, int]) -> None:
    """``where``: the word of element (0, 0), then the words of a row and of a column. Word n holds n + 1."""
    start, row, col = where
    found = answer(program(load, Store("c", "out", 0, SIDE)))
    assert np.array_equal(numbers(found), table((SIDE, SIDE), lambda r, c: start + row * r + col * c + 1))
    assert clause in acted(found)


STORES: list[tuple[str, Store, tuple[int, int, int]]] = [
    ("KHRCM-LOAD-ROW", Store("c", "out", 4, 20), (16, 80, 4)),
    ("KHRCM-LOAD-COL", Store("c", "out", 4, 20, COLUMN_MAJOR), (16, 4, 80)),
    ("KHRCM-STRIDE-UNITS", Store("c", "out", 2, 6, ROW_MAJOR, "uvec4"), (32, 96, 4)),
]


@pytest.mark.parametrize(("clause", "store", "where"), STORES, ids=[clause for clause, *_ in STORES])
def test_stores_write_these_bytes_and_no_others(clause: str, store: Store, where: tuple[int, int, int]) -> None:
    """NVCM2-STORE-ONLY-ELEMS: four bytes for each element, and neither the space between rows nor anything beyond."""
    start, row, col = where
    found = answer(program(Load("c", "in", 0, SIDE), store))
    (region,) = found.regions
    wanted = table((SIDE, SIDE), lambda r, c: start + row * r + col * c)
    assert np.array_equal(region.addresses[0], wanted)
    written = np.zeros(len(found.owned["out"]), np.bool_)
    for byte in range(4):
        written[64 + wanted.ravel() + byte] = True
    assert np.array_equal(found.owned["out"], written)
    assert {clause, "NVCM2-STORE-ONLY-ELEMS"} <= acted(found)


@pytest.mark.parametrize(
    ("component", "use", "cols", "bits", "value"),
    [("s32", 2, 16, 0xFFFF_FFFA, -6), ("s8", 0, 32, 0xFA, -6), ("f32", 2, 16, 0x3FC0_0000, 0x3FC0_0000)],
)
def test_a_splat_reaches_every_component(component: Component, use: int, cols: int, bits: int, value: int) -> None:
    """KHRCM-SPLAT."""
    matrix = Matrix("c", component, 16, cols, use)
    found = answer(program(Splat("c", Literal(bits)), Store("c", "out", 0, cols), matrices=(matrix,)))
    assert (numbers(found) == value).all()
    assert "KHRCM-SPLAT" in acted(found)


LOOPS: list[tuple[Component, str, int | None, int, int]] = [
    ("s32", "add", 3, 0xFFFF_FFFE, 1),
    ("s32", "add", 1, TOP, BOTTOM),
    ("u32", "multiply", 3, 0x8000_0001, 0x8000_0003),
    ("s32", "negate", None, 5, -5),
    ("s32", "negate", None, 0x8000_0000, BOTTOM),
    ("f32", "negate", None, 0x3FC0_0000, -0x3FC0_0000),
]


@pytest.mark.parametrize(("component", "function", "value", "bits", "wanted"), LOOPS)
def test_a_loop_over_components_reaches_all_of_them(
    component: Component, function: Any, value: int | None, bits: int, wanted: int
) -> None:
    """KHRCM-LENGTH: whichever invocation holds them."""
    matrix = Matrix("c", component, 16, 16, 2)
    loop = EachComponent("c", function, None if value is None else Literal(value))
    found = answer(program(Splat("c", Literal(bits)), loop, Store("c", "out", 0, SIDE), matrices=(matrix,)))
    assert (numbers(found) == wanted).all()
    assert "KHRCM-LENGTH" in acted(found)


def multiplied(
    a: Component, b: Component, c: Component, k: int, n: int, bits: tuple[int, int, int], **how: Any
) -> Defined:
    """Splats of A, B and C, multiplied and added."""
    matrices = (
        Matrix("a", a, 16, k, 0), Matrix("b", b, k, n, 1), Matrix("c", c, 16, n, 2), Matrix("d", c, 16, n, 2),
    )  # fmt: skip
    splats = (Splat(name, Literal(value)) for name, value in zip("abc", bits, strict=True))
    body = (*splats, MulAdd("d", "a", "b", "c", **how), Store("d", "out", 0, n))
    return answer(program(*body, matrices=matrices))


PRODUCTS: list[tuple[str, tuple[Component, Component, Component], tuple[int, int], tuple[int, int, int], int, int]] = [
    ("KHRCM-MULADD", ("s8", "s8", "s32"), (32, 16), (3, 5, 7), 0, 32 * 15 + 7),
    ("KHRCM-INT-EXT", ("s8", "s8", "s32"), (32, 16), (0xFF, 2, 0), 0, -64),
    ("KHRCM-INT-EXT", ("u8", "u8", "u32"), (32, 16), (0xFF, 2, 0), 0, 32 * 510),
    ("KHRCM-INT-EXT", ("u8", "s8", "s32"), (16, 16), (0xFF, 0xFF, 0), 0, -16 * 255),
    ("KHRCM-INT-WRAP", ("s8", "s8", "s32"), (32, 16), (1, 1, TOP), 0, BOTTOM + 31),
    ("KHRCM-INT-WRAP", ("u8", "u8", "u32"), (32, 16), (1, 1, 0xFFFF_FFFF), 0, 31),
    ("KHRCM-SAT-ADD", ("s8", "s8", "s32"), (32, 8), (1, 1, TOP - 5), SATURATING, TOP),
    ("KHRCM-SAT-ADD", ("s8", "s8", "s32"), (32, 8), (1, 0xFF, 0x8000_0005), SATURATING, BOTTOM),
    ("KHRCM-SAT-ADD", ("u8", "u8", "u32"), (32, 8), (1, 1, 0xFFFF_FFFA), SATURATING, 0xFFFF_FFFF),
    ("KHRCM-MULADD", ("s8", "s8", "s32"), (32, 8), (1, 1, TOP - 33), SATURATING, TOP - 1),
]


@pytest.mark.parametrize(
    ("clause", "types", "sizes", "bits", "operands", "value"),
    PRODUCTS,
    ids=[f"{n}-{p[0]}" for n, p in enumerate(PRODUCTS)],
)
def test_integer_products_come_out_as_this(
    clause: str,
    types: tuple[Component, Component, Component],
    sizes: tuple[int, int],
    bits: tuple[int, int, int],
    operands: int,
    value: int,
) -> None:
    found = multiplied(*types, *sizes, bits, operands=operands)
    assert (numbers(found) == value).all()
    assert clause in acted(found)


def test_rows_of_a_meet_columns_of_b() -> None:
    """KHRCM-MULADD: A from bytes, B from bytes by columns, C from words."""
    matrices = (
        Matrix("a", "s8", 16, 32, 0), Matrix("b", "s8", 32, 16, 1), Matrix("c", "s32", 16, 16, 2),
        Matrix("d", "s32", 16, 16, 2),
    )  # fmt: skip
    words = (WORDS * np.uint32(2654435761)).astype(np.uint32)
    loads = (Load("a", "in", 0, 32), Load("b", "in", 512, 32, COLUMN_MAJOR), Load("c", "in", 256, SIDE))
    found = answer(program(*loads, MulAdd("d", "a", "b", "c"), Store("d", "out", 0, SIDE), matrices=matrices), words)
    octets = words.view(np.int8).astype(np.int64)
    a, b = octets[:512].reshape(16, 32), octets[512:1024].reshape(16, 32).T
    exact = a @ b + words.view(np.int32)[256:512].reshape(16, 16).astype(np.int64)
    assert np.array_equal(numbers(found), (exact + (1 << 31)) % (1 << 32) - (1 << 31))


def test_float_sums_are_at_least_as_precise_as_the_accumulator() -> None:
    """KHRCM-FP-ORDER: 2048 + 16 is a number of f32, which sums in f16 would not find one by one; any order is right."""
    found = multiplied("f16", "f16", "f32", 16, 16, (0x3C00, 0x3C00, int(f32(2048.5))))
    legal = found.regions[-1].legal
    for value, right in ((2064.5, True), (2048.5, False), (2064.0, False), (2065.0, False)):
        assert illegal(legal, np.full(legal.shape, int(f32(value)), np.uint64)).all() != right
        assert illegal(legal, np.full(legal.shape, int(f32(value)), np.uint64)).any() != right
    assert "KHRCM-FP-ORDER" in acted(found)


CONVERSIONS: list[tuple[Component, Component, int, set[int]]] = [
    ("f32", "f16", int(f32(1.5)), {0x3E00}),
    ("f16", "f32", 0xC000, {int(f32(-2.0))}),
    ("f32", "f16", int(f32(2049.0)), {0x6800, 0x6801}),  # between 2048 and 2050
    ("f32", "s32", int(f32(-2.75)), {-2 & 0xFFFF_FFFF}),
    ("s32", "u32", 0xFFFF_FFFB, {0xFFFF_FFFB}),
    ("s32", "f32", 0xFFFF_FFFB, {int(f32(-5.0))}),
    ("s32", "f32", 0x0100_0001, {int(f32(2.0**24)), int(f32(2.0**24 + 2))}),
]


@pytest.mark.parametrize(
    ("old", "new", "bits", "right"), CONVERSIONS, ids=[f"{a}-{b}-{x:x}" for a, b, x, _ in CONVERSIONS]
)
def test_components_are_converted(old: Component, new: Component, bits: int, right: set[int]) -> None:
    """KHRCM-CONVERT: these bits and no neighbours of theirs."""
    matrices = (Matrix("c", old, 16, 16, 2), Matrix("d", new, 16, 16, 2))
    body = (Splat("c", Literal(bits)), Convert("d", "c"), Store("d", "out", 0, 16))
    found = answer(program(*body, matrices=matrices))
    legal = found.regions[-1].legal
    around = {(code + step) & legal.fmt.mask for code in right for step in (-1, 0, 1)}
    accepted = {code for code in around if not illegal(legal, np.full(legal.shape, code, np.uint64)).any()}
    assert accepted == right
    assert "KHRCM-CONVERT" in acted(found)


def halves(matrix: str) -> tuple[tuple[Any, ...], NDArray[np.uint32]]:
    """A load of 16 x 16 numbers of f16, and the words that hold them: number n is n / 8 - 9."""
    values = (np.arange(2048) % 256 / 8 - 9).astype(np.float16)
    return (Load(matrix, "in", 0, 16),), values.view(np.uint32)


def test_an_accumulator_becomes_an_operand() -> None:
    """NVCM2-CONVERT-USE: every component stays at its row and column."""
    loads, words = halves("c")
    matrices = (Matrix("c", "f16", 16, 16, 2), Matrix("a", "f16", 16, 16, 0))
    found = answer(program(*loads, Convert("a", "c"), Store("a", "out", 0, 16), matrices=matrices), words)
    assert np.array_equal(found.regions[-1].legal.bits[0, 0], words.view(np.uint16)[:256].reshape(16, 16))
    assert "NVCM2-CONVERT-USE" in acted(found)
    assert "KHRCM-CONVERT" not in acted(found)


def test_an_accumulator_becomes_an_operand_of_another_type() -> None:
    """KHRCM-CONVERT says what becomes of the components, NVCM2-CONVERT-USE where they stay."""
    matrices = (Matrix("c", "s32", 16, 16, 2), Matrix("a", "u8", 16, 16, 0))
    body = (Splat("c", Literal(0x1234)), Convert("a", "c"), Store("a", "out", 0, 16))
    found = answer(program(*body, matrices=matrices))
    assert (numbers(found) == 0x34).all()
    assert {"KHRCM-CONVERT", "NVCM2-CONVERT-USE"} <= set(acted(found))


def test_a_transpose_exchanges_rows_and_columns() -> None:
    """NVCM2-TRANSPOSE."""
    loads, words = halves("c")
    matrices = (Matrix("c", "f16", 16, 16, 2), Matrix("b", "f16", 16, 16, 1))
    found = answer(program(*loads, Transpose("b", "c"), Store("b", "out", 0, 16), matrices=matrices), words)
    assert np.array_equal(found.regions[-1].legal.bits[0, 0], words.view(np.uint16)[:256].reshape(16, 16).T)
    assert "NVCM2-TRANSPOSE" in acted(found)


FLOATS = f32(np.arange(1024) * 7 % 61 - 20)
"""Small whole numbers as words."""
VALUES = FLOATS.view(np.float32).astype(np.float64)
SOURCE = VALUES[table((64, 64), lambda r, c: 12 * r + c)]
"""64 rows of 64, each twelve words further on."""
REDUCTIONS = [
    ("NVCM2-REDUCE-ROW", REDUCE_ROW, (64, 32), lambda fold: np.broadcast_to(fold(SOURCE, axis=1)[:, None], (64, 32))),
    ("NVCM2-REDUCE-COL", REDUCE_COLUMN, (32, 64), lambda fold: np.broadcast_to(fold(SOURCE, axis=0), (32, 64))),
    ("NVCM2-REDUCE-ALL", REDUCE_ROW_AND_COLUMN, (32, 32), lambda fold: np.full((32, 32), fold(SOURCE))),
    ("NVCM2-REDUCE-2X2", REDUCE_2X2, (32, 32), lambda fold: fold(SOURCE.reshape(32, 2, 32, 2), axis=(1, 3))),
]


@pytest.mark.parametrize("name", ["add", "min", "max"])
@pytest.mark.parametrize(("clause", "mask", "shape", "rule"), REDUCTIONS, ids=[clause for clause, *_ in REDUCTIONS])
def test_reductions(clause: str, mask: int, shape: tuple[int, int], rule: Any, name: Any) -> None:
    """One combination of a row, of a column, of everything, or of two rows by two columns."""
    matrices = (Matrix("c", "f32", 64, 64, 2, "workgroup"), Matrix("d", "f32", *shape, 2, "workgroup"))
    memory = Matrix("M", "s32", 32, 32, 2, "workgroup")
    body = (Load("c", "in", 0, 12), Reduce("d", "c", mask, Combine(name)), Store("d", "out", 0, shape[1]))
    found = answer(program(*body, matrices=matrices, memory=memory), FLOATS)
    wanted = rule({"add": np.sum, "min": np.min, "max": np.max}[name])
    legal = found.regions[-1].legal
    assert not illegal(legal, f32(wanted).astype(np.uint64)[None, None]).any()
    assert illegal(legal, f32(wanted + 1).astype(np.uint64)[None, None]).all()
    assert illegal(legal, f32(wanted - 1).astype(np.uint64)[None, None]).all()
    assert clause in acted(found)
    assert ("NVCM2-REDUCE-ORDER" in acted(found)) == (name == "add")


ELEMENTS = VALUES[:256].reshape(16, 16)
OTHERS = VALUES[256:512].reshape(16, 16)
ROW, COL = np.indices((16, 16))
FUNCTIONS = [
    ("place", (), 256 * ROW + COL),
    ("triangle", (), np.tril(ELEMENTS)),
    ("select", ("e",), np.where((ROW + COL) % 2 == 0, ELEMENTS, OTHERS)),
    (
        "select",
        ("e", Literal(0x4000_0000)),
        np.where((ROW + COL) % 2 == 0, ELEMENTS, np.where((ROW + COL) % 4 == 1, OTHERS, 2)),
    ),
    ("add", ("e",), ELEMENTS + OTHERS),
    ("add", (Literal(0x4000_0000),), ELEMENTS + 2),
]


@pytest.mark.parametrize(("name", "extras", "wanted"), FUNCTIONS, ids=[f"{n}-{f[0]}" for n, f in enumerate(FUNCTIONS)])
def test_functions_of_elements(name: Any, extras: tuple[Any, ...], wanted: NDArray[Any]) -> None:
    """NVCM2-PERELEM: of row, column, the element and the extras."""
    matrices = tuple(Matrix(name, "f32", 16, 16, 2) for name in "cde")
    function = ElementFunction(name, extras=(None,) * len(extras))
    body = (
        Load("c", "in", 0, 16), Load("e", "in", 256, 16), PerElement("d", "c", function, extras),
        Store("d", "out", 0, 16),
    )  # fmt: skip
    found = answer(program(*body, matrices=matrices), FLOATS)
    legal = found.regions[-1].legal
    assert not illegal(legal, f32(wanted).astype(np.uint64)[None, None]).any()
    assert illegal(legal, f32(wanted + 1).astype(np.uint64)[None, None]).all()
    assert "NVCM2-PERELEM" in acted(found)


OPERATIONS = [
    (Arithmetic("d", "c", "+", "e"), 24),
    (Arithmetic("d", "c", "-", "e"), 18),
    (Arithmetic("d", "c", "*", "e"), 63),
    (Arithmetic("d", "c", "/", "e"), 7),
    (Arithmetic("d", "c", "*", Literal(0x4000_0001)), 0x4000_0000 + 21),
    (Negate("d", "c"), -21),
]


@pytest.mark.parametrize(
    ("operation", "value"), OPERATIONS, ids=["add", "subtract", "multiply", "divide", "scalar", "negate"]
)
def test_operators_work_component_by_component(operation: Arithmetic | Negate, value: int) -> None:
    """KHRCM-ARITH: 21 op 3, low bits kept."""
    matrices = tuple(Matrix(name, "s32", 16, 16, 2) for name in "cde")
    body = (Splat("c", Literal(21)), Splat("e", Literal(3)), operation, Store("d", "out", 0, 16))
    found = answer(program(*body, matrices=matrices))
    assert (numbers(found) == value).all()
    assert "KHRCM-ARITH" in acted(found)
