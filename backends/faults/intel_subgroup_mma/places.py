"""Wrong places of elements, as functions of what the device works on.

``turned`` arrays are A as ``(batch, waves, rows, turns, elements)`` or B as ``(batch, waves, items, turns, elements)``:
in each turn one work-item's word of A meets a part of every work-item's column of B. ``flat`` arrays are accumulators
or results, ``(batch, waves, rows, items)``.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from mmaspec.backends.numpy.units.unit import Bits

Order = Callable[[NDArray[np.int64]], NDArray[np.int64]]
"""From the numbers 0, 1, ... to those of what stands there instead."""


def _ordered(bits: Bits, axis: int, order: Order) -> Bits:
    count = bits.shape[axis]
    found: Bits = np.take(bits, order(np.arange(count)) % count, axis)
    return found


def of_turns(order: Order) -> Callable[[Bits], Bits]:
    """Turned arrays with other turns."""
    return lambda bits: _ordered(bits, -2, order)


def of_elements(order: Order) -> Callable[[Bits], Bits]:
    """Turned arrays with other elements in each turn."""
    return lambda bits: _ordered(bits, -1, order)


def of_k(order: Order) -> Callable[[Bits], Bits]:
    """Turned arrays with another order of all k."""

    def change(bits: Bits) -> Bits:
        lines = bits.reshape(*bits.shape[:3], -1)
        return _ordered(lines, -1, order).reshape(bits.shape)

    return change


def of_rows(order: Order) -> Callable[[Bits], Bits]:
    """Arrays with other rows (of B: other columns)."""
    return lambda bits: _ordered(bits, 2, order)


def of_items(order: Order) -> Callable[[Bits], Bits]:
    """Flat arrays with other work-items."""
    return lambda bits: _ordered(bits, 3, order)


def reversed_order(numbers: NDArray[np.int64]) -> NDArray[np.int64]:
    """The last one first."""
    return numbers[::-1]


def first_only(numbers: NDArray[np.int64]) -> NDArray[np.int64]:
    """The first one everywhere."""
    return np.zeros_like(numbers)


def in_pairs(distance: int) -> Order:
    """Those so far apart exchanged: a power of two."""
    return lambda numbers: numbers ^ distance


def first_half_again(numbers: NDArray[np.int64]) -> NDArray[np.int64]:
    """The second half repeats the first."""
    return numbers % max(len(numbers) // 2, 1)


def from_fifth(numbers: NDArray[np.int64]) -> NDArray[np.int64]:
    """From the fifth on, as if there were four."""
    return numbers % 4


def dealt(numbers: NDArray[np.int64]) -> NDArray[np.int64]:
    """First those with even numbers, then those with odd ones."""
    return np.concatenate((numbers[::2], numbers[1::2]))


def gathered(numbers: NDArray[np.int64]) -> NDArray[np.int64]:
    """One of the first half, one of the second, and so on."""
    return numbers // 2 + numbers % 2 * (len(numbers) // 2)


def interleaved(bits: Bits) -> Bits:
    """A work-item has the columns w, w + N, w + 2N, ..."""
    return np.swapaxes(bits, -1, -2).reshape(bits.shape)


def words_of_eight(bits: Bits) -> Bits:
    """Each of the first eight turns has as many k as in sub-groups of 8; what its narrower word lacks is zero."""
    found = np.zeros_like(bits.reshape(*bits.shape[:3], bits.shape[3] // 2, -1))
    found[..., : bits.shape[-1]] = bits[..., : bits.shape[3] // 2, :]
    return found.reshape(bits.shape)


def by_rows(bits: Bits) -> Bits:
    """B lies row after row in the words of the work-items, as they follow each other."""
    batch, waves, items = bits.shape[:3]
    matrix = np.swapaxes(bits.reshape(batch, waves, -1, items), -1, -2)
    return matrix.reshape(bits.shape)


def rows_in_sequence(bits: Bits) -> Bits:
    """The rows of a flat array lie one after the other in the vectors of the work-items, as they follow each other."""
    return np.ascontiguousarray(np.swapaxes(bits, -1, -2)).reshape(bits.shape)


def without_turns(first: int, last: int) -> Callable[[Bits], Bits]:
    """Turned arrays with zeros in some turns; a negative number counts from the end, a 0 at the end is the end."""

    def change(bits: Bits) -> Bits:
        found = bits.copy()
        found[..., first : last or None, :] = 0
        return found

    return change


def second_half_missing(bits: Bits) -> Bits:
    """Zeros in the second half of the turns."""
    return without_turns(bits.shape[-2] // 2, 0)(bits)
