"""Defects of wiring: terms dropped, doubled or exchanged, elements of the result in the wrong place.

They treat floats and integers alike.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from mmaspec.backends.faults.defects.defective_unit import Deviation, Sum
from mmaspec.backends.numpy.units.unit import Bits


def without(first: int, last: int) -> Deviation:
    """Products k from ``first`` up to ``last`` missing; negative ones count from the end, as 0 does for ``last``."""

    def deviation(call: Sum) -> Bits:
        a = call.a.copy()
        a[..., first : last or None] = 0
        b = call.b.copy()
        b[..., first : last or None, :] = 0
        return replace(call, a=a, b=b).done()

    return deviation


def second_half_missing(call: Sum) -> Bits:
    """Only the first half of k is added."""
    return without(call.depth // 2, 0)(call)


def odd_missing(call: Sum) -> Bits:
    """Every other k is left out."""
    return replace(call, a=call.a[..., ::2], b=call.b[..., ::2, :]).done()


def first_twice(call: Sum) -> Bits:
    """The product k = 0 is added once more."""
    a, b = (np.concatenate((x[..., :1] if x is call.a else x[..., :1, :], x), axis) for x, axis in _sides(call))
    return replace(call, a=a, b=b).done()


def first_half_again(call: Sum) -> Bits:
    """The second half of k repeats the first, as from a buffer that was not exchanged."""
    half = call.depth // 2
    a, b = call.a[..., :half], call.b[..., :half, :]
    return replace(call, a=np.concatenate((a, a), -1), b=np.concatenate((b, b), -2)).done()


def _sides(call: Sum) -> tuple[tuple[Bits, int], tuple[Bits, int]]:
    return (call.a, -1), (call.b, -2)


def k_order(order: str, which: str = "a") -> Deviation:
    """The k of one operand in another order than the other's."""

    def deviation(call: Sum) -> Bits:
        k = np.arange(call.depth)
        places: NDArray[np.int64] = {
            "reversed": k[::-1],
            "pairs": k ^ 1,
            "quads": k ^ 3,
            "halves": (k + call.depth // 2) % call.depth,
            "rotated": (k + 1) % call.depth,
        }[order]
        if which == "a":
            return replace(call, a=call.a[..., places]).done()
        return replace(call, b=call.b[..., places, :]).done()

    return deviation


def rows_of_a(call: Sum) -> Bits:
    """Neighbouring rows of A exchanged."""
    return replace(call, a=call.a[..., np.arange(call.a.shape[-2]) ^ 1, :]).done()


def columns_of_b(call: Sum) -> Bits:
    """Neighbouring columns of B exchanged."""
    return replace(call, b=call.b[..., np.arange(call.b.shape[-1]) ^ 1]).done()


def columns_of_result(distance: int) -> Deviation:
    """Columns of the sum exchanged with those ``distance`` away."""

    def deviation(call: Sum) -> Bits:
        found = call.done()
        return found[..., np.arange(found.shape[-1]) ^ distance]

    return deviation


def rows_of_result(call: Sum) -> Bits:
    """Neighbouring rows of the sum exchanged."""
    found = call.done()
    return found[..., np.arange(found.shape[-2]) ^ 1, :]


def squares_turned(call: Sum) -> Bits:
    """Every square of 2 x 2 elements of the sum transposed."""
    found = call.done()
    turned = found.copy()
    turned[..., ::2, 1::2], turned[..., 1::2, ::2] = found[..., 1::2, ::2], found[..., ::2, 1::2]
    return turned


def squares_of_a_turned(call: Sum) -> Bits:
    """Every square of 2 x 2 elements of A transposed."""
    a = call.a.copy()
    a[..., ::2, 1::2], a[..., 1::2, ::2] = call.a[..., 1::2, ::2], call.a[..., ::2, 1::2]
    return replace(call, a=a).done()


def row_left(call: Sum) -> Bits:
    """A row of the result still holds C: the fourth, or the last of fewer."""
    found = call.done().copy()
    row = min(3, found.shape[-2] - 1)
    found[..., row, :] = call.c[..., row, :]
    return found


def row_zero(call: Sum) -> Bits:
    """The last row of the result is zero."""
    found = call.done().copy()
    found[..., -1, :] = 0
    return found


def column_zero(call: Sum) -> Bits:
    """The last column of the result is zero."""
    found = call.done().copy()
    found[..., -1] = 0
    return found


def one_element_of_neighbour(call: Sum) -> Bits:
    """One element of every result is its neighbour's."""
    found = call.done().copy()
    row = min(1, found.shape[-2] - 1)
    found[..., row, 5] = found[..., row, 4]
    return found


def columns_in_pairs(call: Sum) -> Bits:
    """Every odd column repeats the one before."""
    found = call.done()
    return found[..., np.arange(found.shape[-1]) & ~1]


def c_zero(call: Sum) -> Bits:
    """The product alone."""
    return replace(call, c=np.zeros_like(call.c)).done()


def c_of_neighbour(call: Sum) -> Bits:
    """C with its columns exchanged in pairs."""
    return replace(call, c=call.c[..., np.arange(call.c.shape[-1]) ^ 1]).done()


def c_of_first_row(call: Sum) -> Bits:
    """The first row of C in all rows, as for a bias."""
    return replace(call, c=np.broadcast_to(call.c[..., :1, :], call.c.shape)).done()


def zero_skips_group(call: Sum) -> Bits:
    """A zero in A takes the other three products of its group with it."""
    plain = call.a.copy()
    depth = call.depth // 4 * 4
    groups = plain[..., :depth].reshape(*plain.shape[:-1], depth // 4, 4)
    empty = (groups == 0).any(axis=-1, keepdims=True)
    plain[..., :depth] = np.where(empty, np.uint64(0), groups).reshape(*plain.shape[:-1], depth)
    return replace(call, a=plain).done()


def zero_c_skips(call: Sum) -> Bits:
    """Where C is zero the product is not added."""
    return np.where(call.c == 0, call.c, call.done())


def zero_in_the_middle_halves(call: Sum) -> Bits:
    """Rows of A with a zero in the middle lose the second half of k."""
    a = call.a.copy()
    half = call.depth // 2
    a[..., half:] = np.where(call.a[..., half : half + 1] == 0, np.uint64(0), a[..., half:])
    return replace(call, a=a).done()
