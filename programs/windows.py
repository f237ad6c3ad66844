"""Where the bytes of a buffer lie in its image: of a sparse buffer, in its windows."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from mmaspec.programs.base import GUARD, Buffer, Program

Places = NDArray[np.int64]
Mask = NDArray[np.bool_]

GRAIN = 16
"""Windows made here start at multiples of so many bytes."""


@lru_cache(maxsize=256)
def _table(windows: tuple[tuple[int, int], ...]) -> tuple[Places, Places, Places]:
    """Of each window its first byte, the one after its last, and its place in the image."""
    starts, lengths = (np.array(column, np.int64) for column in zip(*windows, strict=True))
    return starts, starts + lengths, np.cumsum(lengths) - lengths


def image_places(buffer: Buffer, addresses: Places) -> Places:
    """The places in the image of bytes of the view; what lies in no window has one that means nothing."""
    if not buffer.windows:
        return addresses + buffer.base
    starts, _, places = _table(buffer.windows)
    window = np.maximum(np.searchsorted(starts, addresses, side="right") - 1, 0)
    return np.asarray(addresses - starts[window] + places[window], np.int64)


def image_place(buffer: Buffer, address: int) -> int:
    """The place in the image of one byte of the view, which must have one."""
    if not buffer.windows:
        return address + buffer.base
    return int(image_places(buffer, np.array([address], np.int64))[0])


def within(buffer: Buffer, addresses: Places, nbytes: int = 1) -> Mask:
    """Which elements of so many bytes lie in the image, each in one piece."""
    if not buffer.windows:
        return np.asarray((addresses >= -buffer.base) & (addresses + nbytes <= buffer.size + GUARD))
    starts, ends, _ = _table(buffer.windows)
    window = np.searchsorted(starts, addresses, side="right") - 1
    return np.asarray((window >= 0) & (addresses + nbytes <= ends[np.maximum(window, 0)]))


def seen(buffer: Buffer, addresses: Places) -> Places:
    """The places in the image of those of these bytes that lie in the view, and in a window if there are any."""
    inside = (addresses >= 0) & (addresses < buffer.size)
    if buffer.windows:
        inside &= within(buffer, addresses)
    return image_places(buffer, addresses[inside])


def piece(buffer: Buffer, start: int, nbytes: int) -> slice:
    """The place in the image of so many bytes of the view, which must lie in one piece."""
    first = image_place(buffer, start)
    return slice(first, first + nbytes)


def address(buffer: Buffer, place: int) -> int:
    """The byte of the view that lies at a place of the image."""
    if not buffer.windows:
        return place - buffer.base
    starts, _, places = _table(buffer.windows)
    window = int(np.searchsorted(places, place, side="right")) - 1
    return int(starts[window] + place - places[window])


def sparse(program: Program) -> bool:
    """Whether some buffer has windows."""
    return any(buffer.windows for buffer in program.buffers)


def largest(program: Program) -> int:
    """Bytes of the largest view of a sparse buffer."""
    return max((buffer.size for buffer in program.buffers if buffer.windows), default=0)


def dense(program: Any) -> Any:
    """The program with whole buffers."""
    return msgspec.structs.replace(
        program, buffers=tuple(msgspec.structs.replace(buffer, windows=()) for buffer in program.buffers)
    )


def around(buffer: Buffer, taken: Iterable[Places], margin: int = GUARD) -> Buffer:
    """The buffer with windows around these bytes of the view, and so many bytes beside each."""
    found = np.unique(np.concatenate([np.zeros(0, np.int64), *(each.ravel() for each in taken)]))
    if not found.size:
        found = np.zeros(1, np.int64)
    starts = np.maximum((found - margin) // GRAIN * GRAIN, -buffer.base)
    ends = np.minimum((found + margin) // GRAIN * GRAIN + GRAIN, buffer.size + GUARD)
    first = np.concatenate([[True], starts[1:] > ends[:-1]])
    last = np.concatenate([first[1:], [True]])
    pairs = zip(starts[first].tolist(), (ends[last] - starts[first]).tolist(), strict=True)
    return msgspec.structs.replace(buffer, windows=tuple(pairs))
