"""Windows of sparse buffers: where their bytes lie, and which windows a buffer can have."""

from __future__ import annotations

import numpy as np
import pytest

from mmaspec.programs.base import GUARD, Buffer
from mmaspec.programs.errors import BadInput
from mmaspec.programs.nv_coopmat2.program import CoopMatProgram
from mmaspec.programs.nv_coopmat2.well_formed import check_well_formed
from mmaspec.programs.windows import address, around, dense, image_places, largest, piece, seen, within

FAR = 1 << 32
SPARSE = Buffer("far", FAR, 64, ((-16, 32), (256, 16), (FAR - 8, 40)))


def test_an_image_is_the_windows_one_after_the_other() -> None:
    assert SPARSE.total == 32 + 16 + 40
    assert SPARSE.allocation == 64 + FAR + GUARD
    addresses = np.array([-16, 0, 15, 256, 271, FAR - 8, FAR + 31])
    assert image_places(SPARSE, addresses).tolist() == [0, 16, 31, 32, 47, 48, 87]
    assert [address(SPARSE, int(place)) for place in image_places(SPARSE, addresses)] == addresses.tolist()
    assert piece(SPARSE, 258, 4) == slice(34, 38)


def test_an_element_lies_in_one_window_or_in_none() -> None:
    addresses = np.array([-20, -16, 12, 13, 16, 255, 256, 268, 269, FAR - 8, FAR + 29])
    assert within(SPARSE, addresses, 4).tolist() == [
        False, True, True, False, False, False, True, True, False, True, False,
    ]  # fmt: skip


def test_guard_zones_lie_in_windows_but_not_in_the_view() -> None:
    assert seen(SPARSE, np.array([-16, -1, 0, 300, FAR - 1, FAR])).tolist() == [16, 55]


def test_a_dense_buffer_has_its_allocation_for_an_image() -> None:
    buffer = Buffer("near", 100, 32)
    assert buffer.total == buffer.allocation == 32 + 100 + GUARD
    assert image_places(buffer, np.array([0, 99])).tolist() == [32, 131]
    assert within(buffer, np.array([-32, -33, 100 + GUARD - 1, 100 + GUARD])).tolist() == [True, False, True, False]
    assert seen(buffer, np.array([-1, 0, 99, 100])).tolist() == [32, 131]
    assert address(buffer, 32) == 0


def test_windows_are_made_around_bytes_with_a_margin_inside_the_allocation() -> None:
    taken = [np.array([0, 1, 100]), np.array([1000]), np.array([FAR - 1])]
    made = around(Buffer("far", FAR, 32), taken)
    assert made.windows == ((-32, 32 + 176), (928, 144), (FAR - 80, 80 + GUARD))
    assert all(within(made, each).all() for each in taken)


def program(*buffers: Buffer) -> CoopMatProgram:
    return CoopMatProgram(buffers, (), ())


def test_sparse_buffers_may_be_larger_than_memory() -> None:
    check_well_formed(program(SPARSE))
    assert largest(program(SPARSE, Buffer("near", 16))) == SPARSE.size
    assert dense(program(SPARSE)).buffers == (Buffer("far", FAR, 64),)


@pytest.mark.parametrize(
    ("windows", "says"),
    [
        (((0, 0), (16, 16)), "a window of 0 bytes at 0"),
        (((-80, 32),), "a window of 32 bytes at -80"),
        (((0, 32), (16, 32)), "a window of 32 bytes at 16"),
        (((64, 16), (0, 16)), "a window of 16 bytes at 0"),
        (((FAR, GUARD + 1),), f"a window of 65 bytes at {FAR}"),
        (((0, 15),), "windows of 15 bytes in all"),
        (((0, 1 << 27),), f"windows of {1 << 27} bytes in all"),
        (tuple((32 * number, 16) for number in range(4097)), "4097 windows"),
    ],
)
def test_windows_are_in_order_apart_and_small(windows: tuple[tuple[int, int], ...], says: str) -> None:
    with pytest.raises(BadInput) as bad:
        check_well_formed(program(Buffer("far", FAR, 64, windows)))
    assert says in str(bad.value)


def test_a_buffer_without_windows_stays_small() -> None:
    with pytest.raises(BadInput):
        check_well_formed(program(Buffer("far", FAR, 64)))
