"""Values of other items of the batch are recognised."""

from __future__ import annotations

import pytest

from .tiles import Array, exactly, numbers, sums

MAKERS = {"integers": numbers, "float sums": sums}


def before(bits: Array) -> Array:
    bits[1:] = bits[:-1].copy()
    bits[0] = 0xCDCDCDCD
    return bits


def row_before(bits: Array) -> Array:
    bits[1:, :, 3] = bits[:-1, :, 3].copy()
    return bits


def first(bits: Array) -> Array:
    bits[:] = bits[:1].copy()
    return bits


LEAKS = {
    "items hold the values of the item before": before,
    "items hold the values of the item before in row 3": row_before,
    "items hold the values of item 0": first,
}


@pytest.mark.parametrize("made", MAKERS)
@pytest.mark.parametrize("says", LEAKS)
def test_leaks_between_items(says: str, made: str) -> None:
    found = MAKERS[made]((12, 1, 8, 16)).seen(LEAKS[says])
    assert found is not None
    assert (found.kind, found.says) == ("item", says)


def test_items_that_are_all_alike_show_no_leak() -> None:
    same = numbers((12, 1, 8, 16)).bits
    same[:] = same[0]
    assert exactly(same).seen(before) is None
