"""Memory maps, bars and number lines."""

from __future__ import annotations

from typing import Any
from xml.etree import ElementTree as ET

import numpy as np
import pytest

from mmaspec.programs.base import GUARD, Buffer
from mmaspec.reports.layout import map_memory
from mmaspec.reports.number_line import NO_DISTANCE, distance_words, number_line
from mmaspec.reports.svg import memory_map, status_bar
from mmaspec.suites.judging.record import Element


def element(address: int, **fields: Any) -> Element:
    return Element(**{"buffer": "out", "address": address, "item": 0, "got": "00000001", **fields})


@pytest.fixture
def drawn(failing: Any) -> Any:
    return failing.examples["wm-addr-row-1.json"].memory


def test_rectangles_cover_every_line_once(drawn: Any) -> None:
    assert drawn.pitch == 96
    assert drawn.origin == 32
    at = drawn.rectangles[0].address
    assert at == drawn.origin + drawn.first_line * drawn.pitch
    for rectangle in drawn.rectangles:
        assert rectangle.address == at
        at += rectangle.nbytes
    assert {rectangle.kind for rectangle in drawn.rectangles} == {"element", "padding", "guard"}


def test_elements_stand_one_by_one_and_padding_in_one_piece(drawn: Any) -> None:
    row = [rectangle for rectangle in drawn.rectangles if drawn.line_of(rectangle.address) == 2]
    assert [rectangle.nbytes for rectangle in row] == [4] * 16 + [32]
    assert drawn.failing.nbytes == 4
    assert drawn.column_of(drawn.failing.address) == 20


def make(address: int, stride: int = 96, **fields: Any) -> Any:
    from mmaspec.oracle.expectation import Defined, Region
    from mmaspec.oracle.numerics.legal import full
    from mmaspec.programs.formats import FORMATS

    buffer = Buffer("out", 16 * stride)
    addresses = (np.arange(16)[:, None] * stride + np.arange(16)[None, :] * 4)[None].astype(np.int64)
    owned = np.zeros(buffer.total, np.bool_)
    for byte in range(4):
        owned[addresses + byte + buffer.base] = True
    legal = full(FORMATS["s32"], (1, *addresses.shape), 1)
    region = Region("out", 0, addresses, legal, np.ones(addresses.shape, np.bool_))
    expected = Defined({}, {"out": owned}, {"out": owned}, (), (region,))
    return map_memory(expected, buffer, element(address, **fields))


def test_guard_zones_can_be_shown_and_nothing_beyond_them() -> None:
    assert make(-3).failing.kind == "guard"
    assert make(16 * 96 + GUARD - 1).failing.kind == "guard"
    assert make(-65) is None
    assert make(16 * 96 + GUARD) is None


def test_an_element_that_the_program_does_not_put_there_is_not_drawn() -> None:
    assert make(96 + 8, format="s32", row=1, col=2) is not None
    assert make(96 + 8, format="s32", row=1, col=3) is None
    assert make(96 + 8, format="s32", row=99, col=3) is None


def test_long_lines_are_cut_around_the_element() -> None:
    wide = make(4096 * 3 + 60, stride=4096, format="s32", row=3, col=15)
    assert wide.pitch == 4096
    assert wide.left <= 60 < wide.left + wide.width
    assert memory_map(wide)


def test_pictures_are_well_formed(drawn: Any) -> None:
    for picture in (memory_map(drawn), status_bar({"pass": 3, "fail": 1}, 'a < b & "c"'), status_bar({}, "none")):
        ET.fromstring(str(picture))  # noqa: S314 - our own text


def test_one_failure_among_many_is_wide_enough_to_see() -> None:
    bar = ET.fromstring(str(status_bar({"pass": 100_000, "fail": 1}, "clauses")))  # noqa: S314
    widths = {part.attrib["class"]: float(part.attrib["width"]) for part in bar}
    assert widths["s-fail"] > 5
    assert sum(widths.values()) < 1000


def test_the_dot_lies_on_its_side() -> None:
    low = {"format": "f32", "low": "3f800000", "high": "3f800000"}
    assert "below" in number_line(element(0, **{**low, "got": "bf800000", "distance": 5}))
    assert "above" in number_line(element(0, **{**low, "got": "40000000", "distance": 1}))
    assert not number_line(element(0, **{**low, "got": "7fc00000", "distance": NO_DISTANCE}))
    assert not number_line(element(0, **{**low, "got": "zz", "distance": 2}))
    assert distance_words(element(0, distance=1)) == "1 representable value away"
    assert "NaN" in distance_words(element(0, distance=NO_DISTANCE))
