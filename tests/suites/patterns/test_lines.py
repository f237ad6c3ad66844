"""Rows, columns and waves that hold those of others are recognised, whatever kind of data they have."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from .tiles import Made, along, numbers, sums

WAVES, ROWS, COLS = 1, 2, 3
SHAPE = (4, 2, 16, 16)
MAKERS = {"integers": numbers, "float sums": sums}

PLANTED: dict[str, tuple[int, Callable]] = {
    "rows 14 and 15 are exchanged": (ROWS, lambda r: np.where(r >= 14, r ^ 1, r)),
    "columns 3 and 12 are exchanged": (COLS, lambda c: np.where((c == 3) | (c == 12), 15 - c, c)),
    "rows 2 and 3 of every four are exchanged": (ROWS, lambda r: r ^ (r >> 1 & 1)),
    "rows r and r xor 2 are exchanged": (ROWS, lambda r: r ^ 2),
    "rows r and r xor 1 are exchanged, in rows 8 to 15": (ROWS, lambda r: r ^ (r >> 3)),
    "rows 4 to 7 and 12 to 15 are exchanged": (ROWS, lambda r: r ^ (r >> 2 & 1) * 8),
    "the upper and lower halves are exchanged": (ROWS, lambda r: r ^ 8),
    "the left and right halves are exchanged": (COLS, lambda c: c ^ 8),
    "columns are in reverse order": (COLS, lambda c: 15 - c),
    "columns are shifted right by 1, cyclically": (COLS, lambda c: (c - 1) % 16),
    "columns are shifted left by 3, cyclically": (COLS, lambda c: (c + 3) % 16),
    "rows are shifted up by 1, cyclically in groups of 4 rows": (ROWS, lambda r: r // 4 * 4 + (r + 1) % 4),
    "rows are shifted down by 1; row 0 is kept": (ROWS, lambda r: np.maximum(r - 1, 0)),
    "rows are shifted down by 2; rows 0 and 1 hold row 0": (ROWS, lambda r: np.maximum(r - 2, 0)),
    "every row holds row 0": (ROWS, lambda r: r * 0),
    "row 5 holds row 2": (ROWS, lambda r: np.where(r == 5, 2, r)),
    "rows 5 and 9 hold row 2": (ROWS, lambda r: np.where((r == 5) | (r == 9), 2, r)),
    "odd rows repeat even rows": (ROWS, lambda r: r & ~1),
    "even columns repeat odd columns": (COLS, lambda c: c | 1),
    "the lower half repeats the upper half": (ROWS, lambda r: r % 8),
    "the left half repeats the right half": (COLS, lambda c: c % 8 + 8),
    "rows 0 to 3 stand in every 4": (ROWS, lambda r: r % 4),
    "row r holds row r div 2": (ROWS, lambda r: r // 2),
    "row r holds row 8(r mod 2) + r div 2": (ROWS, lambda r: r % 2 * 8 + r // 2),
    "waves 0 and 1 are exchanged": (WAVES, lambda w: 1 - w),
    "every element of wave 1 is that of wave 0": (WAVES, lambda w: w * 0),
}  # fmt: skip


@pytest.mark.exhaustive(every=3)
@pytest.mark.parametrize("made", MAKERS)
@pytest.mark.parametrize("says", PLANTED)
def test_what_was_planted_is_said(says: str, made: str) -> None:
    data = MAKERS[made](SHAPE)
    device = along(*PLANTED[says])
    found = data.seen(device)
    assert found is not None
    assert found.says == says
    wrong = data.legal.illegal(device(data.bits))
    # The rows that a shift left free hold nothing that came from somewhere.
    free = wrong[:, :, :2].sum() if says.endswith("hold row 0") else 0
    assert found.explained == wrong.sum() - free


@pytest.mark.parametrize("made", MAKERS)
def test_only_a_part_of_the_tile(made: str) -> None:
    def device(bits: np.ndarray) -> np.ndarray:
        bits[:, 1, 2:4, 8:] = bits[:, 1, 3:1:-1, 8:]
        return bits

    found = MAKERS[made](SHAPE).seen(device)
    assert found is not None
    assert found.says == "rows 2 and 3 are exchanged in columns 8 to 15 of wave 1"


@pytest.mark.parametrize(("edge", "says"), [(0, "row 0 is zero"), (0xCDCDCDCD, "row 0 holds the same bits everywhere")])
def test_a_shift_says_what_it_left_free(edge: int, says: str) -> None:
    def device(bits: np.ndarray) -> np.ndarray:
        bits = np.roll(bits, 1, ROWS)
        bits[:, :, 0] = edge
        return bits

    found = numbers(SHAPE).seen(device)
    assert found is not None
    assert found.says == f"rows are shifted down by 1; {says}"
    assert found.explained == 4 * 2 * 15 * 16


def test_the_edge_of_a_part_is_said_to_be_the_same_there_alone() -> None:
    def device(bits: np.ndarray) -> np.ndarray:
        bits[..., 8:] = np.roll(bits[..., 8:], 1, ROWS)
        bits[:, :, 0, 8:] = 0xCDCDCDCD
        return bits

    found = numbers(SHAPE).seen(device)
    assert found is not None
    assert found.says == "rows are shifted down by 1 in columns 8 to 15; row 0 holds the same bits there"


def test_a_shift_into_whose_edge_something_else_came() -> None:
    def device(bits: np.ndarray) -> np.ndarray:
        shifted = np.roll(bits, -2, COLS)
        shifted[..., -2:] = bits[..., :2] ^ 0x5A5
        return shifted

    found = numbers(SHAPE).seen(device)
    assert found is not None
    assert found.says == "columns are shifted left by 2; the edge holds something else"


def test_rows_in_no_order() -> None:
    few = numbers(SHAPE).seen(along(ROWS, lambda r: np.where(r == 3, 9, np.where(r == 9, 4, np.where(r == 4, 3, r)))))
    assert few is not None
    assert few.says == "rows 3, 4 and 9 hold rows 9, 3 and 4"
    many = sums(SHAPE).seen(along(COLS, lambda _: np.random.default_rng(3).permutation(16)))
    assert many is not None
    assert (many.kind, many.axis) == ("permutation", "columns")


@given(st.data())
def test_any_two_lines_that_change_places(data: st.DataObject) -> None:
    axis = data.draw(st.sampled_from([ROWS, COLS]))
    shape = (3, 1, *data.draw(st.tuples(*[st.sampled_from([8, 16, 24, 32])] * 2)))
    one, other = sorted(data.draw(st.lists(st.integers(0, shape[axis] - 1), min_size=2, max_size=2, unique=True)))
    made: Made = data.draw(st.sampled_from(list(MAKERS.values())))(shape, seed=one + 32 * other)
    swap = {one: other, other: one}
    found = made.seen(along(axis, lambda lines: np.array([swap.get(int(line), int(line)) for line in lines])))
    assert found is not None
    assert found.says == f"{'rows' if axis == ROWS else 'columns'} {one} and {other} are exchanged"
    assert found.kind == "exchange"


@given(st.sampled_from([ROWS, COLS]), st.integers(1, 23), st.sampled_from([16, 24]))
def test_any_cyclic_shift(axis: int, by: int, count: int) -> None:
    by %= count
    found = numbers((2, 1, count, count), seed=by).seen(lambda bits: np.roll(bits, by, axis))
    if by == 0:
        assert found is None
    else:
        assert found is not None
        assert found.kind == ("half" if 2 * by == count else "shift")
