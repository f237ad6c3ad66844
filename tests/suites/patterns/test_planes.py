"""Patterns in which rows and columns change together."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from .tiles import Array, Device, numbers, sums

MAKERS = {"integers": numbers, "float sums": sums}


def moved(to: tuple, source: tuple, transposed: bool = False) -> Callable[[Array], Array]:
    """A device that writes a part of the tile somewhere else."""

    def device(bits: Array) -> Array:
        made = bits.copy()
        part = bits[(..., *source)]
        made[(..., *to)] = part.swapaxes(-1, -2) if transposed else part
        return made

    return device


def exchanged(one: tuple, other: tuple) -> Callable[[Array], Array]:
    """A device that exchanges two parts of the tile."""

    def device(bits: Array) -> Array:
        made = bits.copy()
        made[(..., *one)], made[(..., *other)] = bits[(..., *other)], bits[(..., *one)]
        return made

    return device


LOW, HIGH = slice(0, 8), slice(8, 16)
SQUARE: dict[str, Device] = {
    "the matrix is transposed": lambda bits: bits.swapaxes(-1, -2),
    "the matrix is transposed about its other diagonal": lambda bits: bits[..., ::-1, ::-1].swapaxes(-1, -2),
    "the matrix is turned left": lambda bits: np.rot90(bits, 1, (-2, -1)),
    "the matrix is turned right": lambda bits: np.rot90(bits, -1, (-2, -1)),
    "rows and columns are in reverse order": lambda bits: bits[..., ::-1, ::-1],
    "the block of rows 0 to 7 and columns 8 to 15 is transposed": moved((LOW, HIGH), (LOW, HIGH), True),
    "every block of 4 x 4 is transposed": lambda bits: (
        bits.reshape(*bits.shape[:2], 4, 4, 4, 4).swapaxes(3, 5).reshape(bits.shape)
    ),
    "blocks of 4 x 4 are transposed as wholes": lambda bits: (
        bits.reshape(*bits.shape[:2], 4, 4, 4, 4).swapaxes(2, 4).reshape(bits.shape)
    ),
    "the upper right and lower left quadrants are exchanged": exchanged((LOW, HIGH), (HIGH, LOW)),
    "the upper left and lower right quadrants are exchanged": exchanged((LOW, LOW), (HIGH, HIGH)),
    "opposite quadrants are exchanged": lambda bits: np.roll(bits, (8, 8), (-2, -1)),
    "blocks [0 to 3, 4 to 7] and [8 to 11, 12 to 15] are exchanged": exchanged(
        (slice(0, 4), slice(4, 8)), (slice(8, 12), slice(12, 16))
    ),
    "columns 4 to 7 and 12 to 15 are exchanged in rows 0 to 3": exchanged(
        (slice(0, 4), slice(4, 8)), (slice(0, 4), slice(12, 16))
    ),
    "elements [0, 1] and [1, 0] are exchanged": exchanged((0, 1), (1, 0)),
    "elements [r, c] and [r xor 1, c xor 2] are exchanged": lambda bits: bits[
        ..., np.arange(16)[:, None] ^ 1, np.arange(16) ^ 2
    ],
    "rows are shifted down by 2 and columns right by 5, cyclically": lambda bits: np.roll(bits, (2, 5), (-2, -1)),
    "row r is shifted right by r, cyclically": lambda bits: bits[
        ..., np.arange(16)[:, None], (np.arange(16) - np.arange(16)[:, None]) % 16
    ],
    "elements are shifted on by 3 in the order of rows, cyclically": lambda bits: np.roll(
        bits.reshape(*bits.shape[:2], -1), 3, -1
    ).reshape(bits.shape),
    "row r begins with element 15r, in the order of rows, not with 16r": lambda bits: bits.reshape(*bits.shape[:2], -1)[
        ..., np.arange(16)[:, None] * 15 + np.arange(16)
    ],
}


@pytest.mark.exhaustive(every=3)
@pytest.mark.parametrize("made", MAKERS)
@pytest.mark.parametrize("says", SQUARE)
def test_square_tiles(says: str, made: str) -> None:
    data = MAKERS[made]((6, 2, 16, 16))
    found = data.seen(SQUARE[says])
    assert found is not None
    assert found.says == says
    assert found.explained == data.legal.illegal(np.ascontiguousarray(SQUARE[says](data.bits))).sum()


@pytest.mark.parametrize("made", MAKERS)
def test_tiles_that_are_not_square_have_two_orders(made: str) -> None:
    data = MAKERS[made]((4, 1, 16, 32))
    by_columns = data.seen(lambda bits: bits.swapaxes(-1, -2).reshape(bits.shape))
    assert by_columns is not None
    assert by_columns.says == "the matrix is stored column by column where row by row is due"
    by_rows = data.seen(lambda bits: bits.reshape(4, 1, 32, 16).swapaxes(-1, -2))
    assert by_rows is not None
    assert by_rows.says == "the matrix is stored row by row where column by column is due"
    assert by_rows.kind == by_columns.kind == "order"


def test_blocks_of_16_in_a_matrix_of_64() -> None:
    data = numbers((2, 1, 64, 64))
    found = data.seen(exchanged((slice(0, 16), slice(16, 32)), (slice(32, 48), slice(48, 64))))
    assert found is not None
    assert found.says == "blocks [0 to 15, 16 to 31] and [32 to 47, 48 to 63] are exchanged"


def by_bits(source: Callable[[Array, Array], tuple[Array, Array]]) -> Device:
    """A device whose element [r, c] is that of the row and column that `source` gives."""

    def device(bits: Array) -> Array:
        r, c = source(np.arange(16)[:, None], np.arange(16))
        return bits[..., r, c]

    return device


BITS: dict[str, Device] = {
    "bits r0 and c1 of rows r and columns c are exchanged": by_bits(
        lambda r, c: (r & ~1 | c >> 1 & 1, c & ~2 | (r & 1) << 1),
    ),
    "values come from the row r and column c with the bits c1 = c1 xor r0, c0 = c0 xor r1": by_bits(
        lambda r, c: (r + 0 * c, c ^ (r & 1) << 1 ^ r >> 1 & 1),
    ),
    "values come from the row r and column c with the bits r0 = c3 xor 1, c3 = r0": by_bits(
        lambda r, c: (r & ~1 | c >> 3 ^ 1, c & 7 | (r & 1) << 3),
    ),
    "values come from the row r and column c with the bits r0 = c0, c0 = 0": by_bits(
        lambda r, c: (r & ~1 | c & 1, c & ~1 | 0 * r),
    ),
}  # fmt: skip


@pytest.mark.parametrize("made", MAKERS)
@pytest.mark.parametrize("says", BITS)
def test_bits_of_rows_and_columns(says: str, made: str) -> None:
    found = MAKERS[made]((6, 2, 16, 16)).seen(BITS[says])
    assert found is not None
    assert found.says == says
    assert found.kind == ("repetition" if says.endswith("= 0") else "permutation")
