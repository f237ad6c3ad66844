"""The bytes around a failing element: the contents of a memory map, before it is drawn."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

import numpy as np

from mmaspec.oracle.expectation import Defined, Region
from mmaspec.programs.base import GUARD, Buffer
from mmaspec.programs.formats import FORMATS
from mmaspec.programs.windows import image_place, within
from mmaspec.suites.judging.record import Element
from mmaspec.suites.judging.telling.whose import coordinates

ByteKind = Literal["element", "data", "padding", "guard"]
"""element: stored by the program. data: read by it, and must stay. padding: neither. guard: outside view or windows."""

LINES_AROUND = 5
"""Lines shown before and after the line of the failing element."""
WIDEST = 288
"""Most bytes of a line that are shown."""
_PITCHES = range(8, 1 << 16)
_DEFAULT_PITCH = 64


@dataclass(frozen=True, slots=True)
class Rectangle:
    """``nbytes`` bytes of one kind at ``address`` of a view (negative: in front of it), inside one line."""

    address: int
    nbytes: int
    kind: ByteKind
    label: str = ""


@dataclass(frozen=True, slots=True)
class MemoryMap:
    """A window of a buffer, cut into lines of ``pitch`` bytes that start at ``origin`` plus multiples of it.

    Only the bytes ``left`` to ``left + width - 1`` of each line are shown. ``rectangles`` are in the order of
    addresses and do not overlap; ``failing`` is the element in question.
    """

    buffer: str
    size: int
    pitch: int
    origin: int
    first_line: int
    lines: int
    left: int
    width: int
    rectangles: tuple[Rectangle, ...]
    failing: Rectangle

    def line_of(self, address: int) -> int:
        """Number of the line that holds ``address``; line 0 starts at ``origin``."""
        return (address - self.origin) // self.pitch

    def column_of(self, address: int) -> int:
        """Byte of its line at which ``address`` lies."""
        return (address - self.origin) % self.pitch


def map_memory(expected: Defined, buffer: Buffer, element: Element) -> MemoryMap | None:
    """The window of ``buffer`` around ``element``.

    None where the element is not in the buffer's allocation, or no store of the program puts it there.
    """
    if not -buffer.base <= element.address < buffer.size + GUARD:
        return None
    regions = [region for region in expected.regions if region.buffer == buffer.name and region.live.any()]
    if element.format in FORMATS and not any(_puts(region, element) for region in regions):
        return None
    home = next((region for region in regions if _holds(region, element.address)), regions[0] if regions else None)
    nbytes = home.legal.fmt.nbytes if home is not None and _holds(home, element.address) else 1
    pitch, origin = _grid(home, element.wave)
    line = (element.address - origin) // pitch
    first = max(line - LINES_AROUND, (-buffer.base - origin) // pitch)
    last = min(line + LINES_AROUND, (buffer.size + GUARD - 1 - origin) // pitch)
    column = (element.address - origin) % pitch
    width = min(pitch, WIDEST)
    left = min(max(0, (column - width // 2) // 16 * 16), pitch - width)
    window = _Window(buffer, pitch, origin, left, width)
    rectangles = tuple(window.rectangles(expected, regions, range(first, last + 1)))
    # Where lines are cut, the outermost may have none of their bytes in view.
    first = (rectangles[0].address - origin) // pitch
    last = (rectangles[-1].address - origin) // pitch
    label = coordinates(element) if element.format in FORMATS else ""
    failing = Rectangle(element.address, nbytes, window.kind_of(expected, element.address), label)
    return MemoryMap(
        buffer.name, buffer.size, pitch, origin, first, last - first + 1, left, width, rectangles, failing
    )  # fmt: skip


def _puts(region: Region, element: Element) -> bool:
    index = (element.wave, element.row, element.col)
    inside = all(0 <= at < extent for at, extent in zip(index, region.addresses.shape, strict=True))
    return inside and int(region.addresses[index]) == element.address


def _holds(region: Region, address: int) -> bool:
    first = region.addresses
    inside = (first <= address) & (address < first + region.legal.fmt.nbytes)
    return bool((inside & region.live).any())


def _grid(region: Region | None, wave: int) -> tuple[int, int]:
    """Length and start of a line: the distance of neighbouring rows (or columns) of the stored matrix."""
    if region is None:
        return _DEFAULT_PITCH, 0
    addresses = region.addresses[min(wave, len(region.addresses) - 1)]
    steps = [
        abs(int(addresses[1, 0] - addresses[0, 0])) if addresses.shape[0] > 1 else 0,
        abs(int(addresses[0, 1] - addresses[0, 0])) if addresses.shape[1] > 1 else 0,
    ]
    pitch = max(steps)
    if pitch <= region.legal.fmt.nbytes or pitch not in _PITCHES:
        pitch = _DEFAULT_PITCH
    return pitch, int(addresses.min())


@dataclass(frozen=True, slots=True)
class _Window:
    buffer: Buffer
    pitch: int
    origin: int
    left: int
    width: int

    def kind_of(self, expected: Defined, address: int) -> ByteKind:
        if not 0 <= address < self.buffer.size or not within(self.buffer, np.array([address])).all():
            return "guard"
        position = image_place(self.buffer, address)
        if expected.owned[self.buffer.name][position]:
            return "element"
        return "data" if expected.known[self.buffer.name][position] else "padding"

    def rectangles(self, expected: Defined, regions: list[Region], lines: range) -> Iterator[Rectangle]:
        starts = self._starts(regions)
        for line in lines:
            begin = self.origin + line * self.pitch + self.left
            stop = min(begin + self.width, self.buffer.size + GUARD)
            yield from self._line(expected, starts, max(begin, -self.buffer.base), stop)

    def _line(self, expected: Defined, starts: dict[int, int], begin: int, stop: int) -> Iterator[Rectangle]:
        """Runs of one kind; stored elements each by itself."""
        at = begin
        while at < stop:
            kind = self.kind_of(expected, at)
            end = at + 1
            while end < stop and self.kind_of(expected, end) == kind:
                if kind == "element" and starts.get(end) != starts.get(end - 1):
                    break
                end += 1
            yield Rectangle(at, end - at, kind)
            at = end

    def _starts(self, regions: list[Region]) -> dict[int, int]:
        """For every byte that is stored, where the element that it belongs to starts."""
        starts: dict[int, int] = {}
        for region in regions:
            places: list[int] = region.addresses[region.live].tolist()
            for found in places:
                starts.update((byte, found) for byte in range(found, found + region.legal.fmt.nbytes))
        return starts
