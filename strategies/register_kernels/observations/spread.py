"""How the elements of one D differ: which leave the range, which can be told apart."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from mmaspec.oracle.numerics.ordinals import Flags
from mmaspec.strategies.register_kernels.observations.matrices import every, some
from mmaspec.strategies.register_kernels.observations.values import distinct

Integers = NDArray[np.int64]


def whole(here: Flags) -> Flags:
    """A finding of each matrix, for all of its elements."""
    return here[..., None, None]


def lines_of(special: Flags) -> tuple[Integers, Integers]:
    """The one row, and the one column, in which all special elements of a matrix are; -1 where there is no one."""
    rows, columns = special.any(axis=-1), special.any(axis=-2)
    row = np.where(rows.sum(axis=-1) == 1, rows.argmax(axis=-1), -1)
    column = np.where(columns.sum(axis=-1) == 1, columns.argmax(axis=-1), -1)
    return row[..., None, None], column[..., None, None]


def range_spread(over: Flags, under: Flags) -> dict[str, Flags]:
    """Where the elements of a D are that leave the range."""
    out = over | under
    height, width = out.shape[-2:]
    count = out.sum(axis=(-2, -1))
    rows, columns = out.all(axis=-1).sum(axis=-1), out.all(axis=-2).sum(axis=-1)
    return {
        "none": whole(count == 0),
        "one": whole(count == 1),
        "upper-and-lower": whole(some(over) & some(under)),
        "one-row": whole((count == width) & (rows == 1)),
        "one-column": whole((count == height) & (columns == 1)),
        "all": whole(count == height * width),
    }


def nan_spread(special: Flags) -> dict[str, Flags]:
    """Where the elements of a D are that a special value reaches."""
    height, width = special.shape[-2:]
    count = special.sum(axis=(-2, -1))
    rows, columns = special.all(axis=-1).sum(axis=-1), special.all(axis=-2).sum(axis=-1)
    each = (special.sum(axis=-1) == 1).all(axis=-1) & (special.sum(axis=-2) == 1).all(axis=-1)
    return {
        "none": whole(count == 0),
        "one-element": whole(count == 1),
        "one-row": whole((count == width) & (rows == 1)),
        "one-column": whole((count == height) & (columns == 1)),
        "cross": whole((count == height + width - 1) & (rows == 1) & (columns == 1)),
        "all-but-one-row": whole((count == (height - 1) * width) & (rows == height - 1)),
        "all": whole(count == height * width),
        "diagonal": whole(each),
    }


def distinct_results(left: Integers, products: Integers, c: Integers) -> dict[str, Flags]:
    """Which elements of a D can be told apart, by it, by the sums of products, and by C."""
    (height, width), count = left.shape[-2:], distinct(left)
    rows_only = every(left == left[..., :, :1])
    columns_only = every(left == left[..., :1, :])
    of_products, of_c = distinct(products), distinct(c)
    return {
        "all-distinct": whole(count == height * width),
        "rows-distinct": whole(rows_only & (count == height)),
        "columns-distinct": whole(columns_only & (count == width)),
        "equal": whole(count == 1),
        "only-c-distinct": whole((of_products == 1) & (of_c == height * width)),
        "only-products-distinct": whole((of_c == 1) & (of_products == height * width)),
    }
