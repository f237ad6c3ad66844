"""Rows and columns at once: transposed, turned, shifted both ways, other linear orders."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from mmaspec.oracle.numerics.ordinals import Flags
from mmaspec.suites.judging.patterns.blocks import block_exchanges
from mmaspec.suites.judging.patterns.family import Family
from mmaspec.suites.judging.patterns.found import Kind
from mmaspec.suites.judging.patterns.region import line_words, lines_of, within
from mmaspec.suites.judging.patterns.tile import Positions, Tile

Element = tuple[Positions, Positions]


def plane_families(tile: Tile) -> Iterator[Family]:
    """Families in which rows and columns change together, the same way in every wave."""
    _, rows, cols = tile.shape
    if rows > 1 and cols > 1:
        back = "rows and columns are in reverse order"
        yield _one(tile, "reversal", back, lambda r, c: (rows - 1 - r, cols - 1 - c))
        yield block_exchanges(tile)
    if rows == cols and rows > 1:
        yield _one(tile, "transposition", "the matrix is transposed", lambda r, c: (c, r))
        last = rows - 1
        yield _one(
            tile,
            "transposition",
            "the matrix is transposed about its other diagonal",
            lambda r, c: (last - c, last - r),
        )
        yield _one(tile, "transposition", "the matrix is turned left", lambda r, c: (c, last - r))
        yield _one(tile, "transposition", "the matrix is turned right", lambda r, c: (last - c, r))
    if rows > 1 and cols > 1:
        yield from _blocks(tile)
        yield from _orders(tile)
        yield _both_shifted(tile)
        yield from _skewed(tile)


def _one(tile: Tile, kind: Kind, says: str, to: Callable[[Positions, Positions], Element]) -> Family:
    def words(_: int, region: Flags) -> tuple[Kind, str] | None:
        whole = all(lines_of(region, axis).all() for axis in (1, 2))
        return (kind, says + within(region, ())) if whole else None

    return Family("elements", 1, _at(tile, lambda _, r, c: to(r, c)), words)


def _at(
    tile: Tile, to: Callable[[Positions, Positions, Positions], Element]
) -> Callable[[Positions, Positions], Positions]:
    """A map of members, rows and columns as one of positions; outside of the tile there is no source."""
    _, rows, cols = tile.shape

    def at(members: Positions, positions: Positions) -> Positions:
        in_wave = positions % (rows * cols)
        r, c = to(members, in_wave // cols, in_wave % cols)
        inside = (r >= 0) & (r < rows) & (c >= 0) & (c < cols)
        source = np.where(inside, positions - in_wave + r * cols + c, np.int64(-1))
        return np.broadcast_to(source, (members.shape[0], positions.shape[0]))

    return at


def _blocks(tile: Tile) -> Iterator[Family]:
    """Square blocks transposed each, or as wholes."""
    _, rows, cols = tile.shape
    sizes = np.array([b for b in range(2, min(rows, cols)) if rows % b == 0 and cols % b == 0], np.int64)
    if not sizes.size:
        return

    def inner(k: Positions, r: Positions, c: Positions) -> Element:
        b = sizes[k]
        return r // b * b + c % b, c // b * b + r % b

    def outer(k: Positions, r: Positions, c: Positions) -> Element:
        b = sizes[k]
        return c // b * b + r % b, r // b * b + c % b

    def inner_words(k: int, region: Flags) -> tuple[Kind, str]:
        b = int(sizes[k])
        spans = [line_words(lines_of(region, axis), axis) for axis in (1, 2)]
        if all(int(lines_of(region, axis).sum()) <= b for axis in (1, 2)):
            of = line_words(lines_of(region, 0), 0)
            return "transposition", f"the block of {' and '.join(filter(None, spans))} is transposed" + (
                f" in {of}" if of else ""
            )
        return "transposition", f"every block of {b} x {b} is transposed" + within(region, ())

    def outer_words(k: int, region: Flags) -> tuple[Kind, str]:
        b = int(sizes[k])
        return "transposition", f"blocks of {b} x {b} are transposed as wholes" + within(region, ())

    if rows == cols:
        yield Family("elements", len(sizes), _at(tile, outer), outer_words)
    yield Family("elements", len(sizes), _at(tile, inner), inner_words)


def _orders(tile: Tile) -> Iterator[Family]:
    """Other linear orders: by columns where rows are due, the order of memory shifted, rows of another length."""
    _, rows, cols = tile.shape
    size = rows * cols
    if rows != cols:
        stored = "the matrix is stored column by column where row by row is due"
        yield _one(tile, "order", stored, lambda r, c: ((r * cols + c) % rows, (r * cols + c) // rows))
        taken = "the matrix is stored row by row where column by column is due"
        yield _one(tile, "order", taken, lambda r, c: ((c * rows + r) // cols, (c * rows + r) % cols))

    def rotated(k: Positions, r: Positions, c: Positions) -> Element:
        p = (r * cols + c - k - 1) % size
        return p // cols, p % cols

    def rotated_words(k: int, region: Flags) -> tuple[Kind, str]:
        by = k + 1 if 2 * (k + 1) <= size else k + 1 - size
        way = "on" if by > 0 else "back"
        return "shift", f"elements are shifted {way} by {abs(by)} in the order of rows, cyclically" + within(region, ())

    yield Family("elements", size - 1, _at(tile, rotated), rotated_words)

    def pitched(k: Positions, r: Positions, c: Positions) -> Element:
        p = (r * np.where(k >= cols, k + 1, k) + c) % size
        return p // cols, p % cols

    def pitched_words(k: int, region: Flags) -> tuple[Kind, str]:
        pitch = k + 1 if k >= cols else k
        says = f"row r begins with element {pitch}r, in the order of rows, not with {cols}r"
        return "order", says + within(region, ())

    yield Family("elements", 2 * cols, _at(tile, pitched), pitched_words)


def _both_shifted(tile: Tile) -> Family:
    _, rows, cols = tile.shape

    def to(k: Positions, r: Positions, c: Positions) -> Element:
        both = (k // cols > 0) & (k % cols > 0)
        return np.where(both, (r - k // cols) % rows, -1), (c - k % cols) % cols

    def words(k: int, region: Flags) -> tuple[Kind, str]:
        by = f"rows are shifted down by {k // cols} and columns right by {k % cols}, cyclically"
        return "shift", by + within(region, ())

    return Family("elements", rows * cols, _at(tile, to), words)


def _skewed(tile: Tile) -> Iterator[Family]:
    _, rows, cols = tile.shape

    def by_row(k: Positions, r: Positions, c: Positions) -> Element:
        return np.broadcast_arrays(r, (c - (k + 1) * r) % cols)[0], (c - (k + 1) * r) % cols

    def by_col(k: Positions, r: Positions, c: Positions) -> Element:
        return (r - (k + 1) * c) % rows, np.broadcast_arrays(c, (r - (k + 1) * c) % rows)[0]

    def row_words(k: int, region: Flags) -> tuple[Kind, str]:
        return "shift", f"row r is shifted right by {_times(k + 1)}r, cyclically" + within(region, ())

    def col_words(k: int, region: Flags) -> tuple[Kind, str]:
        return "shift", f"column c is shifted down by {_times(k + 1)}c, cyclically" + within(region, ())

    yield Family("rows", cols - 1, _at(tile, by_row), row_words)
    yield Family("columns", rows - 1, _at(tile, by_col), col_words)


def _times(factor: int) -> str:
    return "" if factor == 1 else str(factor)
