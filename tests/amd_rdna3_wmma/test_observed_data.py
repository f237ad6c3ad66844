"""What is seen of the data of small kernels, element by element; each matrix is written out with its classes."""

from __future__ import annotations

import numpy as np
import pytest

from mmaspec.oracle.case import Case
from mmaspec.oracle.numerics.ordinals import Bits as Matrix
from mmaspec.programs.formats import format_named
from mmaspec.strategies.amd_rdna3_wmma.observations.constants import constant

from .observed_cases import IU8, SAVE, A, B, C, Load, call, case, program, shown

ONE16, ONE32 = 0x3C00, 0x3F800000
TWO_TO_24 = 0x4B800000
HALF = 0x3800
NAN, INFINITY = 0x7E00, 0x7C00


def at(*places: tuple[int, int, int]) -> Matrix:
    """A matrix of zeros but for bits at (row, column)."""
    found = np.zeros((16, 16), np.uint64)
    for row, column, bits in places:
        found[row, column] = bits
    return found


def ones(k: int = 16, bits: int = ONE16) -> tuple[Matrix, Matrix]:
    """A and B whose first k columns and rows are this."""
    a = np.zeros((16, 16), np.uint64)
    a[:, :k] = bits
    return a, a.T.copy()


def floats(a: object, b: object, c: object) -> Case:
    return case(program(A, B, C, call(), SAVE), {"A": a, "B": b, "C": c})


def integers(
    a: object, b: object, c: object, *, signs: tuple[bool, bool] = (False, False), clamp: bool = False
) -> Case:
    return case(program(A, B, C, call(IU8, flags=(*signs, clamp)), SAVE, builtin=IU8), {"A": a, "B": b, "C": c})


K1A, K1B = ones(1)
TIE = floats(K1A, K1B, TWO_TO_24)  # 2^24 + 1
TIE_UP = floats(K1A, K1B, TWO_TO_24 + 1)  # 2^24 + 2 + 1
TIE_DOWN = floats(K1A, ones(1, ONE16 | 0x8000)[1], TWO_TO_24 | 0x80000000)  # -(2^24 + 1)
CARRY = floats(K1A, ones(1, HALF)[1], TWO_TO_24 - 1)  # 2^24 - 1 + 1/2
OPPOSITE = floats(*ones(2), 0)
ALTERNATING = np.tile(np.array([ONE16, ONE16 | 0x8000], np.uint64), (16, 8))
CANCEL = floats(ALTERNATING, ONE16, 0)
SMALL_LEFT = floats(K1A, K1B, ONE32 | 0x80000000)
NANS = floats(at((3, 5, NAN)), ONE16, ONE32)
DIAGONAL = floats(np.diag(np.full(16, NAN)), 0, ONE32)
COLUMN = floats(ONE16, at((5, 7, INFINITY)), ONE32)
AGAINST = floats(at((3, 5, INFINITY)), ONE16, 0xFF800000)
ZERO_TIMES = floats(at((3, 5, INFINITY)), 0, 0)
MINUS_ZERO = floats(0x8000, 0, 0x80000000)
SUBNORMAL = floats(0, 0, 1)
LEAST = floats(0, 0, 0x00800000)
LARGEST = floats(0, 0, 0x7F7FFFFF)
ALL_ONES = floats(ONE16, ONE16, 0)
UNIT = floats(np.eye(16) * ONE16, ONE16, ONE32)

FULL = integers(255, 255, 0)
MIXED = integers(128, 255, 0, signs=(True, False))
OVER = integers(*ones(1, 1), 0x7FFFFFFF)
UNDER = integers(*(ones(1, 1)[0], ones(1, 255)[1]), 0x80000000, signs=(True, True), clamp=True)
BACK_IN = integers(
    1, np.repeat(np.array([[1, 255]], np.uint64), 8, axis=0).T.reshape(16, 1), 0x7FFFFFFF, signs=(True, True)
)
ONE_OVER = integers(at((4, 0, 1)), at((0, 9, 1)), 0x7FFFFFFF)
SINGLE = integers(at((4, 6, 9)), 1, 0)
APART = integers(at((4, 6, 9)), at((7, 2, 9)), 0)
CHAIN = case(
    program(
        A, B, C, call(IU8, "c"), Load("b", "in", 2, "B2"), call(IU8, flags=(False, True, False)), SAVE, builtin=IU8
    ),
    {"A": 1, "B": 1, "C": 0x7FFFFFFF - 15, "B2": 255},
)  # fmt: skip
QUAD = integers(*ones(4, 255), 0)
UPPER = integers(1, 1, 0x7FFFFFFF - 16)

GOLDEN: tuple[tuple[str, Case, str, str, set[str]], ...] = (
    ("a tie below", TIE, "float-sum", "rounding", {"tie-to-even-down"}),
    ("a tie above", TIE_UP, "float-sum", "rounding", {"tie-to-even-up"}),
    ("a negative tie", TIE_DOWN, "float-sum", "rounding", {"tie-to-even-down", "tie-negative"}),
    ("carried out", CARRY, "float-sum", "rounding", {"tie-to-even-up", "carry-out"}),
    ("far above", TIE, "float-sum", "exponent-spread", {"twenty-four"}),
    ("C far above", TIE, "float-sum", "c-weight", {"far-above", "not-in-ab-format"}),
    ("C the largest", TIE, "float-sum", "large-position", {"c"}),
    ("beyond exact integers", TIE, "float-sum", "exact-integers", {"beyond-limit"}),
    ("one term", TIE, "float-sum", "terms", {"one"}),
    ("where it stands", TIE, "float-sum", "k-position", {"at-0"}),
    ("neighbours cancel", CANCEL, "float-sum", "cancellation", {"total", "between-neighbours"}),
    ("nothing left", CANCEL, "float-sum", "zero-result", {"cancel-products"}),
    ("signs by turns", CANCEL, "float-sum", "term-signs", {"mixed", "alternating"}),
    ("against C", SMALL_LEFT, "float-sum", "zero-result", {"cancel-c"}),
    ("C opposite", SMALL_LEFT, "float-sum", "c-weight", {"equal-opposite", "comparable"}),
    ("two products", OPPOSITE, "float-sum", "terms", {"two"}),
    ("a NaN in A", NANS, "float-sum", "nan-cause", {"none", "a"}),
    ("a row of NaN", NANS, "float-sum", "nan-spread", {"one-row"}),
    ("its row", NANS, "float-sum", "row-position", {"at-3"}),
    ("NaN times zero", DIAGONAL, "float-sum", "nan-cause", {"a", "a-times-zero"}),
    ("all NaN", DIAGONAL, "float-sum", "nan-spread", {"all"}),
    ("infinite B", COLUMN, "float-sum", "infinite-cause", {"none", "finite-times-infinity"}),
    ("a column", COLUMN, "float-sum", "nan-spread", {"one-column"}),
    ("against an infinite C", AGAINST, "float-sum", "nan-cause", {"none", "product-against-c"}),
    ("infinite C", AGAINST, "float-sum", "infinite-cause", {"none", "c"}),
    ("infinity times zero", ZERO_TIMES, "float-sum", "nan-cause", {"none", "infinity-times-zero"}),
    ("minus zeros", MINUS_ZERO, "float-sum", "zero-result", {"all-negative-zero"}),
    ("zero terms", MINUS_ZERO, "float-sum", "a-float", {"negative-zero"}),
    ("a subnormal passes", SUBNORMAL, "float-sum", "subnormals", {"c-and-zero-products"}),
    ("the least normal", LEAST, "float-sum", "subnormals", {"none", "result-boundary"}),
    ("the largest", LARGEST, "float-sum", "overflow-place", {"largest"}),
    ("all ones", ALL_ONES, "float-sum", "exact-integers", {"ones", "small"}),
    ("equal results", ALL_ONES, "float-sum", "result-distinct", {"equal"}),
    ("a constant", ALL_ONES, "operand", "pattern", {"constant", "zero"}),
    ("the unit matrix", UNIT, "operand", "pattern", {"identity", "symmetric", "constant"}),
    ("the highest sum", FULL, "integer-sum", "dot", {"highest"}),
    ("its products", FULL, "integer-sum", "single-product", {"unsigned-largest"}),
    ("its pairs", FULL, "integer-sum", "pair-sum", {"pair-beyond-signed-16", "pair-beyond-unsigned-16", "quad-beyond"}),
    ("the lowest sum", MIXED, "integer-sum", "dot", {"lowest"}),
    ("its signs", MIXED, "integer-sum", "term-signs", {"all-negative"}),
    ("one over", OVER, "integer-sum", "sum-place", {"one-over"}),
    ("all over", OVER, "integer-sum", "clamp-spread", {"all"}),
    ("one under", UNDER, "integer-sum", "sum-place", {"one-under"}),
    ("over and back", BACK_IN, "integer-sum", "partial-range", {"over-and-back", "equal-ends"}),
    ("the upper end", UPPER, "integer-sum", "sum-place", {"upper"}),
    ("a single one over", ONE_OVER, "integer-sum", "clamp-spread", {"one"}),
    ("its row", ONE_OVER, "integer-sum", "row-position", {"at-4"}),
    ("its column", ONE_OVER, "integer-sum", "column-position", {"at-9"}),
    ("its lane and copy", SINGLE, "operand", "lane-position", {"low", "second"}),
    ("its VGPR", SINGLE, "operand", "vgpr-position", {"second"}),
    ("its byte", SINGLE, "operand", "part-of-word", {"byte-2"}),
    ("single", SINGLE, "operand", "pattern", {"single", "constant", "zero", "half-matrix"}),
    ("neighbours in a word", APART, "operand", "k-mismatch", {"same-word"}),
    ("only C", APART, "integer-sum", "terms", {"none"}),
    ("by the chain", CHAIN, "integer-sum", "partial-range", {"by-chain"}),
    ("over, then back", CHAIN, "sequence", "chain-cancels", {"cancels-exactly", "overflow-then-back"}),
    ("one VGPR", QUAD, "operand", "special-count", {"one-register"}),
)  # fmt: skip


@pytest.mark.exhaustive(every=2)
@pytest.mark.parametrize(("name", "of", "group", "axis", "expected"), GOLDEN)
def test_data_shows_its_classes(name: str, of: Case, group: str, axis: str, expected: set[str]) -> None:
    assert shown(of, group, axis) == expected, name


@pytest.mark.parametrize(
    ("fmt", "bits", "expected"),
    [
        ("s32", 64, "inline-64"),
        ("s32", 65, "sixty-five"),
        ("s32", 0xFFFFFFF0, "inline-minus-16"),
        ("s32", 0xFFFFFFEF, "minus-seventeen"),
        ("s32", ONE32, "other-format-inline"),
        ("f32", ONE32, "inline-one"),
        ("f32", 0xBF000000, "inline-minus-half"),
        ("f32", 0xC0800000, "inline-minus-four"),
        ("f32", ONE16, "other-format-inline"),
        ("f32", 0x3E22F983, "inline-inverse-2pi"),
        ("f32", 0x40400000, "literal"),
    ],
)
def test_constants_that_an_instruction_holds(fmt: str, bits: int, expected: str) -> None:
    assert constant(format_named(fmt), bits) == expected
