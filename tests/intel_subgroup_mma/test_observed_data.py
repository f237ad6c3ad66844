"""What is seen of the data of one call, element by element; each matrix is written out with its classes."""

from __future__ import annotations

import numpy as np
import pytest

from mmaspec.oracle.case import Case
from mmaspec.oracle.numerics.ordinals import Bits as Matrix

from .observed_cases import BF16, BF16_BF16, F16, F16_F16, I4, I8, U8, Kernel, shown

ONE16, ONE32, ONE_BF = 0x3C00, 0x3F800000, 0x3F80
NAN16 = 0x7E00
TOP, BOTTOM = 0x7FFFFFFF, 0x80000000


def at(shape: tuple[int, int], *places: tuple[int, int, int]) -> Matrix:
    """A matrix of zeros but for bits at (row, column)."""
    found = np.zeros(shape, np.uint64)
    for row, column, bits in places:
        found[row, column] = bits
    return found


def term(rows: int, k: int, columns: int, left: int, right: int, bits: int) -> tuple[Matrix, Matrix]:
    """A with a single element not zero in its last row, at k = ``left``; B in its last column, at k = ``right``."""
    return at((rows, k), (rows - 1, left, bits)), at((k, columns), (right, columns - 1, bits))


def apart(form: str, size: int, left: int, right: int, bits: int = 1) -> Case:
    k = {I8: 32, I4: 64, F16: 16}[form]
    a, b = term(2, k, size, left, right, bits)
    return Kernel(form, size, 2).plain(A=a, B=b, C=0)


def factors(form: str, a: object, b: object, c: object, rows: int = 2, size: int = 16) -> Case:
    return Kernel(form, size, rows).plain(A=a, B=b, C=c)


FULL = factors(U8, 255, 255, 0)
NIBBLES = factors("u4_u4_i32", 15, 15, 0)
MIXED = factors("i8_u8_i32", 128, 255, 0)
OVER = factors(I8, at((2, 32), (0, 0, 1), (1, 0, 1)), at((32, 16), *((0, j, 1) for j in range(16))), TOP)
LAST_ROW = factors(I8, at((2, 32), (1, 31, 1)), 1, TOP)
UNDER = factors(I8, at((8, 32), (5, 3, 255)), at((32, 8), (3, 6, 1)), BOTTOM, rows=8, size=8)
ONE_ROW = factors(I8, 1, 1, TOP - 31, rows=1)
NANS = factors(F16, at((4, 16), (2, 5, NAN16)), ONE16, ONE32, rows=4)
NARROW_NAN = factors(F16_F16, ONE16, at((16, 16), (7, 9, NAN16)), ONE16, rows=4)
ALONE = factors(BF16, ONE_BF, ONE_BF, 0, rows=1)
OVERFLOW = factors(F16_F16, at((2, 16), (0, 0, 0x5C00)), at((16, 16), *((0, j, 0x5C00) for j in range(16))), 0)
ROUNDS_OVER = factors(F16_F16, at((2, 16), (0, 0, 0x4C00)), at((16, 16), *((0, j, ONE16) for j in range(16))), 0x7BFF)
BIG = factors(BF16, at((2, 16), (0, 0, 0x7F00), (0, 1, 0xFF00)), 0x4000, 0)
TINY = factors(BF16, 0x0080, 0x0080, 0)
STEPS = factors(F16_F16, ONE16, ONE16, 0x6800)
"""2048 + 16 times 1: in f16 every single 1 is a tie that goes down."""
SWALLOWED = factors(F16_F16, ONE16, ONE16, 0x6C00)
"""4096 + 16 times 1: every single 1 is a quarter of a place."""
ONCE = factors(BF16_BF16, ONE_BF, ONE_BF, 0)
UNIT = factors(F16, np.eye(8, 16) * ONE16, ONE16, 0, rows=8)

GOLDEN: tuple[tuple[str, Case, str, str, set[str]], ...] = (
    ("the highest sum", FULL, "integer-sum", "dot", {"highest"}),
    ("its products", FULL, "integer-sum", "single-product", {"unsigned-largest"}),
    ("all bytes", FULL, "integer-sum", "terms", {"thirty-two"}),
    ("the highest sum of nibbles", NIBBLES, "integer-sum", "dot", {"nibble-largest"}),
    ("its products", NIBBLES, "integer-sum", "single-product", {"unsigned-largest"}),
    ("all nibbles", NIBBLES, "integer-sum", "terms", {"sixty-four"}),
    ("the lowest sum", MIXED, "integer-sum", "dot", {"lowest"}),
    ("signs", MIXED, "integer-sum", "a-sign", {"signed"}),
    ("signs", MIXED, "integer-sum", "b-sign", {"unsigned"}),
    ("one over", OVER, "integer-sum", "sum-place", {"one-over"}),
    ("everywhere", OVER, "integer-sum", "wrap-spread", {"all"}),
    ("a row over", LAST_ROW, "integer-sum", "wrap-spread", {"one-row"}),
    ("which", LAST_ROW, "integer-sum", "row-position", {"at-1"}),
    ("at the last k", LAST_ROW, "integer-sum", "k-position", {"none", "at-31"}),
    ("one under", UNDER, "integer-sum", "wrap-spread", {"one"}),
    ("its row", UNDER, "integer-sum", "row-position", {"at-5"}),
    ("its column", UNDER, "integer-sum", "column-position", {"at-6"}),
    ("just over", ONE_ROW, "integer-sum", "sum-place", {"one-over"}),
    ("one row", ONE_ROW, "product", "rows-apart", {"one-row"}),
    ("a row of NaN", NANS, "float-sum", "nan-spread", {"one-row"}),
    ("its row", NANS, "float-sum", "row-position", {"at-2"}),
    ("rows apart", NANS, "product", "rows-apart", {"a-differs", "special-in-some"}),
    ("a column of NaN", NARROW_NAN, "float-sum", "nan-spread", {"one-column"}),
    ("its column", NARROW_NAN, "float-sum", "column-position", {"at-9"}),
    ("ones", ALONE, "float-sum", "exact-integers", {"ones", "small"}),
    ("65536 in f16", OVERFLOW, "float-sum", "infinite-cause", {"none", "product-overflows"}),
    ("beyond the end", OVERFLOW, "float-sum", "overflow-place", {"far-below", "far-above"}),
    ("half a unit over", ROUNDS_OVER, "float-sum", "infinite-cause", {"none", "c-overflows", "rounds-over"}),
    ("there", ROUNDS_OVER, "float-sum", "overflow-place", {"largest", "half-ulp"}),
    ("overflows both ways", BIG, "float-sum", "nan-cause", {"none", "overflows-against-each-other"}),
    ("underflow", TINY, "float-sum", "zero-result", {"underflow"}),
    ("products too small", TINY, "float-sum", "subnormals", {"product-below"}),
    ("step by step", STEPS, "float-sum", "double-rounding", {"once-each-step"}),
    ("lost one by one", SWALLOWED, "float-sum", "double-rounding", {"once-each-step", "c-precision"}),
    ("no matter", ONCE, "float-sum", "double-rounding", {"no"}),
    ("the unit matrix", UNIT, "operand", "pattern", {"identity", "constant", "zero", "half-matrix"}),
    ("its rows", UNIT, "operand", "zero-lines", {"none", "k-halves"}),
    ("no row", ALONE, "operand", "zero-lines", {"none"}),
)  # fmt: skip


@pytest.mark.exhaustive(every=2)
@pytest.mark.parametrize(("name", "of", "group", "axis", "expected"), GOLDEN)
def test_data_shows_its_classes(name: str, of: Case, group: str, axis: str, expected: set[str]) -> None:
    assert shown(of, group, axis) == expected, name


@pytest.mark.parametrize(
    ("form", "size", "left", "right", "expected"),
    [
        (I8, 8, 5, 5, {"equal"}),
        (I8, 8, 4, 5, {"same-half"}),
        (I8, 8, 5, 6, {"other-half"}),
        (I8, 8, 1, 5, {"next-word"}),
        (I8, 16, 3, 28, {"reversed"}),
        (I8, 16, 3, 19, {"half-apart"}),
        (I4, 8, 6, 7, {"same-byte"}),
        (I4, 16, 4, 7, {"same-half"}),
        (I4, 16, 0, 7, {"other-half"}),
        (F16, 16, 2, 3, {"other-half"}),
        (F16, 8, 2, 4, {"next-word"}),
    ],
)
def test_how_the_k_of_factors_lie(form: str, size: int, left: int, right: int, expected: set[str]) -> None:
    assert shown(apart(form, size, left, right), "operand", "k-mismatch") == expected


@pytest.mark.parametrize(
    ("form", "size", "k", "item", "of_a", "of_b"),
    [
        (I8, 8, 13, 3, "byte-1", "byte-1"),
        (I8, 16, 13, 6, "byte-1", "byte-1"),
        (I8, 16, 15, 7, "byte-1", "byte-3"),
        (I4, 8, 63, 7, "nibble-7", "nibble-7"),
        (I4, 16, 63, 15, "nibble-3", "nibble-7"),
        (F16, 8, 9, 4, "half-1", "half-1"),
        (F16, 16, 9, 9, "whole-short", "half-1"),
    ],
)
def test_where_the_elements_of_factors_stand(form: str, size: int, k: int, item: int, of_a: str, of_b: str) -> None:
    """Row 1 of A is component 1; the last column of B is the last work-item's, and its component the word of k."""
    word = k // {I8: 4, I4: 8, F16: 2}[form]
    both = apart(form, size, k, k)
    assert shown(both, "operand", "k-position") == {"none", f"at-{k}"}
    assert shown(both, "operand", "lane-position") == {f"at-{item}", f"at-{size - 1}"}
    assert shown(both, "operand", "component-position") == {"at-1", f"at-{word}"}
    assert shown(both, "operand", "part-of-word") == {of_a, of_b}
