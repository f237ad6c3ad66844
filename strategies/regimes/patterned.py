"""The regime for structure: identities, permutations, single elements, tiles, zero rows; one pattern for each item.

A fault that swaps, drops or repeats part of a product or sum shows by where a result stands, not by its size. All
values are small whole numbers, exact in any order.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

import numpy as np

from mmaspec.oracle.source import OperandRole
from mmaspec.programs.formats import Format
from mmaspec.strategies.regimes.encoding import bit_length, scaled, two_complement
from mmaspec.strategies.regimes.request import Request
from mmaspec.strategies.regimes.stream import Flags, Ints, Words

TILE = 16
Pattern = Callable[[OperandRole, Ints, Ints, int, int], Ints]
"""(role, row numbers, column numbers, rows, columns) -> the value of every element."""


def _own(role: OperandRole, row: Ints, col: Ints) -> Ints:
    """Small values, so that no two rows and no two columns are alike."""
    return (row * 5 + col * 3 + row * col) % 11 - 5 + (role == "c")


def _none(row: Ints, col: Ints) -> Ints:
    return 0 * (row + col)


def _equal(role: OperandRole, row: Ints, col: Ints, *_: int) -> Ints:
    return _none(row, col) + {"a": 3, "b": 2, "c": 1, "scalar": 2}[role]


def _identity(of: OperandRole, shift: int) -> Pattern:
    """One factor is the identity, or moves rows or columns by so many places; the addend is zero."""

    def pattern(role: OperandRole, row: Ints, col: Ints, rows: int, cols: int) -> Ints:
        if role != of:
            return _none(row, col) if role == "c" else _own(role, row, col)
        least = min(rows, cols)
        moved: Flags = ((row + shift) % least == col % least) & (row < least) & (col < least)
        return moved + _none(row, col)

    return pattern


def _hot(depth: Callable[[int], int], row_at: Callable[[int], int], col_at: Callable[[int], int]) -> Pattern:
    """A single element of each factor, which meet, and one of every addend: at that place of the result."""

    def pattern(role: OperandRole, row: Ints, col: Ints, rows: int, cols: int) -> Ints:
        at_row = depth(rows) if role == "b" else row_at(rows)
        at_col = depth(cols) if role == "a" else col_at(cols)
        value = {"a": 3, "b": 2, "c": 1, "scalar": 1}[role]
        here: Flags = (row == at_row % rows) & (col == at_col % cols)
        return np.where(here, value, _none(row, col))

    return pattern


def _at(place: int) -> Callable[[int], int]:
    return lambda size: min(place, size - 1) if place >= 0 else size + place


def _zero(*roles: OperandRole) -> Pattern:
    def pattern(role: OperandRole, row: Ints, col: Ints, *_: int) -> Ints:
        return _none(row, col) if role in roles else _own(role, row, col)

    return pattern


def _zero_k(role: OperandRole, row: Ints, col: Ints, *_: int) -> Ints:
    k = {"a": col, "b": row}.get(role, row + col + 1)
    return np.where(k % 7 == 3, 0, _own(role, row, col) * 2 + 1) + _none(row, col)


def _only_k(kept: Callable[[Ints, int], Flags]) -> Pattern:
    """Factors of which only some k are not zero."""

    def pattern(role: OperandRole, row: Ints, col: Ints, rows: int, cols: int) -> Ints:
        if role not in ("a", "b"):
            return _none(row, col)
        k, depth = (col, cols) if role == "a" else (row, rows)
        return np.where(kept(k, depth), _own(role, row, col) * 2 + 1, 0) + _none(row, col)

    return pattern


def _alternating(role: OperandRole, row: Ints, col: Ints, *_: int) -> Ints:
    sign = 1 - 2 * ((col if role == "a" else row if role == "b" else row + col) % 2)
    return sign * (1 + (row * 3 + col) % 5)


def _tiles(role: OperandRole, row: Ints, col: Ints, *_: int) -> Ints:
    tile = row // TILE * 4 + col // TILE
    return np.int64(1) << (tile + (role == "b")) % 6


def _bytes(role: OperandRole, row: Ints, col: Ints, *_: int) -> Ints:
    return ((col if role == "a" else row) % 4 + 1) * 3 + _none(row, col)


_FIRST, _LAST = _at(0), _at(-1)

PATTERNS: Mapping[str, Pattern] = MappingProxyType(
    {
        "equal": _equal,
        "left-identity": _identity("a", 0),
        "right-identity": _identity("b", 0),
        "left-permutation": _identity("a", 5),
        "right-permutation": _identity("b", 9),
        "first": _hot(_FIRST, _FIRST, _FIRST),
        "row-end": _hot(_at(1), _FIRST, _LAST),
        "column-end": _hot(_at(2), _LAST, _FIRST),
        "last": _hot(_LAST, _LAST, _LAST),
        "tile-edge": _hot(_at(4), _at(15), _at(16)),
        "next-tile": _hot(lambda size: size // 4, _at(48), _at(31)),
        "inside": _hot(_at(15), _at(7), _at(9)),
        "sixteenth": _hot(_at(16), _at(3), _at(2)),
        "middle": _hot(lambda size: size // 2, _at(2), _at(5)),
        "zero-left": _zero("a"),
        "zero-right": _zero("b"),
        "zero-k": _zero_k,
        "all-zero": _zero("a", "b", "c"),
        "first-k": _only_k(lambda k, _: k == 0),
        "last-k": _only_k(lambda k, depth: k == depth - 1),
        "past-quarter": _only_k(lambda k, depth: k >= depth // 4),
        "tile-edge-k": _only_k(lambda k, _: (k == 15) | (k == 16)),
        "alternating": _alternating,
        "by-tile": _tiles,
        "by-byte": _bytes,
    }
)
"""Name -> the pattern of an item, in turn."""


def patterned(request: Request) -> dict[str, Words]:
    """One pattern an item, all sources of the item alike; a batch begins where the seed says."""
    patterns = tuple(PATTERNS.values())
    start = int(request.stream("start").below(len(patterns), (1,))[0])
    drawn = {}
    for source in request.sources:
        rows, cols = source.shape[2:]
        row, col = np.arange(rows)[:, np.newaxis], np.arange(cols)[np.newaxis, :]
        items = [
            patterns[(start + item) % len(patterns)](source.role, row, col, rows, cols) for item in range(request.batch)
        ]
        values = np.stack(items).reshape(request.batch, 1, 1, rows, cols)
        drawn[source.name] = _coded(source.fmt, np.broadcast_to(values, request.shape(source)))
    return drawn


def _coded(fmt: Format, values: Ints) -> Words:
    if not fmt.is_float:
        return two_complement(fmt, values if fmt.signed else np.abs(values))
    # Of what a narrow format does not hold, the leading bits.
    size = np.abs(values)
    lost = np.maximum(bit_length(size) - fmt.precision, 0)
    return scaled(fmt, np.sign(values) * (size >> lost << lost), 0)
