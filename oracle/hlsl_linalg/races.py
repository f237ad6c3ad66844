"""Whether accesses between two barriers have an order that matters and that nothing states."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np
from numpy.typing import NDArray

from mmaspec.oracle.hlsl_linalg.addresses import Addresses
from mmaspec.oracle.hlsl_linalg.touches import Touch
from mmaspec.programs.base import Buffer
from mmaspec.programs.windows import image_places, within

_LOADED, _STORED, _ADDED = 1, 2, 3


class _Memory:
    """What was done to each byte of one buffer or array; of sums also the element, and what was added."""

    def __init__(self, size: int) -> None:
        self.done = np.zeros(size, np.uint8)
        self.start = np.zeros(size, np.int64)
        self.unit = np.zeros(size, np.int64)

    def races(self, places: Addresses, touch: Touch, starts: Addresses, unit: int) -> bool:
        """Whether one more touch meets one that it must not meet; it is noted. ``starts`` are those of the elements."""
        done = self.done[places]
        if touch.effect == "load":
            if (done > _LOADED).any():
                return True
            self.done[places] = _LOADED
            return False
        if touch.effect == "store":
            if done.any() or np.unique(places).size < places.size:
                return True
            self.done[places] = _STORED
            return False
        if ((done == _LOADED) | (done == _STORED)).any():
            return True
        added = done == _ADDED
        if (added & ((self.start[places] != starts) | (self.unit[places] != unit))).any():
            return True
        self.done[places], self.start[places], self.unit[places] = _ADDED, starts, unit
        return False


def race(buffers: Mapping[str, Buffer], sizes: Mapping[str, int], touches: Iterable[Touch]) -> bool:
    """Whether some byte is written by one access and touched by another, or twice by one.

    Sums meet sums where they add the same elements in the same type. Bytes outside a view are nobody's.
    """
    memories: dict[str, _Memory] = {}
    units: dict[str, int] = {}
    for touch in touches:
        buffer = buffers.get(touch.memory)
        memory = memories.get(touch.memory)
        if memory is None:
            memory = memories[touch.memory] = _Memory(buffer.total if buffer else sizes[touch.memory])
        unit = units.setdefault(touch.unit, len(units))
        # Of sums every matrix and vector is looked at by itself: their elements may coincide, its own must not.
        whole = touch.bytes, np.repeat(touch.starts, touch.size, axis=1)
        rows = zip(*whole, strict=True) if touch.effect == "add" else [(whole[0].ravel(), whole[1].ravel())]
        for taken, starts in rows:
            inside = _inside(buffer, taken, sizes[touch.memory])
            places = taken[inside] if buffer is None else image_places(buffer, taken[inside])
            if touch.effect == "add" and np.unique(places).size < places.size:
                return True
            if memory.races(places, touch, starts[inside], unit):
                return True
    return False


def _inside(buffer: Buffer | None, taken: Addresses, size: int) -> NDArray[np.bool_]:
    found: NDArray[np.bool_] = (taken >= 0) & (taken < size)
    if buffer is not None and buffer.windows:
        found &= within(buffer, taken)
    return found
