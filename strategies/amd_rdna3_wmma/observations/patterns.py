"""How the elements of a matrix relate: patterns, lines of zeros, and the elements that stand apart."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from mmaspec.oracle.numerics.ordinals import Bits, Flags, exact_float64, is_inf, is_nan
from mmaspec.programs.formats import Format
from mmaspec.strategies.amd_rdna3_wmma.observations.matrices import every, some
from mmaspec.strategies.amd_rdna3_wmma.observations.values import distinct

Doubles = NDArray[np.float64]

_UPPER = np.triu(np.ones((16, 16), np.bool_), 1)
_CHECKER = (np.add.outer(np.arange(16), np.arange(16)) & 1).astype(np.bool_)


def numbers(fmt: Format, bits: Bits) -> Doubles:
    """The values, exactly; NaN stays one."""
    return exact_float64(fmt, bits)


def patterns(fmt: Format, bits: Bits) -> dict[str, Flags]:
    """Class -> which matrices, ``(..., 16, 16)`` -> ``(...)``."""
    value = numbers(fmt, bits)
    turned = np.swapaxes(bits, -1, -2)
    zero = value == 0
    nonzero = (~zero).sum(axis=(-2, -1))
    kinds = distinct(bits)
    one = value == 1
    unit = every(one | zero) & (nonzero == 16)
    permutation = unit & (one.sum(axis=-1) == 1).all(axis=-1) & (one.sum(axis=-2) == 1).all(axis=-1)
    diagonal = np.eye(16, dtype=np.bool_)
    identity = permutation & every(one == diagonal)
    anti = permutation & every(one == diagonal[::-1])
    all_zero = nonzero == 0
    rows_equal = every(bits == bits[..., :1, :])
    columns_equal = every(bits == bits[..., :, :1])
    filled = ~all_zero
    symmetric = every(bits == turned) & (kinds > 1)
    signs = np.sign(np.nan_to_num(value))
    odd, even = signs[..., _CHECKER], signs[..., ~_CHECKER]
    board = (odd == odd[..., :1]).all(axis=-1) & (even == even[..., :1]).all(axis=-1) & (odd[..., 0] != even[..., 0])
    banded = _banded(value)
    found = {
        "all-distinct": kinds == 256,
        "constant": (kinds == 1) & filled,
        "zero": all_zero,
        "single": nonzero == 1,
        "identity": identity,
        "anti-diagonal": anti,
        "permutation": permutation & ~symmetric,
        "rows-equal": rows_equal & ~columns_equal,
        "columns-equal": columns_equal & ~rows_equal,
        "symmetric": symmetric,
        "antisymmetric": every(value == -np.swapaxes(value, -1, -2)) & filled,
        "triangular": filled & (nonzero > 16) & (zero[..., _UPPER].all(axis=-1) ^ zero[..., _UPPER.T].all(axis=-1)),
        "checkerboard": board,
        "half-matrix": filled & _half(zero),
        "banded": banded & filled,
    }
    related = np.any([flags for name, flags in found.items() if name not in ("all-distinct", "banded")], axis=0)
    return {**found, "random": ~related & (kinds > 16)}


def _half(zero: Flags) -> Flags:
    parts = [zero[..., :8, :], zero[..., 8:, :], zero[..., :, :8], zero[..., :, 8:]]
    found: Flags = np.any([every(part) for part in parts], axis=0)
    return found


def _banded(value: Doubles) -> Flags:
    """Whether all elements of one quarter of the rows are at least sixteen times as large as all of another."""
    size = np.abs(np.nan_to_num(value, nan=0.0, posinf=0.0, neginf=0.0))
    bands = size.reshape(*size.shape[:-2], 4, 4 * 16)
    least, most = bands.min(axis=-1), bands.max(axis=-1)
    return some((least[..., :, None] >= 16 * most[..., None, :]) & (most[..., None, :] > 0))


def zero_lines(fmt: Format, bits: Bits, along_k: tuple[int, ...]) -> dict[str, Flags]:
    """``along_k`` is the axis of k, if there is one: -1 in A, -2 in B."""
    zero = numbers(fmt, bits) == 0
    rows, columns = zero.all(axis=-1), zero.all(axis=-2)
    count_rows, count_columns = rows.sum(axis=-1), columns.sum(axis=-1)
    filled = count_rows < 16
    halves = np.zeros(filled.shape, np.bool_)
    for axis in along_k:
        lines = columns if axis == -1 else rows
        halves |= filled & (lines[..., :8].all(axis=-1) ^ lines[..., 8:].all(axis=-1))
    return {
        "none": (count_rows == 0) & (count_columns == 0),
        "one-row": count_rows == 1,
        "one-column": count_columns == 1,
        "all-rows-but-one": count_rows == 15,
        "all-columns-but-one": count_columns == 15,
        "even-rows": filled & _every_other(rows),
        "even-columns": filled & _every_other(columns),
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
    common = np.sort(bits.reshape(*bits.shape[:-2], -1), axis=-1)[..., 128][..., None, None]
    unlike = bits != common
    first = odd.any(axis=(-2, -1), keepdims=True)
    second = few.any(axis=(-2, -1), keepdims=True)
    found: Flags = np.where(first, odd, np.where(second, few, _few(unlike)))
    return found


def _few(here: Flags) -> Flags:
    """Where they are at most half of a matrix; else its zeros, if there are any and they are fewer."""
    count = here.sum(axis=(-2, -1), keepdims=True)
    found: Flags = here & (count <= 128)
    return found


def special_counts(here: Flags, per_vgpr: int, role: str) -> dict[str, Flags]:
    """How many elements stand apart, and how they lie; a VGPR holds ``per_vgpr`` of them along k, or rows of C."""
    count = here.sum(axis=(-2, -1))
    rows, columns = here.all(axis=-1).sum(axis=-1), here.all(axis=-2).sum(axis=-1)
    lines = np.swapaxes(here, -1, -2) if role == "b" else here
    if role == "c":
        words = here.reshape(*here.shape[:-2], 16 // per_vgpr, per_vgpr * 16)
        register = (words.all(axis=-1).sum(axis=-1) == 1) & (count == per_vgpr * 16)
        word = np.zeros(count.shape, np.bool_)  # a VGPR of one lane holds one element
    else:
        packed: Flags = np.asarray(lines.reshape(*lines.shape[:-1], 16 // per_vgpr, per_vgpr).all(axis=-1))
        word = (packed.sum(axis=(-2, -1)) == 1) & (count == per_vgpr)
        register = (np.asarray(packed.all(axis=-2)).sum(axis=-1) == 1) & (count == per_vgpr * 16)
    row, column = (rows == 1) & (count == 16), (columns == 1) & (count == 16)
    shaped = (count == 1) | row | column | word | register
    return {
        "one": count == 1,
        "one-row": row,
        "one-column": column,
        "one-word": word,
        "one-register": register,
        "scattered": (count > 1) & (count <= 32) & ~shaped,
        "all-but-one": count == 255,
        "all": count == 256,
    }
