"""Elements of four bits in memory, against plain arithmetic on single bytes."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mmaspec.oracle.case import Case
from mmaspec.oracle.expect import initial_memory
from mmaspec.oracle.memory import Memory
from mmaspec.oracle.numerics.legal import Reason
from mmaspec.oracle.parts_of_bytes import gather_parts, packed, scatter_parts
from mmaspec.oracle.source import Source
from mmaspec.programs.base import Buffer
from mmaspec.programs.formats import format_named

U4, U8 = format_named("u4"), format_named("u8")


@given(st.data())
def test_what_is_put_somewhere_is_found_there_and_nothing_else_changes(data: st.DataObject) -> None:
    start = data.draw(st.binary(min_size=1, max_size=8))
    nibbles = data.draw(st.lists(st.integers(0, 2 * len(start) - 1), unique=True, max_size=8))
    values = [data.draw(st.integers(0, 15)) for _ in nibbles]
    image = np.frombuffer(start, np.uint8).reshape(1, -1).copy()
    places = np.array(nibbles, np.int64)
    scatter_parts(image, places // 2, 4 * (places % 2), np.array([values], np.uint64), 4)
    wanted = int.from_bytes(start, "little")
    for nibble, value in zip(nibbles, values, strict=True):
        wanted = wanted & ~(15 << 4 * nibble) | value << 4 * nibble
    assert int.from_bytes(image.tobytes(), "little") == wanted
    assert gather_parts(image, places // 2, 4 * (places % 2), 4)[0].tolist() == values


@pytest.mark.parametrize("bits", [1, 2, 4, 8])
def test_neighbours_are_packed_from_the_low_end(bits: int) -> None:
    codes = np.arange(2 * 8, dtype=np.uint64).reshape(2, 8) & np.uint64((1 << bits) - 1)
    found = packed(codes, bits)
    assert found.shape == (2, bits)
    for row, line in zip(codes.tolist(), found.tolist(), strict=True):
        whole = sum(code << bits * place for place, code in enumerate(row))
        assert line == list(whole.to_bytes(bits, "little"))


def test_memory_takes_and_gives_elements_of_four_bits() -> None:
    memory = Memory([Buffer("m", 4)], batch=2)
    values = np.array([[1, 2, 3, 4], [15, 0, 9, 8]], np.uint64)
    memory.place("m", np.array([0, 0, 1, 1]), values, U4, np.array([0, 4, 4, 0]))
    assert memory.load("m", np.array([0, 1]), U8).bits.tolist() == [[0x21, 0x34], [0x0F, 0x98]]
    found = memory.load("m", np.array([1, 0, 0]), U4, np.array([0, 0, 4]))
    assert (found.fmt, found.bits.tolist()) == (U4, [[4, 1, 2], [8, 15, 0]])
    unknown = memory.load("m", np.array([2]), U4, np.array([4]))
    assert (unknown.why == Reason.INEXACT_RELOAD).all()


def test_data_of_four_bits_are_placed_in_every_copy() -> None:
    """Two copies of one row of two elements, the second with its halves exchanged."""
    shape = (2, 1, 1, 1, 2)
    source = Source(
        "A", "a", U4, "m", np.array([0, 0, 2, 2]).reshape(shape), first_bits=np.array([0, 4, 4, 0]).reshape(shape)
    )
    program: Any = SimpleNamespace(buffers=(Buffer("m", 4),))
    spec: Any = SimpleNamespace(sources=lambda _: (source,))
    values = {"A": np.array([[5, 9]], np.uint64).reshape(1, 1, 1, 1, 2)}
    case = Case("toy", "row", "by hand", program, None, 1, values)
    memory = initial_memory(case, program, spec)
    assert memory.load("m", np.array([0, 2]), U8).bits.tolist() == [[0x95, 0x59]]
