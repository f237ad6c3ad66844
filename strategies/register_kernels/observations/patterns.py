"""How the elements of a matrix relate: patterns, lines of zeros, and the elements that stand apart."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from mmaspec.oracle.numerics.ordinals import Bits, Flags, exact_float64, is_inf, is_nan
from mmaspec.programs.formats import Format
from mmaspec.strategies.register_kernels.observations.matrices import every, some
from mmaspec.strategies.register_kernels.observations.values import distinct

Doubles = NDArray[np.float64]
Integers = NDArray[np.int64]


def numbers(fmt: Format, bits: Bits) -> Doubles:
    """The values, exactly; NaN stays one."""
    return exact_float64(fmt, bits)


def patterns(fmt: Format, bits: Bits) -> dict[str, Flags]:
    """Class -> which matrices, ``(..., rows, cols)`` -> ``(...)``."""
    height, width = bits.shape[-2:]
    side, size = min(height, width), height * width
    square = height == width
    value = numbers(fmt, bits)
    zero = value == 0
    nonzero = (~zero).sum(axis=(-2, -1))
    kinds = distinct(bits)
    one = value == 1
    unit = every(one | zero) & (nonzero == side)
    permutation = unit & (one.sum(axis=-1) <= 1).all(axis=-1) & (one.sum(axis=-2) <= 1).all(axis=-1)
    diagonal = np.eye(height, width, dtype=np.bool_)
    identity = permutation & every(one == diagonal)
    anti = permutation & every(one == diagonal[::-1])
    all_zero = nonzero == 0
    rows_equal = every(bits == bits[..., :1, :])
    columns_equal = every(bits == bits[..., :, :1])
    filled = ~all_zero
    symmetric = every(bits == np.swapaxes(bits, -1, -2)) & (kinds > 1) if square else np.zeros_like(filled)
    signs = np.sign(np.nan_to_num(value))
    checker = (np.add.outer(np.arange(height), np.arange(width)) & 1).astype(np.bool_)
    odd, even = signs[..., checker], signs[..., ~checker]
    board = (odd == odd[..., :1]).all(axis=-1) & (even == even[..., :1]).all(axis=-1) & (odd[..., 0] != even[..., 0])
    banded = _banded(value)
    found = {
        "all-distinct": kinds == size,
        "constant": (kinds == 1) & filled,
        "zero": all_zero,
        "single": nonzero == 1,
        "identity": identity,
        "anti-diagonal": anti,
        "permutation": permutation & ~symmetric & ~identity & ~anti,
        "rows-equal": rows_equal & ~columns_equal,
        "columns-equal": columns_equal & ~rows_equal,
        "symmetric": symmetric,
        "antisymmetric": _antisymmetric(value) & filled,
        "triangular": filled & (nonzero > side) & _triangular(zero),
        "checkerboard": board,
        "half-matrix": filled & _half(zero),
        "banded": banded & filled,
    }
    related = np.any([flags for name, flags in found.items() if name not in ("all-distinct", "banded")], axis=0)
    many = min(16, size // 4, (1 << fmt.bits) // 2)
    return {**found, "random": ~related & (kinds > many)}


def _antisymmetric(value: Doubles) -> Flags:
    if value.shape[-2] != value.shape[-1]:
        return np.zeros(value.shape[:-2], np.bool_)
    return every(value == -np.swapaxes(value, -1, -2))


def _triangular(zero: Flags) -> Flags:
    """On one side of the diagonal that begins at the first element; a single line has no sides."""
    height, width = zero.shape[-2:]
    if min(height, width) == 1:
        return np.zeros(zero.shape[:-2], np.bool_)
    whole = np.ones((height, width), np.bool_)
    upper, lower = zero[..., np.triu(whole, 1)], zero[..., np.tril(whole, -1)]
    return np.asarray(upper.all(axis=-1) ^ lower.all(axis=-1))


def _half(zero: Flags) -> Flags:
    height, width = (length // 2 for length in zero.shape[-2:])
    rows = [zero[..., :height, :], zero[..., height:, :]] if height else []
    columns = [zero[..., :, :width], zero[..., :, width:]] if width else []
    found: Flags = np.any([every(part) for part in (*rows, *columns)], axis=0)
    return found


def _banded(value: Doubles) -> Flags:
    """Whether all elements of one quarter of the rows are at least sixteen times as large as all of another."""
    size = np.abs(np.nan_to_num(value, nan=0.0, posinf=0.0, neginf=0.0))
    height, width = size.shape[-2:]
    if height % 4:
        return np.zeros(size.shape[:-2], np.bool_)
    bands = size.reshape(*size.shape[:-2], 4, height // 4 * width)
    least, most = bands.min(axis=-1), bands.max(axis=-1)
    return some((least[..., :, None] >= 16 * most[..., None, :]) & (most[..., None, :] > 0))


def zero_lines(fmt: Format, bits: Bits, along_k: tuple[int, ...]) -> dict[str, Flags]:
    """``along_k`` is the axis of k, if there is one: -1 in A, -2 in B. A single line is no line among others."""
    height, width = bits.shape[-2:]
    zero = numbers(fmt, bits) == 0
    rows, columns = zero.all(axis=-1), zero.all(axis=-2)
    count_rows, count_columns = rows.sum(axis=-1), columns.sum(axis=-1)
    filled = count_rows < height
    halves = np.zeros(filled.shape, np.bool_)
    for axis in along_k:
        lines = columns if axis == -1 else rows
        half = lines.shape[-1] // 2
        halves |= filled & (lines[..., :half].all(axis=-1) ^ lines[..., half:].all(axis=-1))
    rows_many, columns_many = np.bool_(height > 1), np.bool_(width > 1)
    return {
        "none": (count_rows == 0) & (count_columns == 0),
        "one-row": rows_many & (count_rows == 1),
        "one-column": columns_many & (count_columns == 1),
        "all-rows-but-one": rows_many & (count_rows == height - 1),
        "all-columns-but-one": columns_many & (count_columns == width - 1),
        "even-rows": rows_many & filled & _every_other(rows),
        "even-columns": columns_many & filled & _every_other(columns),
        "k-halves": halves,
    }


def _every_other(lines: Flags) -> Flags:
    even, odd = lines[..., 0::2], lines[..., 1::2]
    found = (even.all(axis=-1) & ~odd.any(axis=-1)) | (odd.all(axis=-1) & ~even.any(axis=-1))
    return np.asarray(found)


def special(fmt: Format, bits: Bits) -> Flags:
    """The elements that stand apart: NaN and infinities, else the few that are not zero, else the few unlike the most.

    In a matrix without any, no element is.
    """
    odd = is_nan(fmt, bits) | is_inf(fmt, bits)
    nonzero = numbers(fmt, bits) != 0
    few = _few(nonzero)
    common = np.sort(bits.reshape(*bits.shape[:-2], -1), axis=-1)[..., bits.shape[-1] * bits.shape[-2] // 2][
        ..., None, None
    ]
    unlike = bits != common
    first = odd.any(axis=(-2, -1), keepdims=True)
    second = few.any(axis=(-2, -1), keepdims=True)
    found: Flags = np.where(first, odd, np.where(second, few, _few(unlike)))
    return found


def _few(here: Flags) -> Flags:
    """Where they are at most half of a matrix; else its zeros, if there are any and they are fewer."""
    count = here.sum(axis=(-2, -1), keepdims=True)
    found: Flags = here & (count <= here.shape[-1] * here.shape[-2] // 2)
    return found


def special_counts(here: Flags, lanes: Integers, components: Integers) -> dict[str, Flags]:
    """How many elements stand apart, and how they lie: each element is in a component of a lane, ``(rows, cols)``."""
    height, width = here.shape[-2:]
    count = here.sum(axis=(-2, -1))
    rows, columns = here.all(axis=-1).sum(axis=-1), here.all(axis=-2).sum(axis=-1)
    word = _one_lot(here, lanes * (1 + components.max()) + components)
    register = _one_lot(here, components)
    row, column = (rows == 1) & (count == width), (columns == 1) & (count == height)
    shaped = (count == 1) | row | column | word | register
    return {
        "one": count == 1,
        "one-row": row,
        "one-column": column,
        "one-word": word,
        "one-register": register,
        "scattered": (count > 1) & (count <= 32) & ~shaped,
        "all-but-one": count == height * width - 1,
        "all": count == height * width,
    }


def _one_lot(here: Flags, lots: Integers) -> Flags:
    """Whether it is all elements with one of these numbers, and no other; as many elements have each number."""
    order, each = np.argsort(lots, axis=None, kind="stable"), lots.size // len(np.unique(lots))
    if each == 1:
        return np.zeros(here.shape[:-2], np.bool_)  # one element is no lot
    flat = here.reshape(*here.shape[:-2], -1)[..., order]
    full = flat.reshape(*flat.shape[:-1], -1, each).all(axis=-1)
    found: Flags = (np.asarray(full).sum(axis=-1) == 1) & (flat.sum(axis=-1) == each)
    return found
