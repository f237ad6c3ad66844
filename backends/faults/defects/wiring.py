"""The defects of wiring in float sums, as data."""

from __future__ import annotations

from functools import partial

from mmaspec.backends.faults.defects import terms
from mmaspec.backends.faults.defects.defect import Defect

_wired = partial(Defect, role="product")

DEFECTS: tuple[Defect, ...] = (
    _wired("last-product-missing", "the last product were missing", "a loop one short", terms.without(-1, 0)),
    _wired("first-product-missing", "the first product were missing", "a loop that starts at one", terms.without(0, 1)),
    _wired("middle-product-missing", "the product k = 5 were missing", "a dead multiplier", terms.without(5, 6)),
    _wired("second-half-missing", "the second half of k were missing", "the shape with half the K",
           terms.second_half_missing),
    _wired("odd-products-missing", "every other product were missing", "a half-rate instruction issued once",
           terms.odd_missing),
    _wired("first-product-twice", "the first product were added twice", "a pipeline that starts too early",
           terms.first_twice),
    _wired("first-half-again", "the second half of k repeated the first", "a double buffer not exchanged",
           terms.first_half_again, where="lines"),
    _wired("a-reversed", "the k of A ran backwards", "a shift register read from the other end",
           terms.k_order("reversed")),
    _wired("pairs-of-a-exchanged", "the k of A were exchanged in pairs", "packed halves in the other order",
           terms.k_order("pairs")),
    _wired("pairs-of-b-exchanged", "the k of B were exchanged in pairs", "packed halves in the other order",
           terms.k_order("pairs", "b")),
    _wired("halves-of-b-exchanged", "the halves of B's k were exchanged", "lanes of the other half",
           terms.k_order("halves", "b")),
    _wired("b-rotated", "B were one k ahead", "a skewed systolic array", terms.k_order("rotated", "b")),
    _wired("rows-of-a-exchanged", "neighbouring rows of A were exchanged", "lanes exchanged in pairs", terms.rows_of_a),
    _wired("columns-of-b-exchanged", "neighbouring columns of B were exchanged", "lanes exchanged in pairs",
           terms.columns_of_b),
    _wired("columns-exchanged", "neighbouring columns of the result were exchanged", "lanes exchanged in pairs",
           terms.columns_of_result(1)),
    _wired("column-halves-exchanged", "columns eight apart were exchanged", "the other half of the lanes",
           terms.columns_of_result(4)),
    _wired("rows-exchanged", "neighbouring rows of the result were exchanged", "registers in the other order",
           terms.rows_of_result),
    _wired("squares-turned", "every 2 x 2 elements of the result were transposed", "a transposing store",
           terms.squares_turned),
    _wired("squares-of-a-turned", "every 2 x 2 elements of A were transposed", "a transposing load",
           terms.squares_of_a_turned),
    _wired("row-keeps-c", "one row of the result kept C", "a row that is not written", terms.row_left),
    _wired("last-row-zero", "the last row of the result were zero", "a mask one row short", terms.row_zero),
    _wired("last-column-zero", "the last column of the result were zero", "a mask one lane short", terms.column_zero),
    _wired("one-element-of-neighbour", "one element were its neighbour's", "a broken lane permutation",
           terms.one_element_of_neighbour),
    _wired("columns-in-pairs", "every odd column repeated the one before", "half of the lanes enabled",
           terms.columns_in_pairs),
    Defect("c-lost", "C were zero", "a product in place of a multiply-add", terms.c_zero, role="addend"),
    Defect("c-of-neighbour", "C had its columns exchanged in pairs", "lanes exchanged in pairs", terms.c_of_neighbour,
           role="addend", where="direct-c"),
    Defect("c-of-first-row", "every row had the first row of C", "an addend taken for a bias", terms.c_of_first_row,
           role="addend", where="direct-c"),
    _wired("zero-skips-group", "a zero in A dropped its group of four", "structured sparsity taken for granted",
           terms.zero_skips_group),
    _wired("zero-c-skips", "nothing were added where C is zero", "predication by the accumulator", terms.zero_c_skips,
           where="direct-c"),
    _wired("zero-in-the-middle-halves", "a zero in the middle of A's row dropped the second half of k",
           "skipping of empty tiles", terms.zero_in_the_middle_halves),
)  # fmt: skip
"""Every defect of this kind."""
