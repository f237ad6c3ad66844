"""Bounds checks of byte-address buffers: which elements of an operation are read or written.

A device may check all that an operation touches at once, or each element by itself, and do one here and the other
there (LINALG-OOB-LOAD, LINALG-OOB-STORE). Elements may also be checked in units of four bytes (LINALG-AMB-29). By the
text of 2025-09-19 it checks whole matrices alone, element by element (LINALG-LOAD-OOB-ZERO, LINALG-STORE-OOB-NOOP).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from mmaspec.oracle.hlsl_linalg.addresses import WORD, Addresses
from mmaspec.oracle.hlsl_linalg.open_points import BOUNDS_UNIT, BY_DWORD, EACH, WHOLE
from mmaspec.oracle.numerics.ordinals import Flags
from mmaspec.oracle.readings import Readings
from mmaspec.programs.base import Place


@dataclass(frozen=True, slots=True, eq=False)
class Checked:
    """What one operation may touch, in the shape of its addresses.

    whole   elements that are read or written
    lower   elements of which only the first four bytes are
    halves  elements of which only the first four bytes are inside, whether or not they are touched
    """

    whole: Flags
    lower: Flags
    halves: Flags


def inside(addresses: Addresses, size: int, view: int) -> Flags:
    """Which elements of ``size`` bytes lie wholly in a view of ``view`` bytes."""
    found: Flags = (addresses >= 0) & (addresses + size <= view)
    return found


def by_dwords(addresses: Addresses, size: int, view: int) -> Checked:
    """The same where each four bytes are checked by themselves: an element shorter than these goes with all of them."""
    end = view // WORD * WORD
    first = inside(addresses // WORD * WORD, WORD, end)
    if size <= WORD:
        return _plain(first)
    last = inside((addresses + size - 1) // WORD * WORD, WORD, end)
    return Checked(first & last, first & ~last, first & ~last)


def checked(
    addresses: Addresses, size: int, view: int, place: Place, readings: Readings, part_of: Callable[[int], int]
) -> Checked:
    """What the operation at a place may touch: elements of ``size`` bytes at ``addresses``, (instances, ...).

    ``part_of`` gives the part of the program that an instance belongs to. Each of them is free by itself, but for those
    of one part that touch the same bytes: nothing tells these apart for a device. Where that leaves too much, all of a
    part do the same.
    """
    each = _plain(inside(addresses, size, view))
    if each.whole.all():
        return each
    rest = tuple(range(1, addresses.ndim))
    complete = each.whole.all(axis=rest, keepdims=True)
    otherwise = by_dwords(addresses, size, view)
    if not np.array_equal(otherwise.whole, each.whole) or otherwise.lower.any():
        each = otherwise if readings.choose(BOUNDS_UNIT) == BY_DWORD else each
    whole = each.whole & complete
    free = ((whole != each.whole) | each.lower).any(axis=rest)
    if not free.any():
        return each
    at_once = np.zeros(free.shape, np.bool_)
    known: dict[tuple[int, bytes], bool] = {}
    for one in np.flatnonzero(free).tolist():
        key = part_of(one), b"" if readings.alike else addresses[one].tobytes()
        if key not in known:
            known[key] = readings.decide(f"bounds of {place} in {one}", (EACH, WHOLE), key[0]) == WHOLE
        at_once[one] = known[key]
    spread = at_once.reshape(-1, *[1] * len(rest))
    return Checked(np.where(spread, whole, each.whole), each.lower & ~spread, each.halves)


def _plain(whole: Flags) -> Checked:
    nothing = np.zeros(whole.shape, np.bool_)
    return Checked(whole, nothing, nothing)


def unchecked(addresses: Addresses, size: int, view: int) -> Checked:
    """What plain code of a shader may touch: elements that are inside."""
    return _plain(inside(addresses, size, view))


def checked_whole(addresses: Addresses, size: int, view: int) -> Checked:
    """What an operation may touch where one element outside is enough for its matrix: all of it or nothing."""
    each = inside(addresses, size, view)
    complete = each.all(axis=tuple(range(1, addresses.ndim)), keepdims=True)
    return _plain(np.broadcast_to(complete, each.shape))
